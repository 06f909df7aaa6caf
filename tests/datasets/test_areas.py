"""Areas as people draw them: checked in one sentence, painted whole, saved and loaded alike."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

import dpcore
from dpcore import regions
from dpcore.datasets import city_shapes
from dpcore.datasets.area_files import MAX_AREAS
from dpcore.datasets.area_shapes import MAX_CORNERS
from dpcore.datasets.builtin import CITY
from dpcore.geometry.domain import Box

SQUARE = Box.cube(2)
LEFT = regions.rectangle("left", (-1, -1), (0, 1))
UPPER = regions.rectangle("upper", (0, 0), (1, 1))
WHOLE_CITY = Box((-74.26, 40.49), (-73.69, 40.92), ("longitude", "latitude"))


def circle(corners: int, radius: float = 0.5) -> list[tuple[float, float]]:
    turns = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    return list(zip(radius * np.cos(turns), radius * np.sin(turns), strict=True))


def shares(drawn):
    return dict(zip(drawn.names, np.bincount(drawn.image.ravel()) / drawn.image.size, strict=True))


# What cannot be an area.


@pytest.mark.parametrize(
    ("outlines", "complaint"),
    [
        ([LEFT, regions.rectangle("l", (-0.5, -1), (1, 1))], "'left' and 'l' overlap, by 50 % of"),
        ([LEFT, regions.rectangle("left", (0, 0), (1, 1))], "Two areas are called 'left'"),
        ([regions.rectangle("", (0, 0), (1, 1))], "Area 1 has no name"),
        ([regions.rectangle("n" * 201, (0, 0), (1, 1))], "is too long: use at most 200"),
        ([regions.rectangle("elsewhere", (0, 0), (1, 1))], "that is the rest of the map"),
        ([regions.rectangle("far", (7, 7), (8, 8))], "'far' lies outside the box of the data"),
        ([regions.polygon("bow", [(0, 0), (1, 1), (1, 0), (0, 1)])], "'bow' crosses or touches"),
        ([regions.polygon("line", [(0, 0), (1, 1), (0.5, 0.5)])], "'line' crosses or touches"),
        ([regions.rectangle("dot", (0.1001, 0.1001), (0.1002, 0.1002))], "'dot' is too small"),
        (
            [regions.polygon("ring", circle(9), [circle(9, 0.9)])],
            "'ring' crosses or touches itself .Hole lies outside shell",
        ),
        ([regions.polygon("c", circle(MAX_CORNERS))], "more than 200,000. Simplify"),
        ([regions.polygon(str(i), circle(3)) for i in range(MAX_AREAS + 1)], "At most 2,000"),
    ],
)
def test_what_cannot_be_an_area_is_refused_in_one_sentence_or_two(outlines, complaint):
    with pytest.raises(dpcore.BadInput, match=complaint) as refused:
        regions.areas(outlines, SQUARE)
    assert str(refused.value).count("\n") == 0
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("corners", [[], [(0, 0)], [(0, 0), (1, 1)], [(0, 0)] * 9])
def test_an_empty_area_is_refused(corners):
    with pytest.raises(dpcore.BadInput, match="'none' is empty: it has fewer than three corners"):
        regions.polygon("none", corners)


@pytest.mark.parametrize("corner", [("a", 0), (math.nan, 0), (math.inf, 0), (10.0**200, 0)])
def test_corners_are_finite_numbers(corner):
    with pytest.raises(dpcore.BadInput, match="must be two finite numbers"):
        regions.polygon("odd", [(0, 0), (1, 0), corner])


def test_a_level_above_the_total_is_refused_before_anything_is_read():
    drawn = regions.areas([LEFT], SQUARE, {"left": 3.0})
    with pytest.raises(dpcore.BadInput, match="'left' must be a number from 1e-06 to 2"):
        dpcore.Request("adaptive", 3, 2.0, regions=drawn)


def test_areas_lie_on_maps_only():
    with pytest.raises(dpcore.BadInput, match="has 2 coordinates; these data have 3"):
        regions.areas([LEFT], Box.cube(3))


def test_a_misspelled_neighborhood_is_answered_with_a_suggestion():
    with pytest.raises(dpcore.BadInput, match="Did you mean 'Sunnyside'"):
        regions.place("Sunyside")


# What can be one.


def test_ten_thousand_corners_are_painted_in_a_moment():
    start = time.process_time()
    drawn = regions.areas([regions.polygon("round", circle(10_000))], SQUARE)
    assert shares(drawn)["round"] == pytest.approx(math.pi / 16, rel=1e-3)
    assert time.process_time() - start < 2.0


def test_a_hole_is_the_rest_of_the_map_and_another_area_may_fill_it():
    frame = regions.polygon(
        "frame", [(-1, -1), (1, -1), (1, 1), (-1, 1)], [[(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5)]]
    )
    assert shares(regions.areas([frame], SQUARE))["elsewhere"] == pytest.approx(0.125, abs=1e-3)
    filling = regions.polygon("filling", [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5)])
    assert regions.areas([frame, filling], SQUARE).names == ("frame", "filling")


def test_a_border_drawn_by_hand_may_overlap_by_a_sliver_and_every_cell_has_one_area():
    near = regions.rectangle("near", (-0.004, -1), (1, 1))
    drawn = regions.areas([LEFT, near], SQUARE)
    assert shares(drawn) == {"left": 0.5, "near": 0.5}


def test_an_area_that_reaches_beyond_the_box_counts_as_far_as_the_box_goes():
    drawn = regions.areas([regions.rectangle("wide", (0, -9), (9, 9))], SQUARE)
    assert shares(drawn) == {"wide": 0.5, "elsewhere": 0.5}


@pytest.mark.parametrize("box", [CITY, WHOLE_CITY])
def test_neighborhoods_by_name_are_those_of_the_whole_layer(box):
    whole = regions.neighborhoods(box)
    some = [whole.names[i] for i in range(0, len(whole.names) - 1, 9)]
    drawn = regions.areas([regions.place(name) for name in some], box)
    for name in some:
        mine = drawn.image == drawn.index(name)
        assert np.count_nonzero(mine != (whole.image == whole.index(name))) <= 20
    assert len(regions.neighborhoods(WHOLE_CITY).names) == 262 + 1


angle = st.floats(0, 6.28)
radius = st.floats(0.05, 0.9)


@given(st.lists(st.tuples(angle, radius), min_size=3, max_size=12, unique_by=lambda p: p[0]))
@settings(max_examples=20, deadline=None)
def test_a_star_holds_the_cells_whose_centers_shapely_says_it_holds(points):
    corners = [(r * math.cos(a), r * math.sin(a)) for a, r in sorted(points)]
    shape = shapely.Polygon(corners)
    try:
        drawn = regions.areas([regions.polygon("star", corners)], SQUARE)
    except dpcore.BadInput:
        return
    cells = np.random.default_rng(0).integers(0, regions.SIDE, (300, 2))
    centers = (2 * cells + 1) / regions.SIDE - 1
    assert (drawn.image[*cells.T] == 0).tolist() == shapely.intersects_xy(shape, centers).tolist()


# Saved and loaded.


def test_areas_saved_and_loaded_are_the_same_with_their_levels_and_the_rest(tmp_path):
    drawn = regions.areas([LEFT, UPPER], SQUARE, {"left": 0.25, "elsewhere": 0.5})
    drawn.save(tmp_path / "areas.geojson")
    again = regions.from_geojson(tmp_path / "areas.geojson", SQUARE)
    assert again == drawn
    assert hash(again) == hash(drawn)
    assert dict(again.levels) == {"left": 0.25, "elsewhere": 0.5}


@pytest.mark.parametrize("layer", [regions.boroughs, regions.neighborhoods])
def test_public_layers_come_back_from_geojson_unchanged(layer):
    drawn = layer()
    text = json.dumps(drawn.as_geojson())
    assert regions.parsed(text, drawn.box) == drawn


def test_other_levels_are_other_regions_on_the_same_map():
    one, other = (regions.boroughs().with_levels({"Bronx": level}) for level in (0.1, 0.2))
    assert one != other
    assert one.map_key == other.map_key
    assert one.image is other.image
    requests = [dpcore.Request("adaptive", 3, 1.0, seed=0, regions=each) for each in (one, other)]
    assert len({*requests, *requests}) == 2


# What it says.


def test_under_replace_one_a_move_costs_the_mean_and_the_sentences_say_so():
    drawn = regions.areas([LEFT, UPPER], SQUARE, {"left": 0.5, "upper": 1.0})
    assert drawn.epsilon_of_move("left", "upper", 2.0, dpcore.Neighbors.REPLACE_ONE) == 0.75
    assert drawn.epsilon_of_move("left", "left", 2.0, dpcore.Neighbors.REPLACE_ONE) == 0.5
    said = " ".join(drawn.sentences(2.0, "trip", dpcore.Neighbors.REPLACE_ONE))
    assert "left 0.5, upper 1, 2 everywhere else" in said
    assert "at the mean of both levels, 1.5 at most" in said
    assert "pays the largest level, 2" in said


def test_with_several_rows_a_person_the_sentences_speak_of_the_whole_person():
    drawn = regions.areas([LEFT], SQUARE, {"left": 0.5})
    said = " ".join(drawn.sentences(2.0, "passenger", rows=3))
    assert "Whether a passenger was in an area at all is protected at the epsilon" in said
    assert "at the mean of their levels, weighted by the rows" in said


def test_the_shapes_of_the_city_have_their_borough():
    assert regions.place("Sunnyside").borough == "Queens"
    assert {regions.place(area.name).name for area in city_shapes.boroughs()} == {
        area.name for area in city_shapes.boroughs()
    }


def test_painting_leaves_the_shape_as_it_is_for_other_threads():
    """Threads that ask one prepared shape while its index is built end the whole process."""
    square = regions.rectangle("square", (-0.5, -0.5), (0.5, 0.5))
    regions.areas([square], SQUARE)
    assert not shapely.is_prepared(square.shape)
