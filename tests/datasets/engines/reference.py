"""How files are read and rows counted, in plain Python and numpy: what every engine must equal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise

import numpy as np

from dpcore.datasets.engines.base import Tally
from dpcore.datasets.engines.records import MAX_RECORD
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, cell_ticks

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


class BrokenQuotesError(Exception):
    """A file that every reader must refuse."""


def csv_records(text: bytes, delimiter: str = ",") -> list[bytes]:
    """Each record, one byte after the other, with whatever it holds."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    beside = (*b'"\r\n', ord(delimiter))
    found, record, is_open, odd, spans = [], bytearray(), False, False, False
    for i, code in enumerate(text + b"\n"):
        if code == ord("\n") and not is_open:
            if odd and spans:
                raise BrokenQuotesError
            found.append(bytes(record).removesuffix(b"\r"))
            record, odd, spans = bytearray(), False, False
            continue
        record.append(code)
        spans |= code == ord("\n")
        if code == ord('"'):
            neighbor = i + 1 if is_open else i - 1
            odd |= 0 <= neighbor < len(text) and text[neighbor] not in beside
            is_open = not is_open
    if is_open:
        raise BrokenQuotesError
    return found


def csv_texts(text: bytes, delimiter: str = ",") -> list[str]:
    """The records that are text, the header first."""
    found = []
    for record in csv_records(text, delimiter):
        with suppress(UnicodeDecodeError):
            found.append(record.decode() if len(record) <= MAX_RECORD else "")
    return list(filter(None, found))


def csv_table(text: bytes, columns: Iterable[str], delimiter: str = ",") -> list[list[str] | None]:
    """The fields of each row in these columns; None for a row of the wrong length."""
    header, *rows = csv_texts(text, delimiter)
    names = [name.strip('"') for name in _fields(header, delimiter)]
    places = [names.index(column) for column in columns]
    table: list[list[str] | None] = []
    for row in rows:
        if row != header:
            fields = _fields(row, delimiter)
            table.append([fields[p] for p in places] if len(fields) == len(names) else None)
    return table


def csv_values(text: bytes, columns: Iterable[str], delimiter: str = ",") -> FloatArray:
    """The numbers of each row of a CSV file: NaN throughout for a row of the wrong length."""
    columns = list(columns)
    nothing = [""] * len(columns)
    table = csv_table(text, columns, delimiter)
    return np.array([[_number(field) for field in row or nothing] for row in table])


def csv_id(field: str) -> str | None:
    """Whose a row is, by what its field holds."""
    name = field
    if field.strip(" ").startswith('"'):
        name = field.strip(" ")[1:-1]
        if len(field.strip(" ")) < 2 or field.strip(" ")[-1] != '"':
            return None
        if '"' in name.replace('""', ""):
            return None
        name = name.replace('""', '"')
    name = name.strip(" ")
    return (name.split(".")[0] if re.fullmatch("-?[0-9]+[.]0*", name) else name) or None


def _fields(line: str, delimiter: str) -> list[str]:
    """A record cut at the delimiters that stand outside quotes."""
    ends, inside = [-1], False
    for i, c in enumerate(line):
        inside ^= c == '"'
        if c == delimiter and not inside:
            ends.append(i)
    ends.append(len(line))
    return [line[a + 1 : b] for a, b in pairwise(ends)]


def _number(text: str) -> float:
    text = text.strip(" ")
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1].strip(" ")
    return float(text) if NUMBER.fullmatch(text) else np.nan


def grid_counts(values: FloatArray, grid: Grid) -> IntArray:
    ticks = cell_ticks(grid.box.cells(values[grid.box.contains(values)]))
    return np.bincount(grid.labels(ticks), minlength=grid.n_cells).reshape(grid.shape)


def lattice_rows(values: FloatArray, box: Box) -> IntArray:
    return in_order(box.cells(values[box.contains(values)]))


def in_order(rows: IntArray) -> IntArray:
    return rows[np.lexsort(rows.T[::-1])]


def tally(values: FloatArray, box: Box) -> Tally:
    readable = int(np.isfinite(values).all(axis=1).sum())
    inside = int(box.contains(values).sum())
    return Tally(len(values), len(values) - readable, readable - inside, inside)


def clipped(values: FloatArray, box: Box) -> FloatArray:
    finite = values[np.isfinite(values).all(axis=1)]
    return np.clip(finite, box.low, box.high)


def cluster_totals(values: FloatArray, box: Box, centers: IntArray) -> tuple[IntArray, IntArray]:
    ticks = cell_ticks(box.cells(values[box.contains(values)]))
    squared = ((ticks[:, None, :] - centers) ** 2).sum(axis=2)
    labels = squared.argmin(axis=1)
    members = [ticks[labels == j] for j in range(len(centers))]
    return np.array([len(m) for m in members]), np.array([m.sum(axis=0) for m in members])
