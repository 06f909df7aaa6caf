"""Bounds found privately hold the rows, and betray no single one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

import dpcore
from dpcore import PrivateKMeans
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import TICKS, Box
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.noise import SimulatedNoise
from dpcore.runs import private_bounds
from dpcore.runs.private_bounds import (
    NUMBERS,
    QuantileSlab,
    find_box,
    lower_end,
    numbered,
    shares,
)
from tests.seeded_noise import seeded_noise

EPSILON = 0.3
#: Rows among which bounds are found at that epsilon.
ENOUGH = 2000


@pytest.mark.parametrize(
    ("middle", "spread"), [(0, 1), (1005, 2), (-3, 0.1), (1e6, 1e3), (1e-6, 1e-7)]
)
def test_the_box_holds_nearly_all_rows_and_is_not_much_wider(middle, spread):
    rows = np.random.default_rng(0).normal(middle, spread, (20_000, 2))
    noise = SimulatedNoise(0)
    box, transcript = find_box(rows, ("a", "b"), EPSILON, Neighbors.ADD_REMOVE, noise)
    assert box.contains(rows).mean() > 0.97
    assert (np.subtract(box.high, box.low) < 30 * spread).all()
    assert transcript.epsilon <= EPSILON
    assert len(transcript) == 1 + 3 * 2


class FixedAnswers:
    """Noise that always gives the same answers, and tells how likely they were."""

    def __init__(self, seed: int):
        self.rng, self.log_likelihood = np.random.default_rng(seed), 0.0

    def geometric(self, values, sensitivity, epsilon):
        # Numbers of rows at which a median and a scale cost what they need, and some at which they
        # have their least share.
        answers = np.rint(ENOUGH * 10 ** self.rng.uniform(0, 4, values.shape)).astype(np.int64)
        self.log_likelihood -= np.abs(answers - values).sum() * epsilon / sensitivity
        return answers

    def choose(self, scores, sensitivity, epsilon, monotone=False, log_prior=None):
        answer = int(self.rng.integers(scores.size))
        weights = scores * epsilon / (sensitivity * (1 if monotone else 2))
        weights = weights + (0 if log_prior is None else log_prior)
        self.log_likelihood += weights[answer] - logsumexp(weights)
        return answer


values = st.floats(-1e30, 1e30) | st.floats(-3, 3) | st.sampled_from([0.0, 1.0, -1.0, 2.0**-32])
rows = st.lists(st.tuples(values, values), min_size=1, max_size=8)


@pytest.mark.parametrize("neighbors", Neighbors)
@settings(max_examples=12, deadline=None, derandomize=True)
@given(many=rows, one=st.tuples(values, values), seed=st.integers(0, 999))
def test_no_row_changes_how_likely_the_answers_are_by_more_than_epsilon(neighbors, many, one, seed):
    many = many * (ENOUGH // len(many))
    others = [*many, one] if neighbors is Neighbors.ADD_REMOVE else [*many[:-1], one]
    told = []
    for table in (many, others):
        noise = FixedAnswers(seed)
        box, _ = find_box(np.array(table), ("a", "b"), EPSILON, neighbors, noise)
        told.append((box, noise.log_likelihood))
    assert told[0][0] == told[1][0]
    assert abs(told[0][1] - told[1][1]) <= EPSILON * (1 + 1e-6)


def test_a_row_beyond_all_others_seldom_moves_the_box():
    table = np.random.default_rng(0).normal(0, 1, (5000, 1))
    far = np.vstack([table, [[1e9]]])
    boxes = [
        find_box(each, ("x",), 1.0, Neighbors.ADD_REMOVE, SimulatedNoise(0))[0]
        for each in (table, far)
    ]
    ends = [[*box.low, *box.high] for box in boxes]
    np.testing.assert_allclose(ends[0], ends[1], rtol=0.05)


@pytest.mark.parametrize(("middle", "spread"), [(0, 1), (-73.98, 0.02), (4_512_000, 3000)])
def test_a_box_far_from_zero_is_as_narrow_as_one_around_it(middle, spread):
    rows = np.random.default_rng(0).uniform(middle - spread, middle + spread, (20_000, 2))
    box, _ = find_box(rows, ("a", "b"), EPSILON, Neighbors.ADD_REMOVE, SimulatedNoise(0))
    assert box.contains(rows).mean() > 0.999
    assert (np.subtract(box.high, box.low) < 8 * spread).all()


@pytest.mark.parametrize("neighbors", Neighbors)
@pytest.mark.parametrize("seed", range(10))
def test_a_cluster_far_from_the_others_is_kept(seed, neighbors):
    rng = np.random.default_rng(seed)
    table = np.where(rng.random((20_000, 1)) < 0.04, 100, 0) + rng.normal(0, 1, (20_000, 1))
    box, _ = find_box(table, ("x",), EPSILON, neighbors, SimulatedNoise(seed))
    assert box.contains(table).mean() > 0.999


@pytest.mark.parametrize("neighbors", Neighbors)
def test_among_few_rows_too_a_box_holds_them_all_and_is_not_much_wider(neighbors):
    times_as_wide = []
    for seed in range(10):
        table = np.random.default_rng(seed).uniform(-1, 1, (7000, 2))
        box, _ = find_box(table, ("a", "b"), 0.1, neighbors, SimulatedNoise(seed))
        assert box.contains(table).all()
        times_as_wide += list(np.subtract(box.high, box.low) / 2)
    assert np.median(times_as_wide) < 3.5


@pytest.mark.parametrize("neighbors", Neighbors)
@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.floats(1e-4, 10), st.floats(1, 1e6))
def test_the_three_choices_of_a_column_cost_what_it_has(neighbors, of_column, enough):
    part = Fraction(of_column)
    n = math.ceil(private_bounds.ENOUGH / part * Fraction(enough))
    median, scale, interval = shares(part, n, neighbors)
    assert min(median, scale, interval) >= part / 20
    assert median + scale + interval == part
    assert shares(part, 2 * n, neighbors)[2] >= interval


def test_too_few_rows_are_refused_by_what_the_noisy_number_of_rows_says():
    with pytest.raises(Infeasible, match=r"at epsilon 0\.1 among so few rows: about 2,8\d\d are"):
        find_box(np.ones((3, 1)), ("x",), 0.1, Neighbors.ADD_REMOVE, SimulatedNoise(0))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(-(2.0**64), 2.0**64, exclude_min=True, exclude_max=True))
def test_a_value_lies_between_the_ends_of_its_number(value):
    cells, _ = numbered([[value]]).positions()
    number = int((cells[0, 0] + TICKS) * NUMBERS // (2 * TICKS))
    assert lower_end(number) <= value <= lower_end(number + 1)
    assert lower_end(number + 1) - lower_end(number) <= max(abs(value) / 8000, 2.0**-31)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 7), min_size=1, max_size=12), st.integers(0, 7), st.integers(1, 9))
def test_no_row_moves_the_score_of_a_slab_by_more_than_it_says(slabs, one, tenths):
    def scores(of):
        rows = np.array(of)[:, None] + 0.5
        return score.of(RowsDataset.from_values(rows, Box.cube(1, 0, 8)))

    for neighbors, others in (
        (Neighbors.ADD_REMOVE, [*slabs, one]),
        (Neighbors.REPLACE_ONE, [*slabs[:-1], one]),
    ):
        score = QuantileSlab(0, Fraction(tenths, 10), 8, neighbors)
        before = scores(slabs)
        assert before.max() == 0
        assert np.abs(scores(others) - before).max() <= score.sensitivity


def test_a_column_of_one_value_has_a_box_around_it():
    rows = np.full((20_000, 2), [-73.98, 0.0])
    box, _ = find_box(rows, ("a", "b"), EPSILON, Neighbors.ADD_REMOVE, SimulatedNoise(0))
    assert box.contains(rows).all()
    assert (np.subtract(box.high, box.low) < 1).all()


def test_the_estimator_spends_a_share_of_epsilon_on_bounds_and_the_rest_on_centers():
    rows = np.random.default_rng(0).normal(50, 1, (4000, 2))
    accountant = dpcore.Accountant(1.0)
    with seeded_noise():
        model = PrivateKMeans(
            2, bounds="private", bounds_share=0.2, noise="release", accountant=accountant
        ).fit(rows)
    spent = model.bounds_transcript_.epsilon + model.result_.epsilon
    assert 0.99 < spent <= 1.0
    assert model.bounds_transcript_.epsilon <= 0.2
    assert str(accountant.spent) == "ε 1"
    assert 45 < model.cluster_centers_.min() < model.cluster_centers_.max() < 55


def test_bounds_that_are_found_repeat_with_a_seed_and_cannot_stand_on_a_certificate():
    rows = np.random.default_rng(0).normal(50, 1, (20_000, 2))
    one, other = (PrivateKMeans(2, bounds="private", random_state=3).fit(rows) for _ in range(2))
    assert one.box_ == other.box_
    np.testing.assert_array_equal(one.cluster_centers_, other.cluster_centers_)
    with pytest.raises(ValueError, match="cannot be charged to a ledger"):
        PrivateKMeans(2, bounds="private", noise="release", ledger="x", account="a").fit(rows)
    with pytest.raises(ValueError, match="bounds_share must be"):
        PrivateKMeans(2, bounds="private", bounds_share=1.0).fit(rows)
    with pytest.raises(ValueError, match="must be ends or 'private'"):
        PrivateKMeans(2, bounds="auto").fit(rows)
