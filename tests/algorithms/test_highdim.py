"""Balcan et al. (2017) in many dimensions: the repaired budget, the limit, the published slip."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.highdim import HighDimPlan
from dpcore.datasets.generated import gaussians
from dpcore.datasets.rows import from_array
from dpcore.errors import Infeasible
from dpcore.geometry.domain import TICKS
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.results.centers import NonPrivateCenters
from dpcore.results.run_result import UnchargedResult
from dpcore.study.metrics import nicv
from tests.algorithms.same_data import as_grid_and_rows

KEYS = ["highdim", "highdim-kmedian"]


def clusters(k, d, n, seed=0):
    return from_array(gaussians(k, d, n, seed), (-1, 1))


def booked(result, words):
    """What the charges that speak of something came to, as a share of the whole."""
    return math.fsum(c.epsilon for c in result.transcript if words in c.why) / result.epsilon


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("d", "radius"), [(3, 1.0), (30, 1.0), (30, 0.8)])
def test_without_noise_the_clusters_and_their_centers_are_found(key, d, radius):
    data = clusters(3, d, 3000)
    best = nicv(data, dpcore.baseline(data, 3).centers)
    result = dpcore.run(key, data, 3, 1e6, radius=radius, seed=1)
    assert nicv(data, result.centers) <= 1.001 * best


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_each_stage_spends_its_share(key, neighbors):
    result = dpcore.run(key, clusters(3, 4, 3000), 3, 100.0, neighbors=neighbors, seed=0)
    rest = 0.95 if neighbors.size_is_private else 1.0
    assert result.epsilon == 100
    for stage in ("parts of level", ("swap", "best set met"), ("rows in each", "sums", "pulls")):
        words = (stage,) if isinstance(stage, str) else stage
        assert sum(booked(result, w) for w in words) == pytest.approx(rest / 3)
    assert booked(result, "number of rows") == pytest.approx(1 - rest)


@pytest.mark.parametrize(("neighbors", "moved"), [("add-remove", 1), ("replace-one", 2)])
@pytest.mark.parametrize("radius", [1.0, 0.5])
def test_the_noise_on_sums_covers_all_coordinates_of_a_row(neighbors, moved, radius):
    d = 49
    data = clusters(2, d, 500)
    result = dpcore.run("highdim", data, 2, 1.0, neighbors=neighbors, radius=radius, seed=0)
    sums = next(c for c in result.transcript if "sums of positions" in c.why)
    row = math.sqrt(d) * radius
    assert sums.sensitivity == pytest.approx(moved * math.sqrt(d) * row * TICKS)


def test_a_published_run_covers_one_coordinate_only_and_is_not_private():
    d = 49
    data = clusters(2, d, 500)
    result = dpcore.run("highdim-published", data, 2, 1.0, neighbors="replace-one", seed=0)
    ticks, _ = data.positions()
    longest = math.sqrt((ticks**2).sum(axis=1).max())
    sums = next(c for c in result.transcript if "sums of positions" in c.why)
    assert sums.sensitivity == pytest.approx(2 * longest)
    assert result.epsilon == math.inf
    assert isinstance(result.centers, NonPrivateCenters)
    noisy = dpcore.run(
        "highdim-published", data, 2, 1.0, neighbors="replace-one", counts="noisy", seed=0
    )
    assert len(noisy.transcript) == len(result.transcript) + 1


def test_with_the_published_slips_the_run_looks_far_better_than_it_may():
    data = clusters(4, 100, 5000)
    costs = {"highdim": 0.0, "highdim-published": 0.0}
    for key in costs:
        for seed in range(3):
            result = dpcore.run(key, data, 4, 1.0, neighbors="replace-one", seed=seed)
            costs[key] += nicv(data, result.centers)
    assert costs["highdim-published"] < 0.5 * costs["highdim"]


def test_the_constants_of_the_theorems_cut_no_cube_on_any_data_at_hand():
    """At 5,000 rows and epsilon 1 a cube would need some 100 million rows to be cut."""
    plan = HighDimPlan.published(5000, 100, 4)
    assert (plan.partitions, plan.trials, plan.dimensions) == (1169, 5, 69)
    share = 0.6 / plan.trials / 3 / plan.partitions / (plan.levels - 1)
    assert 2 * plan.log_margin / share > 1e8
    tiny = clusters(1, 2, 12)
    result = dpcore.run(
        "highdim", tiny, 1, 1.0, constants="published", neighbors="replace-one", seed=0
    )
    assert not any("level 2" in c.why for c in result.transcript)
    assert booked(result, "best trial") == pytest.approx(0.4 / result.epsilon)
    assert result.epsilon <= 1


def test_a_run_that_would_take_hours_is_refused():
    data = clusters(10, 20, 50_000)
    with pytest.raises(Infeasible, match="practical constants"):
        dpcore.run("highdim", data, 10, 1.0, constants="published", neighbors="replace-one")


def test_the_median_stays_where_most_rows_are():
    rng = np.random.default_rng(0)
    rows = 0.01 * rng.standard_normal((1000, 2)) + [0.2, 0.0]
    rows[:150] = [-0.9, 0.0]
    data = from_array(rows, (-1, 1))
    mean, median = (float(dpcore.run(key, data, 1, 1e5, seed=0).centers[0, 0]) for key in KEYS)
    assert mean == pytest.approx(0.2 - 0.15 * 1.1, abs=0.01)
    assert mean + 0.05 < median < 0.21


@pytest.mark.parametrize("key", [*KEYS, "highdim-published"])
def test_a_grid_and_its_rows_give_the_same_centers(key):
    a, b = (
        dpcore.run(key, data, 3, 2.0, neighbors="replace-one", seed=4).centers
        for data in as_grid_and_rows()
    )
    np.testing.assert_allclose(a, b, atol=1e-5)


def test_many_coordinates_and_many_clusters_are_feasible():
    data = clusters(64, 500, 640)
    result = dpcore.run("highdim", data, 64, 1.0, seed=0)
    assert result.centers.shape == (64, 500)
    assert (np.abs(np.asarray(result.centers)) <= 1).all()


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_the_smallest_and_the_largest_budget_are_kept(key, neighbors):
    data = clusters(3, 8, 400)
    for epsilon in (1e-6, 1e6):
        result = dpcore.run(key, data, 3, epsilon, neighbors=neighbors, seed=0)
        assert result.epsilon <= epsilon * (1 + 1e-9)
        assert np.isfinite(np.asarray(result.centers)).all()


def test_images_are_asked_for_under_the_same_transcript():
    from dpcore.geometry.row_maps import Projection

    data = clusters(2, 5, 50)
    curator = Curator(data, Budget(1.0), SimulatedNoise(0))
    image = curator.mapped(Projection.shrinking(5, 3.0))
    image.size(0.5)
    assert curator.transcript.epsilon == 0.5
    assert image.d == 5
    assert curator.d == 5


def test_a_release_needs_nothing_but_exact_samplers():
    from dpcore.privacy.release_noise import ReleaseNoise

    result = dpcore.run("highdim", clusters(2, 8, 400), 2, 5.0, noise=ReleaseNoise())
    assert isinstance(result, UnchargedResult)
    assert result.epsilon <= 5
