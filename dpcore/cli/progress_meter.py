"""A progress line on the terminal, with the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from threading import Event, Thread
from typing import Self, TypeVar

T = TypeVar("T")
WIDTH = 30
PAUSE = 0.1
#: Seconds between two writings of a stage, and how long its line is: shorter ones leave no rest.
TICK, COLUMNS = 0.25, 90
#: Width of the bar of a stage; the seconds and the part after which the time left is shown.
BAR, SOON, ENOUGH = 20, 1.0, 0.05


class Stages:
    """A progress line: the stage, how much of it is done, the time so far and the time left.

    On a terminal it is written again several times a second, even without news, so that long work
    does not look frozen.
    """

    def __init__(self) -> None:
        self._start = self._began = time.monotonic()
        self._state: tuple[str, float] | None = None
        self._ended = Event()
        self._writer = Thread(target=self._write, daemon=True) if sys.stderr.isatty() else None

    def __call__(self, doing: str, part: float) -> None:
        if self._state is None or self._state[0] != doing:
            self._began = time.monotonic()
        self._state = doing, min(max(part, 0.0), 1.0)

    def __enter__(self) -> Self:
        if self._writer:
            self._writer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._writer:
            self._writer.join()

    def _write(self) -> None:
        written = False
        while not self._ended.wait(TICK):
            if self._state:
                doing, part = self._state
                bar = "█" * int(BAR * part)
                now = time.monotonic()
                line = f"{doing} {bar:<{BAR}} {100 * part:.0f} %, {now - self._start:.1f} s so far"
                line += time_left(now - self._began, part)
                sys.stderr.write(f"\r{line:<{COLUMNS}}")
                sys.stderr.flush()
                written = True
        if written:
            sys.stderr.write("\n")


def time_left(past: float, part: float) -> str:
    """The estimated time left in a stage, in words; empty at first."""
    if past < SOON or not ENOUGH <= part < 1:
        return ""
    return f", this step {past * (1 / part - 1):.0f} s more"


class Meter:
    """A line that says which part of something is done, and how long the rest will take."""

    def __init__(self, what: str):
        self._what = what
        self._start = self._shown = time.monotonic()
        self._watched = sys.stderr.isatty()

    def __call__(self, part: float) -> None:
        now = time.monotonic()
        if self._watched and part > 0 and now - self._shown >= PAUSE:
            self._shown = now
            seconds = (now - self._start) * (1 / min(part, 1) - 1)
            bar = "█" * int(WIDTH * min(part, 1))
            sys.stderr.write(
                f"\r{self._what} {bar:<{WIDTH}} {100 * part:.0f} %, {seconds:.0f} s left "
            )
            sys.stderr.flush()

    def end(self) -> None:
        if self._shown > self._start:
            sys.stderr.write("\n")


def progress(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Hand the items through; where a person watches, show how far it is."""
    meter = Meter(what)
    for done, item in enumerate(items, start=1):
        yield item
        meter(done / total)
    meter.end()
