"""`coreset` spends by a public schedule, and is a small, positive set to cluster as one likes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpcore
from dpcore.algorithms.coreset import (
    BALLS_SHARE,
    LEAST_SHARPNESS,
    LEFTOVER,
    SHARPNESS,
    SIDES,
    SIZE_SHARE,
    best_plan,
    removals,
    with_scaffold,
)
from dpcore.datasets import GridDataset, RowsDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box, Grid, to_ticks
from dpcore.privacy.accounting import Accounting
from dpcore.privacy.concentrated import rho_of_epsilon
from dpcore.results.centers import PrivateCenters
from dpcore.results.synopsis import Coreset
from dpcore.study.metrics import nicv
from tests.algorithms.eight_clusters import clusters

SQUARE = Box.cube(2)
TAXI = dpcore.datasets.load("nyc-taxi")
RELATIONS = ("add-remove", "replace-one")


CLUSTERS = RowsDataset.from_values(clusters(50_000), SQUARE)


def relative_errors(data, k, epsilon, seeds, **options):
    best = nicv(data, dpcore.baseline(data, k).centers)
    runs = [dpcore.run("coreset", data, k, epsilon, seed=seed, **options) for seed in seeds]
    return [nicv(data, run.centers) / best - 1 for run in runs]


# The schedule: public, and within the budget.


@given(st.integers(0, 10**7), st.integers(1, 50))
def test_every_round_removes_three_eighths_of_a_kth_of_what_is_left(n, k):
    left = n
    for m in removals(n, k, LEFTOVER * n):
        assert left > LEFTOVER * n
        assert m == 3 * left // (8 * k) > 0
        left -= m
    assert left >= 0
    assert left <= LEFTOVER * n or 3 * left < 8 * k


@given(
    st.integers(1, 10**7),
    st.integers(1, 30),
    st.floats(1e-3, 50),
    st.sampled_from([0.0, 1e-8, 1e-5]),
)
def test_all_rounds_are_equally_sharp_and_spend_what_there_is(n, k, epsilon, delta):
    plan = best_plan(n, k, epsilon, delta)
    spent = [plan.epsilon(m) for m in plan.removals]
    if not spent:
        assert plan.accounting is Accounting.PURE
        return
    assert len(spent) >= k
    assert plan.sharpness >= LEAST_SHARPNESS
    assert list(plan.removals) == removals(n, k, LEFTOVER * n)[: len(spent)]
    assert [e * m for e, m in zip(spent, plan.removals, strict=True)] == pytest.approx(
        [plan.sharpness] * len(spent)
    )
    if plan.accounting is Accounting.PURE:
        assert math.fsum(spent) == pytest.approx(epsilon)
    else:
        rho = math.fsum(e**2 / 8 for e in spent)
        assert rho == pytest.approx(rho_of_epsilon(epsilon, delta))


@given(st.integers(1000, 10**7), st.integers(1, 20), st.floats(0.01, 20))
def test_rounds_are_as_many_as_stay_sharp(n, k, epsilon):
    plan = best_plan(n, k, epsilon, 0.0)
    sizes = removals(n, k, LEFTOVER * n)
    rounds = len(plan.removals)
    wanted = SHARPNESS if plan.sharpness >= SHARPNESS else LEAST_SHARPNESS
    if rounds < len(sizes):
        more = max(rounds + 1, k)
        assert epsilon / math.fsum(1 / m for m in sizes[:more]) < wanted or more > len(sizes)


def test_delta_is_used_where_it_allows_more_rounds_and_not_else():
    n, k, epsilon = 1_000_000, 10, 0.38
    pure, zcdp = best_plan(n, k, epsilon, 0.0), best_plan(n, k, epsilon, 1e-8)
    assert (pure.accounting, zcdp.accounting) == (Accounting.PURE, Accounting.ZCDP)
    assert len(zcdp.removals) > len(pure.removals) > 0
    # A few large rounds are cheaper one by one.
    assert best_plan(100_000, 1, 0.02, 1e-8).accounting is Accounting.PURE


def test_an_epsilon_too_small_for_an_account_finds_no_balls_among_any_number_of_rows():
    assert best_plan(10**12, 1, 1.1e-6, 0.0).removals
    assert not best_plan(10**12, 1, 0.9e-6, 0.0).removals


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize(("epsilon", "delta"), [(0.05, 0.0), (0.5, 0.0), (0.5, 1e-8), (8.0, 1e-6)])
def test_charges_add_up_to_the_claim(neighbors, epsilon, delta):
    result = dpcore.run("coreset", CLUSTERS, 4, epsilon, delta, neighbors, seed=0)
    assert math.fsum(c.epsilon for c in result.transcript) == pytest.approx(epsilon, rel=1e-9)
    assert result.epsilon == epsilon
    assert result.delta <= delta
    rest = 1 - SIZE_SHARE if neighbors == "add-remove" else 1
    aside = [c for c in result.transcript if c.mechanism == "set aside"]
    for charge in aside:
        assert charge.epsilon == pytest.approx(BALLS_SHARE * rest * epsilon)
        assert len(charge.inner[0]) == result.facts["rounds"]
        assert charge.inner[0].epsilon <= charge.epsilon * (1 + 1e-9)
    counts = result.transcript[-1]
    part = (1 - BALLS_SHARE if aside else 1) * rest
    assert counts.epsilon == pytest.approx(part * epsilon)
    assert counts.sensitivity == (1 if neighbors == "add-remove" else 2)


def test_with_too_little_for_k_rounds_the_scaffold_is_counted_alone():
    result = dpcore.run("coreset", CLUSTERS, 4, 0.002, seed=0)
    assert result.facts["rounds"] == 0
    assert [c.mechanism for c in result.transcript] == ["two-sided geometric"] * 2
    assert result.epsilon == 0.002


@pytest.mark.parametrize("d", [2, 3, 4])
def test_the_scaffold_is_as_fine_as_counts_can_be_heard_and_never_too_coarse(d):
    box, k = Box.cube(d), 3
    nothing = np.empty((0, d))
    least = len(with_scaffold(nothing, box, k, 1.0))
    most = len(with_scaffold(nothing, box, k, 1e12))
    assert least == SIDES[d].scaffold ** d
    assert 300 * k < most <= 600 * k
    center = np.full((1, d), 0.123)
    together = with_scaffold(center, box, k, 1.0)
    assert len(together) == least + 1
    assert (to_ticks(together) == to_ticks(center)).all(axis=1).any()


# The coreset.


@pytest.mark.parametrize("neighbors", RELATIONS)
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 100.0])
def test_all_weights_are_positive_and_add_up_to_the_rows(neighbors, epsilon):
    result = dpcore.run("coreset", CLUSTERS, 4, epsilon, neighbors=neighbors, seed=1)
    coreset = result.coreset
    assert isinstance(coreset, Coreset)
    assert (coreset.weights > 0).all()
    assert (np.abs(coreset.unit_points) <= 1).all()
    assert len(coreset) == result.facts["points"]
    if neighbors == "replace-one":  # their number is public
        assert coreset.weights.sum() == pytest.approx(CLUSTERS.n)
    else:
        assert coreset.weights.sum() == pytest.approx(CLUSTERS.n, rel=0.1)


def test_any_k_comes_from_one_coreset_at_no_further_cost():
    result = dpcore.run("coreset", TAXI, 5, 4.0, seed=0)
    spent = result.epsilon
    centers = result.coreset.kmeans(k=7, seed=0)
    assert isinstance(centers, PrivateCenters)
    assert np.shape(centers) == (7, 2)
    best = nicv(TAXI, dpcore.baseline(TAXI, 7).centers)
    assert nicv(TAXI, centers) <= 1.1 * best
    estimate = result.coreset.cost(centers) / result.coreset.weights.sum()
    assert estimate == pytest.approx(nicv(TAXI, centers), rel=0.05)
    assert result.epsilon == spent
    frame = result.coreset.to_frame()
    assert list(frame.columns) == [*TAXI.box.names, "weight", "noise", "status"]
    features = json.loads(result.coreset.to_geojson())["features"]
    assert len(frame) == len(features) == len(result.coreset)


@pytest.mark.parametrize(("key", "k"), [("nyc-taxi", 3), ("nyc-taxi", 10), ("s1-like", 15)])
def test_with_hardly_any_noise_it_is_k_means(key, k):
    assert max(relative_errors(dpcore.datasets.load(key), k, 1e5, range(2))) <= 0.005


@pytest.mark.parametrize("options", [{}, {"neighbors": "replace-one"}, {"delta": 1e-6}], ids=str)
def test_at_a_level_that_protects_it_is_near_k_means(options):
    assert np.mean(relative_errors(CLUSTERS, 4, 0.5, range(4), **options)) <= 0.01


@pytest.mark.parametrize("d", [3, 4])
def test_it_works_in_three_and_four_dimensions(d):
    data = RowsDataset.from_values(clusters(20_000, d), Box.cube(d))
    best = nicv(data, dpcore.baseline(data, 4).centers)
    middle = nicv(data, data.box.center[None])
    found = dpcore.run("coreset", data, 4, 1.0, seed=0)
    assert found.facts["rounds"] >= 4
    assert nicv(data, found.centers) <= best + 0.1 * (middle - best)


@pytest.mark.parametrize("d", [1, 5])
def test_it_is_for_two_to_four_dimensions_and_says_so(d):
    data = RowsDataset.from_values(np.zeros((50, d)), Box.cube(d))
    with pytest.raises(Infeasible, match=f"2 to 4 dimensions; these data have {d}"):
        dpcore.run("coreset", data, 1, 1.0)


def test_rows_and_the_same_rows_on_a_grid_give_the_same_answer():
    counts = CLUSTERS.histogram(Grid(SQUARE, 1024)).reshape(1024, 1024)
    grid = GridDataset(counts, SQUARE)
    one, two = (dpcore.run("coreset", data, 4, 0.5, seed=2) for data in (CLUSTERS, grid))
    assert np.array_equal(one.coreset.unit_points, two.coreset.unit_points)
    assert np.array_equal(one.coreset.weights, two.coreset.weights)
    assert np.array_equal(one.centers, two.centers)


def test_rows_spread_thinly_over_the_map_keep_their_weight():
    rng = np.random.default_rng(0)
    crowd = rng.normal(-0.7, 0.02, (180_000, 2))
    thin = rng.uniform(-1, 0.999, (20_000, 2))
    data = RowsDataset.from_values(np.concatenate([crowd, thin]), SQUARE)
    coreset = dpcore.run("coreset", data, 5, 0.2, seed=0).coreset
    far = (coreset.unit_points > -0.5).any(axis=1)
    expected = np.count_nonzero((thin > -0.5).any(axis=1))
    assert coreset.weights[far].sum() == pytest.approx(expected, rel=0.2)


# The step log: what was released, and for the curator alone what was behind it.

RELEASED = {
    "size": {"n"},
    "selection": {"pick"},
    "removal": {"centers", "m"},
    "ball": {"round", "center", "radius", "rows", "epsilon"},
    "counts": {"partition", "counts"},
    "coreset": {"points", "weights"},
    "centers": {"centers"},
}


@pytest.mark.parametrize("algorithm", ["coreset", "coreset-faithful"])
def test_the_step_log_holds_released_values_only_unless_the_curator_keeps_a_journal(algorithm):
    runs = [
        dpcore.run(algorithm, CLUSTERS, 2, 20.0, seed=0, keep_journal=keep)
        for keep in (False, True)
    ]
    public, private = (run.steps for run in runs)
    assert [s.kind for s in public] == [s.kind for s in private]
    for step in public:
        assert set(step.released) == RELEASED[step.kind]
        assert step.truth is None
    asked = [s for s in private if s.kind in ("size", "selection", "removal", "counts")]
    assert all(s.truth is not None for s in asked)
    assert np.array_equal(runs[0].centers, runs[1].centers)


def test_the_steps_are_enough_to_draw_the_algorithm():
    result = dpcore.run("coreset", CLUSTERS, 4, 1.0, seed=0)
    balls = [s.released for s in result.steps if s.kind == "ball"]
    assert [b["round"] for b in balls] == list(range(1, result.facts["rounds"] + 1))
    account = next(c for c in result.transcript if c.inner).inner[0]
    assert [b["epsilon"] for b in balls] == pytest.approx([c.epsilon for c in account])
    removed = [s.released["m"] for s in result.steps if s.kind == "removal"]
    assert [b["rows"] for b in balls] == removed
    assert all(0 < b["radius"] <= 1.1 for b in balls)


def test_the_journal_tells_how_far_the_removed_rows_reached():
    result = dpcore.run("coreset", CLUSTERS, 4, 1.0, seed=0, keep_journal=True)
    left = CLUSTERS.n
    for step in (s for s in result.steps if s.kind == "removal"):
        left -= step.released["m"]
        assert step.truth.value["rows left"] == left
        assert 0 <= step.truth.value["radius"] <= 2 * math.sqrt(2)
