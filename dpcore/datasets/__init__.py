"""Data sets: those that ship, arrays, and files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dpcore.datasets import rows, tables
from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.builtin import BUILTIN, builtin_set
from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.files import Ends, from_file, warn_empty, why_empty
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.own import AnyData, OwnData, guarded_data
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput

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
    entry = builtin_set(key)
    raw = entry.make()
    if entry.resolution:
        return GridDataset(raw, entry.box, entry.about)
    return RowsDataset.from_values(raw, entry.box, entry.about)


def from_array(
    values: Any,
    box: Ends,
    outside: str = "drop",
    about: DataInfo | None = None,
    columns: Sequence[str] | None = None,
) -> AnyData:
    """Rows in memory, in the public box (low, high): numbers, or one for each column.

    An array, or a table: a frame of pandas, Polars, GeoPandas or Spark, an Arrow table, or a
    relation of DuckDB. Of a table the names of columns are kept, and its values are read as those
    of a file; of columns with longitude and latitude the longitude comes first.

    Both ends belong to the box. Rows outside it are dropped, or with outside="clip" moved to its
    edge; what is not a number is left out. A NoRowsWarning says so if no row lies in the box.
    Without `about.public` they count as data of your own, whose exact numbers stay closed.

    Parameters
    ----------
    values : array-like of shape (n, d), or a table
        Rows in data units.
    box : tuple (low, high)
        The ends of the public box: numbers, or one for each column.
    outside : {"drop", "clip"}, default="drop"
        Whether rows outside the box are dropped or moved to its edge.
    about : DataInfo or None, default=None
        What may be said of the data.
    columns : sequence of str or None, default=None
        The columns of a table that are the coordinates, in the order of the box; found by their
        names, or else all, if None.

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
    if tables.is_table(values):
        data: Dataset = tables.from_table(values, box, columns, outside, about)
        is_empty = not data.n
    elif columns is not None:
        raise BadInput("Columns are named of a table; an array has none.")
    else:
        data = rows.from_array(values, box, outside, about)
        is_empty = not data.n and len(np.asarray(values)) > 0
    if is_empty:
        warn_empty(
            f"No row lies in the box, {data.box.words()}. "
            "Check that the box and the rows use the same units, or give another box."
        )
    return guarded_data(data)
