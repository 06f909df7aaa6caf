"""Data sets: those that ship, arrays, and files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy.typing as npt

from dpcore.datasets import files, rows
from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.builtin import BUILTIN, builtin_set
from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.engines import Engine, Ids
from dpcore.datasets.files import Ends, why_empty
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
    """A built-in data set. It is made once a process and shared; nobody can change it."""
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
    """
    return held(rows.from_array(values, box, outside, about))


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
    are recognised. Rows outside the box are dropped, or with outside="clip" moved to its edge.
    The box is public and must be given: the smallest and largest values belong to single rows.
    With `ids`, so many rows of each id are kept, drawn by a key.
    """
    return OwnData(
        files.from_file(
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
    )
