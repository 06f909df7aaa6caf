"""DuckDB: the default engine, inside this process."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import os
import shutil
import tempfile
import threading
import weakref
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, BinaryIO

from dpcore.datasets.engines.base import Columns, Query, SQLEngine
from dpcore.datasets.engines.paths import local, open_regular, refuse_address, refuse_special
from dpcore.datasets.engines.plain import PIECE, Plain, find_plain
from dpcore.datasets.engines.point_files import point_table
from dpcore.datasets.engines.reading_limits import MAX_COLUMNS, MAX_FILES
from dpcore.datasets.engines.records import (
    BrokenQuotesError,
    fields,
    first_record,
    refuse_broken_quotes,
)
from dpcore.datasets.engines.source import Column, Format, Kind, Layout, Source
from dpcore.datasets.engines.sql import as_double, as_id, csv_columns, csv_names, quoted
from dpcore.errors import DataFileError, shortened

if TYPE_CHECKING:
    import duckdb

#: DuckDB's parser, told everything, for a plain file. One column more than the header has names
#: shows where a line is too long or, with NULL in the last, too short; no field is a quote.
PARSER = (
    "auto_detect = false, header = true, quote = '', escape = '', comment = '', nullstr = '\"', "
    "null_padding = true, strict_mode = false, ignore_errors = true, encoding = 'utf-8'"
)
#: Bytes of a file that is not plain, cut into records at a time.
BLOCK = 1 << 24
#: Progress can be read but no bar is printed, and a function gets the name that other engines
#: use.
SETUP = (
    "SET enable_progress_bar = true; SET enable_progress_bar_print = false; "
    "SET progress_bar_time = 0; "
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
NUMBERS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"),
}


class DuckDBEngine(SQLEngine):
    """Answers from CSV and Parquet files, and from the tables of a DuckDB database.

    Every question has a connection of its own: they may come from many threads, and one that a
    corrupt file kills takes nothing with it. With `memory`, an answer that needs more bytes is
    written to disk in part, or refused. With `root`, a path stands for the regular files in that
    folder alone: where a pattern meets a link that leads out of it, nothing is there.
    """

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

    @cached_property
    def _spill(self) -> str:
        """Where rows go that do not fit in memory, read by nobody else and gone with the engine.

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
            found = self._run(path, f"SELECT key FROM parquet_kv_metadata({_file_list([path])})")
        except DataFileError:  # looking at the columns says why
            return False
        return any(bytes(key) == b"geo" for key in found["key"])

    def _layout(self, path: str, format: Format) -> Layout:
        if format.has_points:
            return _layout_of(path, point_table(path, format))
        if not format.is_text:
            described = self._run(path, f"DESCRIBE SELECT * FROM {self._scan([path], format)}")
            if len(described["column_name"]) > MAX_COLUMNS:
                raise DataFileError(path, f"more than {MAX_COLUMNS:,} columns; keep those needed.")
            named = zip(described["column_name"], described["column_type"], strict=True)
            return Layout(path, tuple(Column(name, _kind(type), type) for name, type in named))
        with _refusing_broken_quotes(path):
            layout = Layout.of_csv(path, first_record(self._text(path, BLOCK)))
        self._parser_for(layout)
        return layout

    def _answer(self, source: Source, query: Query) -> Columns:
        parts: list[str] = []
        streams: dict[str, Callable[[], Any]] = {}
        for layout, paths in source.alike():
            if source.format.has_points:
                for path in paths:
                    name = f"rows_{len(streams)}"
                    streams[name] = partial(point_table, path, source.format)
                    parts.append(_typed_rows(source, layout, name))
                continue
            if not source.format.is_text:
                parts.append(_typed_rows(source, layout, self._scan(paths, source.format)))
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
                    parts.append(_plain_rows(source, layout, plain, some))
        return self._run(source.path, query(f"({' UNION ALL '.join(parts)})"), streams)

    def first_rows(self, source: Source, most: int) -> list[list[str]]:
        layout = source.layouts[0]
        if source.format.is_text:
            start = next(self._text(layout.path, BLOCK >> 6), b"").decode("utf-8-sig", "replace")
            lines = io.StringIO(start, newline="")
            try:
                records = csv.reader(lines, delimiter=layout.delimiter)
                return [list(map(shortened, row)) for row in islice(records, 1, most + 1)]
            except csv.Error as error:
                raise DataFileError(layout.path, "its first lines cannot be shown.") from error
        if source.format.has_points:
            rows = point_table(layout.path, source.format).slice(0, most).to_pylist()
            return [[shortened(str(value)) for value in row.values()] for row in rows]
        scan = self._scan([layout.path], source.format)
        found = self._run(source.path, f"SELECT COLUMNS(*)::VARCHAR FROM {scan} LIMIT {most:d}")
        return [
            [shortened(str(value)) for value in row] for row in zip(*found.values(), strict=True)
        ]

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
        found = (
            pa.record_batch(some, names=names)
            for path in paths
            for some in fields(self._text(path, BLOCK), form)
        )
        schema = pa.schema([(name, pa.string()) for name in names])
        return pa.RecordBatchReader.from_batches(schema, found)

    def _parser_for(self, layout: Layout) -> Plain | None:
        """How DuckDB's parser reads a file, or None where `records` has to; looked at once.

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
        with _refusing_broken_quotes(layout.path):
            refuse_broken_quotes(self._text(layout.path, BLOCK), layout.delimiter)

    def _scan(self, paths: list[str], format: Format) -> str:
        """What a FROM names."""
        if format is Format.TABLE:
            return ".".join(map(_identifier, paths[0].split(".")))
        return f"read_parquet({_file_list(paths)})"

    def _prepare(self, database: duckdb.DuckDBPyConnection) -> None:
        """What a fresh connection needs before it is asked."""
        database.execute(f"{SETUP}; {OFFLINE}; SET temp_directory = {quoted(self._spill)}")
        if self._memory is not None:
            database.execute(f"SET memory_limit = '{self._memory}B'")

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

    def _run(
        self, path: str, query: str, streams: Mapping[str, Callable[[], Any]] | None = None
    ) -> Columns:
        import duckdb

        ours = (duckdb.BinderException, duckdb.ParserException)
        try:
            with duckdb.connect(self._database, read_only=self._database != ":memory:") as database:
                self._prepare(database)
                for name, stream in (streams or {}).items():
                    database.register(name, stream())
                if self._database == ":memory:":  # of a file, the next connection would be locked
                    database.execute(LOCK)
                with self._progressing(database):
                    answer: Any = database.execute(query).fetchnumpy()
                    return answer
        except ours:
            raise
        except duckdb.OutOfMemoryException as error:
            raise DataFileError(path, NO_MEMORY) from error
        except duckdb.CatalogException as error:
            raise DataFileError(path, "there is no such table.") from error
        except duckdb.Error as error:
            # What runs out of memory in our own reader comes through DuckDB as a stream that fails.
            problem = NO_MEMORY if "Out of memory" in str(error) else DAMAGED
            raise DataFileError(path, problem) from error


def unpacked(raw: BinaryIO, path: str) -> AbstractContextManager[Any]:
    """A file as its text, whatever its name says it is packed with."""
    if path.endswith(".gz"):
        return gzip.open(raw)
    if path.endswith(".zst"):
        import pyarrow as pa

        return pa.CompressedInputStream(raw, "zstd")
    return nullcontext(raw)


def _layout_of(path: str, table: Any) -> Layout:
    """The columns of an Arrow table."""
    import pyarrow as pa

    def kind(type: Any) -> Kind:
        if pa.types.is_floating(type) or pa.types.is_integer(type) or pa.types.is_decimal(type):
            return Kind.NUMBER
        return Kind.TEXT if pa.types.is_string(type) else Kind.OTHER

    columns = [Column(field.name, kind(field.type), str(field.type)) for field in table.schema]
    return Layout(path, tuple(columns))


def _typed_rows(source: Source, layout: Layout, scan: str) -> str:
    columns = []
    for i, name in enumerate(source.columns):
        kind = layout.columns[layout.position(name)].kind
        columns.append(f"{as_double(_identifier(name), kind)} AS x{i}")
    if source.ids:
        kind = layout.columns[layout.named(source.ids.column)].kind
        columns.append(f"{as_id(_identifier(source.ids.column), kind)} AS id")
    return f"SELECT {', '.join(columns)} FROM {scan}"


def _plain_rows(source: Source, layout: Layout, plain: Plain, paths: list[str]) -> str:
    """The rows of plain files, from DuckDB's own parser."""
    form = source.form(layout)
    width = form.width
    types = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(width + 1))
    whole = f"CASE WHEN c{width - 1} IS NOT NULL AND c{width} IS NULL THEN {{}} END".format
    scan = (
        f"read_csv({_file_list(paths)}, columns = {{{types}}}, delim = {quoted(layout.delimiter)}, "
        f"new_line = '{plain.line_end}', {PARSER})"
    )
    if plain.plain_numbers and not source.ids and source.format is Format.CSV:
        numbers = [f"TRY_CAST({whole(f'c{place}')} AS DOUBLE)" for place in form.wanted]
        columns = ", ".join(f"{number} AS x{i}" for i, number in enumerate(numbers))
        return f"SELECT {columns} FROM {scan}"
    named = zip(form.wanted, csv_names(source), strict=True)
    texts = ", ".join(f"{whole(f'c{place}')} AS {name}" for place, name in named)
    return f"SELECT {', '.join(csv_columns(source))} FROM (SELECT {texts} FROM {scan})"


def _file_list(paths: list[str]) -> str:
    """Files for DuckDB, to which a path is a pattern unless its brackets are escaped."""
    return "[" + ", ".join(quoted(glob.escape(path)) for path in paths) + "]"


@contextmanager
def _refusing_broken_quotes(path: str) -> Iterator[None]:
    try:
        yield
    except BrokenQuotesError as error:
        raise DataFileError(path, str(error)) from error


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _kind(type: str) -> Kind:
    if type.split("(")[0] in NUMBERS:
        return Kind.NUMBER
    return Kind.TEXT if type == "VARCHAR" else Kind.OTHER
