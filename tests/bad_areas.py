"""Areas that cannot have levels of their own, as GeoJSON, and what is said of each."""

from __future__ import annotations

import json
import math
from typing import Any

Corner = tuple[float, float]


def square(x: float, y: float, side: float = 0.01) -> list[Corner]:
    return [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]


def circle(corners: int, radius: float = 0.01) -> list[Corner]:
    turns = [2 * math.pi * i / corners for i in range(corners)]
    return [(-73.98 + radius * math.cos(t), 40.75 + radius * math.sin(t)) for t in turns]


def area(name: str | None, *rings: list[Corner], **more: object) -> dict[str, Any]:
    return {
        "type": "Feature",
        "properties": {**({} if name is None else {"name": name}), **more},
        "geometry": {"type": "Polygon", "coordinates": [[*ring, ring[0]] for ring in rings]},
    }


def collection(*features: dict[str, Any]) -> str:
    return json.dumps({"type": "FeatureCollection", "features": features})


HERE = square(-73.99, 40.72)
BOW = [(-73.99, 40.72), (-73.98, 40.73), (-73.98, 40.72), (-73.99, 40.73)]
#: By what is wrong: the features, and a part of the sentence.
BAD: dict[str, tuple[list[dict[str, Any]], str]] = {
    "overlapping": ([area("a", HERE), area("b", square(-73.985, 40.725))], "'a' and 'b' overlap"),
    "empty": ([area("a", [HERE[0]] * 4)], "'a' is empty"),
    "none": ([], "it has no areas"),
    "without geometry": ([{**area("a", HERE), "geometry": None}], "'a' has no geometry"),
    "outside": ([area("a", square(2.3, 48.8))], "'a' lies outside the box"),
    "self-crossing": ([area("a", BOW)], "'a' crosses or touches itself"),
    "hole outside": ([area("a", HERE, square(-73.93, 40.72, 0.005))], "Hole lies outside shell"),
    "too many corners": ([area("a", circle(200_001))], "more than 200,000"),
    "two names": ([area("a", HERE), area("a", square(-73.96, 40.75))], "Two areas are called 'a'"),
    "no name": ([area(None, HERE)], "area 1 has no `name`"),
    "the name of the rest": ([area("elsewhere", HERE)], "that is the rest of the map"),
    "level in words": ([area("a", HERE, epsilon="strict")], "must be a number above 0"),
    "level of nothing": ([area("a", HERE, epsilon=0)], "must be a number above 0"),
    "level that is none": ([area("a", HERE, epsilon=math.nan)], "must be a number above 0"),
}
#: Ten thousand corners, a hole, and a neighbor within it are areas like others.
GOOD = [area("round", circle(10_000), circle(9, 0.005)), area("core", circle(9, 0.0049))]
