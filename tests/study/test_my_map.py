"""What a published plan would take from one person's own track."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore import regions
from dpcore.datasets.tracks import Track
from dpcore.geometry.domain import Box
from dpcore.study.my_map import leaving

BOX = Box((-1.0, -1.0), (1.0, 1.0), ("lon", "lat"))
DRAWN = regions.boxes({"home": ((-1, -1), (0, 1))}, BOX).with_levels({"home": 0.1})
TRACK = Track(np.array([[-0.5, 0.0]] * 4 + [[0.5, 0.0]] * 2 + [[7.0, 0.0]]))


def test_with_a_bound_on_rows_a_person_costs_no_more_than_the_level_of_each_area():
    home, rest = leaving(TRACK, DRAWN, 1.0, rows=3).visits
    assert (home.area, home.positions, home.counted, home.level) == ("home", 4, 3, 0.1)
    assert home.epsilon == pytest.approx(0.1)
    assert rest.epsilon == pytest.approx(2 / 3)
    assert home.certainty == pytest.approx(1 / (1 + math.exp(-0.1)))


def test_where_one_row_is_protected_every_position_costs_the_level_again():
    home, rest = leaving(TRACK, DRAWN, 1.0).visits
    assert home.epsilon == pytest.approx(0.4)
    assert rest.epsilon == 2.0
    assert "at most 60 % sure" in home.sentence()


def test_what_lies_outside_the_map_does_not_leave():
    found = leaving(TRACK, DRAWN, 1.0, rows=3)
    assert found.outside == 1
    assert found.sentences()[-1] == "Positions outside the map, which are not counted: 1."
    assert not leaving(Track(np.array([[9.0, 9.0]])), DRAWN, 1.0).visits


def test_on_the_city_the_area_is_the_neighborhood_of_the_position():
    whole = regions.neighborhoods()
    (visit,) = leaving(Track(np.array([[-73.9185, 40.7459]])), whole, 0.5, rows=5).visits
    assert visit.area == "Sunnyside"
    assert visit.epsilon == pytest.approx(0.1)
