"""Rows that each have an epsilon of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import DataInfo
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray


class LeveledRows(RowsDataset):
    """Rows in a box, each with the epsilon that its person chose. Both are private."""

    def __init__(
        self,
        cells: npt.NDArray[np.int32],
        box: Box,
        own: FloatArray,
        about: DataInfo | None = None,
    ):
        super().__init__(cells, box, about)
        if own.shape != (self.n,):
            raise BadInput(f"Each row needs one epsilon of its own, not shape {own.shape}.")
        self._own = own

    @classmethod
    def with_levels(
        cls,
        values: npt.ArrayLike,
        own: npt.ArrayLike,
        box: Box,
        about: DataInfo | None = None,
    ) -> Self:
        """Rows in data units, each with an epsilon. Rows outside the box are left out.

        An epsilon that is not a number counts as 0. It raises no error: that would tell of a row.
        """
        x, e = np.asarray(values, dtype=np.float64), np.asarray(own, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != box.d or e.shape != (len(x),):
            raise BadInput(f"Rows of {box.d} coordinates, each with an epsilon, are needed.")
        inside = box.contains(x)
        levels = np.nan_to_num(e[inside], nan=0.0, posinf=np.inf, neginf=0.0)
        return cls(box.cells(x[inside]).astype(np.int32), box, levels, about)

    def by_level(self, thresholds: Sequence[float]) -> list[RowsDataset]:
        """The rows of each threshold: those whose own epsilon reaches it and not the next one.

        Rows whose epsilon does not reach the first are in none. Where a row goes follows from its
        own epsilon and the public thresholds, whatever the other rows are.
        """
        group = np.searchsorted(np.asarray(thresholds), self._own, side="right") - 1
        return [
            RowsDataset(self._cells[group == each], self.box, self.about, self.resolution)
            for each in range(len(thresholds))
        ]
