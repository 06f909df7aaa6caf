"""The city's shapes: five boroughs and 262 neighborhoods, in degrees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.spatial import KDTree

from dpcore.datasets.data_folder import data_file
from dpcore.geometry.domain import FloatArray, IntArray

#: A degree of longitude is this much of a degree of latitude in New York.
LONGITUDE_SCALE = np.cos(np.radians(40.7))
#: Borders are known to the search for the nearest one at points this far apart: 50 meters.
BORDER_STEP = 0.00045
#: From so many degrees of latitude on, a kilometer, nobody would say that it is there.
FAR = 0.009


@dataclass(frozen=True)
class Area:
    """A borough or a neighborhood: polygons, each an outer ring (m, 2) and then its holes."""

    name: str
    borough: str
    polygons: tuple[tuple[FloatArray, ...], ...]

    def rings(self) -> Iterator[FloatArray]:
        for polygon in self.polygons:
            yield from polygon

    def edges(self) -> tuple[FloatArray, FloatArray]:
        """Where the edges of all rings begin and end, both (m, 2). Rings are closed."""
        rings = list(self.rings())
        return np.vstack([r[:-1] for r in rings]), np.vstack([r[1:] for r in rings])

    def contains(self, lon_lat: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Which points (m, 2) lie inside, by how often a line to the east crosses the edges."""
        points = np.asarray(lon_lat, dtype=np.float64)
        starts, ends = self.edges()
        corners = np.vstack([starts.min(axis=0), starts.max(axis=0)])
        near = np.all((points >= corners[0]) & (points <= corners[1]), axis=1)
        x, y = points[near, 0, None], points[near, 1, None]
        (x0, y0), (x1, y1) = starts.T, ends.T
        # An edge along a parallel is never straddled: its division by zero is not looked at.
        with np.errstate(divide="ignore", invalid="ignore"):
            crossed = ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) / (y1 - y0) * (x1 - x0))
        inside = np.zeros(len(points), dtype=bool)
        inside[near] = np.count_nonzero(crossed, axis=1) % 2 == 1
        return inside


@cache
def boroughs() -> tuple[Area, ...]:
    """The five boroughs: the land of the map."""
    return _read("boroughs.geojson")


@cache
def neighborhoods() -> tuple[Area, ...]:
    """The city's neighborhoods, its parks, cemeteries and airports among them."""
    return _read("neighborhoods.geojson")


def neighborhood_of(lon_lat: npt.ArrayLike) -> list[str]:
    """The name of the neighborhood of each point (m, 2), or of the nearest one outside the city."""
    return [neighborhoods()[i].name for i in _nearest(lon_lat)[0]]


def place_of(lon_lat: npt.ArrayLike) -> list[str]:
    """Where each point lies, in words: in a neighborhood, or beyond one, far outside the city."""
    return [
        f"beyond {neighborhoods()[i].name}" if distance > FAR else neighborhoods()[i].name
        for i, distance in zip(*_nearest(lon_lat), strict=True)
    ]


def _nearest(lon_lat: npt.ArrayLike) -> tuple[IntArray, FloatArray]:
    """The number of each point's neighborhood or of the nearest one, and how far away it is, in
    degrees of latitude."""
    points = np.asarray(lon_lat, dtype=np.float64).reshape(-1, 2)
    found, away = np.full(len(points), -1), np.zeros(len(points))
    for i, area in enumerate(neighborhoods()):
        found[area.contains(points) & (found < 0)] = i
    outside = found < 0
    if outside.any():
        borders, owners = _borders()
        away[outside], nearest = borders.query(_even(points[outside]))
        found[outside] = owners[nearest]
    return found, away


def polygons(geometry: Mapping[str, Any]) -> tuple[tuple[FloatArray, ...], ...]:
    """The rings of a GeoJSON Polygon or MultiPolygon, each closed."""
    if geometry["type"] not in ("Polygon", "MultiPolygon"):
        raise ValueError(f"An area is a Polygon or a MultiPolygon, not a {geometry['type']}.")
    parts = geometry["coordinates"]
    parts = parts if geometry["type"] == "MultiPolygon" else [parts]
    return tuple(tuple(_closed(ring) for ring in polygon) for polygon in parts)


def _closed(ring: npt.ArrayLike) -> FloatArray:
    corners = np.asarray(ring, dtype=np.float64)[:, :2]
    if not np.isfinite(corners).all():
        raise ValueError("A corner of an area is not a number.")
    return corners if (corners[0] == corners[-1]).all() else np.vstack([corners, corners[:1]])


def _read(name: str) -> tuple[Area, ...]:
    features = json.loads(data_file(name).read_text(encoding="utf-8"))["features"]
    return tuple(Area(**f["properties"], polygons=polygons(f["geometry"])) for f in features)


def _even(points: FloatArray) -> FloatArray:
    """Degrees that are equally long in both directions."""
    return points * (LONGITUDE_SCALE, 1.0)


@cache
def _borders() -> tuple[KDTree, IntArray]:
    """Points along the borders of all neighborhoods, and which one each belongs to."""
    points, owners = [], []
    for i, area in enumerate(neighborhoods()):
        starts, ends = map(_even, area.edges())
        steps = 1 + (np.linalg.norm(ends - starts, axis=1) / BORDER_STEP).astype(np.int64)
        edge = np.repeat(np.arange(len(steps)), steps)
        along = (np.arange(len(edge)) - np.repeat(steps.cumsum() - steps, steps)) / steps[edge]
        points.append(starts[edge] + along[:, None] * (ends - starts)[edge])
        owners.append(np.full(len(edge), i))
    return KDTree(np.vstack(points)), np.concatenate(owners)
