"""Rows that were read once and are kept for more questions: in memory, or in a file if they are
many.

What is kept are lattice cells, four bytes a coordinate, so a further question parses no text,
unpacks no Parquet and divides nothing. Whether rows are kept, and where, changes no answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt

from dpcore.datasets.engines.scratch_file import NoRoom, ScratchFile, room
from dpcore.datasets.row_sums import RowSum, added_up, summed
from dpcore.geometry.domain import IntArray, cell_ticks

Cells = npt.NDArray[np.int32]


class StoredRows:
    """The lattice cells of rows in a temporary file, coordinate by coordinate in each block."""

    def __init__(self, d: int, folder: str):
        self._d = d
        self._file = ScratchFile(folder)
        #: Where each block begins, and how many rows are in it.
        self._blocks: list[tuple[int, int]] = []

    def add(self, rows: Cells) -> None:
        if len(rows):
            start, _ = self._file.add(np.ascontiguousarray(rows.T))
            self._blocks.append((start, len(rows)))

    def __iter__(self) -> Iterator[Cells]:
        """The rows, some thousand at a time."""
        for start, size in self._blocks:
            by_axis = np.empty((self._d, size), dtype=np.int32)
            self._file.read(start, by_axis)
            yield by_axis.T

    def summed(self, of_rows: RowSum) -> IntArray:
        none = np.empty((0, self._d), dtype=np.int32)
        return added_up(summed(of_rows, cell_ticks(rows)) for rows in chain([none], self))


def stored(
    batches: Iterable[Cells], d: int, most: int, folder: str, expected: int
) -> Cells | StoredRows | None:
    """Rows as they are read, in memory up to so many, else in a file in this folder.

    None where neither has room, and where that many are expected: they have to be read again.
    Where more are expected than memory is for, they go into the file at once.
    """
    if expected > most:
        if 4 * d * expected > room(folder):
            return None
        most = 0
    batches, blocks, size = iter(batches), [np.empty((0, d), dtype=np.int32)], 0
    for rows in batches:
        blocks.append(rows)
        size += len(rows)
        if size > most:
            break
    else:
        return np.concatenate(blocks, out=np.empty((size, d), dtype=np.int32))
    if not folder:
        return None
    try:
        file = StoredRows(d, folder)
        while blocks:
            file.add(blocks.pop())
        for rows in batches:
            file.add(rows)
        return file
    except NoRoom:
        return None
