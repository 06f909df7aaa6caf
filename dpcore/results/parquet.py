"""Small Parquet files of numbers, written and read in the calling thread.

Arrow reads on threads of its own unless told otherwise. In a process that ends right after, one of
them may still hold what the interpreter tears down, and the process aborts though all went well.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from dpcore.geometry.domain import FloatArray

#: Twice as many as the finest grid has cells, and for each byte a hundred times as many as a file
#: of such a grid holds. A file of a few bytes may claim more, or repeat one row as often.
MOST_ROWS, ROWS_OF_BYTE = 1 << 25, 64


def written(columns: Mapping[str, np.ndarray], metadata: Mapping[str, str] | None = None) -> bytes:
    """A Parquet file with these columns and this metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    file = io.BytesIO()
    table = pa.table(dict(columns))
    if metadata:
        table = table.replace_schema_metadata(dict(metadata))
    parquet.write_table(table, file)
    return file.getvalue()


def read(content: bytes, names: Iterable[str]) -> FloatArray:
    """The named columns of a file, side by side. Only numbers are read: a text that a file of a few
    bytes repeats in every row would fill the memory."""
    import pyarrow as pa
    from pyarrow import parquet

    names = list(names)
    with parquet.ParquetFile(pa.BufferReader(content)) as file:
        if file.metadata.num_rows > most_rows(content):
            raise ValueError(f"a table has more than {most_rows(content):,} rows")
        for name in names:
            kind = file.schema_arrow.field(name).type
            if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
                raise ValueError(f"the column {name!r} holds no numbers")
        table = file.read(columns=names, use_threads=False)
    for name in names:
        if table[name].null_count:
            raise ValueError(f"the column {name!r} has empty places")
    # Arrow's own way to numpy would load pandas.
    columns = [np.from_dlpack(table[name].combine_chunks()) for name in names]
    return np.column_stack(columns).astype(np.float64)


def names(content: bytes) -> list[str]:
    """The names of a file's columns."""
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetFile(pa.BufferReader(content)) as file:
        return list(file.schema_arrow.names)


def holds_only(content: bytes, names: Sequence[str], numbered: bool) -> bool:
    """Whether a file has these columns of numbers, no others, and nothing written beside them.

    A numbered file begins with a column of 1, 2, 3 and so on.
    """
    import pyarrow as pa
    from pyarrow import parquet

    types = [pa.int64() if numbered and i == 0 else pa.float64() for i in range(len(names))]
    with parquet.ParquetFile(pa.BufferReader(content)) as file:
        schema = file.schema_arrow
        if file.metadata.num_rows > most_rows(content):
            return False
        if schema.names != list(names) or schema.types != types:
            return False
        table = file.read(use_threads=False)
        beside = set(file.metadata.metadata or ()) - {b"ARROW:schema"}
    if beside or table.schema.metadata or any(column.null_count for column in table.columns):
        return False
    return not numbered or table[names[0]].to_pylist() == list(range(1, len(table) + 1))


def most_rows(content: bytes) -> int:
    """The number of rows beyond which a file of this size is not read."""
    return min(MOST_ROWS, ROWS_OF_BYTE * len(content))
