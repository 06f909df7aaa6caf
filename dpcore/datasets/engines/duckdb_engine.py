"""DuckDB: the default engine, inside this process."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
import threading
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import numpy as np

from dpcore.datasets.engines import previews, sql
from dpcore.datasets.engines.base import Columns, Query, SQLEngine, check, refusing_broken_quotes
from dpcore.datasets.engines.cell_counts import Cells, counted, grid_cells
from dpcore.datasets.engines.duckdb_scans import (
    file_list,
    has_whole_ids,
    identifier,
    kind_of,
    layout_of,
    plain_rows,
    typed_rows,
)
from dpcore.datasets.engines.few_of_each import BATCH, Part, kept_cells
from dpcore.datasets.engines.paths import (
    local,
    open_regular,
    refuse_address,
    refuse_special,
    unpacked,
)
from dpcore.datasets.engines.plain import PIECE, Plain, find_plain
from dpcore.datasets.engines.point_files import point_table
from dpcore.datasets.engines.reading_limits import MAX_COLUMNS, MAX_FILES
from dpcore.datasets.engines.records import fields, first_record, refuse_broken_quotes
from dpcore.datasets.engines.source import Column, Format, Layout, Source
from dpcore.datasets.engines.sql import csv_columns, csv_names, quoted
from dpcore.datasets.engines.stored_rows import StoredRows, stored
from dpcore.datasets.row_sums import RowSum, added_up, summed
from dpcore.errors import DataFileError, ReadingStopped
from dpcore.geometry.domain import Box, Grid, IntArray, cell_ticks
from dpcore.kmeans import points

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

#: Bytes of a file that is not plain, cut into records at a time, and about those of one record.
BLOCK, RECORD = 1 << 24, 32
#: Progress can be read but no bar is printed, and a function gets the name that other engines
#: use.
SETUP = (
    "SET preserve_insertion_order = false; SET enable_progress_bar = true; "
    "SET enable_progress_bar_print = false; SET progress_bar_time = 0; "
    "CREATE TEMP MACRO regexp_like(text, pattern) AS regexp_matches(text, pattern)"
)
#: Nothing is fetched from a network: no file, and no code that could read one.
OFFLINE = (
    "SET autoinstall_known_extensions = false; SET autoload_known_extensions = false; "
    "SET allow_community_extensions = false"
)
#: From here on no query, whatever stands in it, can change that.
LOCK = "SET lock_configuration = true"
DAMAGED = "it is damaged, cut short or of another type."
NO_MEMORY = "reading it takes more memory than there is; give a smaller file or fewer columns."
DAMAGED_PACKED = "the compressed file is damaged or cut short."


class DuckDBEngine(SQLEngine):
    """Answers from CSV and Parquet files, and from the tables of a DuckDB database.

    Every question has a connection of its own: they may come from many threads, and one that a
    corrupt file kills takes nothing with it. With `memory`, an answer that needs more bytes is
    written to disk in part, or refused. With `root`, a path stands for the regular files in that
    folder alone: where a pattern meets a link that leads out of it, nothing is there.
    """

    can_stop = True

    def __init__(
        self, database: str = ":memory:", memory: int | None = None, root: str | None = None
    ):
        if database != ":memory:" and not os.path.isfile(database):
            raise DataFileError(database, "there is no such database.")
        self._database = database
        self._looked_at: dict[object, Plain | None] = {}
        self._memory = memory
        self._root = None if root is None else os.path.realpath(root)
        self._running: list[duckdb.DuckDBPyConnection] = []
        self._starting_or_ending = threading.Lock()

    def address(self, path: str) -> str:
        """By its database, and for a table its whole name, whose case DuckDB overlooks."""
        if "/" not in path:
            *_, schema, table = f"main.{path}".casefold().split(".")
            path = f"{schema}.{table}"
        return f"{os.path.realpath(self._database)} {path}"

    def progress(self) -> float:
        with self._starting_or_ending:
            parts = [running.query_progress() / 100 for running in self._running]
        return min((min(max(part, 0.0), 1.0) for part in parts), default=0.0)

    def stop(self) -> None:
        with self._starting_or_ending:
            for running in self._running:
                running.interrupt()

    @cached_property
    def _spill(self) -> str:
        """The file for rows that do not fit in memory, read by nobody else and gone with the
        engine.

        By itself DuckDB would put them where the program was started, for everybody to read.
        """
        folder = tempfile.mkdtemp(prefix="dpcore-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def _files(self, path: str) -> list[str]:
        refuse_address(path)
        files = self._matching(os.path.expanduser(path))
        if self._root is None:
            return files
        real = [os.path.realpath(file) for file in files]
        inside = [file for file in real if PurePath(file).is_relative_to(self._root)]
        return [file for file in inside if os.path.isfile(file)]

    def _matching(self, path: str) -> list[str]:
        refuse_special(path)
        if os.path.isfile(path):
            return [path]
        if os.path.isdir(path):
            path = os.path.join(glob.escape(path), "[!_.]*.*")
        query = f"SELECT file FROM glob({quoted(path)}) LIMIT {MAX_FILES + 1}"
        files: list[str] = self._run(path, query)["file"].tolist()
        if len(files) > MAX_FILES:
            raise DataFileError(
                path, f"more than {MAX_FILES:,} files; give a pattern that names fewer."
            )
        for file in files:
            refuse_special(file)
        return files

    def _has_points(self, path: str) -> bool:
        """By the metadata of GeoParquet, where no columns hold positions as numbers."""
        try:
            metadata = self._run(path, f"SELECT key FROM parquet_kv_metadata({file_list([path])})")
        except DataFileError:  # looking at the columns says why
            return False
        return any(bytes(key) == b"geo" for key in metadata["key"])

    def _layout(self, path: str, format: Format) -> Layout:
        if format.has_points:
            return layout_of(path, point_table(path, format))
        if not format.is_text:
            described = self._run(path, f"DESCRIBE SELECT * FROM {self._scan([path], format)}")
            if len(described["column_name"]) > MAX_COLUMNS:
                raise DataFileError(path, f"more than {MAX_COLUMNS:,} columns; keep those needed.")
            named = zip(described["column_name"], described["column_type"], strict=True)
            return Layout(path, tuple(Column(name, kind_of(type), type) for name, type in named))
        with refusing_broken_quotes(path):
            layout = Layout.of_csv(path, first_record(self._text(path, BLOCK)))
        self._parser_for(layout)
        return layout

    def grid_counts(self, source: Source, grid: Grid) -> IntArray:
        """Whole numbers of cells, counted as they come: faster than DuckDB's own groups."""
        check(source, grid.box)
        if source.ids:
            cells = (grid_cells(rows, grid) for rows in self._rows(source, grid.box))
        else:
            answer = self._batches(source, lambda name: sql.cells_query(name, source, grid))
            cells = (batch.column(0).to_numpy() for batch in answer)
        return counted(cells, grid, source)

    def lattice_rows(self, source: Source, box: Box) -> Cells:
        check(source, box)
        batches = list(self._rows(source, box))
        rows = np.empty((sum(map(len, batches)), box.d), dtype=np.int32)
        return np.concatenate(batches, out=rows) if batches else rows

    def stored_rows(self, source: Source, box: Box, most: int) -> Cells | StoredRows | None:
        check(source, box)
        rows = self._rows(source, box)
        return stored(rows, box.d, most, self._spill, self._expected_rows(source))

    def summed(self, source: Source, box: Box, of_rows: RowSum) -> IntArray:
        check(source, box)
        none = np.empty((0, box.d), dtype=np.int32)
        rows = chain([none], self._rows(source, box))
        return added_up(summed(of_rows, cell_ticks(some)) for some in rows)

    def cluster_totals(
        self, source: Source, box: Box, centers: IntArray
    ) -> tuple[IntArray, IntArray]:
        if not source.ids:
            return super().cluster_totals(source, box, centers)
        check(source, box)
        totals = [points.cluster_totals(rows, centers) for rows in self._rows(source, box)]
        counts = np.zeros(len(centers), dtype=np.int64)
        sums = np.zeros(np.shape(centers), dtype=np.int64)
        return sum((n for n, _ in totals), counts), sum((s for _, s in totals), sums)

    def squared_ticks(self, source: Source, box: Box) -> int:
        if not source.ids:
            return super().squared_ticks(source, box)
        check(source, box)
        middle = np.zeros((1, box.d), dtype=np.int64)
        return sum(int(points.squared_ticks(rows, middle)) for rows in self._rows(source, box))

    def _rows(self, source: Source, box: Box) -> Iterator[Cells]:
        """The lattice cells (m, d) of the rows that count, some thousand at a time."""
        if source.ids:
            whole = has_whole_ids(source)

            def read(part: Part) -> Iterator[pa.RecordBatch]:
                def query(relation: str) -> str:
                    return sql.rows_of_part_query(relation, source, box, whole, *part)

                return self._batches(source, query)

            rows = self._expected_rows(source)
            yield from kept_cells(read, source.ids, box.d, not whole, rows, self._spill)
        else:
            for batch in self._batches(source, lambda name: sql.rows_query(name, source, box)):
                yield np.stack([column.to_numpy() for column in batch.columns]).T

    def _expected_rows(self, source: Source) -> int:
        """About how many rows there are; 0 where nothing tells before they are read."""
        paths = [layout.path for layout in source.layouts]
        if source.format.is_text:
            return sum(map(os.path.getsize, filter(os.path.isfile, paths))) // RECORD
        if source.format not in (Format.PARQUET, Format.TABLE):
            return 0
        query = f"SELECT count(*) AS n FROM {self._scan(paths, source.format)}"
        return int(self._run(source.path, query)["n"][0])

    def _answer(self, source: Source, query: Query) -> Columns:
        with self._asked(source, query) as (database, text):
            return dict(database.execute(text).fetchnumpy())

    def _batches(self, source: Source, query: Query) -> Iterator[pa.RecordBatch]:
        """The answer piece by piece, in no promised order."""
        import duckdb

        with self._asked(source, query) as (database, text):
            try:
                yield from database.sql(text).to_arrow_reader(BATCH)
            except OSError as error:  # DuckDB's own, as Arrow hands it over
                was_stopped = "INTERRUPT" in str(error)
                raise (duckdb.InterruptException if was_stopped else duckdb.Error)(error) from error

    @contextmanager
    def _asked(self, source: Source, query: Query) -> Iterator[tuple[Any, str]]:
        """A connection that knows the columns of a source, and the text of a query on them."""
        parts: list[str] = []
        streams: dict[str, Callable[[], Any]] = {}
        for layout, paths in source.alike():
            if source.format.has_points:
                for path in paths:
                    name = f"rows_{len(streams)}"
                    streams[name] = partial(point_table, path, source.format)
                    parts.append(typed_rows(source, layout, name))
                continue
            if not source.format.is_text:
                parts.append(typed_rows(source, layout, self._scan(paths, source.format)))
                continue
            parsers: dict[Plain | None, list[str]] = {}
            for path in paths:
                parsers.setdefault(self._parser_for(replace(layout, path=path)), []).append(path)
            for plain, some in parsers.items():
                if plain is None:
                    name = f"rows_{len(streams)}"
                    streams[name] = partial(self._fields, source, layout, some)
                    parts.append(f"SELECT {', '.join(csv_columns(source))} FROM {name}")
                else:
                    parts.append(plain_rows(source, layout, plain, some))
        with self._connected(source.path, streams) as database:
            yield database, query(f"({' UNION ALL '.join(parts)})")

    def first_rows(self, source: Source, most: int) -> list[list[str]]:
        layout = source.layouts[0]
        if source.format.is_text:
            return previews.of_text(layout, self._text(layout.path, BLOCK >> 6), most)
        if source.format.has_points:
            points = point_table(layout.path, source.format).slice(0, most).to_pylist()
            return previews.as_text(list(row.values()) for row in points)
        scan = self._scan([layout.path], source.format)
        columns = self._run(source.path, f"SELECT COLUMNS(*)::VARCHAR FROM {scan} LIMIT {most:d}")
        return previews.as_text(zip(*columns.values(), strict=True))

    def _text(self, path: str, size: int) -> Iterator[bytes]:
        """The text of a CSV file in pieces, unpacked."""
        packed = path.endswith((".gz", ".zst"))
        try:
            with open_regular(local(path)) as raw, unpacked(raw, path) as file:
                while piece := file.read(size):
                    yield piece
        except (OSError, EOFError, zlib.error) as error:
            raise DataFileError(path, DAMAGED_PACKED if packed else DAMAGED) from error

    def _fields(self, source: Source, layout: Layout, paths: list[str]) -> Any:
        """A stream of the rows of files that are not plain, for DuckDB to read once."""
        import pyarrow as pa

        names, form = csv_names(source), source.form(layout)
        batches = (
            pa.record_batch(some, names=names)
            for path in paths
            for some in fields(self._text(path, BLOCK), form)
        )
        schema = pa.schema([(name, pa.string()) for name in names])
        return pa.RecordBatchReader.from_batches(schema, batches)

    def _parser_for(self, layout: Layout) -> Plain | None:
        """The way in which DuckDB's parser reads a file, or None where `records` has to; looked at
        once.

        A file whose records cannot be told is refused, and so is one that is damaged.
        """
        try:
            state = os.stat(local(layout.path))
        except OSError as error:
            raise DataFileError(layout.path, DAMAGED) from error
        key = (layout, state.st_ino, state.st_size, state.st_mtime_ns)
        if key not in self._looked_at:
            plain = find_plain(self._text(layout.path, PIECE), layout)
            if plain is None:
                self._refuse_broken_quotes(layout)
            self._looked_at[key] = plain
        return self._looked_at[key]

    def _refuse_broken_quotes(self, layout: Layout) -> None:
        with refusing_broken_quotes(layout.path):
            refuse_broken_quotes(self._text(layout.path, BLOCK), layout.delimiter)

    def _scan(self, paths: list[str], format: Format) -> str:
        """The source of rows that a FROM names."""
        if format is Format.TABLE:
            return ".".join(map(identifier, paths[0].split(".")))
        return f"read_parquet({file_list(paths)})"

    def _prepare(self, database: duckdb.DuckDBPyConnection) -> None:
        """Set up a fresh connection before it is asked."""
        database.execute(f"{SETUP}; {OFFLINE}; SET temp_directory = {quoted(self._spill)}")
        if self._memory is not None:
            database.execute(f"SET memory_limit = '{self._memory}B'")

    def _run(self, path: str, query: str) -> Columns:
        with self._connected(path) as database:
            answer: Any = database.execute(query).fetchnumpy()
            return answer

    @contextmanager
    def _connected(
        self, path: str, streams: Mapping[str, Callable[[], Any]] | None = None
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A connection for one question, which others may look at and end; errors in our words."""
        import duckdb

        try:
            with duckdb.connect(self._database, read_only=self._database != ":memory:") as database:
                self._prepare(database)
                for name, stream in (streams or {}).items():
                    database.register(name, stream())
                if self._database == ":memory:":  # of a file, the next connection would be locked
                    database.execute(LOCK)
                with self._starting_or_ending:
                    self._running.append(database)
                try:
                    yield database
                finally:
                    with self._starting_or_ending:
                        self._running.remove(database)
        except (duckdb.BinderException, duckdb.ParserException):
            raise
        except duckdb.InterruptException as error:
            raise ReadingStopped(path) from error
        except duckdb.CatalogException as error:
            raise DataFileError(path, "there is no such table.") from error
        except duckdb.Error as error:
            # What runs out of memory in our own reader comes through DuckDB as a stream that fails.
            no_memory = "out of memory" in str(error).lower()
            raise DataFileError(path, NO_MEMORY if no_memory else DAMAGED) from error
