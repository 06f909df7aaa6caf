"""The base map of small drawings: land, parks and names, from the files that the map reads too."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from dpcore.geometry.domain import Box

FOLDER = Path(__file__).parents[3] / "static/map"
#: Positions in the files are whole numbers of this part of a degree.
STEPS = 1e5
#: Corners nearer than this part of a drawing's height are not told apart.
COARSE = 1 / 120
#: Colors, in the order in which areas are painted.
KINDS = ("around", "land", "park")
Ring = list[tuple[float, float]]


class Name(NamedTuple):
    """A name on the map; those of a higher rank are more important."""

    text: str
    at: tuple[float, float]
    kind: str
    rank: float


def corners(numbers: Sequence[int]) -> Ring:
    """The corners of a ring that is stored as steps from corner to corner."""
    xs, ys = (accumulate(numbers[start::2]) for start in (0, 1))
    return [(x / STEPS, y / STEPS) for x, y in zip(xs, ys, strict=True)]


@cache
def areas() -> dict[str, list[Ring]]:
    """The rings of each kind of area."""
    around, land, places = map(read, ("around", "land", "neighborhoods"))
    return {
        "around": [corners(ring) for ring in around],
        "land": [corners(ring) for rings in land.values() for ring in rings],
        "park": [corners(r) for _, _, kind, rings in places if kind == "park" for r in rings],
    }


@cache
def neighborhood(name: str) -> list[Ring]:
    """The rings of a neighborhood."""
    places = read("neighborhoods")
    return [corners(ring) for place, _, _, rings in places if place == name for ring in rings]


@cache
def names() -> list[Name]:
    rows = ((text, (lon, lat), kind, rank) for text, lon, lat, kind, rank, *_ in read("labels"))
    return sorted((Name(*row) for row in rows), key=lambda name: -name.rank)


def read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@cache
def seen(window: Box) -> dict[str, list[Ring]]:
    """The parts of each kind of area that a window shows, as coarsely as its size allows."""
    step = (window.high[1] - window.low[1]) * COARSE
    return {kind: list(within(areas()[kind], window, step)) for kind in KINDS}


def within(rings: list[Ring], window: Box, step: float) -> Iterator[Ring]:
    for ring in rings:
        xs, ys = [x for x, _ in ring], [y for _, y in ring]
        if (
            min(xs) < window.high[0]
            and max(xs) > window.low[0]
            and min(ys) < window.high[1]
            and max(ys) > window.low[1]
        ):
            thinned = coarse(clipped(ring, window), step)
            if len(thinned) > 3:
                yield thinned


def clipped(ring: Ring, window: Box) -> Ring:
    """A ring moved to a frame around the window where it lies far outside."""
    (west, south), (east, north) = window.low[:2], window.high[:2]
    wide, high = (east - west) / 4, (north - south) / 4
    return [
        (min(max(x, west - wide), east + wide), min(max(y, south - high), north + high))
        for x, y in ring
    ]


def coarse(ring: Ring, step: float) -> Ring:
    corners = ring[:1]
    for x, y in ring[1:]:
        if max(abs(x - corners[-1][0]), abs(y - corners[-1][1])) >= step:
            corners.append((x, y))
    return corners
