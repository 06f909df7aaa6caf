"""Private results as files. Every function here takes private types only, and checks.

Files without a status are those of a release, which `dpcore.release.publish` has charged to a
ledger. All others say inside why they are not for publication.
"""

from __future__ import annotations

import json

import numpy as np

from dpcore.errors import BadInput
from dpcore.results.centers import PrivateCenters, status_of
from dpcore.results.formats import STATUS, Places, centers_as_places
from dpcore.results.run_result import RunResult

#: Of centers there are few, and people read them.
INDENT = 1


def _centers(centers: PrivateCenters) -> Places:
    """Types are checked when the code is; this is for callers who do not check them."""
    status = status_of(type(centers), type(centers).__name__)
    return centers_as_places(centers.box, np.asarray(centers), status)


def _points(result: RunResult[PrivateCenters]) -> Places:
    """The synopsis that a run published. A synopsis alone does not say who vouches for it."""
    if not isinstance(result, RunResult):
        raise TypeError(f"{type(result).__name__} cannot be exported: it is no result of a run.")
    if result.synopsis is None:
        raise BadInput(f"{result.algorithm} publishes centers and nothing beside them.")
    return result.synopsis.places()


def centers_csv(centers: PrivateCenters) -> str:
    """One center a line, under the names of the coordinates."""
    return _centers(centers).as_csv()


def centers_geojson(centers: PrivateCenters) -> str:
    """A point for each center; one with two places (pickup, dropoff) becomes a line."""
    return _centers(centers).as_geojson(indent=INDENT)


def centers_json(centers: PrivateCenters) -> str:
    """The centers and the names of their coordinates."""
    places = _centers(centers)
    content = {"coordinates": list(places.box.names), "centers": places.positions.tolist()}
    return json.dumps(
        {STATUS: places.status, **content} if places.status else content, indent=INDENT
    )


def centers_parquet(centers: PrivateCenters) -> bytes:
    """One row a center, under the names of the coordinates."""
    return _centers(centers).as_parquet()


def centers_geoparquet(centers: PrivateCenters) -> bytes:
    """Parquet with a shape for each center, for GeoPandas, QGIS and Kepler.gl."""
    return _centers(centers).as_geoparquet()


def centers_kml(centers: PrivateCenters) -> str:
    """A placemark for each center, for a globe."""
    return _centers(centers).as_kml("centers")


def centers_kepler(centers: PrivateCenters) -> str:
    """A map of the centers for Kepler.gl."""
    return _centers(centers).as_kepler("centers")


def points_csv(result: RunResult[PrivateCenters]) -> str:
    """The published points: one a line, its coordinates and its weight."""
    return _points(result).as_csv()


def points_geojson(result: RunResult[PrivateCenters]) -> str:
    """The published points with their weights; one with two places becomes a line."""
    return _points(result).as_geojson()


def points_parquet(result: RunResult[PrivateCenters]) -> bytes:
    """The published points: one a row, its coordinates and its weight."""
    return _points(result).as_parquet()


def points_geoparquet(result: RunResult[PrivateCenters]) -> bytes:
    """Parquet with a shape for each published point."""
    return _points(result).as_geoparquet()


def points_kml(result: RunResult[PrivateCenters]) -> str:
    """A placemark for each published point."""
    return _points(result).as_kml("points")


def points_kepler(result: RunResult[PrivateCenters]) -> str:
    """A map of the published points for Kepler.gl, sized by their weights."""
    return _points(result).as_kepler("points")
