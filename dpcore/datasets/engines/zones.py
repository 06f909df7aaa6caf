"""Tables of zones: where the places lie that a taxi trip names by number."""

from __future__ import annotations

import csv
import io
import math

from dpcore.datasets.engines.errors import DataFileError
from dpcore.datasets.engines.limits import MAX_TABLE
from dpcore.datasets.engines.paths import read_small
from dpcore.datasets.engines.position_columns import ZONE_ID, guess_columns, plain
from dpcore.datasets.engines.source import Zones

#: Every query over rows lists all zones. New York has 263.
MAX_ZONES = 10_000


def read_zones(path: str) -> Zones:
    """A public table of zones. A zone without a position is left out, and so are its rows; of a
    zone that comes twice the first position counts, so that a row still counts once."""
    try:
        text = read_small(path, MAX_TABLE).decode("utf-8-sig")
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(path, "the table of zones cannot be read as CSV.") from error
    names = list(rows[0]) if rows else []
    key = next((name for name in names if name and plain(name) == ZONE_ID), None)
    pair = guess_columns(name for name in names if name and name != key)
    if key is None:
        raise DataFileError(path, "a table of zones needs this column.", "LocationID")
    if len(pair) != 2:
        raise DataFileError(
            path, "a table of zones needs a longitude and a latitude; this one has neither."
        )
    positions: dict[int, tuple[float, float]] = {}
    for row in rows:
        zone, x, y = (_number(row[name]) for name in (key, *pair))
        if math.isfinite(zone + x + y):
            positions.setdefault(int(zone), (x, y))
    if not positions:
        raise DataFileError(path, "no zone in it has a position.")
    if len(positions) > MAX_ZONES:
        raise DataFileError(path, f"it has {len(positions):,} zones; at most {MAX_ZONES:,} fit.")
    return Zones(path, tuple((zone, x, y) for zone, (x, y) in positions.items()))


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan
