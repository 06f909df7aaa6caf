"""Your own data from a file, a glob, a folder or a table, counted where they are."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
from dpcore.datasets.fetched import fetched, is_address
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.own import OwnData
from dpcore.errors import BadInput, NoRowsWarning
from dpcore.geometry.domain import Box, Grid
from dpcore.geometry.positions import longitude_first
from dpcore.geometry.positions import looks_geographic as looks_geographic
from dpcore.results.non_private import NonPrivate

#: A public box, or its ends: (low, high), numbers or one for each coordinate.
Ends = Box | tuple[npt.ArrayLike, npt.ArrayLike]

#: Cells a side of the grid on which a map is counted.
MAP_CELLS = 1024


@dataclass(frozen=True)
class FileReading:
    """Rows in files, or in a table of an engine, and how they are read: see `from_file`."""

    path: str | Path
    columns: Sequence[str] | None = None
    box: Ends | None = None
    zones: str | Path | None = None
    outside: str = "drop"
    engine: str | Engine = "duckdb"
    format: str | None = None

    def dataset(self, unit: str = "row", ids: Ids | None = None) -> Dataset:
        """The data set, without a word on how many rows there are."""
        if not isinstance(self.path, str | PathLike):
            raise TypeError(
                f"from_file takes the path of a file, not a {type(self.path).__name__}. "
                "For rows in memory: dpcore.datasets.from_array."
            )
        reader, source, box = self._opened()
        source = source.told_apart(ids)
        about = DataInfo("file", Path(self.path).name, unit=unit, geographic=looks_geographic(box))
        if box.d != 2:
            return EngineDataset(reader, source, box, about)
        return GridDataset(reader.grid_counts(source, Grid(box, MAP_CELLS)), box, about)

    def why_empty(self) -> NonPrivate[str] | None:
        """The reason why no row lies in the box; None when one does."""
        words = explain_empty(*self._opened())
        return NonPrivate(words) if words else None

    def _opened(self) -> tuple[Engine, Source, Box]:
        """The engine, its open source, and the box, in the order of its columns."""
        if self.outside not in ("drop", "clip"):
            raise BadInput(f'outside must be "drop" or "clip", not {self.outside!r}.')
        path, engine, box = str(self.path), self.engine, self.box
        if engine == "duckdb" and is_address(path):
            reader, path = fetched(path)
        else:
            reader = by_name.engine(engine) if isinstance(engine, str) else engine
        zones = str(self.zones) if self.zones else None
        source = open_source(reader, path, self.columns, zones, self.format, self.outside == "clip")
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
        return reader, source, box


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
    """A data set from files of rows or points, or from a table of the engine's.

    CSV, also packed with gzip or Zstandard, Parquet, and points in GeoJSON, GeoPackage or
    GeoParquet. An address (https, s3) is read into memory through fsspec, where that is installed.

    Two coordinates become counts on a grid of 1,024 cells a side, in one pass; more stay in the
    file and are asked there. Without `columns` they are guessed by their names, and taxi files
    are recognised. Both ends belong to the box. Rows outside it are dropped, or with
    outside="clip" moved to its edge; a NoRowsWarning says why if none is left.
    The box is public and must be given: the smallest and largest values belong to single rows.
    With `ids`, so many rows of each id are kept, drawn by a key.

    Parameters
    ----------
    path : str or Path
        A file, a glob, an address, or a table of the engine.
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
        The format: "csv", "csv-comma" (with decimal commas), "parquet", "geojson", "gpkg" or
        "table"; found by the ending of the path if None.
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
    reading = FileReading(path, columns, box, zones, outside, engine, format)
    data = reading.dataset(unit, ids)
    if not data.n and (words := reading.why_empty()):
        warn_empty(words.value)
    return OwnData(data)


def warn_empty(problem: str) -> None:
    """Warn the owner of the rows that none of them counts."""
    warnings.warn(f"For your eyes only: {problem}", NoRowsWarning, stacklevel=3)


def with_tally(
    reader: Engine, source: Source, box: Box, about: DataInfo
) -> tuple[Dataset, NonPrivate[Tally]]:
    """The data set and, from the same pass over the rows, what became of them."""
    counts, tally = reader.census(source, Grid(box, MAP_CELLS if box.d == 2 else 1))
    data = GridDataset(counts, box, about) if box.d == 2 else None
    return data or EngineDataset(reader, source, box, about), NonPrivate(tally)


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
    """The reason why no row lies in the box, and how to mend that; None when one does.

    The answer depends on the rows, so it is for the owner of the data only.

    Parameters
    ----------
    path, columns, box, zones, format : as in `from_file`, default=None
        What would be read.
    outside : as in `from_file`, default="drop"
        What would happen to rows outside the box.
    engine : as in `from_file`, default="duckdb"
        What reads the files.

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
    return FileReading(path, columns, box, zones, outside, engine, format).why_empty()


def coordinates(source: Source) -> tuple[str, ...]:
    """The names of a source's coordinates; a column of zone ids gives two."""
    if source.zones is None:
        return source.columns
    return tuple(
        f"{column} {axis}" for column in source.columns for axis in ("longitude", "latitude")
    )
