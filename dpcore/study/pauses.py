"""Long computations that let others go first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from dpcore.kmeans.stages import listening


@contextmanager
def pausing(pause: Callable[[], None]) -> Iterator[None]:
    """Call a function again and again while the block computes, wherever it reports progress.

    The function may take its time: what the block computes is the same.
    """
    with listening(lambda *_: pause()):
        yield
