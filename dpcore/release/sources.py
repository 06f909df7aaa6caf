"""Where the rows of a release come from, and by what marks the same rows are known again."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dpcore.datasets import BUILTIN, Dataset, engines, load
from dpcore.datasets.builtin import builtin_set
from dpcore.datasets.files import from_file, looks_geographic
from dpcore.geometry.domain import Box
from dpcore.release.unit import Unit


class DataSource(ABC):
    """Data that a plan names. Everything but the rows that `open` reads is public."""

    box: Box
    #: Longitude and latitude come first, so that there is a map to draw.
    geographic: bool
    #: What becomes of rows outside the box: they are left out or, with "clip", moved to its edge.
    outside: str = "drop"

    @property
    def progress(self) -> float:
        """Which part of the rows is read, for who waits while another thread opens them."""
        return 0.0

    @abstractmethod
    def open(self, unit: Unit) -> Dataset:
        """The rows, with at most so many of each id as the unit says."""

    @abstractmethod
    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Each part of the data that would be the same under another name, in pieces.

        A file's own bytes where they can be read; else the address by which an engine finds it.
        """

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """What a certificate says of it: never where it lies, which may tell who is in it."""

    def fingerprints(self, key: bytes) -> tuple[str, ...]:
        """A keyed digest of each part: nobody without the key can try candidates against it."""
        found = []
        for kind, pieces in self.contents():
            digest = hmac.new(key, kind.encode() + b"\0", hashlib.sha256)
            for piece in pieces:
                digest.update(piece)
            found.append(digest.hexdigest())
        return tuple(found)


@dataclass(frozen=True)
class BuiltinData(DataSource):
    """A set that ships."""

    key: str

    def __post_init__(self) -> None:
        builtin_set(self.key)

    @property
    def box(self) -> Box:  # type: ignore[override]
        return builtin_set(self.key).box

    @property
    def geographic(self) -> bool:  # type: ignore[override]
        return builtin_set(self.key).geographic

    def open(self, unit: Unit) -> Dataset:
        if unit.ids is not None:
            raise ValueError(f"{self.key} has no column of ids; what is protected is a row.")
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
    """

    path: str
    columns: tuple[str, ...]
    box: Box
    zones: str | None = None
    outside: str = "drop"
    engine: str | engines.Engine = "duckdb"
    format: str | None = None
    geographic: bool = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.box, Box):
            raise TypeError("The public box is a dpcore.Box.")
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "geographic", looks_geographic(self.box))

    @cached_property
    def _engine(self) -> engines.Engine:
        return engines.engine(self.engine) if isinstance(self.engine, str) else self.engine

    @property
    def progress(self) -> float:
        return self._engine.progress()

    def open(self, unit: Unit) -> Dataset:
        return from_file(
            self.path,
            self.columns,
            self.box,
            zones=self.zones,
            outside=self.outside,
            engine=self._engine,
            format=self.format,
            unit=unit.name,
            ids=engines.Ids(unit.ids, unit.rows, secrets.token_hex(16)) if unit.ids else None,
        )

    def contents(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Files by their bytes; what an engine alone can reach, by the address it goes by."""
        found = self._engine.look(self.path, self.format)
        for layout in found.layouts:
            table = found.format is engines.Format.TABLE
            pieces = None if table else self._engine.pieces(layout.path)
            if pieces is None:
                yield "address", iter([self._engine.address(layout.path).encode()])
            else:
                yield "file", pieces

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": "table" if self.format == engines.Format.TABLE else "files",
            "columns": list(self.columns),
            "outside the box": self.outside,
        }


def known(key: str) -> bool:
    """Whether a built-in set goes by this name."""
    return key in BUILTIN or key.startswith("gaussians-k")
