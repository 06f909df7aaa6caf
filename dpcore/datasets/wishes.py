"""Wishes for a stricter level in some public neighborhoods.

A wish is a secret. A strict area drawn around a home tells where the home is, so a wish names whole
public neighborhoods and holds no other border. Even so, who sees a wish knows in which neighborhood
to look. Wishes become areas of a map that everybody sees in one of two ways only:

* `met_by` **compares and changes nothing**: the map was drawn for public reasons (hospitals,
  schools, parks), and each person learns whether it already meets their wish. The map is a function
  of the public reasons alone, so it tells nothing of any wish, and nothing is charged.
* `dpcore.release.wish_counts` **counts privately**: an area becomes strict where the noisy number
  of people who wish it reaches a threshold. That is charged.

There is no third way: a map that used a wish wherever a public reason *and* a wish agree would
show, by the areas that are missing, where nobody wished.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
import shapely

from dpcore.datasets import city_shapes
from dpcore.datasets.area_files import as_feature_collection, read_areas
from dpcore.datasets.area_shapes import SLIVER, cells_inside, place, whole_shape
from dpcore.datasets.region_map import Regions
from dpcore.errors import BadInput, listed, shortened
from dpcore.privacy.explain import LEVELS

#: The levels that can be wished for: the stops of the slider, strictest first. A free number could
#: be a mark by which a wish is recognized.
STOPS = tuple(sorted(level.epsilon for level in LEVELS))


@dataclass(frozen=True)
class Wish:
    """The level that one person wishes for in some public neighborhoods.

    Raises ValueError where a name is no neighborhood or a level is none of the public stops.
    """

    levels: Mapping[str, float]

    def __post_init__(self) -> None:
        neighborhoods = {area.name for area in city_shapes.neighborhoods()}
        if not self.levels:
            raise BadInput("A wish names at least one neighborhood.")
        for name, level in self.levels.items():
            if name not in neighborhoods:
                place(name)  # a suggestion, where the name is misspelled
                raise BadInput(f"{name!r} is no neighborhood. A wish names whole neighborhoods.")
            if isinstance(level, bool) or level not in STOPS:
                raise BadInput(
                    f"A wish for {name!r} has one of the levels "
                    f"{listed(f'{stop:g}' for stop in STOPS)}, not {shortened(repr(level), 40)}."
                )
        object.__setattr__(self, "levels", MappingProxyType(dict(sorted(self.levels.items()))))

    def as_geojson(self) -> dict[str, Any]:
        """The whole neighborhoods, as the public layer draws them, with the levels."""
        return as_feature_collection([place(name) for name in self.levels], self.levels)


def neighborhoods_of(positions: npt.ArrayLike) -> tuple[str, ...]:
    """The neighborhoods in which positions (n, 2) in degrees lie, in the order of their names.

    Neither how often nor in which order they were visited is told.
    """
    places = np.asarray(positions, dtype=np.float64).reshape(-1, 2)
    shapes = [whole_shape(area) for area in city_shapes.neighborhoods()]
    _, indices = shapely.STRtree(shapes).query(shapely.points(places), "intersects")
    return tuple(sorted(city_shapes.neighborhoods()[index].name for index in np.unique(indices)))


def wish_for(positions: npt.ArrayLike, level: float) -> Wish:
    """The wish that the neighborhoods of some positions, such as home and work, have a level."""
    names = neighborhoods_of(positions)
    if not names:
        raise BadInput("None of these positions lies in a neighborhood of New York.")
    return Wish(dict.fromkeys(names, level))


def read_wish(content: bytes | str, name: str = "The wish") -> Wish:
    """A wish from the GeoJSON that `Wish.as_geojson` writes. Names and levels count; borders are
    those of the public layer, whatever the file draws."""
    areas, levels = read_areas(content, name)
    if missing := [area.name for area in areas if area.name not in levels]:
        raise BadInput(f"{name} has no epsilon for {listed(map(shortened, missing))}.")
    return Wish(levels)


def strictest(wishes: Iterable[Wish]) -> dict[str, float]:
    """The strictest level that anybody wishes for in each neighborhood.

    It tells of single people: for their own eyes, and for `met_by`, but for no map.
    """
    together: dict[str, float] = {}
    for wish in wishes:
        for name, level in wish.levels.items():
            together[name] = min(level, together.get(name, level))
    return dict(sorted(together.items()))


def met_by(wish: Wish, regions: Regions, most: float) -> dict[str, bool]:
    """The neighborhoods of a wish, each with whether a public map has no place there at a higher
    level, but for slivers along borders.

    The map was drawn without looking at wishes, so it stays as it is, and telling somebody what it
    does with their own wish tells nobody else anything.
    """
    epsilons = np.array(regions.epsilons(most))
    met = {}
    for name, level in wish.levels.items():
        low0, low1, mask = cells_inside(place(name), regions.box)
        canvas = regions.image[low0 : low0 + mask.shape[0], low1 : low1 + mask.shape[1]]
        met[name] = bool(mask.any() and np.mean(epsilons[canvas[mask]] > level) <= SLIVER)
    return met


def as_text(wish: Wish) -> str:
    """A wish as the text of a GeoJSON file."""
    return json.dumps(wish.as_geojson())
