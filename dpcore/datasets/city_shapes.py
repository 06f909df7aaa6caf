"""The city's shapes: five boroughs and 262 neighborhoods, in degrees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

from dpcore.datasets.data_folder import data_file
from dpcore.errors import BadInput
from dpcore.geometry.domain import FloatArray

#: A degree of longitude is this much of a degree of latitude in New York.
LONGITUDE_SCALE = np.cos(np.radians(40.7))
#: From so many degrees of latitude on, a kilometer, nobody would say that it is there.
FAR = 0.009
#: The part of a map that no area covers.
ELSEWHERE = "elsewhere"
#: What is said before the nearest name where a place is far outside the city.
BEYOND = "beyond"
#: No corner lies farther out, so that no difference or ratio of corners overflows.
FARTHEST = 1e100


@dataclass(frozen=True, eq=False)
class Area:
    """A borough or a neighborhood: polygons, each an outer ring (m, 2) and then its holes."""

    name: str
    borough: str
    polygons: tuple[tuple[FloatArray, ...], ...]

    def __repr__(self) -> str:
        inside = f" in {self.borough}" if self.borough and self.borough != self.name else ""
        return f"Area({self.name!r}{inside})"

    def rings(self) -> Iterator[FloatArray]:
        for polygon in self.polygons:
            yield from polygon

    def edges(self) -> tuple[FloatArray, FloatArray]:
        """The ends of the edges of all rings, both (m, 2). Rings are closed."""
        rings = list(self.rings())
        return np.vstack([r[:-1] for r in rings]), np.vstack([r[1:] for r in rings])

    @cached_property
    def shape(self) -> shapely.MultiPolygon:
        """The same polygons for shapely."""
        return shapely.MultiPolygon([(outer, holes) for outer, *holes in self.polygons])


@cache
def boroughs() -> tuple[Area, ...]:
    """The five boroughs: the land of the map."""
    return _read("boroughs.geojson")


@cache
def neighborhoods() -> tuple[Area, ...]:
    """The city's neighborhoods, its parks, cemeteries and airports among them."""
    return _read("neighborhoods.geojson")


def place_of(lon_lat: npt.ArrayLike) -> list[str]:
    """Names where points (m, 2) lie: in a neighborhood, or beyond one, far outside the city."""
    points = np.asarray(lon_lat, dtype=np.float64).reshape(-1, 2)
    (_, nearest_areas), away = _neighborhood_tree().query_nearest(
        shapely.points(_even(points)), return_distance=True, all_matches=False
    )
    names = [neighborhoods()[i].name for i in nearest_areas]
    return [
        f"{BEYOND} {name}" if distance > FAR else name
        for name, distance in zip(names, away, strict=True)
    ]


def polygons(geometry: Mapping[str, Any]) -> tuple[tuple[FloatArray, ...], ...]:
    """The rings of a GeoJSON Polygon or MultiPolygon, each closed."""
    if geometry["type"] not in ("Polygon", "MultiPolygon"):
        raise BadInput(f"An area is a Polygon or a MultiPolygon, not a {geometry['type']}.")
    parts = geometry["coordinates"]
    parts = parts if geometry["type"] == "MultiPolygon" else [parts]
    return tuple(tuple(_closed(ring) for ring in polygon) for polygon in parts)


def _closed(ring: npt.ArrayLike) -> FloatArray:
    corners = np.asarray(ring, dtype=np.float64)[:, :2]
    if not (np.abs(corners) <= FARTHEST).all():
        raise BadInput(f"A corner of an area is not a number up to {FARTHEST:g}.")
    return corners if (corners[0] == corners[-1]).all() else np.vstack([corners, corners[:1]])


def _read(name: str) -> tuple[Area, ...]:
    features = json.loads(data_file(name).read_text(encoding="utf-8"))["features"]
    return tuple(Area(**f["properties"], polygons=polygons(f["geometry"])) for f in features)


def _even(points: FloatArray) -> FloatArray:
    """Degrees that are equally long in both directions."""
    return points * (LONGITUDE_SCALE, 1.0)


@cache
def _neighborhood_tree() -> shapely.STRtree:
    """The neighborhoods in degrees that are equally long, by where they lie."""
    return shapely.STRtree([shapely.transform(area.shape, _even) for area in neighborhoods()])
