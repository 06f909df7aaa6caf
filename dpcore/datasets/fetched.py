"""Data that are not files on this machine: addresses on a network, and standard input."""

from __future__ import annotations

import re
import sys
from pathlib import PurePosixPath
from typing import BinaryIO
from urllib.parse import urlparse

from dpcore.datasets.engines import by_name
from dpcore.datasets.engines.base import Engine
from dpcore.datasets.engines.source import Format
from dpcore.errors import DataFileError

#: Bytes that are fetched or piped in, at most.
MOST = 1 << 30
#: What standard input is called, on the command line and in errors.
STDIN = "-"
#: What begins a Parquet file.
PARQUET = b"PAR1"


def is_address(path: str) -> bool:
    """Whether a path names something on another machine."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", path)
    return bool(scheme) and scheme[1].lower() != "file"  # type: ignore[index]


def fetched(path: str) -> tuple[Engine, str]:
    """The file at an address, read into memory, and the name by which its engine knows it.

    Nothing is fetched unless the user installed fsspec, and for s3 or https what it needs for
    these. An address is given by whoever runs the program; the dashboard takes none.
    """
    try:
        import fsspec
    except ImportError:
        raise DataFileError(
            path,
            "this is an address on a network. Download it first and give its path, or install "
            "what reads it: pip install fsspec, and s3fs for s3 or aiohttp for https.",
        ) from None
    try:
        with fsspec.open(path, "rb") as file:
            content = file.read(MOST + 1)
    except ImportError as error:
        raise DataFileError(path, f"it cannot be fetched: {error}.") from None
    except Exception as error:  # those of every file system
        kind = type(error).__name__
        raise DataFileError(path, f"it cannot be fetched ({kind}). Is the address right?") from None
    address = urlparse(path)
    return engine_of_content(PurePosixPath(f"{address.netloc}{address.path}").name, content)


def piped(stream: BinaryIO | None = None) -> tuple[Engine, str]:
    """Data from standard input, read into memory: CSV or Parquet, by the first bytes."""
    content = (stream or sys.stdin.buffer).read(MOST + 1)
    return engine_of_content(
        "stdin.parquet" if content.startswith(PARQUET) else "stdin.csv", content
    )


def engine_of_content(name: str, content: bytes) -> tuple[Engine, str]:
    """A file in memory under a name."""
    if len(content) > MOST:
        raise DataFileError(name, f"it is larger than {MOST >> 30} GB; give a file's path.")
    Format.of(name)
    return by_name.engine_of_content(name, content), name
