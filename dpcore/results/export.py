"""Private results as files. Every function here takes private types only, and checks."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np

from dpcore.results import parquet
from dpcore.results.run_result import PrivateCenters, ReleasedResult
from dpcore.results.synopsis import Synopsis


def _private(centers: PrivateCenters) -> PrivateCenters:
    """Types are checked when the code is; this is for callers who do not check them."""
    if not isinstance(centers, PrivateCenters):
        raise TypeError(
            f"{type(centers).__name__} cannot be exported: they are not private. "
            "Only PrivateCenters leave this program."
        )
    return centers


def _released(result: ReleasedResult) -> Synopsis:
    """What a release published beside its centers. A synopsis alone does not say who vouches."""
    if not isinstance(result, ReleasedResult):
        raise TypeError(
            f"{type(result).__name__} cannot be exported: only what was drawn with noise for "
            "release, by an algorithm whose proof stands, leaves this program."
        )
    if result.synopsis is None:
        raise ValueError(f"{result.algorithm} publishes centers and nothing beside them.")
    return result.synopsis


def centers_csv(centers: PrivateCenters) -> str:
    """One center a line, under the names of the coordinates."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    box = _private(centers).box
    writer.writerow([box.beside("center"), *box.names])
    for number, center in enumerate(centers.tolist(), start=1):
        writer.writerow([number, *center])
    return text.getvalue()


def centers_geojson(centers: PrivateCenters) -> str:
    """A point for each center; one with two places (pickup, dropoff) becomes a line."""
    names = _private(centers).box.names
    if len(names) not in (2, 4):
        raise ValueError(f"GeoJSON needs longitude and latitude; these centers have {names}.")
    numbers = [{"center": number} for number in range(1, len(centers) + 1)]
    return json.dumps(_features(centers.tolist(), numbers), indent=1)


def centers_json(centers: PrivateCenters) -> str:
    """The centers and the names of their coordinates."""
    names = list(_private(centers).box.names)
    return json.dumps({"coordinates": names, "centers": centers.tolist()}, indent=1)


def centers_parquet(centers: PrivateCenters) -> bytes:
    """One row a center, under the names of the coordinates."""
    box, values = _private(centers).box, np.asarray(centers)
    number = {box.beside("center"): np.arange(1, len(centers) + 1)}
    return parquet.written({**number, **dict(zip(box.names, values.T, strict=True))})


def points_csv(result: ReleasedResult) -> str:
    """The published points: one a line, its coordinates and its weight."""
    frame = _released(result).to_frame()
    return frame.to_csv(index=False, lineterminator="\n")


def points_geojson(result: ReleasedResult) -> str:
    """The published points with their weights; one with two places becomes a line."""
    synopsis = _released(result)
    if synopsis.box.d not in (2, 4):
        raise ValueError(f"GeoJSON needs longitude and latitude, not {synopsis.box.names}.")
    weights = [{"weight": weight} for weight in np.asarray(synopsis.weights).tolist()]
    return json.dumps(_features(synopsis.points.tolist(), weights))


def points_parquet(result: ReleasedResult) -> bytes:
    """The published points: one a row, its coordinates and its weight."""
    synopsis = _released(result)
    weights = np.asarray(synopsis.weights, dtype=np.float64)
    places = dict(zip(synopsis.box.names, synopsis.points.T, strict=True))
    return parquet.written({**places, synopsis.box.beside("weight"): weights})


def _features(positions: list[list[float]], properties: list[dict[str, Any]]) -> dict[str, Any]:
    """Places as points, pairs of places as lines."""
    features = []
    for position, said in zip(positions, properties, strict=True):
        places = [position[i : i + 2] for i in range(0, len(position), 2)]
        shape: dict[str, Any] = (
            {"type": "Point", "coordinates": places[0]}
            if len(places) == 1
            else {"type": "LineString", "coordinates": places}
        )
        features.append({"type": "Feature", "geometry": shape, "properties": said})
    return {"type": "FeatureCollection", "features": features}
