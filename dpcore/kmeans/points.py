"""Nearest centers of rows in any dimension: exact totals of lattice rows, and weighted points.

Rows are lattice cells; positions and centers are whole ticks. The scores |c|^2 - 2xc come out of
matrix products in float64, where whole numbers below 2^53 are exact, for d <= 682; above that out
of slower ones in int64. So the partition, its counts, sums and cost are exact, whatever the order
of rows and operations and whichever rows are beside one, and a tie goes to the center with the
lower index.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from dpcore.geometry.domain import TICKS, FloatArray, IntArray

#: Rows in one matrix product, and numbers in its result at most: both stay in the cache.
CHUNK_ROWS = 4096
CHUNK_SCORES = 1 << 18
MIN_CHUNK_ROWS = 256
#: Up to so many coordinates scores are below 2^53: 3 d 2^42.
EXACT_DIMENSIONS = 682

_blas = ThreadpoolController()
_limiting = threading.Lock()
#: How many blocks of code ask for one thread now, and what lifts the limit after the last of them.
_limited = 0
_limit: Any = None

Cells = npt.NDArray[np.int32] | IntArray
#: Whole numbers, as float64 or int64.
Whole = npt.NDArray[Any]


@contextmanager
def single_thread() -> Iterator[None]:
    """Keep matrix products to one thread: ours are small and lose by being shared.

    The limit is the process's. To set it takes longer than a small product, so it is set once for
    blocks within each other, or beside each other in other threads, and lifted after the last.
    """
    global _limited, _limit
    with _limiting:
        if not _limited:
            _limit = _blas.limit(limits=1)
        _limited += 1
    try:
        yield
    finally:
        with _limiting:
            _limited -= 1
            if not _limited:
                _limit.restore_original_limits()


def cluster_totals(cells: Cells, centers: IntArray) -> tuple[IntArray, IntArray]:
    """Counts (k,) and sums of positions (k, d), in ticks, of the rows nearest each center."""
    counts = np.zeros(len(centers), dtype=np.int64)
    sums = np.zeros(np.shape(centers), dtype=np.int64)
    matrix, squares = _linear(centers)
    with single_thread():
        for ticks in _in_ticks(cells, matrix):
            scores = matrix @ ticks.T
            scores += squares[:, None]
            member = _nearest(scores)[0]
            counts += np.count_nonzero(member, axis=1)
            sums += (member.astype(np.float64) @ ticks).astype(np.int64)
    return counts, sums


def squared_ticks(cells: Cells, centers: IntArray) -> Any:
    """Sum over rows of the squared distance to the nearest center, in squared ticks.

    A whole number, exact, as a Python integer; for a batch of center sets (..., k, d), an array
    of them.
    """
    sets = np.asarray(centers, dtype=np.int64)
    *_, k, d = sets.shape
    flat = sets.reshape(-1, k, d)
    # Sums of each number's upper and lower bits stay below 2^53, where float64 is exact.
    upper, lower = np.zeros(len(flat), dtype=np.int64), np.zeros(len(flat), dtype=np.int64)
    batch = max(1, CHUNK_SCORES // (MIN_CHUNK_ROWS * k))
    with single_thread():
        for start in range(0, len(flat), batch):
            part = slice(start, start + batch)
            matrix, squares = _linear(flat[part].reshape(-1, d))
            for ticks in _in_ticks(cells, matrix):
                scores = matrix @ ticks.T
                scores += squares[:, None]
                least = scores.reshape(-1, k, len(ticks)).min(axis=1)
                for term in (least, np.einsum("nd,nd->n", ticks, ticks)):
                    high, low = _halves(term)
                    upper[part] += high.sum(axis=-1).astype(np.int64)
                    lower[part] += low.sum(axis=-1).astype(np.int64)
    exact = upper.astype(object) * (1 << 26) + lower
    return exact.reshape(sets.shape[:-2])[()]


def _halves(numbers: Whole) -> tuple[Whole, Whole]:
    """The upper bits, and the lower 26, of whole numbers."""
    if numbers.dtype == np.int64:
        return numbers >> 26, numbers & ((1 << 26) - 1)
    high = np.floor(numbers * 2.0**-26)
    return high, numbers - high * 2.0**26


def _linear(centers: IntArray) -> tuple[Whole, Whole]:
    """-2c and |c|^2, so that |x - c|^2 = |x|^2 - 2cx + |c|^2 is a matrix product."""
    exact = np.shape(centers)[1] <= EXACT_DIMENSIONS
    matrix = np.asarray(centers, dtype=np.float64 if exact else np.int64)
    return -2 * matrix, np.einsum("kd,kd->k", matrix, matrix)


def _in_ticks(cells: Cells, matrix: Whole) -> Iterator[Whole]:
    """Positions in ticks, as the matrix has its numbers, of some thousand rows at a time."""
    size = min(CHUNK_ROWS, max(MIN_CHUNK_ROWS, CHUNK_SCORES // len(matrix)))
    for start in range(0, len(cells), size):
        ticks = cells[start : start + size].astype(matrix.dtype)
        ticks *= 2
        ticks += 1 - TICKS
        yield ticks


def _nearest(scores: Whole) -> tuple[npt.NDArray[np.bool_], Whole]:
    """Which center (next to last axis) has the least score of each row (last axis), and that score.

    Exactly one center a row: a tie goes to the lower index.
    """
    least = scores.min(axis=-2)
    member = scores == least[..., None, :]
    if np.count_nonzero(member) > least.size:
        taken = member[..., 0, :].copy()
        for j in range(1, member.shape[-2]):
            member[..., j, :] &= ~taken
            taken |= member[..., j, :]
    return member, least


class WeightedPoints:
    """Points in unit coordinates with weights that may be negative: a coreset, or cells of a grid.

    These are not lattice rows, so distances are ordinary float64.
    """

    def __init__(self, points: npt.ArrayLike, weights: npt.ArrayLike | None = None):
        self.points = np.asarray(points, dtype=np.float64)
        n, d = self.points.shape
        self.weights = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64)
        self._squares = np.einsum("nd,nd->n", self.points, self.points)
        # A column of weights beside the weighted positions: one product gives both totals.
        self._moments = np.empty((n, d + 1))
        self._moments[:, 0] = self.weights
        np.multiply(self.points, self.weights[:, None], out=self._moments[:, 1:])

    def step(self, centers: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights (..., k), weighted sums (..., k, d) and inertia (...) of the Voronoi cells."""
        sets = np.asarray(centers, dtype=np.float64)
        *batch, k, d = sets.shape
        flat = sets.reshape(-1, k, d)
        totals = np.zeros((len(flat) * k, d + 1))
        inertia = np.zeros(len(flat))
        matrix = flat.reshape(-1, d)
        linear, squares = -2 * matrix, np.einsum("kd,kd->k", matrix, matrix)
        size = min(CHUNK_ROWS, max(MIN_CHUNK_ROWS, CHUNK_SCORES // len(matrix)))
        with single_thread():
            for start in range(0, len(self.points), size):
                rows = slice(start, start + size)
                scores = linear @ self.points[rows].T
                scores += squares[:, None]
                member, least = _nearest(scores.reshape(len(flat), k, -1))
                totals += member.reshape(len(matrix), -1).astype(np.float64) @ self._moments[rows]
                least += self._squares[rows]
                inertia += np.maximum(least, 0, out=least) @ self.weights[rows]
        totals = totals.reshape(*batch, k, d + 1)
        return totals[..., 0], totals[..., 1:], inertia.reshape(batch)

    def cost(self, centers: npt.ArrayLike) -> Any:
        """Weighted sum of squared distances, of one center set or of a batch of them."""
        return self.step(centers)[2][()]


def padded(points: FloatArray, weights: FloatArray, k: int) -> FloatArray:
    """k centers from no more than k points: the heaviest point fills the places left."""
    missing = k - len(points)
    filler = points[weights.argmax()] if len(points) else np.zeros(points.shape[1])
    return np.concatenate([points, np.tile(filler, (missing, 1))])
