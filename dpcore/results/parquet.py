"""Small Parquet files of numbers, written and read by the thread that asks.

Arrow reads on threads of its own unless told otherwise. In a process that ends right after, one of
them may still hold what the interpreter tears down, and the process aborts though all went well.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping

import numpy as np

from dpcore.geometry.domain import FloatArray


def written(columns: Mapping[str, np.ndarray], said: Mapping[str, str] | None = None) -> bytes:
    """The file that holds these columns, and what is said of them in its metadata."""
    import pyarrow as pa
    from pyarrow import parquet

    file = io.BytesIO()
    table = pa.table(dict(columns))
    if said:
        table = table.replace_schema_metadata(dict(said))
    parquet.write_table(table, file)
    return file.getvalue()


def read(content: bytes, names: Iterable[str]) -> FloatArray:
    """The named columns of a file, side by side."""
    import pyarrow as pa
    from pyarrow import parquet

    names = list(names)
    with parquet.ParquetFile(pa.BufferReader(content)) as file:
        table = file.read(columns=names, use_threads=False)
    return np.column_stack([table[name].to_numpy() for name in names]).astype(np.float64)
