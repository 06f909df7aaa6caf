"""Where Lloyd starts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.kmeans.seeding import greedy_plus_plus, sphere_packing, uniform_starts


def least_gap(centers):
    """Half the distance of the two nearest centers."""
    gaps = np.linalg.norm(centers[:, None] - centers, axis=2)
    return (gaps + np.diag(np.full(len(centers), np.inf))).min() / 2


@given(st.integers(1, 8), st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**32))
def test_packed_spheres_of_one_radius_fit_into_the_box(k, d, starts, seed):
    packed = sphere_packing(k, d, starts, np.random.default_rng(seed))
    assert packed.shape == (starts, k, d)
    for centers in packed:
        # Eight intervals of half-width 1/8 would fill [-1, 1]; random ones do less well.
        assert min(least_gap(centers), 1 - np.abs(centers).max()) > 0.02


def test_packings_are_far_better_spread_than_uniform_draws():
    rng = np.random.default_rng(0)
    packed = np.mean([least_gap(c) for c in sphere_packing(10, 2, 50, rng)])
    drawn = np.mean([least_gap(c) for c in uniform_starts(10, 2, 50, rng)])
    assert packed > 2.5 * drawn
    # Ten equal disks fit into the square with a radius of .296 at best.
    assert 0.2 < packed < 0.296


def test_two_packed_intervals_nearly_fill_the_line():
    packed = sphere_packing(2, 1, 200, np.random.default_rng(1))
    assert np.median([least_gap(centers) for centers in packed]) > 0.44


def test_every_start_is_another_draw_and_a_seed_repeats_them():
    first = sphere_packing(4, 3, 5, np.random.default_rng(2))
    assert (first == sphere_packing(4, 3, 5, np.random.default_rng(2))).all()
    assert len(np.unique(first, axis=0)) == 5


def test_uniform_starts_fill_the_box():
    starts = uniform_starts(5, 2, 1000, np.random.default_rng(3))
    assert starts.shape == (1000, 5, 2)
    assert np.abs(starts).max() <= 1
    assert np.abs(starts.mean(axis=(0, 1))).max() < 0.05


def test_greedy_starts_find_every_one_of_far_clusters():
    rng = np.random.default_rng(4)
    middles = rng.permutation(np.stack(np.meshgrid([-1, 0, 1], [-1, 0, 1]), -1).reshape(-1, 2))
    points = (middles[:, None] + rng.normal(0, 0.01, (9, 40, 2))).reshape(-1, 2)
    found = greedy_plus_plus(points, np.ones(len(points)), 9, 10, rng)
    for centers in found:
        assert len({tuple(c) for c in np.rint(centers)}) == 9


def test_starts_are_points_and_points_without_weight_are_never_taken():
    rng = np.random.default_rng(5)
    points = rng.uniform(-1, 1, (30, 3))
    weights = np.where(np.arange(30) < 20, rng.random(30), 0)
    taken = {tuple(p) for p in greedy_plus_plus(points, weights, 6, 50, rng).reshape(-1, 3)}
    assert taken <= {tuple(p) for p in points[:20]}


def test_the_first_start_follows_the_weights():
    points = np.array([[-1.0], [1.0]])
    found = greedy_plus_plus(points, np.array([3.0, 1.0]), 1, 4000, np.random.default_rng(6))
    assert np.mean(found == -1) == pytest.approx(0.75, abs=0.03)


def test_fewer_distinct_points_than_centers_are_taken_again():
    points = np.repeat([[0.5, 0.5], [-0.5, 0.1]], 5, axis=0)
    found = greedy_plus_plus(points, np.ones(10), 4, 3, np.random.default_rng(7))
    for centers in found:
        assert {tuple(c) for c in centers} == {(0.5, 0.5), (-0.5, 0.1)}
