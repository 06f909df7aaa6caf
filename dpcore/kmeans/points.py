"""Nearest centers of rows in any dimension: exact totals of lattice rows, and weighted points.

Rows are lattice cells; positions and centers are whole ticks. The scores |c|^2 - 2xc come out of
matrix products in float64, where whole numbers below 2^53 are exact, for d <= 682; above that out
of slower ones in int64. So the partition, its counts, sums and cost are exact, whatever the order
of rows and operations and whichever rows are beside one, and a tie goes to the center with the
lower index.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from dpcore.geometry.domain import TICKS, FloatArray, IntArray

#: Rows in one matrix product, and numbers in its result at most: both stay in the cache. Points are
#: added up in as many at a time, which rounds; cells need not be.
CHUNK_ROWS, CHUNK_CELLS = 4096, 8192
CHUNK_SCORES = 1 << 18
MIN_CHUNK_ROWS = 256
#: Up to so many coordinates scores are below 2^53: 3 d 2^42.
EXACT_DIMENSIONS = 682
#: Points of up to so many coordinates are lifted: with more, a product would round otherwise.
LIFTED = 4
#: So many scores of one coordinate add up to less than 2^63.
SUMMABLE = (1 << 21) // 3

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
        for columns in _in_ticks(cells, matrix):
            member = _nearest(affine(matrix, squares, columns))[0]
            counts += [np.count_nonzero(of_one) for of_one in member]
            sums += _sums(as_numbers(member), columns[: matrix.shape[1]]).astype(np.int64)
    return counts, sums


def _sums(member: FloatArray, columns: Whole) -> FloatArray:
    """Sums (k, d) of the columns (d, n) over the members (k, n) of each cluster.

    Few columns one after the other take half the time of one narrow product.
    """
    if len(columns) > LIFTED:
        return np.asarray(member @ columns.T)
    return np.stack([member @ column for column in columns], axis=1)


def squared_ticks(cells: Cells, centers: IntArray, squares: int | None = None) -> Any:
    """Sum over rows of the squared distance to the nearest center, in squared ticks.

    A whole number, exact, as a Python integer; for a batch of center sets (..., k, d), an array
    of them. `squares` is the `square_sum` of the rows, for whoever knows it.
    """
    sets = np.asarray(centers, dtype=np.int64)
    *_, k, d = sets.shape
    flat = sets.reshape(-1, k, d)
    total = np.full(len(flat), square_sum(cells) if squares is None else squares, dtype=object)
    batch = max(1, CHUNK_SCORES // (MIN_CHUNK_ROWS * k))
    with single_thread():
        for start in range(0, len(flat), batch):
            part = slice(start, start + batch)
            matrix, constant = _linear(flat[part].reshape(-1, d))
            for columns in _in_ticks(cells, matrix):
                scores = affine(matrix, constant, columns)
                least = scores.reshape(-1, k, scores.shape[1]).min(axis=1)
                total[part] += least.astype(np.int64).sum(axis=1)
    return total.reshape(sets.shape[:-2])[()]


def square_sum(cells: Cells) -> int:
    """The sum over rows of |x|^2, in squared ticks: exact, as a Python integer."""
    matrix, _ = _linear(np.zeros((1, cells.shape[1]), dtype=np.int64))
    in_ticks = (columns[: cells.shape[1]] for columns in _in_ticks(cells, matrix))
    squares = (np.einsum("dn,dn->n", x, x) for x in in_ticks)
    return sum(int(each.astype(np.int64).sum()) for each in squares)


def _linear(centers: IntArray) -> tuple[Whole, Whole]:
    """-2c and |c|^2, so that |x - c|^2 = |x|^2 - 2cx + |c|^2 is a matrix product."""
    exact = np.shape(centers)[1] <= EXACT_DIMENSIONS
    matrix = np.asarray(centers, dtype=np.float64 if exact else np.int64)
    return -2 * matrix, np.einsum("kd,kd->k", matrix, matrix)


def _in_ticks(cells: Cells, matrix: Whole) -> Iterator[Whole]:
    """Positions in ticks, as the matrix has its numbers, of some thousand rows at a time: lifted
    columns."""
    size = min(CHUNK_CELLS, max(MIN_CHUNK_ROWS, CHUNK_SCORES // len(matrix)))
    size = max(1, min(size, SUMMABLE // matrix.shape[1]))
    for start in range(0, len(cells), size):
        ticks = cells[start : start + size].astype(matrix.dtype)
        ticks *= 2
        ticks += 1 - TICKS
        yield lifted(ticks)


def _nearest(scores: Whole) -> tuple[npt.NDArray[np.bool_], Whole]:
    """The center (next to last axis) with the least score of each row (last axis), and that score.

    Exactly one center a row: a tie goes to the lower index.
    """
    least = scores.min(axis=-2)
    member = scores == least[..., None, :]
    if np.count_nonzero(member) > least.size:
        has_center = member[..., 0, :].copy()
        for j in range(1, member.shape[-2]):
            member[..., j, :] &= ~has_center
            has_center |= member[..., j, :]
    return member, least


def as_numbers(member: npt.NDArray[np.bool_]) -> FloatArray:
    """1.0 where true: by way of bytes, which takes half the time."""
    return member.view(np.uint8).astype(np.float64)


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
        self._lifted = lifted(self.points)

    def step(self, centers: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights (..., k), weighted sums (..., k, d) and inertia (...) of the Voronoi cells."""
        sets = np.asarray(centers, dtype=np.float64)
        *batch, k, d = sets.shape
        totals = np.zeros((math.prod(batch) * k, d + 1))
        inertia = np.zeros(math.prod(batch))
        with single_thread():
            for rows, scores in self._scores(sets):
                member, least = _nearest(scores)
                totals += as_numbers(member).reshape(len(totals), -1) @ self._moments[rows]
                inertia += self._inertia(least, rows)
        totals = totals.reshape(*batch, k, d + 1)
        return totals[..., 0], totals[..., 1:], inertia.reshape(batch)

    def cost(self, centers: npt.ArrayLike) -> Any:
        """Weighted sum of squared distances, of one center set or of a batch of them."""
        sets = np.asarray(centers, dtype=np.float64)
        inertia = np.zeros(math.prod(sets.shape[:-2]))
        with single_thread():
            for rows, scores in self._scores(sets):
                inertia += self._inertia(scores.min(axis=1), rows)
        return inertia.reshape(sets.shape[:-2])[()]

    def _scores(self, sets: FloatArray) -> Iterator[tuple[slice, FloatArray]]:
        """Some points at a time, and |c|^2 - 2cx of each set, center and point."""
        *_, k, d = sets.shape
        matrix = sets.reshape(-1, d)
        squares = np.einsum("kd,kd->k", matrix, matrix)
        size = min(CHUNK_ROWS, max(MIN_CHUNK_ROWS, CHUNK_SCORES // len(matrix)))
        for start in range(0, len(self.points), size):
            rows = slice(start, start + size)
            scores = affine(-2 * matrix, squares, self._lifted[:, rows])
            yield rows, scores.reshape(len(matrix) // k, k, -1)

    def _inertia(self, least: FloatArray, rows: slice) -> FloatArray:
        """Weighted sums of squared distances, from the least scores of points."""
        least += self._squares[rows]
        return np.asarray(np.maximum(least, 0, out=least) @ self.weights[rows])


def lifted(points: FloatArray) -> FloatArray:
    """Points (n, d) as columns, with a row of ones below where coordinates are few."""
    n, d = points.shape
    if d > LIFTED:
        return points.T
    columns = np.empty((d + 1, n))
    columns[:d] = points.T
    columns[d] = 1
    return columns


def affine(linear: FloatArray, constant: FloatArray, columns: FloatArray) -> FloatArray:
    """The values (m, n) of affine functions, a linear part (m, d) and a constant (m,), at lifted
    points.

    With a row of ones one product does it all, for about the time of the linear part.
    """
    if len(columns) > linear.shape[1]:
        return np.column_stack([linear, constant]) @ columns
    values = linear @ columns
    values += constant[:, None]
    return values


def padded(points: FloatArray, weights: FloatArray, k: int) -> FloatArray:
    """k centers from no more than k points: the heaviest point fills the places left."""
    missing = k - len(points)
    filler = points[weights.argmax()] if len(points) else np.zeros(points.shape[1])
    return np.concatenate([points, np.tile(filler, (missing, 1))])
