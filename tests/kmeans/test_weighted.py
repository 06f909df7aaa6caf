"""k-means of weighted points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from dpcore.kmeans.lloyd import lloyd
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.seeding import greedy_plus_plus
from dpcore.kmeans.weighted import MOST_POINTS, weighted_kmeans


def clusters(n, d, seed, k=12):
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-0.7, 0.7, (k, d))
    points = middles[rng.integers(0, k, n)] + rng.normal(0, 0.08, (n, d))
    return np.clip(points, -1, 1), rng.gamma(1.0, 1.0, n) + 0.01


@pytest.mark.parametrize(("n", "d", "k"), [(300, 2, 5), (1200, 4, 10), (MOST_POINTS + 999, 2, 8)])
def test_it_is_as_good_as_scikit_learn_with_as_many_restarts(n, d, k):
    points, weights = clusters(n, d, seed=n)
    model = KMeans(k, n_init=20, random_state=0).fit(points, sample_weight=weights)
    centers, cost = weighted_kmeans(points, weights, k, 20, np.random.default_rng(0))
    assert centers.shape == (k, d)
    assert cost <= 1.005 * model.inertia_
    assert cost == pytest.approx(WeightedPoints(points, weights).cost(centers))


def test_it_beats_lloyd_from_the_same_starts_and_is_never_much_worse():
    ratios = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n, d, k, m = (int(rng.integers(*span)) for span in ((30, 400), (1, 6), (2, 13), (1, 20)))
        middles, width = rng.uniform(-0.7, 0.7, (m, d)), rng.uniform(0.02, 0.3)
        points = middles[rng.integers(0, m, n)] + width * rng.standard_normal((n, d))
        # Already where the solver would move and stretch them, so that its starts are these.
        points -= (points.max(axis=0) + points.min(axis=0)) / 2
        points /= np.abs(points).max()
        weights = rng.gamma(1.0, 1.0, n) + 0.01
        starts = greedy_plus_plus(points, weights, k, 40, np.random.default_rng(seed))
        _, plain = lloyd(WeightedPoints(points, weights), starts, 300, 1e-6, minimum_weight=0)
        _, cost = weighted_kmeans(points, weights, k, 40, np.random.default_rng(seed))
        ratios.append(cost / plain.min())
    assert max(ratios) < 1.01
    assert np.mean(ratios) < 0.998


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(1, 25), st.integers(1, 4), st.integers(1, 12))
def test_any_points_give_k_finite_centers_among_them(seed, n, d, k):
    rng = np.random.default_rng(seed)
    points = rng.integers(-3, 4, (n, d)) / 4
    weights = rng.integers(0, 3, n).astype(float)
    centers, cost = weighted_kmeans(points, weights, k, 3, rng)
    assert centers.shape == (k, d)
    assert np.isfinite(centers).all()
    if (weights > 0).any():
        heavy = points[weights > 0]
        assert (centers >= heavy.min(axis=0) - 1e-12).all()
        assert (centers <= heavy.max(axis=0) + 1e-12).all()
        assert cost == pytest.approx(WeightedPoints(points, weights).cost(centers), abs=1e-12)


def test_fewer_points_than_centers_are_the_centers():
    points, weights = np.array([[0.1, 0.2], [0.7, -0.3]]), np.array([1.0, 5.0])
    centers, cost = weighted_kmeans(points, weights, 4, 20, np.random.default_rng(0))
    assert centers.tolist() == [[0.1, 0.2], [0.7, -0.3], [0.7, -0.3], [0.7, -0.3]]
    assert cost == 0


def test_no_points_leave_the_centers_at_the_origin():
    centers, cost = weighted_kmeans(np.empty((0, 3)), np.empty(0), 2, 5, np.random.default_rng(0))
    assert (centers.tolist(), cost) == ([[0, 0, 0]] * 2, 0)


def test_weight_counts_like_repetition():
    points, _ = clusters(100, 2, seed=5)
    times = np.random.default_rng(6).integers(1, 5, 100)
    weighted = weighted_kmeans(points, times, 4, 20, np.random.default_rng(7))
    repeated = np.repeat(points, times, axis=0)
    plain = weighted_kmeans(repeated, np.ones(len(repeated)), 4, 20, np.random.default_rng(8))
    assert weighted[1] == pytest.approx(plain[1])


def test_scale_and_position_do_not_matter():
    points, weights = clusters(400, 2, seed=9)
    centers, cost = weighted_kmeans(points, weights, 6, 20, np.random.default_rng(0))
    moved, moved_cost = weighted_kmeans(
        points * 1e-4 + 0.7, weights * 1e-9, 6, 20, np.random.default_rng(0)
    )
    back = (moved - 0.7) * 1e4
    np.testing.assert_allclose(
        back[back[:, 0].argsort()], centers[centers[:, 0].argsort()], atol=1e-3
    )
    assert moved_cost == pytest.approx(cost * 1e-17, rel=1e-4)


def test_the_same_generator_gives_the_same_centers():
    points, weights = clusters(500, 3, seed=10)
    first, second = (
        weighted_kmeans(points, weights, 7, 5, np.random.default_rng(1))[0] for _ in range(2)
    )
    assert (first == second).all()


def test_very_many_points_are_clustered_as_well_as_by_lloyd_on_all_of_them():
    rng = np.random.default_rng(0)
    middles = rng.uniform(-1, 1, (6, 2))
    points = middles[rng.integers(6, size=60_000)] + 0.08 * rng.standard_normal((60_000, 2))
    weights = rng.exponential(size=60_000)
    centers, cost = weighted_kmeans(points, weights, 6, 10, rng)
    everything = WeightedPoints(points, weights)
    _, best = lloyd(everything, middles[None], iterations=50, tolerance=1e-6, minimum_weight=0)
    assert cost == pytest.approx(everything.cost(centers))
    assert cost <= best[0] * 1.00001
