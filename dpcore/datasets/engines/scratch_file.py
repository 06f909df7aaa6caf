"""A temporary file without a name, for rows that memory has no room for."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import weakref
from typing import Any

#: It takes no more bytes than this, and no larger part of what the disk has left.
MOST_BYTES, PART_OF_DISK = 1 << 34, 4

#: Bytes that the disk sets aside at a time.
RESERVE = 1 << 26


class NoRoom(Exception):
    """The disk is full, or may not be used further."""


class ScratchFile:
    """Bytes on disk that nobody else can open and that do not outlive this process, however that
    ends."""

    def __init__(self, folder: str):
        self._room = room(folder)
        try:
            self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115
        except OSError as error:
            raise NoRoom from error
        weakref.finalize(self, self._file.close)
        self._size = self._reserved = 0
        self._reading = threading.Lock()

    def add(self, data: Any) -> tuple[int, int]:
        """Write some bytes at the end: where they begin, and how many they are."""
        view = memoryview(data).cast("B")
        start, self._size = self._size, self._size + len(view)
        if self._size > self._room:
            raise NoRoom
        try:
            self._reserve(self._size)
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise NoRoom from error
        return start, self._size - start

    def _reserve(self, size: int) -> None:
        """Have the disk set so many bytes aside, many at a time: writing them is then faster."""
        if hasattr(os, "posix_fallocate") and size > self._reserved:
            more = size - self._reserved + RESERVE
            os.posix_fallocate(self._file.fileno(), self._reserved, more)
            self._reserved += more

    def read(self, start: int, into: Any) -> None:
        """Fill a buffer with the bytes that begin there."""
        view = memoryview(into).cast("B")
        with self._reading:
            self._file.seek(start)
            while view:
                read = self._file.readinto(view)
                if not read:
                    raise OSError("The temporary file of rows was cut short.")
                view = view[read:]


def room(folder: str) -> int:
    """Bytes that such a file may take in a folder; none where there is no folder."""
    return min(MOST_BYTES, shutil.disk_usage(folder).free // PART_OF_DISK) if folder else 0
