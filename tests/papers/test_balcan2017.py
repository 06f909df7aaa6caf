"""Paper 001's findings say what the rows say."""

import numpy as np
import pytest

from dpcore.datasets.base import DataInfo
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Box
from dpcore.papers import REPRODUCTIONS, Effort, Finding, Row, balcan2017, reproduce
from dpcore.papers.contenders import BOX_CENTER, NON_PRIVATE, references, slope

SETS = ("a", "b", "c", "d", "e")
GOOD = {
    NON_PRIVATE: 1.0,
    BOX_CENTER: 50.0,
    "high-dimensional": 2.0,
    "high-dimensional, published": 2.0,
    "SuLQ, 3 rounds": 4.0,
    "SuLQ, 20 rounds": 4.0,
    "SuLQ, published": 4.0,
    "sample and aggregate": 5.0,
    balcan2017.UNFOLDED: 1e6,
}


def rows(**changed):
    """The same figures on every set, but for some."""
    figures = {**GOOD, **changed}
    return [
        Row({"data": data, "algorithm": label, "measure": "NICV"}, figure)
        for data in SETS
        for label, figure in figures.items()
    ]


def test_beating_every_baseline_everywhere_reproduces_the_table():
    check = balcan2017.check_table(rows())
    assert check.finding is Finding.REPRODUCED
    assert "5 of 5" in check.words
    assert "1e+06 to 1e+06 times" in check.words


def test_losing_to_every_baseline_refutes_it():
    bad = rows(
        **{
            "high-dimensional": 9.0,
            "high-dimensional, published": 9.0,
            balcan2017.UNFOLDED: 2.0,
        }
    )
    assert balcan2017.check_table(bad).finding is Finding.NOT_REPRODUCED


def test_losing_to_few_rounds_only_makes_it_depend():
    check = balcan2017.check_search(rows(**{"SuLQ, 3 rounds": 1.5}))
    assert check.finding is Finding.DEPENDS
    assert "Not reproduced: high-dimensional costs less than SuLQ, 3 rounds" in check.words


def test_where_looking_at_no_data_is_as_good_it_says_so():
    check = balcan2017.check_search(rows(**{BOX_CENTER: 1.0}))
    assert "costs less on a (0.5 of its cost)" in check.words
    assert "always costs less" in balcan2017.check_search(rows()).words


def test_a_method_that_was_not_measured_is_no_finding():
    some = [row for row in rows() if row.setting["algorithm"] != balcan2017.UNFOLDED]
    assert balcan2017.far_worse(some, balcan2017.UNFOLDED).finding is Finding.SKIPPED


def small(k, d):
    points = np.random.default_rng(0).uniform(-1, 1, (300, min(d, 6)))
    return from_array(points, Box.cube(min(d, 6)), about=DataInfo(f"small-{d}"))


def test_a_finding_runs_and_ends_in_a_verdict(monkeypatch):
    monkeypatch.setattr(balcan2017, "gaussian_rows", small)
    *_, outcome = reproduce("001-dimension", effort=Effort(quick=True))
    assert outcome.check.finding is not Finding.SKIPPED
    labels = {row.setting["algorithm"] for row in outcome.rows}
    assert labels == {each.label for each in balcan2017.SEARCHES} | {BOX_CENTER, NON_PRIVATE}


def test_each_contender_has_a_label_of_its_own():
    labels = [each.label for each in balcan2017.EVERYONE]
    assert len(set(labels)) == len(labels)
    assert set(REPRODUCTIONS["001-table1"].algorithms) == {
        each.algorithm for each in balcan2017.EVERYONE
    }


def test_kmeans_without_privacy_costs_less_than_the_middle_of_the_box():
    data = small(3, 2)
    best, middle = references(data, 3, 1.0)
    assert 0 < best.figure < middle.figure


def test_picks_that_are_not_folded_back_cost_orders_of_magnitude_more():
    data = small(3, 6)
    best, _ = references(data, 3, 1.0)
    row = balcan2017.unfolded_row(data, 3, Effort(quick=True))
    assert row.figure > 100 * best.figure


def test_the_slope_of_a_power_is_its_exponent():
    sizes = np.array([10.0, 100.0, 1000.0])
    assert slope(sizes, 3 * sizes**1.5) == pytest.approx(1.5)
