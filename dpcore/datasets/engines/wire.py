"""Messages to and from a reading process: JSON, followed by numbers.

Nothing in a message can run: whoever writes one to the other end sends text and whole numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.engines.source import Column, Format, Ids, Kind, Layout, Source, Zones
from dpcore.geometry.domain import Box, IntArray

Fields = dict[str, Any]
Arrays = Sequence[npt.NDArray[Any]]
#: Bytes of the JSON of a message.
MOST_TEXT = 64 << 20
TOO_LARGE = "what it holds takes more memory than may be used here; use fewer columns or files."
TYPES = {"int32": np.int32, "int64": np.int64}


class TooLarge(ValueError):
    """A message is larger than the other end would read."""


def send(stream: IO[bytes], fields: Mapping[str, Any], arrays: Arrays = (), most: int = 0) -> None:
    """Write a message; with `most`, only if its arrays have no more bytes than that."""
    text = json.dumps({**fields, "arrays": [[array.dtype.name, array.shape] for array in arrays]})
    if len(text) >= MOST_TEXT or (most and sum(array.nbytes for array in arrays) > most):
        raise TooLarge
    stream.write(text.encode() + b"\n")
    for array in arrays:
        if array.size:
            stream.write(np.ascontiguousarray(array).data.cast("B"))
    stream.flush()


def receive(stream: IO[bytes], most: int) -> tuple[Fields, list[IntArray]]:
    """The next message, whose arrays have at most `most` bytes; EOFError where there is none."""
    line = stream.readline(MOST_TEXT + 1)
    if not line.endswith(b"\n"):
        raise EOFError
    fields: Fields = json.loads(line)
    arrays = []
    for name, shape in fields.pop("arrays"):
        most -= math.prod(shape) * np.dtype(TYPES[name]).itemsize
        if most < 0 or min(shape, default=0) < 0:
            raise TooLarge
        array = np.empty(shape, dtype=TYPES[name])
        _fill(array, stream)
        arrays.append(array)
    return fields, arrays


def _fill(array: IntArray, stream: IO[bytes]) -> None:
    if not array.size:
        return
    remainder = array.data.cast("B")
    while len(remainder):
        read: int = stream.readinto(remainder)  # type: ignore[attr-defined]
        if not read:
            raise EOFError
        remainder = remainder[read:]


def source_fields(source: Source) -> Fields:
    return asdict(source)


def source_from(fields: Fields) -> Source:
    layouts = tuple(
        Layout(**{**layout, "columns": tuple(map(_column, layout["columns"]))})
        for layout in fields["layouts"]
    )
    return Source(
        **{
            **fields,
            "format": Format(fields["format"]),
            "layouts": layouts,
            "columns": tuple(fields["columns"]),
            "zones": fields["zones"] and zones_from(fields["zones"]),
            "ids": fields["ids"] and Ids(**fields["ids"]),
        }
    )


def zones_from(fields: Fields) -> Zones:
    return Zones(fields["path"], tuple((int(i), x, y) for i, x, y in fields["positions"]))


def box_from(fields: Fields) -> Box:
    return Box(*(tuple(fields[name]) for name in ("low", "high", "names")))


def _column(values: list[str]) -> Column:
    name, kind, *rest = values
    return Column(name, Kind(kind), *rest)
