"""A twin is paid for once, is the same for everybody, and stands for the data."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.datasets import DataInfo, GridDataset
from dpcore.geometry.domain import Box, Grid
from dpcore.release import (
    TWIN,
    Amount,
    BuiltinData,
    Ledger,
    ReleasePlan,
    Unit,
    publish,
    twin_of,
    twin_plan,
)
from dpcore.release.twin import spread_rows
from dpcore.runs.request import Request
from tests.seeded_noise import seeded_noise

SQUARE = Box.cube(2)


@pytest.fixture(scope="module")
def books(tmp_path_factory) -> Ledger:
    ledger = Ledger(tmp_path_factory.mktemp("ledger"))
    for key, epsilon, unit in (
        ("nyc-taxi", 0.2, "trip"),
        ("image-rgb", 0.5, "pixel"),
        ("nyc-taxi-trips", 0.5, "trip"),
    ):
        with seeded_noise():
            publish(twin_plan(key, BuiltinData(key), epsilon, unit=Unit(unit)), ledger)
    return ledger


def test_a_twin_is_charged_to_the_data_like_any_release(books):
    entry = books.entry(1)
    assert (entry.purpose, entry.charged) == (TWIN, Amount.of(0.2))
    assert books.account("nyc-taxi").left == Amount.of(0.8)


def test_drawing_it_again_costs_nothing_and_gives_the_same_twin(books):
    one, other = twin_of(books, 1), twin_of(books, 1)
    grid = Grid(one.box, 1024)
    assert np.array_equal(one.histogram(grid), other.histogram(grid))
    assert len(books.entries()) == 3


def test_it_says_that_it_is_a_twin_and_nobodys_rows(books):
    about = twin_of(books, 1).about
    assert about.twin
    assert about.simulated
    assert about.public
    assert (about.unit, about.geographic) == ("trip", True)
    assert not dpcore.datasets.load("nyc-taxi").about.twin


@pytest.mark.parametrize(("number", "key"), [(1, "nyc-taxi"), (3, "nyc-taxi-trips")])
def test_it_has_about_as_many_rows_in_the_same_box(number, key, books):
    data, twin = dpcore.datasets.load(key), twin_of(books, number)
    assert twin.n == pytest.approx(data.n, rel=0.05)
    assert (twin.box, twin.d) == (data.box, data.d)


@pytest.mark.parametrize(
    ("key", "epsilon", "most"), [("nyc-taxi", 0.2, 1.02), ("nyc-taxi-trips", 0.5, 2.0)]
)
def test_centers_found_on_a_twin_serve_the_data_well(key, epsilon, most):
    """Under noise with a seed: how well is a matter of luck too."""
    data, plan = dpcore.datasets.load(key), twin_plan(key, BuiltinData(key), epsilon)
    described = dpcore.run(plan.request.with_seed(0), data)
    points, weights = described.synopsis.unit_points, described.synopsis.weights
    twin = spread_rows(points, weights, data.box, data.about, np.random.default_rng(0))
    found, best = (dpcore.baseline(each, 5, seed=0).centers for each in (twin, data))
    assert dpcore.nicv(data, found) < most * dpcore.nicv(data, best)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_any_algorithm_runs_on_it_at_any_level(number, books):
    twin = twin_of(books, number)
    for epsilon in (0.1, 4.0):
        assert len(dpcore.run("auto", twin, 3, epsilon, seed=0).centers) == 3


def test_any_release_with_points_has_a_twin_and_others_do_not(tmp_path):
    ledger = Ledger(tmp_path)
    data = BuiltinData("s1-like")
    for algorithm in ("eugkm", "dplloyd"):
        publish(ReleasePlan("s1", data, Request(algorithm, 3, 0.5)), ledger)
    assert isinstance(twin_of(ledger, 1), GridDataset)
    with pytest.raises(ValueError, match="published no points"):
        twin_of(ledger, 2)


def test_data_of_many_coordinates_are_refused_with_advice():
    with pytest.raises(ValueError, match="2 to 4 dimensions"):
        twin_plan("wine", BuiltinData("wine"), 1.0)


@pytest.mark.parametrize("d", [2, 3])
def test_rows_lie_around_their_points_half_way_to_the_next(d):
    points = np.array([[-0.5] * d, [0.5] + [-0.5] * (d - 1)])
    weights = np.array([3000.0, 1000.0])
    twin = spread_rows(points, weights, Box.cube(d), DataInfo(), np.random.default_rng(0))
    ticks, counts = twin.positions()
    unit = ticks / 2**21
    assert twin.n == 4000
    assert np.abs(unit[:, 1:] + 0.5).max() <= 0.25 + 2**-9
    left = unit[:, 0] < 0
    assert left @ (np.ones(len(ticks)) if counts is None else counts) == pytest.approx(
        3000, abs=150
    )


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("weights", [[], [0.2], [-5.0, 4.0]])
def test_where_there_is_nothing_but_noise_the_twin_has_no_rows(d, weights):
    points = np.zeros((len(weights), d))
    twin = spread_rows(points, np.array(weights), Box.cube(d), DataInfo(), np.random.default_rng(0))
    assert twin.n == 0
    assert len(dpcore.run("dplloyd", twin, 2, 1.0, seed=0).centers) == 2
