"""Merging centers and points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.kmeans.merging import merge_nearest, merge_points, on_raster


def test_the_two_nearest_centers_join_at_their_weighted_mean():
    centers = np.array([[0.0, 0.0], [0.9, 0.9], [0.3, 0.0], [-0.9, 0.5]])
    merged, sizes = merge_nearest(centers, np.array([20.0, 5.0, 10.0, 7.0]), 3)
    np.testing.assert_allclose(merged, [[0.1, 0.0], [0.9, 0.9], [-0.9, 0.5]])
    assert sizes.tolist() == [30, 5, 7]


def test_joined_centers_are_joined_again():
    centers = np.array([[0.0], [0.1], [0.3], [1.0]])
    merged, sizes = merge_nearest(centers, np.array([1.0, 1.0, 2.0, 4.0]), 2)
    np.testing.assert_allclose(merged, [[0.175], [1.0]])
    assert sizes.tolist() == [4, 4]


def test_noisy_sizes_below_one_count_as_one():
    merged, sizes = merge_nearest(np.array([[0.0], [0.4]]), np.array([-7.0, 0.2]), 1)
    np.testing.assert_allclose(merged, [[0.2]])
    assert sizes.tolist() == [2]


def test_merging_leaves_its_arguments_and_enough_centers_alone():
    centers, sizes = np.array([[0.0], [0.4]]), np.array([3.0, 4.0])
    merged, merged_sizes = merge_nearest(centers, sizes, 5)
    assert (merged.tolist(), merged_sizes.tolist()) == (centers.tolist(), sizes.tolist())
    merge_nearest(centers, sizes, 1)
    assert (centers.tolist(), sizes.tolist()) == ([[0.0], [0.4]], [3.0, 4.0])


def split_one_by_one(points, weights, m):
    """Split the group with the largest weighted spread along one axis at its mean, m - 1 times."""
    groups = [np.arange(len(points))]

    def mean(rows):
        return weights[rows] @ points[rows] / weights[rows].sum()

    def spread(rows):
        return weights[rows] @ (points[rows] - mean(rows)) ** 2

    while len(groups) < m:
        widest = max(groups, key=lambda rows: spread(rows).max())
        if len(widest) == 1:
            break
        axis = spread(widest).argmax()
        above = points[widest, axis] > mean(widest)[axis]
        groups = [g for g in groups if g is not widest] + [widest[above], widest[~above]]
    return {(*np.round(mean(rows), 9), round(weights[rows].sum(), 9)) for rows in groups}


@given(st.integers(0, 2**32), st.integers(1, 50), st.integers(1, 4), st.integers(1, 60))
def test_level_by_level_is_the_same_as_one_by_one(seed, n, d, m):
    rng = np.random.default_rng(seed)
    points, weights = rng.normal(size=(n, d)), rng.random(n) + 0.01
    given_points = points.copy()
    merged, masses = merge_points(points, weights, m)
    assert (points == given_points).all()
    rows = {(*np.round(p, 9), round(w, 9)) for p, w in zip(merged, masses, strict=True)}
    assert rows == split_one_by_one(points, weights, m)


@given(st.integers(0, 2**32), st.integers(1, 80), st.integers(1, 3), st.integers(1, 30))
def test_weight_and_center_of_mass_survive_coincident_points_too(seed, n, d, m):
    rng = np.random.default_rng(seed)
    points, weights = rng.integers(-2, 3, (n, d)) / 3, rng.random(n)
    merged, masses = merge_points(points, weights, m)
    assert len(merged) <= m
    assert len(merged) >= min(m, len(np.unique(points, axis=0)))
    assert masses.sum() == pytest.approx(weights.sum())
    np.testing.assert_allclose(masses @ merged, weights @ points, atol=1e-12)


def test_points_without_weight_are_left_out():
    points = np.array([[0.0], [0.5], [1.0]])
    merged, masses = merge_points(points, np.array([1.0, 0.0, -2.0]), 5)
    assert (merged.tolist(), masses.tolist()) == ([[0.0]], [1.0])


def test_a_raster_keeps_weight_and_mean_of_each_of_its_cells():
    points = np.array([[-0.9, -0.9], [-0.1, -0.5], [0.5, 0.5], [1.0, -1.0]])
    merged, masses = on_raster(points, np.array([1.0, 3.0, 2.0, 5.0]), 2)
    assert merged == pytest.approx(np.array([[-0.3, -0.6], [1.0, -1.0], [0.5, 0.5]]))
    assert masses.tolist() == [4, 5, 2]
