"""EUGkM worked out by hand: the size of its grid, its noise, and what it clusters."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.eugkm import cells_per_side
from dpcore.datasets import GridDataset
from dpcore.geometry.domain import Box
from tests.exact_noise import ExactNoise


def data(n, d=2):
    rng = np.random.default_rng(0)
    return dpcore.datasets.from_array(rng.uniform(-0.9, 0.9, (n, d)), box=(-1, 1))


@pytest.mark.parametrize(
    ("n", "epsilon", "d", "side"),
    [
        (89, 1.0, 2, 2),  # sqrt(8.9)
        (90, 1.0, 2, 3),  # sqrt(9)
        (5000, 0.5, 2, 15),  # sqrt(250)
        (32_000, 1.0, 3, 25),  # 3200^(2/5)
        (26_733, 1.0, 10, 3),  # 3.73: rounded down, or there would be 4^10 cells
        (1, 0.01, 2, 1),
    ],
)
def test_the_grid_has_the_cells_of_equation_5_rounded_down(n, epsilon, d, side):
    assert cells_per_side(n, epsilon, d, 10.0) == side


def test_a_twentieth_of_epsilon_sizes_the_grid_where_the_number_of_rows_is_private():
    result = dpcore.run("eugkm", data(1000), 3, 2.0, seed=0, noise=ExactNoise())
    size, counts = result.transcript
    assert (size.epsilon, counts.epsilon) == pytest.approx((0.1, 1.9))
    assert (size.scale, counts.scale) == pytest.approx((1 / 0.1, 1 / 1.9))
    assert result.facts["cells per side"] == 13  # sqrt(1000 * 1.9 / 10) = 13.8


def test_a_public_number_of_rows_is_free_and_noise_doubles():
    result = dpcore.run("eugkm", data(1000), 3, 2.0, neighbors="replace-one", seed=0)
    (counts,) = result.transcript
    assert counts.scale == pytest.approx(2 / 2.0)
    assert result.facts["cells per side"] == 14  # sqrt(1000 * 2 / 10) = 14.1


def test_empty_cells_get_noise_too():
    one_place = dpcore.datasets.from_array(np.full((2000, 2), 0.3), box=(-1, 1))
    result = dpcore.run("eugkm", one_place, 2, 0.1, seed=0)
    weights = result.synopsis.weights
    assert len(weights) == result.facts["cells per side"] ** 2
    assert (weights < 0).any()


def test_one_center_of_exact_counts_is_their_weighted_mean():
    result = dpcore.run("eugkm", data(3000), 1, 1.0, seed=0, noise=ExactNoise())
    synopsis = result.synopsis
    mean = np.average(synopsis.unit_points, axis=0, weights=synopsis.weights)
    np.testing.assert_allclose(np.asarray(result.centers)[0], mean, atol=1e-9)


def test_larger_theta_means_fewer_cells_and_none_finer_than_the_data():
    sides = [
        dpcore.run("eugkm", data(1000), 2, 1.0, seed=0, theta=t).facts["cells per side"]
        for t in (1.0, 10.0, 100.0)
    ]
    assert sides == sorted(sides, reverse=True)
    coarse = GridDataset(np.full((16, 16), 100), Box.cube(2))
    assert dpcore.run("eugkm", coarse, 1, 100.0, seed=0).facts["cells per side"] == 16
