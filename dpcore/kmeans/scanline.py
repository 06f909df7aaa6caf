"""Lloyd's steps on a 2-D grid of counts, row by row, without a pass over the cells.

Along one row of cells the squared distance to a center is a common parabola plus a linear
function, so the cells nearest to each of k centers form at most k intervals, whose ends are
crossings of bisectors with the row. With prefix sums along the rows, a step costs O(rows k^2),
however many cells or rows of data there are; counts may be negative.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import LATTICE_CELLS, FloatArray, IntArray

#: Numbers in one array of crossings: center sets are taken in batches that stay in the cache.
BATCH = 1 << 17


class RowSums:
    """Prefix sums of the rows of a grid of whole, possibly negative counts.

    Positions are whole numbers of lattice units, `lattice` of them from the middle of the box to
    its edge. A grid whose sides are powers of two has `lattice == TICKS`, so its units are ticks.
    For other sides it is the largest multiple of both sides up to TICKS, so that cell centers are
    whole there too. With whole positions the partition is exact, ties included.
    """

    def __init__(self, counts: npt.ArrayLike):
        cells = np.asarray(counts, dtype=np.int64)
        rows, columns = self.shape = cells.shape
        side = math.lcm(rows, columns)
        if side > LATTICE_CELLS:
            raise ValueError(f"A grid of {rows} x {columns} cells has no common lattice.")
        self.lattice = side * (LATTICE_CELLS // side)
        self._half_cell = self.lattice // columns
        row_index = 2 * np.arange(rows) + 1 - rows
        column_index = 2 * np.arange(columns) + 1 - columns
        self._rows = row_index * (self.lattice // rows)

        self._prefix = np.empty((2, rows, columns + 1), dtype=np.int64)
        self._prefix[..., 0] = 0
        sums, moments = self._prefix[..., 1:]
        np.cumsum(cells, axis=1, out=sums)
        np.multiply(cells, column_index, out=moments)
        np.cumsum(moments, axis=1, out=moments)
        row_totals, column_totals = self._prefix[0, :, -1], cells.sum(axis=0)
        self.total = int(row_totals.sum())
        self._squares = int(row_totals @ row_index**2) * (self.lattice // rows) ** 2 + (
            int(column_totals @ column_index**2) * self._half_cell**2
        )

    def snap(self, centers: npt.ArrayLike) -> IntArray:
        """Unit coordinates, clipped to the box, as whole numbers of lattice units."""
        units = np.rint(np.asarray(centers, dtype=np.float64) * self.lattice)
        return np.clip(units, -self.lattice, self.lattice).astype(np.int64)

    def totals(self, centers: IntArray) -> tuple[IntArray, IntArray]:
        """Counts (..., k) and position sums (..., k, 2) of the Voronoi cells, in lattice units.

        `centers` is (k, 2) or a batch (..., k, 2), in lattice units. A cell as near to two
        centers belongs to the one with the lower index.
        """
        sets = np.asarray(centers, dtype=np.int64)
        k = sets.shape[-2]
        flat = sets.reshape(-1, k, 2)
        weights = np.empty(flat.shape[:2], dtype=np.int64)
        sums = np.empty(flat.shape, dtype=np.int64)
        step = max(1, BATCH // (k * self.shape[0]))
        for start in range(0, len(flat), step):
            batch = slice(start, start + step)
            self._totals(flat[batch], weights[batch], sums[batch])
        return weights.reshape(sets.shape[:-1]), sums.reshape(sets.shape)

    def _totals(self, centers: IntArray, weights: IntArray, sums: IntArray) -> None:
        order = np.argsort(centers[..., 1], axis=1, kind="stable")
        sets = np.arange(len(order))[:, None]
        first, last = self._intervals(centers[sets, order], order)
        offset = np.arange(self.shape[0]) * (self.shape[1] + 1)
        first += offset
        last += offset
        flat = self._prefix.reshape(2, -1)
        inside = flat.take(last, axis=1)
        inside -= flat.take(first, axis=1)
        by_row, by_column = inside
        weights[sets, order] = by_row.sum(axis=-1).T
        sums[sets, order, 0] = (by_row @ self._rows).T
        sums[sets, order, 1] = by_column.sum(axis=-1).T * self._half_cell

    def _intervals(self, centers: IntArray, order: IntArray) -> tuple[IntArray, IntArray]:
        """First and one-past-last column of each center's cells in each row, (k, batch, rows).

        `centers` (batch, k, 2) are sorted along the rows; `order` says which index each had.

        In the row at y, center j is strictly nearer than the center i to its left in the columns
        c > M/D, D = 4h(b_j - b_i), M = |j|^2 - |i|^2 - 2y(a_j - a_i) + 2(g-1)h(b_j - b_i), for
        centers (a, b), g columns and half a cell h. All are whole, so a tie is M/D whole. Half
        a unit more or less on M hands it to the lower index and keeps M/D at least 1/2D from
        every whole number. As |M| < 2^46, the roundings below add up to less than 1/50D, so
        that flooring is exact. For equal b, a tiny D sends the crossing beyond either end.
        """
        _, k = order.shape
        rows, columns = self.shape
        a, b = np.ascontiguousarray(centers.transpose(2, 1, 0), dtype=np.float64)
        square = a * a + b * b
        lower = order.T
        # Of each pair [i, j]; those with i < j are used.
        step = 2 * self._half_cell * (b - b[:, None])
        divisor = np.maximum(2 * step, 2.0**-24)
        tie = np.where(lower > lower[:, None], 0.5, -0.5)
        start = (square - square[:, None] + (columns - 1) * step + tie) / divisor
        slope = (a - a[:, None]) * -2 / divisor
        y = self._rows.astype(np.float64)
        first = np.full((k, len(centers), rows), -1.0)
        last = np.full((k, len(centers), rows), float(columns - 1))
        for i in range(k - 1):
            right = slice(i + 1, k)
            crossing = slope[i, right, :, None] * y
            crossing += start[i, right, :, None]
            np.minimum(last[i], crossing.min(axis=0), out=last[i])
            np.maximum(first[right], crossing, out=first[right])
        for ends in (first, last):
            np.floor(ends, out=ends)
            ends += 1
            np.clip(ends, 0, columns, out=ends)
        return first.astype(np.int64), np.maximum(first, last).astype(np.int64)

    def squared(self, centers: IntArray) -> Any:
        """Sum over counts of the squared distance to the nearest center, in squared lattice units.

        A whole number, exact, as a Python integer; for a batch of center sets (..., k, 2), an
        array of them.
        """
        return self._squared(centers, *self.totals(centers))

    def _squared(self, centers: IntArray, weights: IntArray, sums: IntArray) -> Any:
        """Sum w|x - c|^2 = sum w|x|^2 - sum c (2S - Wc): no second moment of a cell is needed."""
        gain = np.asarray(centers).astype(object) * (2 * sums - weights[..., None] * centers)
        return self._squares - gain.sum(axis=(-2, -1))

    def step(self, centers: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights (..., k), position sums (..., k, 2) and inertia (...) in unit coordinates."""
        snapped = self.snap(centers)
        weights, sums = self.totals(snapped)
        inertia = self._squared(snapped, weights, sums) / self.lattice**2
        return weights.astype(np.float64), sums / self.lattice, np.asarray(inertia, np.float64)

    def cost(self, centers: npt.ArrayLike) -> Any:
        """Inertia of one center set in unit coordinates (a number) or of a batch (an array)."""
        return self.step(centers)[2][()]
