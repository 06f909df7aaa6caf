"""Wishes for stricter levels: whole public neighborhoods, and no map that tells of one wish."""

from __future__ import annotations

import json

import pytest

from dpcore import BadInput, regions
from dpcore.datasets.wishes import (
    STOPS,
    Wish,
    as_text,
    met_by,
    neighborhoods_of,
    read_wish,
    strictest,
    wish_for,
)

HOME = [-73.9185, 40.7459]  # in Sunnyside


def test_a_wish_for_a_home_names_its_whole_neighborhood_and_nothing_finer():
    wish = wish_for([HOME], 0.05)
    assert dict(wish.levels) == {"Sunnyside": 0.05}
    (feature,) = wish.as_geojson()["features"]
    drawn = regions.parsed(as_text(wish), regions.boroughs().box)
    whole = regions.neighborhoods()
    assert ((drawn.image == 0) == (whole.image == whole.index("Sunnyside"))).all()
    assert feature["properties"] == {"name": "Sunnyside", "epsilon": 0.05}


def test_two_homes_in_a_neighborhood_give_the_same_file():
    beside = [HOME[0] + 0.002, HOME[1] + 0.001]
    assert neighborhoods_of([beside]) == ("Sunnyside",)
    assert as_text(wish_for([HOME], 0.1)) == as_text(wish_for([beside, HOME, HOME], 0.1))


def test_a_wish_comes_back_and_borders_of_its_file_do_not_count():
    wish = Wish({"Sunnyside": 0.1, "West Village": 0.02})
    assert read_wish(as_text(wish)) == wish
    told = wish.as_geojson()
    told["features"][0]["geometry"]["coordinates"] = [[[HOME, [-73.9, 40.7], [-73.8, 40.7]]]]
    assert read_wish(json.dumps(told)).as_geojson() == wish.as_geojson()


@pytest.mark.parametrize(
    ("levels", "complaint"),
    [
        ({}, "at least one neighborhood"),
        ({"Sunyside": 0.1}, "Did you mean 'Sunnyside'"),
        ({"Queens": 0.1}, "'Queens' is no neighborhood"),
        ({"Sunnyside": 0.123}, "one of the levels 0.02, 0.05, 0.1, 0.2, 0.5, 1, 4, not 0.123"),
        ({"Sunnyside": True}, "not True"),
        ({"Sunnyside": "x" * 900}, "one of the levels"),
    ],
)
def test_what_cannot_be_wished_is_refused(levels, complaint):
    with pytest.raises(BadInput, match=complaint):
        Wish(levels)


def test_a_file_without_a_level_is_no_wish():
    with pytest.raises(BadInput, match="has no epsilon for Sunnyside"):
        read_wish(json.dumps(regions.areas([regions.place("Sunnyside")], CITY).as_geojson()))


def test_a_position_outside_the_city_is_no_wish():
    with pytest.raises(BadInput, match="None of these positions"):
        wish_for([[0.0, 0.0]], 0.1)


def test_where_wishes_overlap_the_strictest_counts():
    one, other = Wish({"Sunnyside": 0.2, "Bushwick (East)": 0.1}), Wish({"Sunnyside": 0.05})
    assert strictest([one, other]) == {"Bushwick (East)": 0.1, "Sunnyside": 0.05}


def test_a_public_map_meets_a_wish_where_no_place_of_it_has_a_higher_level():
    wish = Wish({"Sunnyside": 0.2, "West Village": 0.1})
    queens = regions.boroughs().with_levels({"Queens": 0.2})
    assert met_by(wish, queens, 1.0) == {"Sunnyside": True, "West Village": False}
    assert met_by(wish, queens, 0.1 + 0.1) == {"Sunnyside": True, "West Village": False}
    half = regions.areas([regions.rectangle("half", HOME, (-73.8, 40.8))], CITY, {"half": 0.02})
    assert met_by(wish, half, 1.0)["Sunnyside"] is False


CITY = regions.boroughs().box


def test_every_stop_of_the_slider_can_be_wished():
    assert all(Wish({"Sunnyside": stop}) for stop in STOPS)
