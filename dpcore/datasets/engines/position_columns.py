"""The columns that hold positions: New York taxi files of every vintage, and names people use.

The Taxi and Limousine Commission published coordinates until mid-2016, under two sets of names;
since then a trip only names its zone, and a table of zones gives it a position.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from dpcore.datasets.engines.source import Source, names_to_show
from dpcore.errors import DataFileError

if TYPE_CHECKING:
    from dpcore.datasets.engines.base import Engine

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
    names = {plain(name): name for name in schema}
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
    source = engine.look(path, format)
    coordinates = tuple(columns) if columns is not None else guess_columns(source.schema)
    if not coordinates:
        names = names_to_show(source.schema)
        raise DataFileError(path, f"say which columns are the coordinates (columns=…); {names}.")
    ids = [name for name in coordinates if plain(name) in ZONE_IDS]
    if not ids:
        if zones is not None:
            raise DataFileError(path, "zones=… is for columns of zone ids, such as PULocationID.")
        return source.reading(coordinates, clip=clip)
    if len(ids) < len(coordinates):
        raise DataFileError(path, "zone ids cannot stand beside other coordinates.", ids[0])
    if zones is None:
        raise DataFileError(
            path,
            "it holds ids of zones, not positions. Name a table of zones (zones=…): a CSV file "
            "with LocationID, longitude and latitude, as the commission's zone shapes give them.",
            ids[0],
        )
    return source.reading(coordinates, engine.zones(zones), clip)


def plain(name: str) -> str:
    return name.strip().casefold()


def _with_prefix(names: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    """Pairs such as (home_lon, home_lat), in the order of the columns."""
    for name in names:
        for across, up in PAIRS:
            if name.endswith("_" + across):
                yield name, name.removesuffix(across) + up
