"""Data sets: those that ship, arrays, and files."""

from __future__ import annotations

from functools import lru_cache

import numpy.typing as npt

from dpcore.datasets.base import About, Dataset
from dpcore.datasets.builtin import BUILTIN, builtin
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.rows import RowsDataset
from dpcore.domain import Box

__all__ = ["About", "Dataset", "GridDataset", "RowsDataset", "from_array", "load", "names"]


def from_array(
    values: npt.ArrayLike,
    box: Box | tuple[npt.ArrayLike, npt.ArrayLike],
    outside: str = "drop",
    about: About | None = None,
) -> RowsDataset:
    """Rows in memory. The box is public and yours to give: (low, high), a number or one for each
    column."""
    if not isinstance(box, Box):
        box = _box(values, *box)
    return RowsDataset.from_values(values, box, about, outside)
