"""PRIVATE-K-MEAN keeps to the paper's schedule, and says from which epsilon on it can run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcore
from dpcore.algorithms.coreset_faithful import (
    domain_side,
    fewest_rows,
    most_rounds,
    schedule,
    smallest_epsilon,
)
from dpcore.datasets import RowsDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box
from dpcore.privacy.rounding import at_most
from dpcore.results.synopsis import Coreset
from dpcore.study.metrics import nicv

SQUARE = Box.cube(2)


def rows_of(n: int, seed: int = 0) -> RowsDataset:
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-0.8, 0.8, (4, 2))
    values = centers[np.arange(n) % 4] + rng.normal(size=(n, 2)) * 0.03
    return RowsDataset.from_values(np.clip(values, -0.999, 0.999), SQUARE)


DATA = rows_of(20_000)


def run(k, epsilon, data=DATA, neighbors="replace-one", **options):
    return dpcore.run("coreset-faithful", data, k, epsilon, neighbors=neighbors, seed=0, **options)


@given(st.integers(2, 10**9))
def test_the_papers_grid_is_the_coarsest_with_more_cells_than_rows(n):
    side = domain_side(n)
    assert side & (side - 1) == 0
    assert side**2 > n >= (side // 2) ** 2


@given(st.integers(2, 10**8), st.integers(1, 50), st.floats(0.01, 1e5))
def test_rounds_remove_what_the_paper_says_and_never_cost_too_much(n, k, epsilon):
    try:
        sizes = schedule(n, k, epsilon, 1.0)
    except Infeasible:
        assert n <= fewest_rows(n, k, epsilon) or 3 * n < 8 * k
        return
    left = n
    for m in sizes:
        assert left > fewest_rows(n, k, epsilon)
        assert m == 3 * left // (8 * k)
        left -= m
    assert len(sizes) <= most_rounds(n, k)


@pytest.mark.parametrize(
    ("k", "expected"),
    [(1, (0.041, 0.0103, 0.0055)), (5, (1.02, 0.26, 0.136)), (10, (4.1, 1.03, 0.545))],
)
def test_the_smallest_epsilon_is_near_that_of_the_papers_table_2(k, expected):
    sizes = (100_000, 500_000, 1_000_000)
    assert [smallest_epsilon(n, k) for n in sizes] == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("k", [1, 3, 8])
def test_it_refuses_below_the_smallest_epsilon_and_runs_from_there_on(k):
    with pytest.raises(Infeasible) as refused:
        run(k, 0.001)
    least = refused.value.smallest_epsilon
    assert least is not None
    assert run(k, least).facts["rounds"] >= 1
    with pytest.raises(Infeasible):
        run(k, least * 0.999)


def test_a_refusal_states_rows_clusters_grid_and_the_smallest_epsilon():
    with pytest.raises(Infeasible) as refused:
        run(3, 0.5)
    said = str(refused.value)
    least = at_most(refused.value.smallest_epsilon, 3)
    assert said == (
        "20,000 rows are too few at epsilon 0.5: to find 3 clusters among them on a grid of "
        f"256 cells a side needs an epsilon of at least {least}."
    )
    assert run(3, float(least)).facts["rounds"] >= 1


@given(st.floats(1e-6, 1e6))
def test_a_printed_bound_holds_and_is_tight(value):
    assert value * (1 - 1e-12) <= float(at_most(value, 3)) <= value * 1.0101


def test_too_few_rows_for_any_epsilon_are_refused_without_one():
    with pytest.raises(Infeasible, match="cannot be done") as refused:
        run(2, 1e6, rows_of(5))
    assert refused.value.smallest_epsilon is None


def test_where_the_number_of_rows_is_private_the_refusal_knows_the_noisy_one():
    refusals = set()
    for seed in range(5):
        with pytest.raises(Infeasible) as refused:
            dpcore.run("coreset-faithful", DATA, 3, 0.01, seed=seed)
        refusals.add(str(refused.value))
    assert len(refusals) == 5


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_every_round_pays_half_for_the_radius_and_half_for_the_center(neighbors):
    result = run(3, 60.0, neighbors=neighbors)
    charges = [c for c in result.transcript if c.mechanism == "exponential mechanism"]
    rest = 0.95 if neighbors == "add-remove" else 1.0
    n = result.steps[0].released["n"] if neighbors == "add-remove" else DATA.n
    share = rest * 60 * 3 / (8 * 3 * math.log(n))
    assert [c.epsilon for c in charges] == pytest.approx([share / 2] * len(charges))
    assert len(charges) == 2 * result.facts["rounds"]
    assert result.epsilon <= 60


@pytest.mark.parametrize("weighted", [True, False])
def test_a_center_weighs_the_rows_it_removed_or_as_much_as_any_other(weighted):
    result = run(3, 60.0, weighted=weighted)
    assert isinstance(result.coreset, Coreset)
    rounds = [s.released["m"] for s in result.steps if s.kind == "removal"]
    total = sum(rounds) if weighted else len(rounds)
    assert result.coreset.weights.sum() == total
    assert (result.coreset.weights > 0).all()


def test_with_much_epsilon_its_balls_lie_on_the_clusters():
    result = run(4, 300.0)
    best = nicv(DATA, dpcore.baseline(DATA, 4).centers)
    middle = nicv(DATA, DATA.box.center[None])
    assert nicv(DATA, result.centers) <= best + 0.02 * (middle - best)


def test_it_is_for_two_dimensions_and_says_so():
    with pytest.raises(Infeasible, match="2 dimensions; these data have 3"):
        run(1, 1.0, RowsDataset.from_values(np.zeros((9, 3)), Box.cube(3)))
