"""Data sets: those that ship, arrays, and files."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import About, Dataset
from dpcore.datasets.builtin import BUILTIN, builtin_set
from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.files import from_file, why_empty
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import Box

__all__ = [
    "BUILTIN",
    "About",
    "Dataset",
    "EngineDataset",
    "GridDataset",
    "RowsDataset",
    "from_array",
    "from_file",
    "load",
    "why_empty",
]


@lru_cache(maxsize=16)
def load(key: str) -> Dataset:
    """A built-in data set. It is made once a process and shared; nobody can change it."""
    given = builtin_set(key)
    about = About(
        given.key,
        given.title,
        given.description,
        given.unit,
        given.simulated,
        given.geographic,
        public=True,
    )
    raw = given.make()
    if given.resolution:
        return GridDataset(raw, given.box, about)
    return RowsDataset.from_values(raw, given.box, about)


def from_array(
    values: npt.ArrayLike,
    box: Box | tuple[npt.ArrayLike, npt.ArrayLike],
    outside: str = "drop",
    about: About | None = None,
) -> RowsDataset:
    """Rows in memory, in the public box (low, high): numbers, or one for each column.

    Rows outside the box are dropped, or clipped to its edge; what is not a number is left out.
    """
    values = np.asarray(values, dtype=np.float64)
    if not isinstance(box, Box):
        d = values.shape[1] if values.ndim == 2 else 1
        box = Box.between(*box, d)
    return RowsDataset.from_values(values, box, about, outside)
