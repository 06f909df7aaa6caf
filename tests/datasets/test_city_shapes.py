"""The city's shapes, and which neighborhood a point is in."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from dpcore.datasets.city_shapes import (
    LONGITUDE_SCALE,
    Area,
    boroughs,
    neighborhoods,
    place_of,
)

METERS = 111_000  # a degree of latitude
SQUARE = np.array([[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]], dtype=float)
CITY = ((-74.26, 40.49), (-73.70, 40.92))


def test_there_are_five_boroughs_and_262_neighborhoods() -> None:
    names = {area.name for area in boroughs()}
    assert names == {"Bronx", "Brooklyn", "Manhattan", "Queens", "Staten Island"}
    assert len({area.name for area in neighborhoods()}) == len(neighborhoods()) == 262
    assert {area.borough for area in neighborhoods()} == names


@pytest.mark.parametrize("areas", [boroughs, neighborhoods])
def test_rings_are_closed_and_in_the_city(areas: object) -> None:
    rings = [ring for area in areas() for ring in area.rings()]  # type: ignore[operator]
    assert all((ring[0] == ring[-1]).all() and len(ring) >= 4 for ring in rings)
    corners = np.vstack(rings)
    assert (corners > CITY[0]).all()
    assert (corners < CITY[1]).all()


def test_a_hole_is_outside_and_a_second_part_inside() -> None:
    area = Area("Ring", "Nowhere", ((SQUARE, SQUARE / 2 + 1), (SQUARE + 10,)))
    points = [(0.5, 2), (2, 2), (3.5, 3.5), (12, 12), (7, 7), (-1, 2), (5, 4)]
    inside = shapely.contains_xy(area.shape, points)
    assert inside.tolist() == [True, False, True, True, False, False, False]


@pytest.mark.parametrize(
    ("lon_lat", "name"),
    [
        ((-73.9855, 40.7580), "Midtown-Times Square"),
        ((-73.9654, 40.7829), "Central Park"),
        ((-73.7781, 40.6413), "John F. Kennedy International Airport"),
        ((-74.0150, 40.7600), "Chelsea-Hudson Yards"),  # on the Hudson
    ],
)
def test_places_have_the_names_people_know(lon_lat: tuple[float, float], name: str) -> None:
    assert place_of([lon_lat]) == [name]


def test_what_is_far_outside_the_city_is_beyond_a_neighborhood_not_in_it() -> None:
    times_square, hudson, new_jersey = (-73.9855, 40.7580), (-74.0150, 40.7600), (-74.10, 40.8)
    assert not [name for name in place_of([times_square, hudson]) if name.startswith("beyond ")]
    assert place_of([new_jersey])[0].startswith("beyond ")
    assert place_of([]) == []


def test_every_point_gets_the_nearest_neighborhood() -> None:
    """Shapely is the oracle: no other neighborhood is more than a meter nearer."""
    points = np.random.default_rng(0).uniform(*CITY, (300, 2))
    names = [area.name for area in neighborhoods()]
    found = [names.index(name.removeprefix("beyond ")) for name in place_of(points)]
    stretch = (LONGITUDE_SCALE, 1.0)
    shapes = [
        shapely.MultiPolygon(
            [(p[0] * stretch, [hole * stretch for hole in p[1:]]) for p in area.polygons]
        )
        for area in neighborhoods()
    ]
    distances = shapely.distance(np.array(shapes)[:, None], shapely.points(points * stretch))
    assert (distances.min(axis=0) > 0).any()
    excess = distances[found, np.arange(len(points))] - distances.min(axis=0)
    assert excess.max() * METERS < 1
