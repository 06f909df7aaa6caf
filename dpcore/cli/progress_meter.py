"""A progress line on the terminal, with the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
WIDTH = 30
PAUSE = 0.1


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
            left = (now - self._start) * (1 / min(part, 1) - 1)
            bar = "█" * int(WIDTH * min(part, 1))
            sys.stderr.write(
                f"\r{self._what} {bar:<{WIDTH}} {100 * part:.0f} %, {left:.0f} s left "
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
