"""Progress of long computations, reported to the listener of the thread that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Takes what is being done, and which part of that is done, from 0 to 1.
Listener = Callable[[str, float], None]
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear of all work that is done in the block."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def tell(doing: str, part: float) -> None:
    """Report progress to a listener. A report must not depend on private data."""
    if listener := _listener.get():
        listener(doing, part)
