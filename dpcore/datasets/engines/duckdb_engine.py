"""DuckDB: the default engine, inside this process."""

from __future__ import annotations

import glob
import gzip
import os
import shutil
import tempfile
import threading
import weakref
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcore.datasets.engines.base import Columns, Engine, Query
from dpcore.datasets.engines.errors import DataFileError
from dpcore.datasets.engines.source import MAX_LINE, Column, Format, Kind, Layout, Source
from dpcore.datasets.engines.sql import as_double, as_id, quoted

if TYPE_CHECKING:
    import duckdb

#: Lines as they are, one column wide. DuckDB's own parser lets one row speak for others: a stray
#: carriage return ends the query with an error, an open quote swallows the lines that follow. The
#: delimiter is a code point that Unicode keeps out of all text.
LINES = (
    "columns = {'line': 'VARCHAR'}, auto_detect = false, header = false, delim = '\ufdd0', "
    "quote = '', escape = '', comment = '', new_line = '\\n', strict_mode = false, "
    "ignore_errors = true"
)
#: Progress for who asks for it but no bar in the output of a program, and a function by the name
#: that others give it.
SETUP = (
    "SET enable_progress_bar = true; SET enable_progress_bar_print = false; "
    "SET progress_bar_time = 0; "
    "CREATE TEMP MACRO regexp_like(text, pattern) AS regexp_matches(text, pattern)"
)
DAMAGED = "it is damaged, cut short or of another type."
DAMAGED_GZIP = "the gzip file is damaged or cut short."
NUMBERS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}


class DuckDBEngine(Engine):
    """Answers from CSV and Parquet files, and from the tables of a DuckDB database.

    Every question has a connection of its own: they may come from many threads, and one that a
    corrupt file kills takes nothing with it.
    """

    def __init__(self, database: str = ":memory:"):
        if database != ":memory:" and not os.path.isfile(database):
            raise DataFileError(database, "there is no such database.")
        self._database = database
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

    @cached_property
    def _spill(self) -> str:
        """Where rows go that do not fit in memory, read by nobody else and gone with the engine.

        By itself DuckDB would put them where the program was started, for everybody to read.
        """
        folder = tempfile.mkdtemp(prefix="dpcore-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        return folder

    def _files(self, path: str) -> list[str]:
        path = os.path.expanduser(path)
        if os.path.isfile(path):
            return [path]
        if os.path.isdir(path):
            path = os.path.join(glob.escape(path), "[!_.]*.*")
        return self._run(path, f"SELECT file FROM glob({quoted(path)})")["file"].tolist()

    def _layout(self, path: str, format: Format) -> Layout:
        if format is not Format.CSV:
            described = self._run(path, f"DESCRIBE SELECT * FROM {self._scan([path], format)}")
            named = zip(described["column_name"], described["column_type"], strict=True)
            return Layout(path, tuple(Column(name, _kind(type), type) for name, type in named))
        if path.endswith(".gz"):
            self._refuse_damaged_gzip(path)
        lines = f"SELECT line FROM {self._scan([path], format)} WHERE line IS NOT NULL LIMIT 1"
        first = self._run(path, lines)["line"]
        return Layout.of_csv(path, str(first[0]) if len(first) else None)

    def _answer(self, source: Source, query: Query) -> Columns:
        parts = [
            (_csv_rows if source.format is Format.CSV else _typed_rows)(
                source, layout, self._scan(paths, source.format)
            )
            for layout, paths in source.alike()
        ]
        return self._run(source.path, query(f"({' UNION ALL '.join(parts)})"))

    def _refuse_damaged_gzip(self, path: str) -> None:
        """DuckDB does not compare the checksum, and would stop in the middle without a word."""
        try:
            with gzip.open(path) as file:
                while file.read(1 << 20):
                    pass
        except (OSError, EOFError, zlib.error) as error:
            raise DataFileError(path, DAMAGED_GZIP) from error

    def _scan(self, paths: list[str], format: Format) -> str:
        """What a FROM names. A path is a pattern to DuckDB, unless its brackets are escaped."""
        if format is Format.TABLE:
            return ".".join(map(_identifier, paths[0].split(".")))
        files = "[" + ", ".join(quoted(glob.escape(path)) for path in paths) + "]"
        if format is Format.PARQUET:
            return f"read_parquet({files})"
        return f"read_csv({files}, {LINES})"

    def _prepare(self, database: duckdb.DuckDBPyConnection) -> None:
        """What a fresh connection needs before it is asked."""
        database.execute(f"{SETUP}; SET temp_directory = {quoted(self._spill)}")

    @contextmanager
    def _progressing(self, database: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """While a question is being answered, others may ask how far it is."""
        with self._starting_or_ending:
            self._running.append(database)
        try:
            yield
        finally:
            with self._starting_or_ending:
                self._running.remove(database)

    def _run(self, path: str, query: str) -> Columns:
        import duckdb

        ours = (duckdb.BinderException, duckdb.ParserException, duckdb.OutOfMemoryException)
        try:
            with duckdb.connect(self._database, read_only=self._database != ":memory:") as database:
                self._prepare(database)
                with self._progressing(database):
                    answer: Any = database.execute(query).fetchnumpy()
                    return answer
        except ours:
            raise
        except duckdb.CatalogException as error:
            raise DataFileError(path, "there is no such table.") from error
        except duckdb.Error as error:
            raise DataFileError(path, DAMAGED) from error


def _typed_rows(source: Source, layout: Layout, scan: str) -> str:
    columns = []
    for i, name in enumerate(source.columns):
        kind = layout.columns[layout.position(name)].kind
        columns.append(f"{as_double(_identifier(name), kind)} AS x{i}")
    if source.ids:
        kind = layout.columns[layout.named(source.ids.column)].kind
        columns.append(f"{as_id(_identifier(source.ids.column), kind)} AS id")
    return f"SELECT {', '.join(columns)} FROM {scan}"


def _csv_rows(source: Source, layout: Layout, scan: str) -> str:
    """A line is a row, whatever the lines around it hold, and NULL throughout when it has not as
    many fields as the header. A delimiter between quotes is none."""
    delimiter = quoted(layout.delimiter)
    parts = "string_split(line, '\"')"
    masked = f"CASE WHEN i % 2 = 0 THEN replace(part, {delimiter}, '_') ELSE part END"
    line = f"array_to_string(list_transform({parts}, lambda part, i: {masked}), '\"')"
    fields = (
        f"CASE WHEN NOT contains(line, '\"') THEN string_split(line, {delimiter}) "
        f"WHEN len({parts}) % 2 = 1 THEN string_split({line}, {delimiter}) END"
    )
    field = f"f[CASE WHEN len(f) = {len(layout.columns)} THEN {{}} END]".format
    columns = [
        f"{as_double(field(layout.position(name) + 1), Kind.TEXT)} AS x{i}"
        for i, name in enumerate(source.columns)
    ]
    if source.ids:
        name = field(layout.named(source.ids.column) + 1)
        columns.append(f"{as_id(name, Kind.TEXT)} AS id")
    return (
        f"SELECT {', '.join(columns)} FROM (SELECT {fields} AS f FROM {scan} "
        f"WHERE line <> {quoted(layout.header)} AND strlen(line) <= {MAX_LINE})"
    )


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kind(type: str) -> Kind:
    if type.split("(")[0] in NUMBERS:
        return Kind.NUMBER
    return Kind.TEXT if type == "VARCHAR" else Kind.OTHER
