"""Paths that may be read: regular files on this machine, up to a size."""

from __future__ import annotations

import gzip
import os
import re
import stat
from contextlib import AbstractContextManager, nullcontext
from typing import Any, BinaryIO
from urllib.parse import urlparse

from dpcore.errors import DataFileError

#: What is wrong with a path.
NOT_REGULAR = (
    "this is a device, a pipe or a socket, not a file. Write what it gives to a file first, and "
    "give the path of that."
)
FOLDER = "this is a folder, not a file."


def refuse_address(path: str) -> None:
    """Refuse what lies on another machine."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", path)
    if scheme and scheme[1].lower() != "file":
        raise DataFileError(
            path,
            "this is an address on a network, and only files on this machine are read. Download "
            "it first and give its path, or read it with Spark (engine='spark').",
        )


def local(path: str) -> str:
    """The path that a file: address stands for; any other as it is."""
    if not path.startswith("file:"):
        return path
    from urllib.request import url2pathname  # which takes a while to import

    return url2pathname(urlparse(path).path)


def refuse_special(path: str) -> None:
    """Refuse what is there but would never end, or wait for somebody to write to it."""
    try:
        mode = os.stat(local(path)).st_mode
    except (OSError, ValueError):  # a pattern, or nothing
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise DataFileError(path, NOT_REGULAR)


def open_regular(path: str) -> BinaryIO:
    """A regular file opened for reading, without waiting for anybody.

    What was opened is looked at, not what had the name before.
    """
    refuse_special(path)
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    opened = os.open(path, flags | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0))
    mode = os.fstat(opened).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(opened, "rb")
    os.close(opened)
    raise DataFileError(path, FOLDER if stat.S_ISDIR(mode) else NOT_REGULAR)


def read_small(path: str, most: int) -> bytes:
    """The bytes of a regular file that is not large."""
    refuse_address(path)
    try:
        with open_regular(path) as file:
            content = file.read(most + 1)
    except ValueError as error:
        if isinstance(error, DataFileError):
            raise
        raise DataFileError(path, "there is no such file.") from error
    if len(content) > most:
        raise DataFileError(path, f"it is larger than {most >> 20} MB; give a smaller file.")
    return content


def unpacked(raw: BinaryIO, path: str) -> AbstractContextManager[Any]:
    """A file as its text, whatever its name says it is packed with."""
    if path.endswith(".gz"):
        return gzip.open(raw)
    if path.endswith(".zst"):
        import pyarrow as pa

        return pa.CompressedInputStream(raw, "zstd")
    return nullcontext(raw)
