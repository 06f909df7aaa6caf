"""The first rows of a file as text, for their owner's eyes only."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from dpcore.datasets.engines.source import Layout
from dpcore.errors import DataFileError, shortened


def of_text(layout: Layout, pieces: Iterator[bytes], most: int) -> list[list[str]]:
    """The rows in the first piece of a CSV file, without its header."""
    start = next(pieces, b"")
    lines = io.StringIO(start.decode("utf-8-sig", "replace"), newline="")
    try:
        records = csv.reader(lines, delimiter=layout.delimiter)
        return as_text(islice(records, 1, most + 1))
    except csv.Error as error:
        raise DataFileError(layout.path, "its first lines cannot be shown.") from error


def as_text(rows: Iterable[Sequence[object]]) -> list[list[str]]:
    """Values as short texts."""
    return [[shortened(str(value)) for value in row] for row in rows]
