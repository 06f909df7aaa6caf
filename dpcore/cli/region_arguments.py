"""Arguments that give parts of a map privacy levels of their own."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpcore._suggestion import nearest
from dpcore.datasets.regions import (
    ELSEWHERE,
    Regions,
    areas,
    boroughs,
    from_geojson,
    neighborhoods,
    place,
)
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box

NAMED = {"boroughs": boroughs, "neighborhoods": neighborhoods}


def add_regions(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group(
        "regions",
        "Give each part of a map its own privacy level, at most --epsilon. Whether a row is in the "
        "data is protected at the level of its region. Where it is gets less protection: moving a "
        "row costs the level of the region it leaves plus that of the region it enters; under "
        "replace-one the mean of both.",
    )
    group.add_argument(
        "--regions",
        metavar="WHICH",
        help=f"{', '.join(NAMED)}; names of some of them, separated by commas; or a GeoJSON file "
        "of polygons with a name and, optionally, an epsilon",
    )
    group.add_argument(
        "--level",
        action="append",
        default=[],
        metavar="NAME=EPSILON",
        help=f"the level of one region, or of {ELSEWHERE!r} for the rest; may be repeated",
    )


def regions(arguments: argparse.Namespace, box: Box) -> Regions | None:
    """The regions that the arguments name, with their levels, in the box of the data."""
    if arguments.regions is None:
        if arguments.level:
            raise BadInput("--level needs --regions. Name the regions first.")
        return None
    if box.d != 2:
        raise BadInput(f"--regions needs data with 2 coordinates; these have {box.d}.")
    if arguments.regions in NAMED:
        area_map = NAMED[arguments.regions](box)
    elif Path(arguments.regions).exists() or Path(arguments.regions).suffix:
        area_map = from_geojson(arguments.regions, box)
    else:
        if near := nearest(arguments.regions, NAMED):
            raise BadInput(f"--regions {arguments.regions}: did you mean {near!r}?")
        names = [name.strip() for name in arguments.regions.split(",")]
        area_map = areas([place(name) for name in names], box)
    if area_map.names == (ELSEWHERE,):
        raise BadInput(f"No region of {arguments.regions} lies in the box of these data.")
    return area_map.with_levels({**area_map.levels, **dict(map(level, arguments.level))})


def level(pair: str) -> tuple[str, float]:
    """A region and its epsilon."""
    name, equals, epsilon = pair.rpartition("=")
    try:
        if equals:
            return name, float(epsilon)
    except ValueError:
        pass
    raise BadInput(f"--level takes NAME=EPSILON, not {pair!r}.")
