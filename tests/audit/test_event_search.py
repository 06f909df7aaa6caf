"""The search finds what tells two mechanisms apart, and finds nothing where nothing is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from dpcore.audit.event_search import evidence
from dpcore.privacy.noise import SimulatedNoise

MANY = 100_000


def noise():
    return SimulatedNoise(5)


def bound(one, other, delta=0.0, names=None):
    one, other = (np.asarray(x, dtype=np.float64).reshape(len(x), -1) for x in (one, other))
    names = names or [f"number {i}" for i in range(one.shape[1])]
    return evidence(one, other, names, delta).bound(delta=delta)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_a_noisy_count_is_bounded_within_a_tenth_of_its_epsilon(epsilon):
    source = noise()
    one, other = (source.geometric(np.full(MANY, n), 1, epsilon) for n in (10, 11))
    assert 0.9 * epsilon < bound(one, other) <= epsilon


def test_a_selection_is_bounded_within_a_tenth_of_its_epsilon():
    # The worst case for the mechanism: an unlikely candidate rises while all others fall.
    source, epsilon = noise(), 3.0
    prior = np.log([0.006, 0.994])
    one, other = (
        [source.choose(scores, 1, epsilon, log_prior=prior) for _ in range(MANY)]
        for scores in (np.array([0, 1]), np.array([1, 0]))
    )
    assert 0.9 * epsilon < bound(one, other) <= epsilon


def test_gaussian_noise_is_bounded_at_its_delta():
    source, rho, delta = noise(), 0.5, 0.01
    one, other = (source.gaussian(np.full((MANY, 2), n), math.sqrt(2), rho) for n in (0, 1))
    # The exact trade-off of two Gaussians one standard deviation apart (Balle and Wang 2018).
    exact = brentq(lambda e: norm.cdf(0.5 - e) - math.exp(e) * norm.cdf(-0.5 - e) - delta, 0.0, 5.0)
    assert 0.85 * exact < bound(one, other, delta) <= exact


def test_many_small_differences_add_up():
    source = noise()
    one, other = (source.geometric(np.full((4000, 20), n), 20, 10.0) for n in (0, 1))
    assert bound(one, other) > bound(one[:, :1], other[:, :1]) + 0.2


@pytest.mark.parametrize("seed", range(5))
def test_nothing_is_found_among_hundreds_of_numbers_that_tell_nothing(seed):
    rng = np.random.default_rng(seed)
    one, other = rng.standard_normal((2, 1000, 300))
    assert bound(one, other) < 0.05


def test_noise_that_two_answers_share_is_no_noise():
    source = noise()
    shared = [source.geometric(np.zeros((1000, 1), dtype=np.int64), 3, 0.1) for _ in range(2)]
    assert bound(shared[0] + [5, 7, 9], shared[1] + [5, 7, 10]) > 4


def test_noise_that_is_shared_in_another_scale_is_no_noise():
    coarse = [noise().geometric(np.zeros((1000, 1), dtype=np.int64), 3, 0.1) for _ in range(2)]
    one, other = (np.hstack([20 * z, z + n]) for z, n in zip(coarse, (0, 1), strict=True))
    assert bound(one, other) > 4


def test_what_is_not_said_is_an_event_too():
    silent = np.where(np.random.default_rng(0).random(1000) < 0.5, np.nan, 1.0)
    assert bound(silent, np.ones(1000)) > 3


def test_a_value_that_only_one_side_takes_is_found_between_others():
    one = np.random.default_rng(0).integers(0, 25, 4000)
    other = np.where(one == 12, 13, one)
    assert bound(one, other) > 1


def test_runs_that_say_the_same_are_not_told_apart():
    found = evidence(np.ones((100, 3)), np.ones((100, 3)), ["a", "b", "c"])
    assert found.bound() == 0
    assert found.event == "nothing that a run lets out varies"


def test_evidence_names_the_event_and_is_counted_on_half_of_the_runs():
    one, other = np.zeros((1000, 1)), np.ones((1000, 1))
    found = evidence(one, other, ["rows"])
    assert found.event.startswith("rows ")
    assert (found.runs, found.hits, found.neighbor_runs, found.neighbor_hits) == (500, 500, 500, 0)
