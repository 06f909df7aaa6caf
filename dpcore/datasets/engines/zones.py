"""Tables of zones: the position of each place that a taxi file names by a number."""

from __future__ import annotations

import csv
import io
import math

from dpcore.datasets.engines.paths import read_small
from dpcore.datasets.engines.position_columns import ZONE_ID, guess_columns, plain
from dpcore.datasets.engines.reading_limits import MAX_TABLE
from dpcore.datasets.engines.source import Zones
from dpcore.errors import DataFileError

#: Every query over rows lists all zones. New York has 263.
MAX_ZONES = 10_000


def read_zones(path: str) -> Zones:
    """A public table of zones. A zone without a position is left out, and so are its rows; of a
    zone that comes twice the first position counts, so that a row still counts once."""
    positions: dict[int, tuple[float, float]] = {}
    try:
        text = read_small(path, MAX_TABLE).decode("utf-8-sig")
        rows = csv.reader(io.StringIO(text, newline=""))
        places = _places(path, next(rows, []))
        for row in rows:
            zone, x, y = (_number(row, place) for place in places)
            if math.isfinite(zone + x + y):
                positions.setdefault(int(zone), (x, y))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(path, "the table of zones cannot be read as CSV.") from error
    if not positions:
        raise DataFileError(path, "no zone in it has a position.")
    if len(positions) > MAX_ZONES:
        raise DataFileError(path, f"it has {len(positions):,} zones; at most {MAX_ZONES:,} fit.")
    return Zones(path, tuple((zone, x, y) for zone, (x, y) in positions.items()))


def _places(path: str, header: list[str]) -> tuple[int, int, int]:
    """The places of the id, the longitude and the latitude of a zone in a row."""
    where = {name: place for place, name in enumerate(header)}
    key = next((name for name in header if plain(name) == ZONE_ID), None)
    pair = guess_columns(name for name in header if name != key)
    if key is None:
        raise DataFileError(path, "a table of zones needs this column.", "LocationID")
    if len(pair) != 2:
        raise DataFileError(
            path, "a table of zones needs a longitude and a latitude; this one has neither."
        )
    return where[key], where[pair[0]], where[pair[1]]


def _number(row: list[str], place: int) -> float:
    try:
        return float(row[place])
    except (ValueError, IndexError):
        return math.nan
