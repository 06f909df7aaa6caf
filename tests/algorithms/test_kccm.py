"""DP-KCCM and its ablations: twelve rounds, even or growing shares, merged or not."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.kccm import EVEN, GROWING
from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import Box
from dpcore.kmeans.merging import merge_nearest
from tests.exact_noise import ExactNoise

KEYS = ["average-k", "allocation-k", "average-nk", "dp-kccm"]


def data(n=3000, d=2):
    rng = np.random.default_rng(0)
    middles = np.array([[-0.6, -0.6], [0.6, -0.6], [0.0, 0.6]])[:, :d]
    return RowsDataset.from_values(
        middles[np.arange(n) % 3] + rng.uniform(-0.1, 0.1, (n, d)), Box.cube(d)
    )


def by_first(centers):
    centers = np.asarray(centers)
    return centers[np.argsort(centers[:, 0])]


@pytest.mark.parametrize("shares", [EVEN, GROWING])
def test_shares_are_twelve_and_whole(shares):
    assert len(shares) == 12
    assert sum(shares) == pytest.approx(1, abs=1e-12)


def test_late_rounds_get_three_times_as_much_as_early_ones():
    result = dpcore.run("allocation-k", data(), 3, 1.0, seed=0)
    charges = [charge.epsilon for charge in result.transcript]
    rounds = np.add(charges[::2], charges[1::2])
    np.testing.assert_allclose(rounds, [1 / 24] * 4 + [1 / 12] * 4 + [1 / 8] * 4)


def test_noise_has_the_scale_of_the_paper():
    """(d r + 1) / epsilon_i on counts, and on sums in ticks."""
    counts, sums = dpcore.run("average-k", data(), 3, 1.0, seed=0).transcript[:2]
    assert counts.scale == pytest.approx(3 * 12)
    assert sums.scale / 2**21 == pytest.approx(3 * 12)


def test_average_k_is_dplloyd_with_twelve_rounds():
    a = dpcore.run("average-k", data(), 3, 1.0, seed=5)
    b = dpcore.run("dplloyd", data(), 3, 1.0, seed=5, rounds=12)
    np.testing.assert_allclose(np.asarray(a.centers), np.asarray(b.centers), atol=1e-12)


@pytest.mark.parametrize(("key", "clusters"), list(zip(KEYS, (3, 3, 9, 9), strict=True)))
def test_merging_starts_from_three_times_as_many_clusters(key, clusters):
    result = dpcore.run(key, data(), 3, 1.0, seed=0)
    assert result.facts["clusters"] == clusters
    start = next(step for step in result.steps if step.kind == "start")
    assert start.released["centers"].shape == (clusters, 2)
    assert result.centers.shape == (3, 2)


def test_what_is_merged_are_the_last_centers_by_their_last_noisy_counts():
    result = dpcore.run("dp-kccm", data(), 3, 1.0, seed=2)
    last = [step for step in result.steps if step.kind == "centers"][-1].released["centers"]
    counts = [step for step in result.steps if step.kind == "totals"][-1].released["counts"]
    merged, _ = merge_nearest(last, counts.astype(float), 3)
    np.testing.assert_allclose(np.asarray(result.centers), merged)


@pytest.mark.parametrize("key", KEYS)
def test_with_a_huge_budget_it_is_the_same_procedure_without_noise(key):
    private = dpcore.run(key, data(), 3, 1e6, seed=1)
    exact = dpcore.run(key, data(), 3, 1.0, seed=1, noise=ExactNoise())
    np.testing.assert_allclose(np.asarray(private.centers), np.asarray(exact.centers), atol=1e-4)


def test_merging_brings_clusters_split_in_three_back_together():
    values = data().box.from_unit(data().positions()[0] / 2**21)
    result = dpcore.run("dp-kccm", data(), 3, 1e4, seed=0)
    means = [values[i::3].mean(axis=0) for i in range(3)]
    np.testing.assert_allclose(by_first(result.centers), by_first(means), atol=0.02)
