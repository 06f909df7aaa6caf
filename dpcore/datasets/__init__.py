"""Data sets: those that ship, arrays, and files."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from dpcore.datasets import files, rows, tables
from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.builtin import BUILTIN, builtin_set
from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.engines import Engine, Ids
from dpcore.datasets.files import Ends, why_empty
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.own import AnyData, OwnData, held
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput, NoRowsWarning

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
        given = not data.n
    elif columns is not None:
        raise BadInput("Columns are named of a table; an array has none.")
    else:
        data = rows.from_array(values, box, outside, about)
        given = not data.n and len(np.asarray(values)) > 0
    if given:
        warn_empty(
            f"No row lies in the box, {data.box.words()}. "
            "Check that the box and the rows use the same units, or give another box."
        )
    return held(data)


def from_file(
    path: str | Path,
    columns: Sequence[str] | None = None,
    box: Ends | None = None,
    *,
    zones: str | Path | None = None,
    outside: str = "drop",
    engine: str | Engine = "duckdb",
    format: str | None = None,
    unit: str = "row",
    ids: Ids | None = None,
) -> OwnData:
    """A data set from CSV, CSV.gz or Parquet files, or from a table of the engine's.

    Two coordinates become counts on a grid of 1,024 cells a side, in one pass; more stay in the
    file and are asked there. Without `columns` they are guessed by their names, and taxi files
    are recognised. Both ends belong to the box. Rows outside it are dropped, or with
    outside="clip" moved to its edge; a NoRowsWarning says why if none is left.
    The box is public and must be given: the smallest and largest values belong to single rows.
    With `ids`, so many rows of each id are kept, drawn by a key.

    Parameters
    ----------
    path : str or Path
        A file, a glob, or a table of the engine.
    columns : sequence of str or None, default=None
        The columns of the coordinates; found by their names if None.
    box : tuple (low, high) or None, default=None
        The ends of the public box: numbers, or one for each column.
    zones : str, Path or None, default=None
        A CSV file with the position of each taxi zone.
    outside : {"drop", "clip"}, default="drop"
        Whether rows outside the box are dropped or moved to its edge.
    engine : {"duckdb", "spark"} or Engine, default="duckdb"
        What reads the files.
    format : str or None, default=None
        The format; found by the ending of the path if None.
    unit : str, default="row"
        What one row is: a trip, a patient.
    ids : Ids or None, default=None
        The column of ids, and how many rows of each are kept.

    Returns
    -------
    OwnData
        The data. They are not public, so exact answers need `.value`.

    Raises
    ------
    ValueError
        If the path, the columns or the box are not valid.

    Examples
    --------
    >>> from pathlib import Path
    >>> import dpcore
    >>> _ = Path("trips.csv").write_text("lon,lat\\n-74.0,40.75\\n-73.98,40.76\\n")
    >>> box = ([-74.1, 40.7], [-73.9, 40.9])
    >>> data = dpcore.datasets.from_file("trips.csv", ["lon", "lat"], box)
    >>> data.n.value
    2
    """
    data = files.from_file(
        path,
        columns,
        box,
        zones=zones,
        outside=outside,
        engine=engine,
        format=format,
        unit=unit,
        ids=ids,
    )
    if not data.n and (
        words := why_empty(
            path, columns, box, zones=zones, outside=outside, engine=engine, format=format
        )
    ):
        warn_empty(words.value)
    return OwnData(data)


def warn_empty(problem: str) -> None:
    """Warn the owner of the rows that none of them counts."""
    warnings.warn(f"For your eyes only: {problem}", NoRowsWarning, stacklevel=3)
