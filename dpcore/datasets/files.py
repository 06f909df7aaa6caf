"""Data of one's own: from a file, a glob, a folder or a table, counted where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy.typing as npt

from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.engine import EngineDataset
from dpcore.datasets.engines import by_name
from dpcore.datasets.engines.base import Engine, Tally
from dpcore.datasets.engines.position_columns import open_source
from dpcore.datasets.engines.source import Ids, Source
from dpcore.datasets.engines.why_empty import explain_empty
from dpcore.datasets.grid import GridDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, Grid
from dpcore.geometry.positions import longitude_first
from dpcore.geometry.positions import looks_geographic as looks_geographic
from dpcore.results.non_private import NonPrivate

#: A public box, or its ends: (low, high), numbers or one for each coordinate.
Ends = Box | tuple[npt.ArrayLike, npt.ArrayLike]

#: Cells a side of the grid on which a map is counted.
MAP_CELLS = 1024


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
) -> Dataset:
    """The data set behind `dpcore.datasets.from_file`, which says what it reads and how."""
    if not isinstance(path, str | PathLike):
        raise TypeError(
            f"from_file takes the path of a file, not a {type(path).__name__}. "
            "For rows in memory: dpcore.datasets.from_array."
        )
    asked, source, box = _opened(path, columns, box, zones, outside, engine, format)
    source = source.told_apart(ids)
    about = DataInfo("file", Path(path).name, unit=unit, geographic=looks_geographic(box))
    if box.d != 2:
        return EngineDataset(asked, source, box, about)
    return GridDataset(asked.grid_counts(source, Grid(box, MAP_CELLS)), box, about)


def with_tally(
    asked: Engine, source: Source, box: Box, about: DataInfo
) -> tuple[Dataset, NonPrivate[Tally]]:
    """The data set and, from the same pass over the rows, what became of them."""
    counts, tally = asked.census(source, Grid(box, MAP_CELLS if box.d == 2 else 1))
    data = GridDataset(counts, box, about) if box.d == 2 else None
    return data or EngineDataset(asked, source, box, about), NonPrivate(tally)


def why_empty(
    path: str | Path,
    columns: Sequence[str] | None = None,
    box: Ends | None = None,
    *,
    zones: str | Path | None = None,
    outside: str = "drop",
    engine: str | Engine = "duckdb",
    format: str | None = None,
) -> NonPrivate[str] | None:
    """What is wrong, and how to mend it, when no row lies in the box; None when one does.

    It looks at the rows: for the eyes of who holds the data.

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

    Returns
    -------
    NonPrivate[str] or None
        An explanation, or None if a row lies in the box.

    Raises
    ------
    ValueError
        If the path, the columns or the box are not valid.

    Examples
    --------
    >>> from pathlib import Path
    >>> import dpcore
    >>> _ = Path("swapped.csv").write_text("lon,lat\\n40.75,-74.0\\n")
    >>> box = ([-74.1, 40.7], [-73.9, 40.9])
    >>> "swapped" in dpcore.datasets.why_empty("swapped.csv", ["lon", "lat"], box).value
    True
    """
    asked, source, box = _opened(path, columns, box, zones, outside, engine, format)
    words = explain_empty(asked, source, box)
    return NonPrivate(words) if words else None


def _opened(
    path: str | Path,
    columns: Sequence[str] | None,
    box: Ends | None,
    zones: str | Path | None,
    outside: str,
    engine: str | Engine,
    format: str | None,
) -> tuple[Engine, Source, Box]:
    if outside not in ("drop", "clip"):
        raise BadInput(f'outside must be "drop" or "clip", not {outside!r}.')
    asked = by_name.engine(engine) if isinstance(engine, str) else engine
    source = open_source(
        asked, str(path), columns, str(zones) if zones else None, format, outside == "clip"
    )
    names = coordinates(source)
    if box is None:
        raise BadInput(
            f"{path}: give the public box of {', '.join(names)}, known without looking at the "
            "data. Its smallest and largest values belong to single rows."
        )
    if not isinstance(box, Box):
        box = Box.between(*box, len(names), names)
    if source.zones is None and box.d == len(names):
        order = longitude_first(box.take(range(box.d)))
        source = replace(source, columns=tuple(source.columns[axis] for axis in order))
        box = box.take(order)
    return asked, source, box


def coordinates(source: Source) -> tuple[str, ...]:
    """The names of a source's coordinates; a column of zone ids gives two."""
    if source.zones is None:
        return source.columns
    return tuple(
        f"{column} {axis}" for column in source.columns for axis in ("longitude", "latitude")
    )
