"""A progress line on the terminal, with the time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
WIDTH = 30
PAUSE = 0.1


def progress(items: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Hand the items through; where a person watches, show how far it is."""
    if not sys.stderr.isatty():
        yield from items
        return
    start = shown = time.monotonic()
    for done, item in enumerate(items, start=1):
        yield item
        now = time.monotonic()
        if now - shown >= PAUSE or done == total:
            shown = now
            left = (now - start) / done * (total - done)
            bar = "█" * (WIDTH * done // total)
            sys.stderr.write(f"\r{what} {bar:<{WIDTH}} {done}/{total}, {left:.0f} s left ")
            sys.stderr.flush()
    sys.stderr.write("\n")
