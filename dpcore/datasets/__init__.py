"""Data sets: those that ship, arrays, and files."""

from __future__ import annotations

from functools import lru_cache

import numpy.typing as npt

from dpcore.datasets import rows
from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.builtin import BUILTIN, builtin_set
from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.files import Ends, from_file, why_empty
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.own import AnyData, OwnData, held
from dpcore.datasets.rows import RowsDataset

__all__ = [
    "BUILTIN",
    "DataInfo",
    "Dataset",
    "EngineDataset",
    "GridDataset",
    "OwnData",
    "RowsDataset",
    "from_array",
    "from_file",
    "load",
    "why_empty",
]


#: As many as a map over k and d has, and all that are listed.
@lru_cache(maxsize=128)
def load(key: str) -> Dataset:
    """A built-in data set. It is made once a process and shared; nobody can change it.

    Parameters
    ----------
    key : str
        A key of `dpcore.datasets.BUILTIN`, or "gaussians-kK-dD" for any K and D up to 100.

    Returns
    -------
    Dataset
        The data, which are public.

    Raises
    ------
    ValueError
        If no built-in set has this key.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.datasets.load("iris").n
    150
    """
    given = builtin_set(key)
    raw = given.make()
    if given.resolution:
        return GridDataset(raw, given.box, given.about)
    return RowsDataset.from_values(raw, given.box, given.about)


def from_array(
    values: npt.ArrayLike,
    box: Ends,
    outside: str = "drop",
    about: DataInfo | None = None,
) -> AnyData:
    """Rows in memory, in the public box (low, high): numbers, or one for each column.

    Rows outside the box are dropped, or clipped to its edge; what is not a number is left out.
    Without `about.public` they count as data of your own, whose exact numbers stay closed.

    Parameters
    ----------
    values : array-like of shape (n, d)
        Rows in data units.
    box : tuple (low, high)
        The ends of the public box: numbers, or one for each column.
    outside : {"drop", "clip"}, default="drop"
        Whether rows outside the box are dropped or moved to its edge.
    about : DataInfo or None, default=None
        What may be said of the data.

    Returns
    -------
    OwnData or Dataset
        A `Dataset` if `about.public` is set, else `OwnData`.

    Raises
    ------
    ValueError
        If the rows and the box do not fit together.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.from_array([[0.2, 0.4], [0.6, 0.8]], box=(0, 1))
    >>> result = dpcore.run("dplloyd", data, k=1, epsilon=1.0, seed=0)
    >>> result.centers.shape
    (1, 2)
    """
    return held(rows.from_array(values, box, outside, about))
