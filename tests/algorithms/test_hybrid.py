"""Hybrid ends with a round of Lloyd exactly where the paper's error model says that it pays."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.centroid_error import smallest_epsilon_for_a_round
from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import Box
from tests.exact_noise import ExactNoise


def data(n=4000, d=2):
    rng = np.random.default_rng(0)
    values = np.where(np.arange(n) % 2, 0.5, -0.5)[:, None] + rng.uniform(-0.2, 0.2, (n, d))
    return RowsDataset.from_values(values, Box.cube(d))


def test_at_the_threshold_both_errors_are_equal():
    n, k, d, theta = 10_000, 4, 3, 10.0
    e = smallest_epsilon_for_a_round(n, k, d, theta)
    one_round = 2 * d * (1 + 0.45**2) * (k * (d + 1) / (n * e / 2)) ** 2
    cells = (n * e / theta) ** (2 * d / (2 + d))
    grid = 2 * d * cells * k ** ((d - 2) / d) / (3 * n**2 * e**2)
    assert one_round == pytest.approx(grid)


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_the_budget_is_spent_in_either_branch(neighbors):
    for epsilon, ends_with_lloyd in ((0.5, False), (50.0, True)):
        result = dpcore.run("hybrid", data(), 2, epsilon, neighbors=neighbors, seed=0)
        assert result.facts["ends with a round of Lloyd"] is ends_with_lloyd
        assert result.epsilon == pytest.approx(epsilon)
        asked = [c.mechanism for c in result.transcript if "number of rows" not in c.why]
        assert len(asked) == (3 if ends_with_lloyd else 1)


def test_below_the_threshold_it_is_eugkm():
    hybrid, eugkm = (dpcore.run(key, data(), 2, 0.5, seed=4) for key in ("hybrid", "eugkm"))
    np.testing.assert_array_equal(np.asarray(hybrid.centers), np.asarray(eugkm.centers))


def test_the_round_gets_half_and_the_grid_is_sized_for_the_other_half():
    result = dpcore.run("hybrid", data(), 2, 50.0, neighbors="replace-one", seed=0)
    grid, counts, sums = result.transcript
    assert grid.epsilon == pytest.approx(25)
    assert counts.epsilon + sums.epsilon == pytest.approx(25)
    # M = (4000 * 25 / 10)^(2*2/4), hence 100 cells a side.
    assert result.facts["cells per side"] == 100


def test_without_noise_the_centers_are_the_means_of_their_clusters():
    values = data().box.from_unit(data().positions()[0] / 2**21)
    means = [values[values[:, 0] < 0].mean(axis=0), values[values[:, 0] > 0].mean(axis=0)]
    exact = dpcore.run("hybrid", data(), 2, 50.0, seed=0, noise=ExactNoise())
    private = dpcore.run("hybrid", data(), 2, 1e4, seed=0)
    for result in (exact, private):
        found = np.asarray(result.centers)
        np.testing.assert_allclose(found[np.argsort(found[:, 0])], means, atol=1e-3)


def test_the_published_grid_betrays_one_row():
    """89 or 90 rows at epsilon 1: 2 x 2 or 3 x 3 cells, whatever the noise."""
    sides = {
        n: {
            dpcore.run("eugkm-published", data(n), 2, 1.0, seed=s).facts["cells per side"]
            for s in range(5)
        }
        for n in (89, 90)
    }
    assert sides == {89: {2}, 90: {3}}


def test_the_published_grid_spends_all_on_counts_and_still_proves_nothing():
    result = dpcore.run("eugkm-published", data(), 2, 1.0, seed=0)
    assert [charge.epsilon for charge in result.transcript] == [1.0]
    assert result.epsilon == np.inf
