"""Rows that were read once and are kept for more questions: in memory, or in a file if they are
many.

What is kept are lattice cells, four bytes a coordinate, so a further question parses no text,
unpacks no Parquet and divides nothing. Whether rows are kept, and where, changes no answer.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np
import numpy.typing as npt

from dpcore.datasets.row_sums import RowSum, added_up, summed
from dpcore.geometry.domain import IntArray, cell_ticks

Cells = npt.NDArray[np.int32]
#: The file takes no more bytes than this, and no larger part of what the disk has left.
MOST_BYTES, PART_OF_DISK = 1 << 34, 4


class StoredRows:
    """The lattice cells of rows in a file without a name, which is gone with this object.

    Nobody else can open it, and it does not outlive this process, however that ends.
    """

    def __init__(self, d: int, folder: str):
        self._d = d
        self._room = room(folder)
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        #: The number of rows in each block. Its numbers stand coordinate by coordinate.
        self._blocks: list[int] = []
        self._reading = threading.Lock()

    def add(self, rows: Cells) -> bool:
        """Write some rows; False where there is no room for them."""
        self._room -= rows.nbytes
        if self._room < 0:
            return False
        if len(rows):
            written = self._file.write(np.ascontiguousarray(rows.T).data)
            self._blocks.append(len(rows))
            return written == rows.nbytes
        return True

    def __iter__(self) -> Iterator[Cells]:
        """The rows, some thousand at a time."""
        start = 0
        for size in self._blocks:
            by_axis = np.empty((self._d, size), dtype=np.int32)
            with self._reading:
                self._file.seek(start)
                if self._file.readinto(by_axis.data.cast("B")) != by_axis.nbytes:
                    raise OSError("The temporary file of rows was cut short.")
            start += by_axis.nbytes
            yield by_axis.T

    def summed(self, of_rows: RowSum) -> IntArray:
        none = np.empty((0, self._d), dtype=np.int32)
        return added_up(summed(of_rows, cell_ticks(rows)) for rows in chain([none], self))


def room(folder: str) -> int:
    """Bytes that a file of rows may take there."""
    return min(MOST_BYTES, shutil.disk_usage(folder).free // PART_OF_DISK) if folder else 0


def stored(
    found: Iterable[Cells], d: int, most: int, folder: str, expected: int
) -> Cells | StoredRows | None:
    """Rows as they are read, in memory up to so many, else in a file in this folder.

    None where neither has room, and where that many are expected: they have to be read again.
    """
    if expected > most and 4 * d * expected > room(folder):
        return None
    found, held, size = iter(found), [np.empty((0, d), dtype=np.int32)], 0
    for rows in found:
        held.append(rows)
        size += len(rows)
        if size > most:
            break
    else:
        return np.concatenate(held, out=np.empty((size, d), dtype=np.int32))
    try:
        file = StoredRows(d, folder)
        while held:
            if not file.add(held.pop()):
                return None
        return file if all(map(file.add, found)) else None
    except OSError:  # a full or read-only disk
        return None
