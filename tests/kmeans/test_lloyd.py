"""Lloyd's iteration on grids and points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

from dpcore.kmeans.lloyd import PATIENCE, distinct, lloyd
from dpcore.kmeans.noisy_grid import totals
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.scanline import RowSums


def blobs(seed, n=300, d=2, k=4):
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-0.8, 0.8, (k, d))
    points = middles[rng.integers(0, k, n)] + rng.normal(0, 0.1, (n, d))
    return np.clip(points, -1, 1), rng.random(n) + 0.1, rng


def test_it_ends_where_scikit_learn_ends_from_the_same_start():
    points, weights, _ = blobs(0)
    start = points[:4]
    model = KMeans(4, init=start, n_init=1, tol=0).fit(points, sample_weight=weights)
    centers, inertia = lloyd(WeightedPoints(points, weights), start[None], 300, minimum_weight=0)
    np.testing.assert_allclose(centers[0], model.cluster_centers_, atol=1e-12)
    assert inertia[0] == pytest.approx(model.inertia_)


def test_a_grid_and_its_cells_as_points_give_the_same_centers():
    rng = np.random.default_rng(1)
    counts = rng.integers(0, 9, (16, 16))
    axis = (2 * np.arange(16) - 15) / 16
    cells = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 2)
    starts = rng.uniform(-1, 1, (5, 4, 2))
    on_grid, grid_inertia = lloyd(RowSums(counts), starts, 200)
    on_points, inertia = lloyd(WeightedPoints(cells, counts.ravel()), starts, 200)
    # Centers on a grid are rounded to ticks.
    np.testing.assert_allclose(on_grid, on_points, atol=1e-5)
    np.testing.assert_allclose(grid_inertia, inertia, rtol=1e-6)


def test_starts_in_a_batch_do_not_disturb_each_other():
    points, weights, rng = blobs(2)
    data = WeightedPoints(points, weights)
    starts = rng.uniform(-1, 1, (8, 3, 2))
    together, inertia = lloyd(data, starts, 50)
    for start, centers, cost in zip(starts, together, inertia, strict=True):
        alone, alone_cost = lloyd(data, start[None], 50)
        np.testing.assert_allclose(alone[0], centers)
        assert alone_cost[0] == pytest.approx(cost)


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 3))
def test_signed_weights_never_lose_the_best_centers_met(seed, k, d):
    rng = np.random.default_rng(seed)
    data = totals(rng.integers(-4, 5, (5,) * d))
    starts = rng.uniform(-1, 1, (4, k, d))
    centers, inertia = lloyd(data, starts, 15)
    assert (inertia <= data.step(starts)[2]).all()
    np.testing.assert_allclose(data.step(centers)[2], inertia, atol=1e-9)
    assert np.isfinite(centers).all()
    assert (np.abs(centers) <= 1).all()


def test_a_light_cluster_keeps_its_center():
    data = WeightedPoints([[-0.5], [0.5], [0.6]], [5, 0.4, 0.5])
    start = np.array([[[-0.4], [0.9]]])
    guarded, _ = lloyd(data, start, 10)
    np.testing.assert_allclose(guarded[0], [[-0.5], [0.9]])
    free, _ = lloyd(data, start, 10, minimum_weight=0)
    np.testing.assert_allclose(free[0], [[-0.5], [(0.2 + 0.3) / 0.9]])


def test_a_cluster_of_negative_weight_keeps_its_center():
    data = WeightedPoints([[-0.5], [0.5]], [5, -3])
    centers, _ = lloyd(data, np.array([[[-0.5], [0.9]]]), 10, minimum_weight=0)
    np.testing.assert_allclose(centers[0], [[-0.5], [0.9]])


def test_a_mean_outside_the_box_is_folded_back():
    data = WeightedPoints([[0.5], [0.9]], [-1, 3])
    centers, _ = lloyd(data, np.array([[[0.3]]]), 1)
    # The mean of both is 1.1.
    assert centers[0, 0, 0] == 1


def test_no_iteration_only_scores():
    data = WeightedPoints([[0.5], [-0.5]])
    centers, inertia = lloyd(data, np.array([[[0.0]], [[0.5]]]), 0)
    assert centers.ravel().tolist() == [0, 0.5]
    assert inertia.tolist() == [0.5, 1.0]


def test_distinct_keeps_the_best_of_sets_that_differ_in_order_only():
    a = np.array([[0.1, 0.2], [0.5, -0.5]])
    b = a + 0.5
    sets = np.stack([a, b, a[::-1] + 0.001, b + 0.3])
    kept = distinct(sets, np.array([2.0, 3.0, 1.0, 4.0]), keep=2)
    assert kept.tolist() == [sets[2].tolist(), b.tolist()]
    assert len(distinct(sets, np.array([2.0, 3.0, 1.0, 4.0]), keep=9)) == 3


class AroundInACircle:
    """Weights of which centers never settle, as noise can make them."""

    def __init__(self):
        self.sweeps = 0

    def step(self, centers):
        self.sweeps += 1
        means = np.array([[[0.5, 0.0]], [[-0.5, 0.0]]])[self.sweeps % 2]
        return np.ones((1, 1)), means[None], np.array([float(self.sweeps % 2)])


def test_a_start_that_goes_around_in_vain_is_given_up():
    circle = AroundInACircle()
    centers, inertia = lloyd(circle, np.zeros((1, 1, 2)), 1000)
    assert circle.sweeps == 2 + PATIENCE
    assert inertia[0] == 0
    assert centers[0, 0, 0] == -0.5
