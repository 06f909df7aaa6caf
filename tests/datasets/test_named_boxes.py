"""The list of public boxes holds what it should, and no box is wrong side up."""

from __future__ import annotations

import pytest

from dpcore.datasets.builtin import CITY
from dpcore.datasets.city_shapes import boroughs
from dpcore.datasets.named_boxes import PLACES

#: A place that lies in a box, and that everybody knows.
KNOWN = {
    "London": (-0.1276, 51.5072),
    "Tokyo": (139.692, 35.69),
    "Sydney": (151.21, -33.87),
    "São Paulo (Sao Paulo)": (-46.63, -23.55),
    "Chicago": (-87.63, 41.88),
    "Delhi": (77.21, 28.61),
    "Germany": (13.405, 52.52),
    "Brazil": (-47.88, -15.79),
    "Japan": (139.692, 35.69),
    "Kenya": (36.82, -1.29),
    "South Africa": (18.42, -33.92),
    "United Kingdom": (-0.1276, 51.5072),
    "United States (48 states)": (-73.97, 40.75),
    "New Zealand": (174.76, -41.29),
}


def test_the_first_is_the_box_of_the_trips_that_ship() -> None:
    first = next(iter(PLACES.values()))
    assert (first.low, first.high) == (CITY.low, CITY.high)


def test_all_of_new_york_lies_in_the_box_of_its_boroughs() -> None:
    box = PLACES["New York, the five boroughs"]
    for area in boroughs():
        for ring in area.rings():
            assert box.contains(ring).all()


@pytest.mark.parametrize("name", KNOWN)
def test_a_place_lies_in_its_box(name: str) -> None:
    assert PLACES[name].contains(KNOWN[name])


def test_everything_lies_in_the_world() -> None:
    world = PLACES["The world"]
    for box in PLACES.values():
        assert all(low >= least for low, least in zip(box.low, world.low, strict=True))
        assert all(high <= most for high, most in zip(box.high, world.high, strict=True))
