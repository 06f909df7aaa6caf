"""A grid each of whose cells is cut by a finer grid of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpcore.geometry.domain import TICKS, FloatArray, Grid, IntArray


@dataclass(frozen=True, eq=False)
class NestedGrid:
    """The cells of a grid of a map, each cut into so many equal parts a side; in order of cells."""

    coarse: Grid
    #: Parts a side of each cell of the coarse grid, flat.
    sides: IntArray

    @property
    def n_cells(self) -> int:
        return int((self.sides**2).sum())

    @property
    def parents(self) -> IntArray:
        """The coarse cell that each cell is a part of."""
        return np.repeat(np.arange(len(self.sides)), self.sides**2)

    @property
    def _first(self) -> IntArray:
        parts = self.sides**2
        return np.cumsum(parts) - parts

    def labels(self, ticks: IntArray) -> IntArray:
        """The cell that each position falls in."""
        g = self.coarse.cells_per_side
        across = (np.asarray(ticks, dtype=np.int64) + TICKS) * g
        cell = np.minimum(across // (2 * TICKS), g - 1)
        coarse = cell[..., 0] * g + cell[..., 1]
        side = self.sides[coarse]
        within = (across - cell * (2 * TICKS)) * side[..., None] // (2 * TICKS)
        part = np.minimum(within, side[..., None] - 1)
        return np.asarray(self._first[coarse] + part[..., 0] * side + part[..., 1])

    def centers(self) -> FloatArray:
        """Centers of the cells in unit coordinates, (n_cells, 2)."""
        parents, side = self.parents, self.sides[self.parents]
        part = np.arange(self.n_cells) - self._first[parents]
        within = np.stack([part // side, part % side], axis=1)
        step = 2 / self.coarse.cells_per_side
        offset = ((2 * within + 1) / side[:, None] - 1) * step / 2
        return np.asarray(self.coarse.centers()[parents] + offset)
