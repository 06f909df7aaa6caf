"""lift: what it asks, what it costs, and that it finds clusters where noise lets it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import dpcore
from dpcore.algorithms._coarse_grid import PLANS, from_tree, on_points, picture, start_on
from dpcore.algorithms._matched_points import LoosePoints, of_sum
from dpcore.algorithms._offset_rounds import OffsetCells, OffsetRound
from dpcore.algorithms.lift import Rough, best_terms
from dpcore.datasets.rows import RowsDataset, from_array
from dpcore.geometry.domain import Box, Grid, to_ticks
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.queries.curator import Curator
from dpcore.release import certificate
from dpcore.release.recomputed_spending import overspent
from dpcore.results.run_result import UnchargedResult
from dpcore.study.metrics import nicv
from tests.exact_noise import ExactNoise

ADD_REMOVE = Neighbors.ADD_REMOVE


def clusters(n, d, k=3, spread=0.05, seed=0):
    """Rows around k middles that keep their distance, and the middles."""
    rng = np.random.default_rng(seed)
    middles = rng.choice([-0.5, 0.5], (k, d))
    while len(np.unique(middles, axis=0)) < k:
        middles = rng.choice([-0.5, 0.5], (k, d))
    rows = middles[np.arange(n) % k] + spread * rng.standard_normal((n, d))
    return from_array(rows, (-1, 1), outside="clip"), middles


def charges(transcript):
    for charge in transcript:
        yield charge
        for account in charge.inner:
            yield from charges(account)


@pytest.mark.parametrize("d", [3, 6, 7, 20])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_with_a_large_epsilon_it_finds_the_clusters(d, delta):
    data, middles = clusters(3000, d)
    result = dpcore.run("lift", data, 3, 1e4, delta, seed=0)
    assert nicv(data, result.centers) < 1.02 * nicv(data, middles)


@pytest.mark.parametrize("relation", list(Neighbors))
def test_evenly_spread_rows_are_divided_as_well_as_without_privacy(relation):
    data = from_array(np.random.default_rng(0).uniform(-1, 1, (20_000, 3)), (-1, 1))
    best = nicv(data, dpcore.baseline(data, 8, 0).centers)
    for seed in range(3):
        result = dpcore.run("lift", data, 8, 2.0, 0.0, relation, seed=seed)
        assert nicv(data, result.centers) < 1.01 * best


def test_points_where_a_round_heard_nobody_pull_no_center():
    points = np.array([[0.5, 0.5, 0.5], [0.4, 0.5, 0.5], [-0.9, -0.9, -0.9]])
    loose = LoosePoints(points, np.array([60.0, 40, 30]), np.full(3, 9.0), np.zeros(3))
    asked = points[[0, 2]]
    for rows, noise in ((5.0, 10.0), (90.0, 1.0)):
        cells = OffsetCells(asked, np.array([100.0, rows]), noise, np.full(2, 0.01))
        (center,) = on_points(loose, np.zeros((1, 3)), [OffsetRound(asked, cells)])
        assert (center[0] > 0.4) == (rows < noise)


@pytest.mark.parametrize("relation", list(Neighbors))
@pytest.mark.parametrize("d", [3, 8, 11, 20])
def test_rounds_are_as_private_as_is_claimed_and_spend_it(d, relation):
    data, _ = clusters(3000, d)
    for epsilon in (0.05, 1.0, 30.0):
        for delta in (0.0, 1e-6):
            result = dpcore.run("lift", data, 3, epsilon, delta, relation, seed=1)
            assert result.epsilon == pytest.approx(epsilon, rel=1e-9)
            assert result.delta <= delta
            for charge in charges(result.transcript):
                for account in charge.inner:
                    assert account.epsilon == pytest.approx(account.budget.epsilon, rel=1e-9)


def test_in_many_dimensions_a_delta_buys_gaussian_noise_in_an_account_of_its_own():
    data, _ = clusters(5000, 20)
    mechanisms = [
        {c.mechanism for c in charges(dpcore.run("lift", data, 3, 1.0, delta, seed=0).transcript)}
        for delta in (0.0, 1e-6)
    ]
    assert mechanisms == [
        {"two-sided geometric"},
        {"two-sided geometric", "set aside", "discrete Gaussian"},
    ]


def test_counts_are_more_exact_beside_gaussian_noise_and_cost_a_tenth_of_the_offsets_at_most():
    """Of L2 norm, a count beside an offset hardly makes a row longer."""
    terms = best_terms(30_000, 8, Budget(0.5, 1e-6), ADD_REMOVE)
    offsets = terms.offsets(np.zeros((5, 8)), 1.0)
    usual = replace(terms, count_weight=0.3).offsets(np.zeros((5, 8)), 1.0)
    dearer = terms.noise(offsets, 1.0) / terms.noise(usual, 1.0)
    assert terms.gaussian
    assert dearer < 1.1
    assert dearer / (offsets.weight / usual.weight) < 0.7


def test_with_geometric_noise_a_tree_starts_the_rounds_in_up_to_ten_dimensions():
    """Where rows are enough for one; in more dimensions the covariance does."""
    for n, d, told in ((3000, 10, "tree"), (900, 10, "level"), (20_000, 11, "products")):
        transcript = dpcore.run("lift", clusters(n, d)[0], 3, 0.5, seed=0).transcript
        asked = [charge.why for charge in charges(transcript)]
        is_tree = any("rows in each cell" in why for why in asked)
        assert (is_tree, "products" in asked) == (told == "tree", told == "products")


def test_with_geometric_noise_what_the_products_cost_can_be_checked():
    data, _ = clusters(5000, 11)
    account = certificate.account(dpcore.run("lift", data, 3, 10.0, seed=0).transcript)
    assert overspent(account) is None
    (products,) = (charge for charge in account["charges"] if charge["why"] == "products")
    products["scale"] *= 0.9
    assert "too small" in overspent(account)


def test_where_gaussian_noise_would_be_the_greater_geometric_noise_is_taken():
    assert not best_terms(100, 8, Budget(0.5, 1e-12), ADD_REMOVE).gaussian
    assert best_terms(30_000, 64, Budget(0.5, 1e-6), ADD_REMOVE).gaussian
    assert not best_terms(30_000, 64, Budget(0.5, 1e-19), ADD_REMOVE).gaussian


@pytest.mark.parametrize("relation", list(Neighbors))
@pytest.mark.parametrize("d", [4, 13])
def test_where_noise_drowns_all_it_is_hardly_worse_than_the_box_center(d, relation):
    rng = np.random.default_rng(3)
    data = from_array(0.3 * rng.standard_normal((150, d)) + 0.2, (-1, 1), outside="clip")
    center = nicv(data, np.zeros((1, d)))
    for epsilon in (1e-6, 1e-3, 0.02):
        found = [
            nicv(data, dpcore.run("lift", data, 3, epsilon, 1e-6, relation, seed=s).centers)
            for s in range(10)
        ]
        assert np.mean(found) < 1.25 * center


def test_a_million_rows_cost_hardly_more_than_their_noise():
    """As epsilon grows the centers of one cluster become its mean, in either accounting."""
    rows = np.clip(0.2 + 0.1 * np.random.default_rng(0).standard_normal((4000, 9)), -1, 1)
    data = from_array(rows, (-1, 1), outside="clip")
    for delta in (0.0, 1e-6):
        result = dpcore.run("lift", data, 1, 1e6, delta, seed=0)
        np.testing.assert_allclose(np.asarray(result.centers)[0], rows.mean(axis=0), atol=2e-3)


@pytest.mark.parametrize("d", [1, 3, 9])
@pytest.mark.parametrize("rows", ["none", "one", "same", "corners"])
@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_degenerate_rows_give_centers_in_the_box(d, rows, delta):
    values = {
        "none": np.empty((0, d)),
        "one": np.full((1, d), 0.4),
        "same": np.full((500, d), -0.3),
        "corners": np.repeat([[0.999] * d, [-0.999] * d], 300, axis=0),
    }[rows]
    data = from_array(values, (-1, 1))
    for epsilon in (0.01, 1.0, 1e6):
        for k in (1, 7):
            centers = np.asarray(dpcore.run("lift", data, k, epsilon, delta, seed=0).centers)
            assert centers.shape == (k, d)
            assert (np.abs(centers) <= 1).all()


@pytest.mark.parametrize(("d", "delta"), [(3, 0.0), (9, 0.0), (9, 1e-6), (12, 0.0)])
def test_it_runs_on_noise_that_may_be_released(d, delta):
    data, middles = clusters(3000, d)
    result = dpcore.run("lift", data, 3, 20.0, delta, noise=ReleaseNoise())
    assert type(result) is UnchargedResult
    assert nicv(data, result.centers) < 2 * nicv(data, middles)


def test_its_gaussian_account_can_be_checked_by_whoever_reads_the_certificate():
    data, _ = clusters(5000, 20)
    account = certificate.account(dpcore.run("lift", data, 3, 1.0, 1e-6, seed=0).transcript)
    assert overspent(account) is None
    rounds = account["charges"][1]["inner"][0]
    assert rounds["accounting"] == "gaussian"
    rounds["charges"][0]["scale"] *= 0.9
    assert "too small" in overspent(account)
    rounds["charges"][0] |= {"scale": 1e9, "sensitivity": 2.0**10}
    assert "fine units" in overspent(account)
    rounds["charges"][0] |= {"sensitivity": 2.0**21, "rho": 2 * rounds["charges"][0]["rho"]}
    assert "are epsilon" in overspent(account)


def test_too_many_coordinates_are_refused_in_words():
    data = from_array(np.zeros((2, 4097)), (-1, 1))
    with pytest.raises(dpcore.Infeasible, match="4,096"):
        dpcore.run("lift", data, 1, 1.0)


def test_what_is_left_above_a_threshold_sums_to_the_total():
    counts = np.array([10.0, -3, 4, 2, -8])
    left = of_sum(counts, 9.0)
    np.testing.assert_allclose(left, [7.5, 0, 1.5, 0, 0])
    assert of_sum(counts, 100.0).sum() == pytest.approx(100)


@pytest.mark.parametrize("side", [2, 12])
def test_a_picture_without_noise_is_the_grid_itself(side):
    grid = Grid(Box.cube(3), side)
    counts = np.zeros(grid.n_cells, dtype=np.int64)
    counts[[0, -1]] = 40, 60
    points, weights = picture(grid, counts, 1e-6, 100)
    cells = grid.labels(to_ticks(points))
    np.testing.assert_allclose(np.bincount(cells, weights, grid.n_cells), counts, atol=0.01)


def test_what_is_known_of_all_rows_leans_on_the_guess_as_noise_grows():
    sums = np.array([1000.0, 300.0, 200.0])
    sure = Rough.of(sums, 1e-6, 5)
    assert (sure.n, sure.level) == (pytest.approx(1000), pytest.approx(0.3))
    assert sure.variance == pytest.approx(5 * (0.2 - 0.09))
    drowned = Rough.of(sums, 1e6, 5)
    assert abs(drowned.level) < 0.01
    assert drowned.variance == pytest.approx(5 * 0.2, rel=0.2)
    assert math.isfinite(Rough.of(-sums, 10.0, 5).variance)


def test_a_tree_without_a_leaf_leaves_rows_anywhere():
    """Noise may promise rows where there are none."""
    empty = RowsDataset.from_values(np.empty((0, 3)), Box.cube(3))
    curator = Curator(empty, Budget(1.0), ExactNoise(), rng=np.random.default_rng(0))
    outcome = from_tree(curator, 4, 5000, 0.95, PLANS[-1])
    assert len(outcome.synopsis) == 0
    assert np.isfinite(outcome.centers).all()


def test_a_lone_point_of_a_large_leaf_may_be_far_from_its_rows():
    points = np.array([[-0.5, 0, 0], [-0.4, 0, 0], [0.5, 0, 0]])
    weights, room = np.array([500.0, 500, 100]), np.array([0.001, 0.001, 0.1])
    loose = LoosePoints(points, weights, np.ones(3), room)
    centers = np.array([[-0.45, 0, 0], [0.5, 0, 0], [0.9, 0.9, 0.9]])
    start = start_on(loose, centers, 1000 * 0.05**2, with_counts=True)
    energy = start.energy
    np.testing.assert_allclose(start.counts.rows, [1000, 100, 0])
    # Leaves are those whose counts are high, so each counts for half.
    np.testing.assert_allclose(start.counts.noise, [2, 2**0.5, np.inf])
    assert energy[0] == pytest.approx(0.0035, rel=0.2)
    assert energy[1] == pytest.approx(0.1, rel=0.4)
    # Nobody is near the third: its rows may lie as far away as those of all.
    assert energy[2] == pytest.approx((1000 * 0.0035 + 100 * 0.1) / 1100)


def test_clusters_in_a_tenth_of_the_box_are_found_in_three_dimensions():
    rng = np.random.default_rng(0)
    middles = -0.8 + rng.uniform(0, 0.2, (6, 3))
    rows = middles[rng.integers(0, 6, 20_000)] + 0.005 * rng.standard_normal((20_000, 3))
    data = RowsDataset.from_values(rows, Box.cube(3))
    best = nicv(data, dpcore.baseline(data, 6).centers)
    result = dpcore.run("lift", data, 6, 1.0, seed=0)
    assert nicv(data, result.centers) <= 1.1 * best
    assert result.synopsis.weights.sum() == pytest.approx(20_000, rel=0.02)


@pytest.mark.parametrize("d", [8, 20])
def test_clusters_along_a_line_are_found_in_many_dimensions_without_a_delta(d):
    rng = np.random.default_rng(0)
    along = np.linspace(-0.8, 0.8, 5)[rng.integers(0, 5, 20_000)]
    rows = along[:, None] + 0.03 * rng.standard_normal((20_000, d))
    data = from_array(rows, (-1, 1))
    best = nicv(data, dpcore.baseline(data, 5).centers)
    for seed in range(3):
        assert nicv(data, dpcore.run("lift", data, 5, 1.0, seed=seed).centers) < 1.1 * best


def test_a_box_much_wider_than_the_rows_costs_little_in_many_dimensions():
    """The first question tells how little of the box the rows fill."""
    rng = np.random.default_rng(1)
    middles = rng.uniform(-0.85, 0.85, 20) + 0.08 * rng.uniform(-1, 1, (5, 20))
    rows = middles[rng.integers(0, 5, 20_000)] + 0.005 * rng.standard_normal((20_000, 20))
    data = from_array(rows, (-1, 1))
    best = nicv(data, dpcore.baseline(data, 5).centers)
    for seed in range(3):
        assert nicv(data, dpcore.run("lift", data, 5, 0.3, 1e-6, seed=seed).centers) < 1.1 * best
