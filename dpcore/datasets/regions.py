"""A privacy level of its own for each area of a map.

The map is divided into areas that everybody knows: neighborhoods, boroughs, rectangles or polygons,
and the rest. A row lies in one area by its position alone, so a row added or removed changes the
data of one area only, and runs side by side, one on each area, cost a row what the run on its area
costs. `dpcore.datasets.area_levels` proves what that protects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

import numpy.typing as npt

from dpcore.datasets import city_shapes
from dpcore.datasets.area_files import read_areas
from dpcore.datasets.area_shapes import (
    SIDE,
    check_areas,
    painted,
    place,
    polygon,
    rectangle,
)
from dpcore.datasets.builtin import CITY
from dpcore.datasets.city_shapes import ELSEWHERE, Area
from dpcore.datasets.engines.paths import read_small
from dpcore.datasets.engines.reading_limits import MAX_TABLE
from dpcore.datasets.region_map import Regions, Window
from dpcore.errors import BadInput, shortened
from dpcore.geometry.domain import Box

__all__ = [
    "ELSEWHERE",
    "SIDE",
    "Regions",
    "Window",
    "areas",
    "boroughs",
    "boxes",
    "from_geojson",
    "neighborhoods",
    "parsed",
    "place",
    "polygon",
    "rectangle",
]


def areas(outlines: Iterable[Area], box: Box, levels: Mapping[str, float] | None = None) -> Regions:
    """Shapes as regions, checked; the rest of the map is the region "elsewhere".

    A cell of the grid on which borders are drawn belongs to the area that holds its center.

    Parameters
    ----------
    outlines : iterable of Area
        From `place`, `rectangle` and `polygon`. Without any, the whole map is "elsewhere".
    box : Box
        The public box, of two coordinates.
    levels : mapping of str to float or None, default=None
        The epsilon of areas that have a level of their own; "elsewhere" is the rest of the map.

    Returns
    -------
    Regions

    Raises
    ------
    ValueError
        If an area is empty, lies outside the box, crosses itself or overlaps another, or if two
        have the same name.

    Examples
    --------
    >>> import dpcore
    >>> from dpcore import regions
    >>> box = dpcore.datasets.load("nyc-taxi").box
    >>> home = regions.rectangle("home", (-73.98, 40.75), (-73.97, 40.76))
    >>> regions.areas([regions.place("West Village"), home], box, {"home": 0.1}).names
    ('West Village', 'home', 'elsewhere')
    """
    shapes = list(outlines)
    check_areas(shapes, box)
    return _made(shapes, box).with_levels(levels or {})


def _made(shapes: Iterable[Area], box: Box) -> Regions:
    """Regions of shapes that are known to be good. Those with no cell in the box are left out."""
    seen, image = painted(shapes, box)
    names = [area.name for area in seen]
    if (image == len(seen)).any():
        names.append(ELSEWHERE)
    return Regions(box, tuple(names), image, outlines=tuple(seen))


def boxes(corners: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]], box: Box) -> Regions:
    """Rectangles as regions: a name, and the (low, high) corners in data units.

    Parameters
    ----------
    corners : mapping of str to tuple (low, high)
        The corners of each rectangle, in data units.
    box : Box
        The public box, of two coordinates.

    Returns
    -------
    Regions

    Raises
    ------
    ValueError
        If rectangles overlap, or one covers no cell of the box.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.regions.boxes({"left": ([-1, -1], [0, 1])}, dpcore.Box.cube(2)).names
    ('left', 'elsewhere')
    """
    return areas([rectangle(name, low, high) for name, (low, high) in corners.items()], box)


@lru_cache(maxsize=8)
def neighborhoods(box: Box = CITY) -> Regions:
    """New York's neighborhoods, as far as they lie in the box.

    Parameters
    ----------
    box : Box, default=CITY
        The public box, of longitude and latitude.

    Returns
    -------
    Regions

    Examples
    --------
    >>> import dpcore
    >>> "Sunnyside" in dpcore.regions.neighborhoods().names
    True
    """
    return _made(city_shapes.neighborhoods(), box)


@lru_cache(maxsize=8)
def boroughs(box: Box = CITY) -> Regions:
    """New York's boroughs, as far as they lie in the box.

    Parameters
    ----------
    box : Box, default=CITY
        The public box, of longitude and latitude.

    Returns
    -------
    Regions

    Examples
    --------
    >>> import dpcore
    >>> "Manhattan" in dpcore.regions.boroughs().names
    True
    """
    return _made(city_shapes.boroughs(), box)


def from_geojson(path: str | Path, box: Box) -> Regions:
    """The polygons of a GeoJSON file as regions, in the coordinates of the box.

    Every feature has a `name`, and an `epsilon` if its region has a level of its own. The level of
    the rest of the map is told beside the features: `"elsewhere": {"epsilon": 2.0}`.

    Parameters
    ----------
    path : str or Path
        The GeoJSON file.
    box : Box
        The public box, of two coordinates.

    Returns
    -------
    Regions

    Raises
    ------
    ValueError
        If the file cannot be read, or its areas cannot be regions.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> import dpcore
    >>> corners = [[-1, -1], [0, -1], [0, 0], [-1, 0], [-1, -1]]
    >>> square = {"type": "Polygon", "coordinates": [corners]}
    >>> properties = {"name": "a", "epsilon": 0.5}
    >>> feature = {"type": "Feature", "properties": properties, "geometry": square}
    >>> _ = Path("parts.geojson").write_text(json.dumps({"features": [feature]}))
    >>> dict(dpcore.regions.from_geojson("parts.geojson", dpcore.Box.cube(2)).levels)
    {'a': 0.5}
    """
    try:
        content = read_small(str(path), MAX_TABLE)
    except OSError as error:
        raise BadInput(f"{shortened(str(path))} cannot be read: {error.strerror}.") from None
    return parsed(content, box, shortened(str(path)))


def parsed(content: bytes | str, box: Box, name: str = "The file") -> Regions:
    """The polygons of GeoJSON as regions, from its text.

    Parameters
    ----------
    content : bytes or str
        The text of a GeoJSON file.
    box : Box
        The public box, of two coordinates.
    name : str, default="The file"
        What an error calls it.

    Returns
    -------
    Regions

    Raises
    ------
    ValueError
        If it is no GeoJSON of polygons, or its areas cannot be regions.

    Examples
    --------
    >>> import json
    >>> import dpcore
    >>> drawn = dpcore.regions.boroughs().with_levels({"Bronx": 0.5})
    >>> dpcore.regions.parsed(json.dumps(drawn.as_geojson()), drawn.box) == drawn
    True
    """
    outlines, levels = read_areas(content, name)
    return areas(outlines, box, levels)
