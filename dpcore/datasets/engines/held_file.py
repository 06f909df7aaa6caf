"""An uploaded file, kept in memory: nothing of it is written to disk."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dpcore.datasets.engines.duckdb_engine import (
    DAMAGED,
    DAMAGED_PACKED,
    DuckDBEngine,
)
from dpcore.datasets.engines.paths import unpacked
from dpcore.datasets.engines.plain import Plain
from dpcore.datasets.engines.source import Format, Layout
from dpcore.errors import DataFileError

if TYPE_CHECKING:
    import duckdb

#: What a compressed file may grow to, and how much of it is unpacked at a time.
MAX_TEXT, BLOCK = 1 << 30, 1 << 24
#: The name of the relation that stands for the file.
HELD = "held"


class HeldFile(DuckDBEngine):
    """One CSV, CSV.gz or Parquet file as bytes, under the name that it came with.

    It answers what the same file on disk would, to the bit, and knows no other path.
    """

    in_memory = True
    #: What does not fit in memory is refused.
    _spill = ""

    def __init__(self, name: str, content: bytes, memory: int | None = None):
        super().__init__(memory=memory)
        self.name = name
        self._content = content

    def _files(self, path: str) -> list[str]:
        return [self.name] if path == self.name else []

    def pieces(self, path: str) -> Iterator[bytes]:
        yield self._content

    def _has_points(self, path: str) -> bool:
        """Only files on a disk are read as points."""
        return False

    def _scan(self, paths: list[str], format: Format) -> str:
        return HELD

    def _prepare(self, database: duckdb.DuckDBPyConnection) -> None:
        super()._prepare(database)
        database.execute("SET enable_external_access = false")
        if Format.of(self.name) is not Format.CSV:
            database.register(HELD, self._columns)

    def _parser_for(self, layout: Layout) -> Plain | None:
        """DuckDB's parser reads no memory; `records` does."""
        return None

    def _layout(self, path: str, format: Format) -> Layout:
        if format.has_points:
            raise DataFileError(path, "points are read from files on a disk; give its path.")
        layout = super()._layout(path, format)
        if format.is_text:
            self._refuse_broken_quotes(layout)
        return layout

    @cached_property
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

    def _text(self, path: str, size: int) -> Iterator[bytes]:
        read = 0
        try:
            with unpacked(io.BytesIO(self._content), self.name) as file:
                while block := file.read(BLOCK):
                    read += len(block)
                    if read > MAX_TEXT:
                        raise DataFileError(
                            self.name,
                            f"unpacked it is larger than {MAX_TEXT >> 30} GB; give its path "
                            "instead.",
                        )
                    yield block
        except (OSError, EOFError, zlib.error) as error:
            raise DataFileError(self.name, DAMAGED_PACKED) from error
