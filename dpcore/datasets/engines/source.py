"""A source: what is known about a file before any row is read, its columns and their types."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePath
from typing import NamedTuple

from dpcore.datasets.engines.reading_limits import MAX_COLUMNS
from dpcore.datasets.engines.records import UNREADABLE, Form
from dpcore.errors import DataFileError, listed, shortened

DELIMITERS = ",;\t|"
#: A field of a row with coordinates, rather than the name of a column.
LIKE_A_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")


class Format(StrEnum):
    CSV = "csv"
    #: CSV whose numbers have decimal commas.
    CSV_COMMA = "csv-comma"
    PARQUET = "parquet"
    TABLE = "table"
    #: Files of points.
    GEOJSON = "geojson"
    GPKG = "gpkg"
    GEOPARQUET = "geoparquet"

    @classmethod
    def of(cls, path: str) -> Format:
        """The format that the end of a file's name tells."""
        suffixes = {suffix.lower() for suffix in PurePath(path).suffixes[-2:]}
        if suffixes & {".csv", ".tsv", ".txt"}:
            return cls.CSV
        if suffixes & {".parquet", ".pq", ".geoparquet"}:
            return cls.PARQUET
        if suffixes & {".geojson"}:
            return cls.GEOJSON
        if suffixes & {".gpkg"}:
            return cls.GPKG
        raise DataFileError(
            path,
            "its name does not say whether it is CSV, Parquet, GeoJSON or GeoPackage. Rename it, "
            "or name its format: format='csv' in Python, --read-as csv on the command line.",
        )

    @property
    def is_text(self) -> bool:
        """Whether files hold records of text."""
        return self in (Format.CSV, Format.CSV_COMMA)

    @property
    def has_points(self) -> bool:
        """Whether files hold shapes, of which points are read."""
        return self in (Format.GEOJSON, Format.GPKG, Format.GEOPARQUET)


class Kind(StrEnum):
    """The kind of a column: numbers, text that may hold numbers, or neither."""

    NUMBER = "number"
    TEXT = "text"
    OTHER = "other"


class Column(NamedTuple):
    name: str
    kind: Kind = Kind.TEXT
    #: The type, as the engine that looked names it.
    type: str = "text"


def names_to_show(names: Iterable[str]) -> str:
    """The names of columns for an error, unless they may be the values of a row.

    Where the header of a file is missing, its first row is taken for names; some of these are
    numbers then, for only numbers can be coordinates.
    """
    names = list(names)
    if any(map(LIKE_A_NUMBER.fullmatch, names)):
        return "the first line has numbers where names of columns are expected"
    return f"there are {listed(names)}"


@dataclass(frozen=True)
class Layout:
    """The columns of one file, and for a CSV file the header that names them."""

    path: str
    columns: tuple[Column, ...]
    header: str = ""
    delimiter: str = ""
    #: Whether a record of the file encloses line ends in quotes, where it was asked.
    spans: bool = False

    @classmethod
    def of_csv(cls, path: str, header: str | None) -> Layout:
        """The columns that the first record of a CSV file names; all of them hold text."""
        if header is None:
            raise DataFileError(path, "there is no line of text in it; a header was expected.")
        if header == UNREADABLE:
            raise DataFileError(
                path,
                "its first line, which names the columns, is not in UTF-8 or is too long. Save "
                "the file as CSV in UTF-8.",
            )
        outside_quotes = "".join(header.split('"')[::2])
        if "\r" in outside_quotes:
            raise DataFileError(path, "its lines end with CR alone; write it with LF or CR LF.")
        if any(c < " " and c not in "\t\r\n" for c in header):
            raise DataFileError(path, "not a CSV file in UTF-8, whatever its name says.")
        delimiter = max(DELIMITERS, key=outside_quotes.count)
        if outside_quotes.count(delimiter) >= MAX_COLUMNS:
            raise DataFileError(
                path,
                f"its header is too long: at most {MAX_COLUMNS:,} columns are read. Keep only the "
                "columns that are needed.",
            )
        try:
            names = next(csv.reader(io.StringIO(header, newline=""), delimiter=delimiter))
        except csv.Error as error:
            raise DataFileError(
                path,
                "its header has a column name that is too long. Is it a CSV file whose first "
                "line names the columns?",
            ) from error
        return cls(path, tuple(map(Column, names)), header, delimiter)

    def position(self, name: str) -> int:
        """The place of a column of numbers, or the error that says why it cannot be used."""
        column = self.columns[place := self.named(name)]
        if column.kind is Kind.OTHER:
            raise DataFileError(self.path, f"it holds {shortened(column.type)}, not numbers.", name)
        return place

    def named(self, name: str) -> int:
        """The place of the one column of this name, whatever it holds."""
        places = [i for i, column in enumerate(self.columns) if column.name == name]
        if not places:
            names = names_to_show(column.name for column in self.columns)
            raise DataFileError(self.path, f"there is no such column; {names}.", name)
        if len(places) > 1:
            raise DataFileError(self.path, "more than one column has this name.", name)
        return places[0]


@dataclass(frozen=True)
class Zones:
    """A public table of places: id, longitude and latitude of each zone that has a position."""

    path: str
    positions: tuple[tuple[int, float, float], ...]


@dataclass(frozen=True)
class Ids:
    """A column that tells whose a row is, and how many rows of each are kept.

    Which ones is drawn by the key: every choice of rows of an id is as likely as any other, up to
    2^-32 for each two of them, and depends on nothing but that id's rows and the key; not on the
    order of the rows.

    Of a CSV field the quotes that enclose it are no part of the id, and a doubled quote in them is
    one quote; delimiters and line ends in them belong to the id. A field that begins with a quote
    but is not enclosed by quotes names nobody. Blanks around an id are no part of it in any format,
    and 17.0 is 17.
    """

    column: str
    rows: int
    key: str


@dataclass(frozen=True)
class Source:
    """A file, a glob of files or a table, and which of its columns are the coordinates.

    What is protected is one row: of a CSV file one record, which may enclose line ends in quotes.
    `records` says what a record is, and proves that one more adds to no count more than one row.

    With `zones`, each column holds zone ids and gives two coordinates. With `clip`, rows outside
    the box are moved to its edge instead of left out. With `ids`, of the rows that count so many
    of each id are kept, and none without an id.
    """

    path: str
    format: Format
    layouts: tuple[Layout, ...]
    columns: tuple[str, ...] = ()
    zones: Zones | None = None
    clip: bool = False
    ids: Ids | None = None

    @property
    def d(self) -> int:
        return len(self.columns) * (2 if self.zones else 1)

    @property
    def schema(self) -> dict[str, Kind]:
        """The columns of the first file, which every other is expected to have."""
        return {column.name: column.kind for column in self.layouts[0].columns}

    def reading(
        self, columns: tuple[str, ...], zones: Zones | None = None, clip: bool = False
    ) -> Source:
        """The same files read at these columns, which every one of them must have."""
        if not columns:
            raise DataFileError(self.path, "at least one column is needed.")
        for layout in self.layouts:
            for column in columns:
                layout.position(column)
        return replace(self, columns=tuple(columns), zones=zones, clip=clip)

    def told_apart(self, ids: Ids | None) -> Source:
        """The same source, with a limit on the rows of each id."""
        if ids is not None:
            for layout in self.layouts:
                layout.named(ids.column)
        return replace(self, ids=ids)

    def form(self, layout: Layout) -> Form:
        """The form of the records of a CSV file."""
        places = [layout.position(name) for name in self.columns]
        if self.ids:
            places.append(layout.named(self.ids.column))
        return Form(layout.header, layout.delimiter, len(layout.columns), tuple(places))

    def alike(self) -> Iterator[tuple[Layout, list[str]]]:
        """Files that one expression can read: a layout, and the paths it is right for."""
        groups: dict[object, tuple[Layout, list[str]]] = {}
        for layout in self.layouts:
            types = [layout.columns[layout.position(name)].type for name in self.columns]
            if self.ids:
                types.append(layout.columns[layout.named(self.ids.column)].type)
            key = (layout.header, layout.delimiter, layout.spans, *types)
            groups.setdefault(key, (layout, []))[1].append(layout.path)
        yield from groups.values()
