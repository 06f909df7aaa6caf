"""A file that somebody handed over, answered from memory: nothing of it is written to disk."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcore.datasets.engines.duckdb_engine import DAMAGED, DAMAGED_GZIP, DuckDBEngine
from dpcore.datasets.engines.errors import DataFileError
from dpcore.datasets.engines.source import Format

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

#: What a compressed file may grow to, and how much of it is unpacked at a time.
MAX_TEXT, BLOCK = 1 << 30, 1 << 24
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
#: The name of the relation that stands for the file.
HELD = "held"


class HeldFile(DuckDBEngine):
    """One CSV, CSV.gz or Parquet file as bytes, under the name that it came with.

    It answers what the same file on disk would, to the bit, and knows no other path.
    """

    #: What does not fit in memory is refused.
    _spill = ""

    def __init__(self, name: str, content: bytes):
        super().__init__()
        self.name = name
        self._content = content

    def _files(self, path: str) -> list[str]:
        return [self.name] if path == self.name else []

    def pieces(self, path: str) -> Iterator[bytes]:
        yield self._content

    def _refuse_damaged_gzip(self, path: str) -> None:
        """Unpacking it has found that out."""

    def _scan(self, paths: list[str], format: Format) -> str:
        return HELD

    def _prepare(self, database: duckdb.DuckDBPyConnection) -> None:
        super()._prepare(database)
        database.register(HELD, self._relation)

    @cached_property
    def _relation(self) -> Any:
        return self._lines() if Format.of(self.name) is Format.CSV else self._columns()

    def _columns(self) -> Any:
        """A Parquet file, of which DuckDB fetches the columns that it needs, piece by piece."""
        import pyarrow as pa
        from pyarrow import dataset

        kind = dataset.ParquetFileFormat()
        file = kind.make_fragment(pa.BufferReader(self._content))
        try:
            return dataset.FileSystemDataset([file], file.physical_schema, kind)
        except (OSError, pa.ArrowException) as error:
            raise DataFileError(self.name, DAMAGED) from error

    def _lines(self) -> pa.Table:
        """The lines of text, as `LINES` reads them from a file: empty ones and those that are not
        UTF-8 are no rows."""
        import pyarrow as pa

        try:
            chunks = [pa.array(filter(_is_text, lines), pa.string()) for lines in self._split()]
        except (OSError, EOFError, zlib.error) as error:
            raise DataFileError(self.name, DAMAGED_GZIP) from error
        return pa.table({"line": pa.chunked_array(chunks, pa.string())})

    def _split(self) -> Iterator[list[bytes]]:
        """The lines of one block after the other; what a block cuts goes on in the next."""
        file: Any = io.BytesIO(self._content)
        if self.name.endswith(".gz"):
            file = gzip.GzipFile(fileobj=file)
        size, rest = 0, b""
        if (start := file.read(len(BYTE_ORDER_MARK))) != BYTE_ORDER_MARK:
            rest = start
        while block := file.read(BLOCK):
            size += len(block)
            if size > MAX_TEXT:
                raise DataFileError(
                    self.name,
                    f"unpacked it is larger than {MAX_TEXT >> 30} GB; give its path instead.",
                )
            *lines, rest = re.split(rb"[\r\n]+", rest + block)
            yield lines
        yield [rest]


def _is_text(line: bytes) -> bool:
    try:
        return bool(line.decode())
    except UnicodeDecodeError:
        return False
