"""Data as counts on a fine 2-D grid: a question takes time by the number of cells, not of rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import DataInfo, Dataset, Totals
from dpcore.errors import BadInput
from dpcore.geometry.domain import (
    LATTICE_CELLS,
    Box,
    Grid,
    IntArray,
    Partition,
    cell_ticks,
    coarsen,
)
from dpcore.geometry.dyadic import DyadicCells, interleaved
from dpcore.geometry.halved import as_squares
from dpcore.geometry.voronoi import Voronoi
from dpcore.kmeans.scanline import RowSums


class GridDataset(Dataset):
    """Counts on a square grid with a power of two of cells a side; axis i is coordinate i.

    Parameters
    ----------
    counts : ndarray of shape (side, side)
        Rows in each cell, whole numbers.
    box : Box
        The public box, of two coordinates.
    about : DataInfo or None, default=None
        What may be said of the data.

    Raises
    ------
    ValueError
        If the counts are not whole, not square, or their side is no power of two.

    Examples
    --------
    >>> import numpy as np
    >>> from dpcore import Box
    >>> from dpcore.datasets import GridDataset
    >>> GridDataset(np.ones((4, 4), dtype=int), Box.cube(2)).n
    16
    """

    def __init__(self, counts: IntArray, box: Box, about: DataInfo | None = None):
        counts = np.asarray(counts)
        side = counts.shape[0]
        if counts.ndim != 2 or counts.shape[1] != side or box.d != 2:
            raise BadInput(f"A grid data set is square and 2-D, not of shape {counts.shape}.")
        if side & (side - 1) or side > LATTICE_CELLS:
            raise BadInput(f"A grid data set has a power of two of cells a side, not {side}.")
        if counts.dtype.kind not in "iu" or counts.min() < 0:
            raise BadInput("A grid data set holds whole counts of 0 or more.")
        self._counts = counts.astype(np.int64)
        self._counts.flags.writeable = False
        self.box = box
        self.about = about or DataInfo()
        self.resolution = side

    @cached_property
    def n(self) -> int:
        return int(self._counts.sum())

    @cached_property
    def _row_sums(self) -> RowSums:
        return RowSums(self._counts)

    @property
    def counts(self) -> IntArray:
        """Rows in each cell, by both indices."""
        return self._counts

    def positions(self) -> tuple[IntArray, IntArray]:
        occupied = np.flatnonzero(self._counts)
        cells = np.stack(np.divmod(occupied, self.resolution), axis=1)
        return cell_ticks(cells, self.resolution), self._counts.ravel()[occupied]

    @cached_property
    def _rows_within(self) -> IntArray:
        """Rows in the cells that are before both indices: what lies in a box is four of them."""
        sums = np.zeros((self.resolution + 1, self.resolution + 1), dtype=np.int64)
        np.cumsum(self._counts, axis=1, out=sums[1:, 1:])
        np.cumsum(sums, axis=0, out=sums)
        return sums

    @cached_property
    def _rows_before(self) -> npt.NDArray[Any]:
        """Rows in the cells before each one, and before the end, along the Morton curve.

        In half the memory, where the rows are few enough.
        """
        side = np.arange(self.resolution)
        width: Any = np.int32 if self.n <= np.iinfo(np.int32).max else np.int64
        sums: npt.NDArray[Any] = np.zeros(self._counts.size + 1, dtype=width)
        sums[interleaved(side[:, None], side) + 1] = self._counts
        np.cumsum(sums, dtype=width, out=sums)
        return sums

    def histogram(self, partition: Partition) -> IntArray:
        level = self.resolution.bit_length() - 1
        partition = as_squares(partition)
        if isinstance(partition, DyadicCells) and partition.deepest <= level:
            first, end = partition.intervals(level)
            rows = self._rows_before[end].astype(np.int64)
            rows -= self._rows_before[first]
            return rows
        if isinstance(partition, Voronoi):
            labels = partition.grid_labels(self.resolution).ravel()
            # bincount adds weights as float64, which is exact for counts below 2^53.
            rows = np.bincount(labels, self._counts.ravel(), partition.n_cells)
            return rows.astype(np.int64)
        if not isinstance(partition, Grid) or partition.cells_per_side > self.resolution:
            return super().histogram(partition)
        g = partition.cells_per_side
        if g == self.resolution:
            return self._counts.reshape(-1)
        cell = coarsen(np.arange(self.resolution), self.resolution, g)
        edges = np.searchsorted(cell, np.arange(g + 1))
        by_row = np.diff(self._rows_within[edges], axis=0)
        return np.diff(by_row.take(edges, axis=1), axis=1).ravel()

    def cluster_totals(self, centers: IntArray) -> Totals:
        return Totals(*self._row_sums.totals(centers))

    def squared_ticks(self, center_sets: IntArray) -> Any:
        return self._row_sums.squared(center_sets)
