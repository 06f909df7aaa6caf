"""Which columns hold positions: New York taxi files of every vintage, and names people use.

The Taxi and Limousine Commission published coordinates until mid-2016, under two sets of names;
since then a trip only names its zone, and a table of zones gives it a position.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence

from dpcore.datasets.engines.base import Engine
from dpcore.datasets.engines.errors import DataFileError
from dpcore.datasets.engines.source import Source, Zones

PICKUPS = (("pickup_longitude", "pickup_latitude"), ("start_lon", "start_lat"))
ZONE_IDS = ("pulocationid", "dolocationid")
ZONE_ID = "locationid"
#: What people call the two coordinates of a place, the first across and the second up.
PAIRS = (
    ("longitude", "latitude"),
    ("lon", "lat"),
    ("lng", "lat"),
    ("long", "lat"),
    ("x", "y"),
)


def guess_columns(schema: Iterable[str]) -> tuple[str, ...]:
    """The columns that by their names hold where something was; none when nothing looks like it.

    Where a trip begins goes before any other place; coordinates go before ids of zones.
    """
    names = {_plain(name): name for name in schema}
    for pair in (*PICKUPS, *PAIRS, *_with_prefix(names)):
        if all(name in names for name in pair):
            return tuple(names[name] for name in pair)
    return (names[ZONE_IDS[0]],) if ZONE_IDS[0] in names else ()


def open_source(
    engine: Engine,
    path: str,
    columns: Sequence[str] | None = None,
    zones: str | None = None,
    format: str | None = None,
    clip: bool = False,
) -> Source:
    """A file, glob, folder or table, ready to be asked: columns guessed when none are named.

    Columns of zone ids (PULocationID, DOLocationID) need `zones`, the path of a CSV file with
    LocationID and coordinates, and give two coordinates each.
    """
    found = engine.look(path, format)
    chosen = tuple(columns) if columns is not None else guess_columns(found.schema)
    if not chosen:
        names = ", ".join(found.schema)
        raise DataFileError(path, f"say which columns are the coordinates (columns=…): {names}.")
    ids = [name for name in chosen if _plain(name) in ZONE_IDS]
    if not ids:
        if zones is not None:
            raise DataFileError(path, "zones=… is for columns of zone ids, such as PULocationID.")
        return found.reading(chosen, clip=clip)
    if len(ids) < len(chosen):
        raise DataFileError(path, "zone ids cannot stand beside other coordinates.", ids[0])
    if zones is None:
        raise DataFileError(
            path,
            "it holds ids of zones, not positions. Name a table of zones (zones=…): a CSV file "
            "with LocationID, longitude and latitude, as the commission's zone shapes give them.",
            ids[0],
        )
    return found.reading(chosen, read_zones(zones), clip)


def read_zones(path: str) -> Zones:
    """A public table of zones. A zone without a position is left out, and so are its rows; of a
    zone that comes twice the first position counts, so that a row still counts once."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(path, "the table of zones cannot be read as CSV.") from error
    names = list(rows[0]) if rows else []
    key = next((name for name in names if _plain(name) == ZONE_ID), None)
    pair = guess_columns(name for name in names if name != key)
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
    return Zones(path, tuple((zone, x, y) for zone, (x, y) in positions.items()))


def _plain(name: str) -> str:
    return name.strip().casefold()


def _with_prefix(names: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Pairs such as (home_lon, home_lat), in the order of the columns."""
    for name in names:
        for across, up in PAIRS:
            if name.endswith("_" + across):
                yield name, name.removesuffix(across) + up


def _number(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan
