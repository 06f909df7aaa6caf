"""DPLloyd worked out by hand: its noise, its rounds, its guards."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.dplloyd import DECREASING, EQUAL, noisy_means, round_epsilons
from dpcore.geometry.domain import TICKS
from dpcore.kmeans.seeding import sphere_packing
from tests.exact_noise import ExactNoise

ROWS = np.array([[-0.5, -0.5], [-0.5, -0.3], [0.5, 0.1], [0.7, 0.3], [0.6, 0.2]])
DATA = dpcore.datasets.from_array(ROWS, box=(-1, 1))


@pytest.mark.parametrize(("neighbors", "times"), [("add-remove", 1), ("replace-one", 2)])
def test_every_number_has_noise_of_scale_d_plus_one_times_rounds_over_epsilon(neighbors, times):
    data = dpcore.datasets.from_array(np.zeros((9, 3)), box=(-1, 1))
    result = dpcore.run("dplloyd", data, 2, 0.5, neighbors=neighbors, seed=0, rounds=4)
    scale = times * (3 + 1) * 4 / 0.5
    counts, sums = result.transcript[::2], result.transcript[1::2]
    assert [c.scale for c in counts] == pytest.approx([scale] * 4)
    assert [c.scale / TICKS for c in sums] == pytest.approx([scale] * 4)
    assert sum(c.epsilon for c in result.transcript) == pytest.approx(0.5)


def test_one_round_without_noise_moves_each_center_to_the_mean_of_its_rows():
    result = dpcore.run("dplloyd", DATA, 2, 1.0, seed=0, noise=ExactNoise(), rounds=1)
    start = result.steps[0].released["centers"]
    nearest = ((ROWS[:, None] - start) ** 2).sum(axis=2).argmin(axis=1)
    means = [ROWS[nearest == j].mean(axis=0) for j in range(2)]
    np.testing.assert_allclose(result.centers, means, atol=1e-6)


def test_noise_that_makes_every_count_negative_leaves_the_centers_where_they_start():
    result = dpcore.run("dplloyd", DATA, 2, 1.0, seed=0, noise=ExactNoise(-100), rounds=3)
    np.testing.assert_array_equal(result.centers, result.steps[0].released["centers"])


def test_a_center_with_a_noisy_count_below_one_stays_and_others_are_folded_back():
    old = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
    sums = np.array([[9.0, 9.0], [1.0, -3.0], [0.5, 7.0]])
    found = noisy_means(old, np.array([0, 2, 1]), sums)
    np.testing.assert_array_equal(found, [[0.1, 0.2], [0.5, -1.0], [0.5, 1.0]])


def test_either_start_looks_at_no_data():
    other = dpcore.datasets.from_array(-ROWS[:3], box=(-1, 1))
    starts = {}
    for start in ("packing", "uniform"):
        one, same = (
            dpcore.run("dplloyd", data, 3, 1.0, seed=7, start=start).steps[0].released["centers"]
            for data in (DATA, other)
        )
        np.testing.assert_array_equal(one, same)
        starts[start] = one
    assert not np.array_equal(*starts.values())


def test_packed_starts_keep_as_far_from_the_walls_as_half_of_what_lies_between_them():
    for centers in sphere_packing(6, 2, 5, np.random.default_rng(0)):
        apart = np.sqrt(((centers[:, None] - centers) ** 2).sum(axis=2))
        nearest = apart[np.triu_indices(6, 1)].min()
        wall = (1 - np.abs(centers)).min()
        assert nearest > 0.4
        assert wall > 0.2


def test_a_decreasing_schedule_halves_every_round_and_adds_up_to_epsilon():
    data = dpcore.datasets.from_array(np.zeros((9, 3)), box=(-1, 1))
    result = dpcore.run("dplloyd", data, 2, 0.5, seed=0, rounds=4, schedule="decreasing")
    rounds = [sum(c.epsilon for c in result.transcript[i : i + 2]) for i in range(0, 8, 2)]
    assert rounds == pytest.approx([0.5 * part / 15 for part in (8, 4, 2, 1)])
    assert result.epsilon == 0.5
    assert [c.scale for c in result.transcript[::2]] == pytest.approx([4 / e for e in rounds])


@pytest.mark.parametrize("rounds", range(1, 18))
def test_every_schedule_spends_all_of_epsilon_and_no_more(rounds):
    for schedule in (EQUAL, DECREASING):
        shares = round_epsilons(1.0, rounds, schedule)
        assert len(shares) == rounds
        assert sum(shares) == pytest.approx(1.0, rel=1e-12)


def test_equal_shares_are_the_default_and_of_one_round_both_schedules_are_the_same():
    plain, equal, halved = (
        dpcore.run("dplloyd", DATA, 2, 1.0, seed=3, rounds=1, **more)
        for more in ({}, {"schedule": "equal"}, {"schedule": "decreasing"})
    )
    np.testing.assert_array_equal(plain.centers, equal.centers)
    np.testing.assert_array_equal(plain.centers, halved.centers)


def test_a_schedule_whose_last_round_gets_next_to_nothing_is_refused_before_it_spends():
    with pytest.raises(dpcore.Infeasible, match=r"leaves the last of 40 rounds 9.1e-13"):
        dpcore.run("dplloyd", DATA, 2, 1.0, seed=0, rounds=40, schedule="decreasing")
