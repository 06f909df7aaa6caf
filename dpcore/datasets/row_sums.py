"""Sums over rows of whole numbers, taken from some thousand rows at a time.

A row gives the same numbers whatever rows are beside it, and whole numbers add up to the same sum
in every order. So however rows are divided, among batches of a file or machines, the sum is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

import numpy as np

from dpcore.geometry.domain import IntArray

#: What some rows add to a sum: from their positions (m, d) in ticks, and how many rows are at each.
RowSum = Callable[[IntArray, IntArray], IntArray]
#: Rows at a time.
CHUNK_ROWS = 1 << 15


def summed(of_rows: RowSum, positions: IntArray, weights: IntArray | None = None) -> IntArray:
    """The sum over these rows; over none of them, what no rows add."""
    if weights is None:
        weights = np.ones(len(positions), dtype=np.int64)
    starts = range(0, max(1, len(positions)), CHUNK_ROWS)
    chunks = (slice(start, start + CHUNK_ROWS) for start in starts)
    return added_up(of_rows(positions[rows], weights[rows]) for rows in chunks)


def added_up(sums: Iterable[IntArray]) -> IntArray:
    """The sum of one or more arrays."""
    return reduce(np.add, sums)
