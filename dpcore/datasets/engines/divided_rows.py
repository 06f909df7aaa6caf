"""Rows of all ids, divided by a hash of the id in one reading, part by part in a temporary file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.engines.scratch_file import NoRoom, ScratchFile, room

if TYPE_CHECKING:
    import pyarrow as pa

#: About how many bytes a row takes there.
ROW = 32


class DividedRows:
    """Batches whose first column is a hash, those of each part together.

    Part i of n has the rows whose hash, divided by n, leaves i.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch], parts: int, folder: str):
        self._parts = parts
        self._file = ScratchFile(folder)
        self._blocks: list[list[tuple[int, int]]] = [[] for _ in range(parts)]
        self._schema: pa.Schema | None = None
        for batch in batches:
            self._schema = batch.schema
            self._add(batch)

    def _add(self, batch: pa.RecordBatch) -> None:
        import pyarrow as pa

        part = (_hashes(batch) % np.uint64(self._parts)).astype(
            np.uint16
        )  # radix sort is for these
        together = batch.take(pa.array(np.argsort(part, kind="stable")))
        start = 0
        for blocks, size in zip(
            self._blocks, np.bincount(part, minlength=self._parts), strict=True
        ):
            if size:
                blocks.append(self._file.add(together.slice(start, size).serialize()))
                start += size

    def read(self, part: tuple[int, int]) -> Iterator[pa.RecordBatch]:
        """The rows of a part: one of those that there are, or a part of such a part."""
        import pyarrow as pa

        parts, mine = part
        for start, size in self._blocks[mine % self._parts]:
            data = np.empty(size, dtype=np.uint8)
            self._file.read(start, data)
            batch = pa.ipc.read_record_batch(pa.py_buffer(data), self._schema)
            if parts > self._parts:
                is_mine = _hashes(batch) % np.uint64(parts) == np.uint64(mine)
                batch = batch.filter(pa.array(is_mine))
            yield batch


def divided(
    batches: Iterable[pa.RecordBatch], parts: int, folder: str, expected: int
) -> DividedRows | None:
    """Rows divided into parts; None where the disk has no room for as many as are expected."""
    if expected * ROW > room(folder):
        return None
    try:
        return DividedRows(batches, parts, folder)
    except NoRoom:
        return None


def _hashes(batch: pa.RecordBatch) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return batch.column(0).to_numpy().view(np.uint64)
