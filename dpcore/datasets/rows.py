"""Data as rows in memory, in any dimension: each row is known by its cell of the lattice."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import DataInfo, Dataset, Totals
from dpcore.errors import BadInput
from dpcore.geometry.domain import (
    LATTICE_BITS,
    LATTICE_CELLS,
    Box,
    IntArray,
    Partition,
    cell_ticks,
    coarsen,
)
from dpcore.geometry.dyadic import DyadicCells, interleaved
from dpcore.geometry.halved import HalvedCells, as_squares, curve_codes, most_halvings
from dpcore.kmeans import points


class RowsDataset(Dataset):
    """Lattice cells (n, d) of rows in a box.

    Parameters
    ----------
    cells : ndarray of shape (n, d)
        The lattice cell of each row; `from_values` takes rows in data units.
    box : Box
        The public box.
    about : DataInfo or None, default=None
        What may be said of the data.
    resolution : int, default=2097152
        Cells a side of the lattice.

    Raises
    ------
    ValueError
        If `cells` does not have one column for each coordinate of the box.

    Examples
    --------
    >>> from dpcore import Box
    >>> from dpcore.datasets import RowsDataset
    >>> RowsDataset.from_values([[0.5, 0.5], [7.0, 7.0]], Box.cube(2)).n
    1
    """

    def __init__(
        self,
        cells: npt.NDArray[np.int32],
        box: Box,
        about: DataInfo | None = None,
        resolution: int = LATTICE_CELLS,
    ):
        if cells.ndim != 2 or cells.shape[1] != box.d:
            raise BadInput(f"Rows of {box.d} coordinates are needed, not shape {cells.shape}.")
        self._cells = np.ascontiguousarray(cells, dtype=np.int32)
        self._cells.flags.writeable = False
        self.box = box
        self.about = about or DataInfo()
        self.resolution = resolution

    @classmethod
    def from_values(
        cls, values: npt.ArrayLike, box: Box, about: DataInfo | None = None, outside: str = "drop"
    ) -> Self:
        """Rows in data units. What is not a number is left out; what lies outside the box is left
        out or, with outside="clip", moved to its edge."""
        x = np.asarray(values, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != box.d:
            raise BadInput(f"Rows of {box.d} coordinates are needed, not shape {x.shape}.")
        if outside == "clip":
            x = x[np.isfinite(x).all(axis=1)]
            x = np.clip(x, np.asarray(box.low), np.asarray(box.high))
        elif outside == "drop":
            x = x[box.contains(x)]
        else:
            raise BadInput(f'outside must be "drop" or "clip", not {outside!r}.')
        return cls(box.cells(x).astype(np.int32), box, about)

    @property
    def n(self) -> int:
        return len(self._cells)

    def positions(self) -> tuple[IntArray, None]:
        return cell_ticks(self._cells), None

    @cached_property
    def _morton_codes(self) -> IntArray:
        """The places of the rows on the curve through all cells of the lattice, in order."""
        return np.sort(interleaved(self._cells[:, 0], self._cells[:, 1]))

    @cached_property
    def _curve_codes(self) -> IntArray:
        """The same along the curve of halves, in any number of dimensions."""
        return np.sort(curve_codes(cell_ticks(self._cells), most_halvings(self.d)))

    def histogram(self, partition: Partition) -> IntArray:
        partition = as_squares(partition)
        if isinstance(partition, DyadicCells):
            first, end = partition.intervals(LATTICE_BITS)
            codes = self._morton_codes
        elif isinstance(partition, HalvedCells):
            first, end = partition.intervals(most_halvings(self.d))
            codes = self._curve_codes
        else:
            return super().histogram(partition)
        return np.searchsorted(codes, end) - np.searchsorted(codes, first)

    def margin(self, axis: int, slabs: int) -> IntArray:
        return np.bincount(coarsen(self._cells[:, axis], LATTICE_CELLS, slabs), minlength=slabs)

    def cluster_totals(self, centers: IntArray) -> Totals:
        return Totals(*points.cluster_totals(self._cells, centers))

    def squared_ticks(self, center_sets: IntArray) -> Any:
        return points.squared_ticks(self._cells, center_sets, self._square_sum)

    @cached_property
    def _square_sum(self) -> int:
        """The part of a cost that is the same for all centers."""
        return points.square_sum(self._cells)


def from_array(
    values: npt.ArrayLike,
    box: Box | tuple[npt.ArrayLike, npt.ArrayLike],
    outside: str = "drop",
    about: DataInfo | None = None,
) -> RowsDataset:
    """The data set behind `dpcore.datasets.from_array`, which says what it reads and how."""
    try:
        values = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):  # which quotes a value
        raise BadInput("The rows must be numbers, equally many in each row.") from None
    box = Box.of(box, values.shape[1] if values.ndim == 2 else 1)
    return RowsDataset.from_values(values, box, about, outside)
