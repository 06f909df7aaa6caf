"""Joshi and Thakkar (2022): zones around noisy means are free, exact ones give rows away."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.guarantee import (
    distances,
    drawn_by_distance,
    drawn_towards,
    in_ball,
    onwards,
)
from dpcore.algorithms.subclustering import Directions, drawn_row, heavy_ways
from dpcore.geometry.domain import to_ticks
from dpcore.privacy.accounting import Neighbors
from dpcore.queries.unprotected_data import UnprotectedData
from dpcore.study.metrics import nicv
from tests.algorithms.same_data import as_grid_and_rows

REPAIRED = ["kmeans-guarantee", "subclustering"]
PUBLISHED = ["kmeans-guarantee-published", "subclustering-published"]
DATA = dpcore.datasets.load("s1-like")


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("key", REPAIRED)
def test_rounds_share_epsilon_and_only_means_and_counts_are_paid_for(key, neighbors):
    result = dpcore.run(key, DATA, 4, 0.7, neighbors=neighbors, seed=0)
    assert result.epsilon == 0.7
    for i in range(5):
        charged = [c.epsilon for c in result.transcript if c.why.startswith(f"round {i + 1} of 5")]
        assert sum(charged) == pytest.approx(0.7 / 5)
    directions = sum(c.epsilon for c in result.transcript if "direction" in c.why)
    assert directions == pytest.approx(0.2 * 0.7 if key == "subclustering" else 0)


@pytest.mark.parametrize("key", REPAIRED)
def test_without_noise_the_centers_settle_where_lloyd_does(key):
    result = dpcore.run(key, DATA, 4, 1e6, rounds=60, seed=1)
    centers = DATA.box.to_unit(np.asarray(result.centers))
    np.testing.assert_allclose(UnprotectedData(DATA).cluster_means(centers), centers, atol=0.02)


def test_as_its_zones_shrink_the_published_center_becomes_the_exact_mean():
    result = dpcore.run(
        "kmeans-guarantee-published", DATA, 3, 1.0, rounds=100, final_noise=False, seed=0
    )
    centers = DATA.box.to_unit(np.asarray(result.centers))
    np.testing.assert_allclose(UnprotectedData(DATA).cluster_means(centers), centers, atol=1e-4)


def test_the_published_subclustering_releases_rows_of_the_data():
    result = dpcore.run("subclustering-published", DATA, 5, 1.0, final_noise=False, seed=0)
    ticks, _ = DATA.positions()
    rows = {tuple(t) for t in ticks.tolist()}
    released = to_ticks(DATA.box.to_unit(np.asarray(result.centers)))
    assert all(tuple(t) in rows for t in released.tolist())


@pytest.mark.parametrize("key", PUBLISHED)
def test_published_forms_book_their_claim_and_are_not_private(key):
    result = dpcore.run(key, DATA, 3, 1.0, seed=0)
    assert sum(c.epsilon for c in result.transcript) == pytest.approx(1.0)
    assert result.epsilon == math.inf
    quiet = dpcore.run(key, DATA, 3, 1.0, final_noise=False, seed=0)
    assert nicv(DATA, quiet.centers) < nicv(DATA, result.centers)
    start = next(s for s in result.steps if s.kind == "start").released["centers"]
    ticks, _ = DATA.positions()
    assert (ticks[None] == to_ticks(start)[:, None]).all(axis=2).any(axis=1).all()


@pytest.mark.parametrize("d", [1, 2, 9])
def test_a_sampling_zone_lies_between_the_mean_and_the_rim_of_the_convergent_zone(d):
    rng = np.random.default_rng(0)
    means, old = rng.uniform(-0.5, 0.5, (40, d)), rng.uniform(-0.5, 0.5, (40, d))
    directions = onwards(means, old, rng)
    drawn = drawn_towards(means, old, directions, 1.0, rng)
    radius = distances(means, old)
    assert (distances(drawn, means) <= radius * (1 + 1e-9)).all()
    assert (distances(drawn, means + directions * radius[:, None] / 2) <= radius * 0.51).all()
    np.testing.assert_allclose(distances(directions, 0 * directions)[: 40 if d > 1 else 0], 1)
    assert ((directions * (means - old)).sum(axis=1) >= -1e-12).all()


def test_a_center_that_is_its_mean_already_stays():
    rng = np.random.default_rng(0)
    means = np.array([[0.1, 0.2]])
    drawn = drawn_towards(means, means, onwards(means, means, rng), 1.0, rng)
    np.testing.assert_array_equal(drawn, means)


def test_points_in_the_ball_are_uniform():
    points = in_ball(4000, 3, np.random.default_rng(0))
    radii = np.sort((points**2).sum(axis=1) ** 1.5)
    np.testing.assert_allclose(radii, np.linspace(0, 1, 4000), atol=0.03)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=0.03)


def test_near_points_are_likelier_the_more_the_larger_epsilon():
    rng = np.random.default_rng(0)
    points, mean = np.array([[0.0, 0.0], [1.0, 1.0]]), np.zeros(2)
    for epsilon in (1.0, 5.0):
        picks = [drawn_by_distance(points, mean, epsilon, rng)[0] == 0 for _ in range(3000)]
        odds = math.exp(epsilon * math.sqrt(2) / (2 * 2 * math.sqrt(2)))
        assert np.mean(picks) == pytest.approx(odds / (1 + odds), abs=0.03)


def test_directions_are_told_by_the_axis_along_which_a_row_is_farthest():
    centers = np.array([[-0.5, 0.0], [0.5, 0.0]])
    means = np.array([[-0.5, 0.3], [0.5, 0.2]])
    rows = {
        (-0.4, 0.35): 1,  # right of the first mean
        (-0.6, 0.35): 0,  # left
        (-0.45, 0.4): 3,  # above
        (0.5, 0.1): 6,  # below the second mean
        (0.65, 0.3): 5,  # right
        (0.75, 0.2): -1,  # beyond its zone
        (-0.5, -0.1): -1,
    }
    directions = Directions(centers, means)
    assert directions.n_cells == 8
    assert directions.labels(to_ticks(list(rows))).tolist() == list(rows.values())


def test_a_way_is_drawn_among_the_heaviest_by_count():
    rng = np.random.default_rng(0)
    counts = np.array([[30, 10, -5, 20], [-1, 0, -2, -3]])
    drawn = [heavy_ways(counts, 2, rng) for _ in range(2000)]
    assert all((ways[1] == 0).all() for ways in drawn)
    left = np.mean([ways[0, 0] == -1 for ways in drawn])
    up = np.mean([ways[0, 1] == 1 for ways in drawn])
    assert left == pytest.approx(0.6, abs=0.04)
    assert left + up == 1


def test_a_published_row_comes_from_a_group_drawn_by_its_size():
    rng = np.random.default_rng(0)
    places = np.array([[0.0, 0.0]] * 3 + [[0.5, 0.5]])
    drawn = [drawn_row(places, np.ones(4), np.zeros(2), 2, 1.0, rng)[0] for _ in range(1000)]
    assert np.mean(np.array(drawn) == 0.5) == pytest.approx(0.25, abs=0.05)


@pytest.mark.parametrize("key", REPAIRED)
def test_a_grid_and_its_rows_give_the_same_centers(key):
    a, b = (dpcore.run(key, data, 3, 2.0, seed=4).centers for data in as_grid_and_rows())
    np.testing.assert_allclose(a, b, atol=1e-4)


@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
@pytest.mark.parametrize("rows", [[], [[0.2, -0.3]], [[0.5, 0.5]] * 30])
@pytest.mark.parametrize("key", [*REPAIRED, *PUBLISHED])
def test_degenerate_data_give_finite_centers(key, rows, epsilon):
    data = dpcore.datasets.from_array(np.reshape(rows, (-1, 2)), (-1, 1))
    centers = np.asarray(dpcore.run(key, data, 3, epsilon, seed=0).centers)
    assert centers.shape == (3, 2)
    assert np.isfinite(centers).all()
    assert key in PUBLISHED or (np.abs(centers) <= 1).all()
