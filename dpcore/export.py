"""Private results as files. Every function here takes private types only, and checks."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from dpcore.results import PrivateCenters


def _private(centers: PrivateCenters) -> PrivateCenters:
    """Types are checked when the code is; this is for callers who do not check them."""
    if not isinstance(centers, PrivateCenters):
        raise TypeError(
            f"{type(centers).__name__} cannot be exported: they are not private. "
            "Only PrivateCenters leave this program."
        )
    return centers


def centers_csv(centers: PrivateCenters) -> str:
    """One center a line, under the names of the coordinates."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["center", *_private(centers).box.names])
    for number, center in enumerate(centers.tolist(), start=1):
        writer.writerow([number, *center])
    return text.getvalue()


def centers_geojson(centers: PrivateCenters) -> str:
    """A point for each center; one with two places (pickup, dropoff) becomes a line."""
    names = _private(centers).box.names
    if len(names) not in (2, 4):
        raise ValueError(f"GeoJSON needs longitude and latitude; these centers have {names}.")
    features: list[dict[str, Any]] = []
    for number, center in enumerate(centers.tolist(), start=1):
        places = [center[i : i + 2] for i in range(0, len(center), 2)]
        shape = (
            {"type": "Point", "coordinates": places[0]}
            if len(places) == 1
            else {"type": "LineString", "coordinates": places}
        )
        features.append({"type": "Feature", "geometry": shape, "properties": {"center": number}})
    return json.dumps({"type": "FeatureCollection", "features": features}, indent=1)


def centers_json(centers: PrivateCenters) -> str:
    """The centers and the names of their coordinates."""
    names = list(_private(centers).box.names)
    return json.dumps({"coordinates": names, "centers": centers.tolist()}, indent=1)
