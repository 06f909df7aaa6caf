"""How files are read and rows counted, in plain Python and numpy: what every engine must equal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise

import numpy as np

from dpcore.datasets.engines.base import Tally
from dpcore.datasets.engines.source import MAX_LINE
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, cell_ticks

NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def csv_values(text: bytes, columns: Iterable[str], delimiter: str = ",") -> FloatArray:
    """The numbers of each row of a CSV file: NaN throughout for a row of the wrong length."""
    lines = []
    for line in re.split(rb"[\r\n]", text.removeprefix(b"\xef\xbb\xbf")):
        with suppress(UnicodeDecodeError):
            lines.append(line.decode() if len(line) <= MAX_LINE else "")
    header, *rows = filter(None, lines)
    names = [name.strip('"') for name in _fields(header, delimiter)]
    values = []
    for row in rows:
        fields = _fields(row, delimiter)
        if row != header:
            whole = len(fields) == len(names)
            values.append([_number(fields[names.index(c)]) if whole else np.nan for c in columns])
    return np.array(values)


def _fields(line: str, delimiter: str) -> list[str]:
    """A line cut at the delimiters that stand outside quotes; nothing if a quote stays open."""
    ends, inside = [-1], False
    for i, c in enumerate(line):
        inside ^= c == '"'
        if c == delimiter and not inside:
            ends.append(i)
    ends.append(len(line))
    return [] if inside else [line[a + 1 : b] for a, b in pairwise(ends)]


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
    return np.clip(finite, box.low, np.nextafter(box.high, -np.inf))


def cluster_totals(values: FloatArray, box: Box, centers: IntArray) -> tuple[IntArray, IntArray]:
    ticks = cell_ticks(box.cells(values[box.contains(values)]))
    squared = ((ticks[:, None, :] - centers) ** 2).sum(axis=2)
    labels = squared.argmin(axis=1)
    members = [ticks[labels == j] for j in range(len(centers))]
    return np.array([len(m) for m in members]), np.array([m.sum(axis=0) for m in members])
