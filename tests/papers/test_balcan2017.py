"""Balcan et al.: objectives in the units of the data, and checks that see what Table 1 prints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Box
from dpcore.papers import REPRODUCTIONS, Conclusion, Effort, Row, balcan2017_measures, reproduce
from dpcore.papers.balcan2017_measures import GRID, OURS, PLAIN_PICKS, SULQ, objective, plain_picks
from dpcore.papers.balcan2017_sets import cifar, digits, mixture, mnist, patches
from dpcore.papers.inputs import STAND_IN, Shelf
from dpcore.runs.baseline import baseline

QUICK = Effort(quick=True)


def test_every_figure_and_table_of_the_supplement_is_there():
    wanted = {"balcan2017-table1", *(f"balcan2017-fig{number}" for number in range(2, 6))}
    assert wanted == {name for name, each in REPRODUCTIONS.items() if each.paper == "balcan2017"}


def test_the_objective_is_a_sum_of_squares_in_the_units_of_the_data():
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [90.0, 80.0]])
    data = from_array(rows, Box.cube(2, -5, 105))
    centers = np.array([[2.0, 3.0], [90.0, 80.0]])
    assert objective(data, centers) == pytest.approx(4.0, rel=1e-3)


def test_centers_outside_the_box_are_not_folded_back():
    data = from_array(np.zeros((2, 2)), Box.cube(2, -5, 105))
    assert objective(data, [[0.0, 1_000.0]]) == pytest.approx(2e6, rel=1e-3)


def test_a_mixture_of_unit_gaussians_costs_its_rows_times_its_dimensions():
    data = mixture(4, 3, QUICK)
    assert (data.n, data.d) == (10_000, 3)
    best = objective(data, np.asarray(baseline(data, 4).centers))
    assert best == pytest.approx(data.n * data.d, rel=0.05)


def test_draws_of_a_mixture_differ_and_repeat():
    one, again, other = (mixture(2, 2, QUICK, draw) for draw in (0, 0, 1))
    assert np.array_equal(one.positions()[0], again.positions()[0])
    assert not np.array_equal(one.positions()[0], other.positions()[0])


def test_without_a_folder_digits_and_pieces_of_photographs_stand_in():
    assert mnist(Shelf(), QUICK)[1] == cifar(Shelf(), QUICK)[1] == STAND_IN
    assert (digits(50).n, digits(50).d) == (50, 64)
    assert (patches(50).n, patches(50).d) == (50, 144)


def test_a_grid_that_is_not_the_lowest_refutes_table_1():
    rows = [
        replace(row, figure=5e5) if row.setting["algorithm"] == GRID.label else row
        for row in REPRODUCTIONS["balcan2017-table1"].printed
    ]
    assert REPRODUCTIONS["balcan2017-table1"].judge(rows).finding is Conclusion.NOT_REPRODUCED


def test_two_of_four_numbers_of_dimensions_are_told_as_a_count():
    rows = [
        Row({"data": "a", "d": d, "k": 32, "algorithm": label}, figure)
        for d in (5, 50, 500, 5000)
        for label, figure in ((OURS.label, 1.0), (SULQ.label, 2.0 if d > 50 else 0.5))
    ]
    check = REPRODUCTIONS["balcan2017-fig4"].judge(rows)
    assert check.finding is Conclusion.NOT_REPRODUCED
    assert "in 2 of 4 cells" in check.words


def small(clusters: int, d: int, effort: Effort, draw: int = 0, side: float = 100):
    points = np.random.default_rng(draw).uniform(0, 100, (300, min(d, 6)))
    return from_array(points, Box.cube(min(d, 6), -5, 105))


@pytest.mark.parametrize("name", ["table1", "fig4", "fig5"])
def test_a_quick_run_comes_to_a_verdict(name: str, monkeypatch):
    monkeypatch.setattr(balcan2017_measures, "mixture", small)
    *_, outcome = reproduce(f"balcan2017-{name}", effort=QUICK)
    assert outcome.check.finding is not Conclusion.CANNOT_RUN


@pytest.mark.parametrize("name", ["fig2", "fig3"])
def test_a_quick_run_on_pictures_comes_to_a_verdict(name: str, monkeypatch):
    pictures = (digits(200), STAND_IN)
    monkeypatch.setattr(balcan2017_measures, "mnist", lambda *_: pictures)
    monkeypatch.setattr(balcan2017_measures, "cifar", lambda *_: pictures)
    *_, outcome = reproduce(f"balcan2017-{name}", effort=QUICK)
    assert outcome.check.finding is not Conclusion.CANNOT_RUN


def test_plain_noise_makes_k_variates_cost_far_more_than_no_privacy():
    data = small(3, 6, QUICK)
    row = plain_picks(data, 3, QUICK)
    assert row.setting["algorithm"] == PLAIN_PICKS
    assert row.figure > 100 * objective(data, np.asarray(baseline(data, 3).centers))
