"""A leak is told every time. What is told now and then may be chance, as noise has no seed: it may
well be zero for a count of rows, and less than a meter for a center."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def in_each(told: Iterable[set[T]]) -> set[T]:
    """What is told every time; it stops asking once nothing can be."""
    found: set[T] | None = None
    for each in told:
        found = each if found is None else found & each
        if not found:
            break
    return found or set()
