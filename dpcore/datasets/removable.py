"""Working copies: data from which the nearest rows can be removed without a pass over all rows.

Nearest means: by squared distance in ticks, then by position in C order, never by the order of
rows. A fixed order of locations keeps neighboring data sets neighbors, which is why removal is
free (`Curator.remove_nearest`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property, reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import Dataset
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import LATTICE_BITS, TICKS, Grid, IntArray, Partition, cell_ticks

#: Tiles a side of a thinned grid.
TILES = 128
#: Squared distances, at most d * 4**(LATTICE_BITS + 1) ticks, fall into d * 2**12 rings.
RING_BITS = 2 * (LATTICE_BITS + 1) - 12


class WorkingCopy(Dataset):
    """Rows that belong to one curator alone and are forgotten in place."""

    @abstractmethod
    def remove_nearest(self, centers: IntArray, m: int) -> int:
        """Remove the m rows nearest any of the centers (k, d), in ticks, or all if there are fewer.

        Returns the squared distance, in ticks, of the last row removed.
        """

    def _forget_answers(self) -> None:
        """Drop what was computed, and kept, before rows were removed."""
        for kind in type(self).__mro__:
            for name, member in vars(kind).items():
                if isinstance(member, cached_property):
                    self.__dict__.pop(name, None)


def working_copy(dataset: Dataset, cells_per_side: int | None = None) -> WorkingCopy:
    """A copy to remove rows from. Counts on a grid stay so, and rows stay rows.

    In two dimensions rows can be moved to the centers of the cells of a public grid, a power of
    two a side and no finer than their own lattice, which makes removal fast.
    """
    if dataset.d == 2 and (cells_per_side or isinstance(dataset, GridDataset)):
        side = min(cells_per_side or dataset.resolution, dataset.resolution)
        counts = dataset.histogram(Grid(dataset.box, side)).reshape(side, side)
        return ThinnedGrid(counts, dataset.box, dataset.about)
    ticks, weights = dataset.positions()
    cells = ((ticks + TICKS) >> 1).astype(np.int32)
    if weights is not None:
        cells = cells.repeat(weights, axis=0)
    return ThinnedRows(cells, dataset.box, dataset.about, dataset.resolution)


def squared_to_nearest(offsets: Sequence[IntArray]) -> IntArray:
    """Squared distance to the nearest of k centers, from offsets (k, ...) along each axis."""
    squared = reduce(np.add, (offset**2 for offset in offsets))
    return squared[0] if len(squared) == 1 else squared.min(axis=0)


class ThinnedGrid(GridDataset, WorkingCopy):
    """Counts on a grid, in tiles that know their totals.

    A tile's least and greatest distance bound the radius of the ball that holds the m rows. Tiles
    within the ball are emptied whole, and only those at its rim are looked into.
    """

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._counts.flags.writeable = True
        tiles = min(TILES, self.resolution)
        cells = self.resolution // tiles
        #: A view of the counts: tile (a, b), then cell (i, j) within it.
        self._tiles = self._counts.reshape(tiles, cells, tiles, cells).swapaxes(1, 2)
        by_row = self._counts.reshape(tiles, cells, -1).sum(axis=1)
        self._totals = by_row.reshape(tiles, tiles, cells).sum(axis=2)
        self._ticks = cell_ticks(np.arange(self.resolution), self.resolution).reshape(tiles, cells)

    def histogram(self, partition: Partition) -> IntArray:
        if isinstance(partition, Grid) and partition.cells_per_side == len(self._totals):
            return self._totals.flatten()
        return super().histogram(partition)

    def remove_nearest(self, centers: IntArray, m: int) -> int:
        m = min(m, int(self._totals.sum()))
        if m <= 0:
            return 0
        least, greatest = self._bounds(centers)
        first_ring, last_ring = least >> RING_BITS, greatest >> RING_BITS
        # The m-th nearest row lies in no ring before `low` and in none after `high`.
        low, high = (self._ring_of_row(m, ring) for ring in (first_ring, last_ring))
        occupied = self._totals > 0
        within = (last_ring < low) & occupied
        rim = np.nonzero((first_ring <= high) & (last_ring >= low) & occupied)
        missing = m - int(self._totals[within].sum())
        self._tiles[within] = 0
        self._totals[within] = 0

        counts = self._tiles[rim]
        x, y = (self._ticks[rim[axis]] - centers[:, axis, None, None] for axis in (0, 1))
        squared = squared_to_nearest([x[..., :, None], y[..., None, :]])
        radius = self._take(missing, counts.reshape(-1), squared.reshape(-1), rim)
        self._tiles[rim] = counts
        self._totals[rim] = counts.sum(axis=(1, 2))
        self._forget_answers()
        return radius

    def _bounds(self, centers: IntArray) -> tuple[IntArray, IntArray]:
        """The least and greatest squared distance of any cell of each tile to its nearest center.

        No cell is farther from its nearest center than from the one that is best for all of the
        tile.
        """
        start, end = self._ticks[:, 0], self._ticks[:, -1]
        x, y = centers[:, 0, None, None], centers[:, 1, None, None]
        gaps = [(start[:, None] - x, x - end[:, None]), (start - y, y - end)]
        least = [np.maximum(0, np.maximum(before, after)) for before, after in gaps]
        greatest = [np.maximum(-before, -after) for before, after in gaps]
        return squared_to_nearest(least), squared_to_nearest(greatest)

    def _ring_of_row(self, m: int, ring: IntArray) -> int:
        """The ring of the m-th row, if all rows of a tile were in the one given."""
        # bincount adds weights as float64, which is exact for counts below 2^53.
        rows = np.cumsum(np.bincount(ring.ravel(), self._totals.ravel()))
        return int(np.searchsorted(rows, m))

    def _take(
        self, m: int, counts: IntArray, squared: IntArray, rim: tuple[npt.NDArray[np.intp], ...]
    ) -> int:
        """Take m rows off the cells of the rim's tiles; the squared distance of the last one.

        Rings before that of the m-th row go whole, and only that one is sorted.
        """
        ring = squared >> RING_BITS
        ring -= ring.min()
        rows = np.cumsum(np.bincount(ring, counts)).astype(np.int64)
        last = int(np.searchsorted(rows, m))
        counts[ring < last] = 0
        if last:
            m -= int(rows[last - 1])
        cell = np.flatnonzero(ring == last)
        side = self._tiles.shape[-1]
        tile, i, j = np.unravel_index(cell, (len(rim[0]), side, side))
        place = (rim[0][tile] * side + i) * self.resolution + rim[1][tile] * side + j
        cell = cell[np.lexsort((place, squared[cell]))]
        here = counts[cell]
        so_far = np.cumsum(here)
        counts[cell] -= np.clip(m - (so_far - here), 0, here)
        return int(squared[cell[np.searchsorted(so_far, m)]])


class ThinnedRows(RowsDataset, WorkingCopy):
    """Rows in any number of dimensions, known to the full precision of the lattice."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._labels: dict[Grid, IntArray] = {}

    def histogram(self, partition: Partition) -> IntArray:
        """Remembers which cell of a grid each row is in: it will be asked again."""
        if not isinstance(partition, Grid):
            return super().histogram(partition)
        if partition not in self._labels:
            self._labels[partition] = partition.labels(cell_ticks(self._cells))
        return np.bincount(self._labels[partition], minlength=partition.n_cells)

    def remove_nearest(self, centers: IntArray, m: int) -> int:
        m = min(m, self.n)
        if m <= 0:
            return 0
        axes = [cell_ticks(column) for column in self._cells.T]
        squared = squared_to_nearest(
            [ticks - centers[:, axis, None] for axis, ticks in enumerate(axes)]
        )
        radius = np.partition(squared, m - 1)[m - 1]
        stay = squared >= radius
        tied = np.flatnonzero(squared == radius)
        in_order = tied[np.lexsort(self._cells[tied].T[::-1])]
        stay[in_order[: m - np.count_nonzero(squared < radius)]] = False
        self._cells = self._cells[stay]
        self._labels = {grid: labels[stay] for grid, labels in self._labels.items()}
        self._forget_answers()
        return int(radius)
