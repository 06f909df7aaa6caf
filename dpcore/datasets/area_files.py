"""Areas as GeoJSON: read from a file, and written so that they are read back alike."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from dpcore.datasets import city_shapes
from dpcore.datasets.city_shapes import ELSEWHERE, Area
from dpcore.errors import BadInput, shortened

#: Areas on one map.
MAX_AREAS = 2_000
#: The names of an area, its level, and the rest of the map, in a file.
NAME, LEVEL = "name", "epsilon"


def read_areas(content: bytes | str, where: str) -> tuple[list[Area], dict[str, float]]:
    """The areas of a FeatureCollection and the levels that it gives, also to the rest of the map.

    Raises ValueError that says where the file is no GeoJSON of polygons with names.
    """
    try:
        collection = json.loads(content if isinstance(content, str) else content.decode())
        features = collection["features"]
        if len(features) > MAX_AREAS:
            raise BadInput(f"it has more than {MAX_AREAS:,} features")
        outlines = [_area(number, feature) for number, feature in enumerate(features, start=1)]
        own = [feature["properties"] for feature in features]
        rest = collection.get(ELSEWHERE) or {}
        levels = {str(each[NAME]): each[LEVEL] for each in own if each.get(LEVEL) is not None}
        if rest.get(LEVEL) is not None:
            levels[ELSEWHERE] = rest[LEVEL]
        for name, level in levels.items():
            _check_level(name, level)
        if not outlines and not levels:
            raise BadInput("it has no areas")
    except KeyError as missing:
        raise BadInput(f"{_no_areas(where)}: it has no {missing}.") from None
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise BadInput(f"{_no_areas(where)}: {shortened(str(error))}") from None
    except RecursionError:
        raise BadInput(f"{_no_areas(where)}: it is nested too deeply.") from None
    return outlines, levels


def _no_areas(where: str) -> str:
    return f"{where} is not a GeoJSON file of polygons with a `{NAME}` each"


def _area(number: int, feature: Mapping[str, Any]) -> Area:
    name = (feature.get("properties") or {}).get(NAME)
    if name is None:
        raise BadInput(f"area {number} has no `{NAME}` among its properties")
    if feature.get("geometry") is None:
        raise BadInput(f"{shortened(str(name))!r} has no geometry")
    polygons = city_shapes.polygons(feature["geometry"])
    if not all(polygon and all(len(ring) > 2 for ring in polygon) for polygon in polygons):
        raise BadInput("a polygon has fewer than three corners")
    return Area(str(name), "", polygons)


def _check_level(name: str, level: Any) -> None:
    """Raise where a level can be that of no area, whatever the run may spend."""
    is_number = isinstance(level, int | float) and not isinstance(level, bool)
    if not (is_number and 0 < level < math.inf):
        raise BadInput(
            f"the `{LEVEL}` of {shortened(name)!r} must be a number above 0, not "
            f"{shortened(repr(level), 40)}"
        )


def as_feature_collection(
    areas: Iterable[Area], levels: Mapping[str, float], more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Areas with their levels as GeoJSON, which `read_areas` reads back alike.

    The level of the rest of the map stands beside the features: it has no outline of its own.
    """
    features = [
        {
            "type": "Feature",
            "properties": {
                NAME: area.name,
                **({LEVEL: levels[area.name]} if area.name in levels else {}),
            },
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [[ring.tolist() for ring in polygon] for polygon in area.polygons],
            },
        }
        for area in areas
    ]
    rest = {ELSEWHERE: {LEVEL: levels[ELSEWHERE]}} if ELSEWHERE in levels else {}
    return {"type": "FeatureCollection", **rest, **(more or {}), "features": features}
