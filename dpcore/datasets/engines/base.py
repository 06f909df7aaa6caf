"""The engines' common base: they look at files, and answer the few questions asked of their
rows."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.engines import sql
from dpcore.datasets.engines.paths import local, open_regular
from dpcore.datasets.engines.records import BrokenQuotesError
from dpcore.datasets.engines.source import Format, Layout, Source, Zones
from dpcore.datasets.engines.stored_rows import StoredRows
from dpcore.datasets.engines.zones import read_zones
from dpcore.datasets.row_sums import RowSum, summed
from dpcore.errors import BadInput, DataFileError
from dpcore.geometry.domain import LATTICE_CELLS, Box, Grid, IntArray, cell_ticks

__all__ = ["Columns", "DataFileError", "Engine", "Query", "SQLEngine", "Tally"]

#: A query as a function of the name of the relation that it reads.
Query = Callable[[str], str]
Columns = dict[str, npt.NDArray[Any]]

#: Bytes read at a time.
PIECE = 1 << 20
#: First bytes of what is often named .csv and is not.
NOT_CSV = {b"PAR1": "a Parquet file", b"PK\3\4": "a spreadsheet or archive", b"\xff\xfe": "UTF-16"}


@dataclass(frozen=True)
class Tally:
    """The fate of the rows of a file, in numbers. Private: for the curator's eyes only."""

    total: int
    unreadable: int
    outside: int
    inside: int


class Engine(ABC):
    """Answers the few questions asked of rows. Every answer is exact, and the same from all."""

    #: The name that opens the same files again.
    key = "duckdb"
    #: Whether it answers from a file in memory, which no path names.
    in_memory = False
    #: Whether `stop` does anything.
    can_stop = False

    @abstractmethod
    def look(self, path: str, format: str | None = None) -> Source:
        """List the files of a path, glob or folder and the columns of each, but read no row."""

    @abstractmethod
    def grid_counts(self, source: Source, grid: Grid) -> IntArray:
        """The number of rows in each cell of a grid."""

    @abstractmethod
    def census(self, source: Source, grid: Grid) -> tuple[IntArray, Tally]:
        """Both what is in each cell of a grid and what became of the rows, in one pass."""

    @abstractmethod
    def lattice_rows(self, source: Source, box: Box) -> npt.NDArray[np.int32]:
        """The lattice cell of every row, (n, d), in no promised order."""

    def stored_rows(
        self, source: Source, box: Box, most: int
    ) -> npt.NDArray[np.int32] | StoredRows | None:
        """The lattice cells of all rows, kept for many questions: in memory up to a number of rows,
        else where the engine can keep them. None where every question has to read them again."""
        return self.lattice_rows(source, box)

    def summed(self, source: Source, box: Box, of_rows: RowSum) -> IntArray:
        """The sum over all rows of whole numbers that each gives by itself."""
        return summed(of_rows, cell_ticks(self.lattice_rows(source, box)))

    @abstractmethod
    def cluster_totals(
        self, source: Source, box: Box, centers: IntArray
    ) -> tuple[IntArray, IntArray]:
        """Counts (k,) and sums of positions (k, d), in ticks, of the rows nearest each center."""

    @abstractmethod
    def squared_ticks(self, source: Source, box: Box) -> int:
        """The sum over rows of the squared distance to the middle of the box, in ticks.

        With the totals of the clusters it gives the cost of any centers, exactly.
        """

    @abstractmethod
    def tally(self, source: Source, box: Box) -> Tally:
        """The fate of the rows, in numbers. Private: for the curator's eyes only."""

    @abstractmethod
    def rows_of_ids(self, source: Source, most: int) -> IntArray:
        """The number of ids that have 0, 1, ... rows, wherever these lie; the last counts all with
        `most` or more. Private: for the curator alone."""

    def first_rows(self, source: Source, most: int) -> list[list[str]]:
        """The first rows of the first file, as text, with all columns.

        Private: for the curator's eyes only.
        """
        raise DataFileError(source.path, "its rows cannot be shown by this engine.")

    def zones(self, path: str) -> Zones:
        """A public table of zones, from a CSV file on this machine."""
        return read_zones(path)

    @abstractmethod
    def files(self, path: str) -> list[str]:
        """The files at a path, in a folder, or that match a glob, in order."""

    def pieces(self, path: str) -> Iterator[bytes] | None:
        """The bytes of a file piece by piece, or None where this program cannot read them."""
        return _pieces(local(path)) if os.path.isfile(local(path)) else None

    def address(self, path: str) -> str:
        """The address by which a table, or a file far away, is recognized."""
        return f"{type(self).__name__} {path}"

    def progress(self) -> float:
        """The part that is read of the present question, from 0 to 1, for other threads."""
        return 0.0

    def stop(self) -> None:  # noqa: B027
        """End what is being asked, from another thread, where this engine can: the question raises
        ReadingStopped. Between two readings for one question there is nothing to end."""


class SQLEngine(Engine):
    """Runs the shared SQL."""

    @abstractmethod
    def _files(self, path: str) -> list[str]:
        """The files at a path, in a folder, or that match a glob."""

    def _has_points(self, path: str) -> bool:
        """Whether a Parquet file holds shapes that this engine reads."""
        return False

    @abstractmethod
    def _layout(self, path: str, format: Format) -> Layout:
        """The columns of one file or table."""

    @abstractmethod
    def _answer(self, source: Source, query: Query) -> Columns:
        """Run a query on the columns of a source, as DOUBLE x0, x1, ... and, as text, id."""

    def files(self, path: str) -> list[str]:
        return sorted(self._files(path))

    def look(self, path: str, format: str | None = None) -> Source:
        if format == Format.TABLE:
            return Source(path, Format.TABLE, (self._layout(path, Format.TABLE),))
        files = self.files(path)
        if not files:
            raise DataFileError(path, "there is no such file.")
        formats = {Format(format)} if format else {Format.of(file) for file in files}
        if len(formats) > 1:
            raise DataFileError(path, "files of several formats; give a glob for one of them.")
        kind = formats.pop()
        if kind is Format.PARQUET and self._has_points(files[0]):
            kind = Format.GEOPARQUET
        if kind.is_text:
            for file in files:
                _refuse_other_formats(file, next(self.pieces(file) or iter(()), b""))
        return Source(path, kind, tuple(self._layout(file, kind) for file in files))

    def grid_counts(self, source: Source, grid: Grid) -> IntArray:
        check(source, grid.box)
        counts = np.zeros(grid.shape, dtype=np.int64)
        columns = self._answer(source, lambda relation: sql.grid_query(relation, source, grid))
        put(counts.reshape(-1), columns, source)
        return counts

    def census(self, source: Source, grid: Grid) -> tuple[IntArray, Tally]:
        check(source, grid.box)
        if source.ids:
            raise ValueError("One pass that sees all rows cannot keep a few of each id.")
        columns = self._answer(source, lambda relation: sql.census_query(relation, source, grid))
        fates = [int(columns["n"][columns["fate"] == fate].sum()) for fate in range(3)]
        inside, outside, unreadable = fates
        counts = np.zeros(grid.n_cells, dtype=np.int64)
        in_data = columns["fate"] <= (1 if source.clip else 0)
        np.add.at(counts, columns["cell"][in_data], columns["n"][in_data])
        return counts.reshape(grid.shape), Tally(sum(fates), unreadable, outside, inside)

    def lattice_rows(self, source: Source, box: Box) -> npt.NDArray[np.int32]:
        check(source, box)
        columns = self._answer(source, lambda relation: sql.rows_query(relation, source, box))
        rows = np.empty((len(columns["c0"]), box.d), dtype=np.int32)
        for axis in range(box.d):
            rows[:, axis] = columns.pop(f"c{axis}")
        return rows

    def cluster_totals(
        self, source: Source, box: Box, centers: IntArray
    ) -> tuple[IntArray, IntArray]:
        check(source, box)
        centers = np.asarray(centers, dtype=np.int64)
        columns = self._totals(source, box, centers)
        counts = np.zeros(len(centers), dtype=np.int64)
        sums = np.zeros(centers.shape, dtype=np.int64)
        np.add.at(counts, columns["label"], columns["n"])
        for axis in range(box.d):
            np.add.at(sums[:, axis], columns["label"], columns[f"s{axis}"])
        return counts, sums

    def squared_ticks(self, source: Source, box: Box) -> int:
        check(source, box)
        columns = self._answer(source, lambda relation: sql.spread_query(relation, source, box))
        return int(columns["high"][0]) * LATTICE_CELLS + int(columns["low"][0])

    def tally(self, source: Source, box: Box) -> Tally:
        check(source, box)
        columns = self._answer(source, lambda relation: sql.tally_query(relation, source, box))
        total, readable, inside = (int(columns[name][0]) for name in ("n", "readable", "inside"))
        return Tally(total, total - readable, readable - inside, inside)

    def rows_of_ids(self, source: Source, most: int) -> IntArray:
        counts = np.zeros(most + 1, dtype=np.int64)
        columns = self._answer(source, lambda relation: sql.rows_of_ids_query(relation, most))
        counts[np.asarray(columns["number"], dtype=np.int64)] = columns["n"]
        return counts

    def _totals(self, source: Source, box: Box, centers: IntArray) -> Columns:
        """Columns label, n, s0, s1, ...; the rows of one label add up."""
        return self._answer(
            source, lambda relation: sql.totals_query(relation, source, box, centers)
        )


def put(counts: IntArray, columns: Columns, source: Source) -> None:
    """Write the counts of cells where they belong; only a damaged file names cells beyond them."""
    cells = columns["cell"]
    if len(cells) and not 0 <= int(cells.min()) <= int(cells.max()) < len(counts):
        raise DataFileError(source.path, "it is damaged, cut short or of another type.")
    counts[cells] = columns["n"]


def check(source: Source, box: Box) -> None:
    if source.d != box.d:
        raise BadInput(f"{source.path} is read at {source.d} coordinates, but the box has {box.d}.")


def _pieces(path: str) -> Iterator[bytes]:
    with open_regular(path) as file:
        while piece := file.read(PIECE):
            yield piece


def _refuse_other_formats(path: str, start: bytes) -> None:
    """Tell by its first bytes a file that is not text, whatever its name says."""
    for bytes_, what in NOT_CSV.items():
        if start.startswith(bytes_):
            raise DataFileError(path, f"this is {what}, not a CSV file in UTF-8.")


@contextmanager
def refusing_broken_quotes(path: str) -> Iterator[None]:
    """Tell which file has quotes that do not tell where records end."""
    try:
        yield
    except BrokenQuotesError as error:
        raise DataFileError(path, str(error)) from error
