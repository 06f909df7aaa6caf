"""The sources of a release's rows, and the marks by which the same rows are recognized.

Two fingerprints know them, both keyed, so that nobody without the key can try candidates:

* of the *bytes* of each file, whatever is counted of them. It costs a pass over the bytes.
* of the *rows that are counted*, as the release reads them: how many of them lie nearest each of
  two public places in the box, and the sums of their positions, in whole numbers. Neither knows an
  order, so the same table in another order, with other line ends, compressed or in another format
  has the same one; another table would have to agree in all of these sums. For two coordinates it
  is made from the counts that the release reads anyhow; else it costs one pass. Where a few rows of
  each id are kept, it is made of all of them, which is a pass as well.

The second belongs to one box at one set of columns: of the same table in another box only the first
can tell. With the key and the ledger, a fingerprint tells whether a given table is the
one that was published from; without them it says nothing. It is in no file that leaves.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.datasets import load
from dpcore.datasets.base import Dataset
from dpcore.datasets.builtin import builtin_set
from dpcore.datasets.engines import by_name
from dpcore.datasets.engines.base import Engine
from dpcore.datasets.engines.source import Format, Ids
from dpcore.datasets.files import FileReading, looks_geographic
from dpcore.errors import BadInput
from dpcore.geometry.domain import TICKS, Box, IntArray
from dpcore.release.accounts import ROWS
from dpcore.release.unit import Unit

#: Public places by whose neighborhoods rows are known again.
PLACES = 2
#: 2^64 over the golden ratio: its multiples are spread evenly.
GOLDEN = 0x9E3779B97F4A7C15


class DataSource(ABC):
    """Data that a plan names. Everything but the rows that `open` reads is public.

    Examples
    --------
    >>> from dpcore.release import BuiltinData, DataSource
    >>> isinstance(BuiltinData("iris"), DataSource)
    True
    """

    box: Box
    #: Longitude and latitude come first, so that there is a map to draw.
    geographic: bool
    #: What becomes of rows outside the box: they are left out or, with "clip", moved to its edge.
    outside: str = "drop"
    #: Where rows have an epsilon of their own: the levels at which groups of them are released.
    thresholds: tuple[float, ...] = ()

    @property
    def progress(self) -> float:
        """The part of the rows that is read, for threads that wait."""
        return 0.0

    def stop(self) -> None:  # noqa: B027
        """End the reading of rows, from a thread that waits, where the engine can."""

    def refuse(self, unit: Unit) -> None:  # noqa: B027
        """Raise where a row is known to be something other than the unit."""

    @abstractmethod
    def open(self, unit: Unit) -> Dataset:
        """The rows, with no more of each id than the unit allows."""

    @abstractmethod
    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Each part of the data that would be the same under another name, in pieces.

        A file's own bytes where they can be read; else the address by which an engine finds it.
        """

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """The source as a certificate describes it: never where it lies, which may tell who is in
        it."""

    def fingerprints(self, key: bytes) -> tuple[str, ...]:
        """A keyed digest of each part: nobody without the key can try candidates against it."""
        digests = []
        for kind, pieces in self.contents():
            digest = hmac.new(key, kind.encode() + b"\0", hashlib.sha256)
            for piece in pieces:
                digest.update(piece)
            digests.append(digest.hexdigest())
        return tuple(digests)

    def fingerprint_of_rows(self, key: bytes, data: Dataset, unit: Unit) -> str | None:
        """A keyed digest of the rows that are counted; None where there are none.

        `data` are the rows as they were opened for the unit.
        """
        rows = data if unit.ids is None else self.open(Unit(unit.name))
        totals = rows.cluster_totals(public_places(self.box.d))
        if not totals.counts.sum():
            return None
        read = [list(self.box.low), list(self.box.high), self.outside]
        content = json.dumps([*read, totals.counts.tolist(), totals.sums.tolist()])
        return ROWS + hmac.new(key, f"rows\0{content}".encode(), hashlib.sha256).hexdigest()

    def counted(self) -> dict[str, Any]:
        """The terms that decide which rows are counted, and that an account keeps to."""
        box = self.box
        ends = {"names": list(box.names), "low": list(box.low), "high": list(box.high)}
        return {"source": self.rows_as_dict(), "box": ends}

    def rows_as_dict(self) -> dict[str, Any]:
        """The part of the description that decides which rows are counted."""
        return self.as_dict()

    def state(self) -> tuple[object, ...]:
        """The marks that change when the data are written to or replaced, where that can be
        told."""
        return ()


@dataclass(frozen=True)
class BuiltinData(DataSource):
    """A set that ships.

    Parameters
    ----------
    key : str
        The key of the set, as `dpcore.datasets.load` takes it.

    Raises
    ------
    ValueError
        If there is no such set.

    Examples
    --------
    >>> from dpcore.release import BuiltinData
    >>> BuiltinData("iris").box.d
    4
    """

    key: str

    def __post_init__(self) -> None:
        builtin_set(self.key)

    @property
    def box(self) -> Box:  # type: ignore[override]
        return builtin_set(self.key).box

    @property
    def geographic(self) -> bool:  # type: ignore[override]
        return builtin_set(self.key).about.geographic

    def refuse(self, unit: Unit) -> None:
        own = builtin_set(self.key).about.unit
        if unit.ids is not None:
            raise BadInput(f"{self.key} has no column of ids; what is protected is a {own}.")
        if unit.name not in (own, Unit().name):
            raise BadInput(f"A row of {self.key} is one {own}, not one {unit.name}.")

    def open(self, unit: Unit) -> Dataset:
        self.refuse(unit)
        return load(self.key)

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        yield "built-in", iter([self.key.encode()])

    def as_dict(self) -> dict[str, Any]:
        return {"kind": "built-in", "key": self.key, "columns": list(self.box.names)}


@dataclass(frozen=True)
class FileData(DataSource):
    """Files on this machine, a glob, or a table, read by an engine where they lie.

    The engine may be given by name or as an object: an `Engine` that holds an upload in memory
    works like any other. With `format="table"` the path is a table's name.

    Parameters
    ----------
    path : str
        A file, a glob, or a table of the engine.
    columns : tuple of str
        The columns of the coordinates.
    box : Box
        The public box.
    zones, format : as in `dpcore.datasets.from_file`, default=None
        The positions of taxi zones, and the format of the files.
    outside : as in `dpcore.datasets.from_file`, default="drop"
        What happens to rows outside the box.
    engine : as in `dpcore.datasets.from_file`, default="duckdb"
        What reads the files.

    Examples
    --------
    >>> from dpcore import Box
    >>> from dpcore.release import FileData
    >>> box = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
    >>> FileData("rides/*.parquet", ("lon", "lat"), box).geographic
    True
    """

    path: str
    columns: tuple[str, ...]
    box: Box
    zones: str | None = None
    outside: str = "drop"
    engine: str | Engine = "duckdb"
    format: str | None = None
    geographic: bool = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.box, Box):
            raise TypeError("The public box is a dpcore.Box.")
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "geographic", looks_geographic(self.box))

    @cached_property
    def _engine(self) -> Engine:
        return by_name.engine(self.engine) if isinstance(self.engine, str) else self.engine

    @property
    def progress(self) -> float:
        return self._engine.progress()

    def stop(self) -> None:
        self._engine.stop()

    def open(self, unit: Unit) -> Dataset:
        ids = Ids(unit.ids, unit.rows, secrets.token_hex(16)) if unit.ids else None
        return FileReading(
            self.path,
            self.columns,
            self.box,
            self.zones,
            self.outside,
            self._engine,
            self.format,
        ).dataset(unit.name, ids)

    def rows_of_ids(self, ids: str, most: int) -> IntArray:
        """The number of ids that have 0, 1, ... rows, wherever these lie; the last counts all with
        more."""
        source = self._engine.look(self.path, self.format).told_apart(Ids(ids, 1, ""))
        return self._engine.rows_of_ids(source, most)

    def counted(self) -> dict[str, Any]:
        """With a table of places the terms differ from those without."""
        return super().counted() | ({"zones": True} if self.zones else {})

    def state(self) -> tuple[object, ...]:
        """The files, and what the disk says of each; an upload does not change."""
        if self.format == Format.TABLE or self._engine.in_memory:
            return ()
        paths = self._engine.files(self.path) + ([self.zones] if self.zones else [])
        statuses = [(path, os.stat(path)) for path in paths if os.path.isfile(path)]
        return tuple(
            (path, seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns)
            for path, seen in statuses
        )

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Files by their bytes; data that only an engine can reach, by their address."""
        source = self._engine.look(self.path, self.format)
        for layout in source.layouts:
            table = source.format is Format.TABLE
            pieces = None if table else self._engine.pieces(layout.path)
            if pieces is None:
                yield "address", iter([self._engine.address(layout.path).encode()])
            else:
                yield "file", pieces

    def rows_as_dict(self) -> dict[str, Any]:
        """Another engine or format reads the same rows."""
        return {
            "kind": "table" if self.format == Format.TABLE else "files",
            "columns": list(self.columns),
            "outside the box": self.outside,
        }

    def as_dict(self) -> dict[str, Any]:
        return {
            **self.rows_as_dict(),
            "engine": self._engine_name,
            "format": None if self.format is None else str(self.format),
            "zones": self.zones is not None,
        }

    @property
    def _engine_name(self) -> str:
        """The name of the engine. In a repetition, an uploaded file lies on a disk."""
        if isinstance(self.engine, str):
            return self.engine
        return self.engine.key


def public_places(d: int) -> IntArray:
    """Some positions all over a box of d coordinates, in ticks, the same ones each time."""
    steps = np.arange(1, PLACES * d + 1, dtype=np.uint64) * np.uint64(GOLDEN)
    return ((steps >> np.uint64(32)).astype(np.int64) * 2 * TICKS // 2**32 - TICKS).reshape(-1, d)
