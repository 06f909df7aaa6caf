"""PGkM breeds without looking at the data, and pays for each choice what it is worth."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.pgkm import children
from dpcore.datasets import RowsDataset
from dpcore.datasets.base import COST_UNITS
from dpcore.errors import BudgetExceeded
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Budget
from dpcore.privacy.losses import Selection
from dpcore.queries.curator import Curator
from dpcore.queries.scores import ContrastingCost, LowCost
from dpcore.study.metrics import nicv


class Best:
    """Always chooses the best, and remembers what it was asked."""

    simulated = True

    def __init__(self):
        self.asked = []

    def choose(self, scores, sensitivity, epsilon, monotone=False, log_prior=None):
        self.asked.append((len(scores), sensitivity, epsilon, monotone))
        return int(np.argmax(scores))


def data(n=300, d=2, seed=0):
    rng = np.random.default_rng(seed)
    values = np.where(np.arange(n) % 2, 0.5, -0.5)[:, None] + rng.uniform(-0.1, 0.1, (n, d))
    return RowsDataset.from_values(values, Box.cube(d))


def squared_to_nearest(rows, centers):
    return ((rows[:, None] - centers) ** 2).sum(axis=-1).min(axis=1)


@pytest.mark.parametrize(("k", "d"), [(1, 1), (2, 1), (3, 2), (4, 5)])
def test_no_row_sets_two_candidates_further_apart_than_the_sensitivity(k, d):
    rng = np.random.default_rng(k)
    sets = rng.uniform(-1, 1, (4, k, d)) * 0.3
    limit = ContrastingCost(sets).sensitivity / COST_UNITS
    rows = np.vstack([rng.uniform(-1, 1, (500, d)), list(itertools.product((-1, 1), repeat=d))])
    costs = np.stack([squared_to_nearest(rows, centers) for centers in sets])
    assert np.ptp(costs, axis=0).max() <= limit
    assert limit < LowCost(sets).sensitivity / COST_UNITS


def test_for_single_centers_the_sensitivity_is_reached_in_a_corner():
    sets = np.random.default_rng(0).uniform(-0.5, 0.5, (5, 1, 3))
    corners = np.array(list(itertools.product((-1, 1), repeat=3)))
    costs = np.stack([squared_to_nearest(corners, centers) for centers in sets])
    reached = np.ptp(costs, axis=0).max()
    assert ContrastingCost(sets).sensitivity / COST_UNITS == pytest.approx(reached, abs=1e-5)


def test_whole_scores_keep_to_the_sensitivity_when_a_row_is_added():
    rng = np.random.default_rng(0)
    box = Box.cube(2)
    for _ in range(40):
        base = rng.uniform(-0.02, 0.02, (1, 2, 2))
        sets = base + rng.uniform(-1e-6, 1e-6, (6, 2, 2))
        score = ContrastingCost(sets)
        rows = rng.uniform(-1, 1, (5, 2))
        moved = score.of(RowsDataset.from_values(rows, box)) - score.of(
            RowsDataset.from_values(rows[1:], box)
        )
        assert np.ptp(moved) <= score.sensitivity < 20


def test_equal_candidates_have_the_least_sensitivity_and_far_ones_at_most_four_d():
    same = np.full((3, 2, 2), 0.25)
    assert ContrastingCost(same).sensitivity == 1
    far = np.array([[[-1.0, -1.0]], [[1.0, 1.0]]])
    assert ContrastingCost(far).sensitivity == 4 * 2 * COST_UNITS + 1


def test_too_many_centers_to_compare_fall_back_to_the_plain_bound():
    sets = np.zeros((2000, 10, 2))
    assert ContrastingCost(sets).sensitivity == LowCost(sets).sensitivity


def test_picks_are_different_and_share_the_loss():
    noise = Best()
    c = Curator(data(), Budget(1.0), noise)
    sets = np.linspace(-1, 1, 9)[:, None, None] * np.ones((1, 1, 2))
    chosen = c.select_several(LowCost(sets), Selection(0.6, picks=3), "parents")
    assert sorted(chosen.tolist()) == [3, 4, 5]
    assert [(n, epsilon) for n, _, epsilon, _ in noise.asked] == [
        (9, pytest.approx(0.2)),
        (8, pytest.approx(0.2)),
        (7, pytest.approx(0.2)),
    ]
    assert c.transcript.epsilon == pytest.approx(0.6)
    assert c.transcript[0].answers == 3
    with pytest.raises(BudgetExceeded):
        c.select_several(LowCost(sets), Selection(0.6, picks=3), "too many")
    assert len(noise.asked) == 3


def test_several_picks_cost_less_under_zcdp_than_one():
    assert Selection(1.0, picks=10).rho == pytest.approx(10 * Selection(0.1).rho)


def test_children_have_the_head_of_one_parent_and_the_tail_of_another():
    parents = np.arange(4)[:, None, None] * np.full((1, 3, 2), 0.25)
    born = children(parents, 101, 0.0, np.random.default_rng(0)).reshape(101, -1)
    assert born.shape == (101, 6)
    assert set(np.unique(born)) <= {0, 0.25, 0.5, 0.75}
    changes = np.count_nonzero(np.diff(born, axis=1), axis=1)
    assert set(changes) == {0, 1}
    first, second = born[0:100:2], born[1:100:2]
    np.testing.assert_array_equal(first[:, 0], second[:, -1])
    np.testing.assert_array_equal(first[:, -1], second[:, 0])


def test_one_coordinate_of_a_child_mutates_and_stays_in_the_box():
    parents = np.full((2, 3, 2), 0.99)
    born = children(parents, 500, 0.1, np.random.default_rng(0)).reshape(500, -1)
    moved = born != 0.99
    assert (moved.sum(axis=1) == 1).all()
    assert (np.abs(born) <= 1).all()
    assert (born[moved] == 1).mean() == pytest.approx(0.46, abs=0.07)
    assert moved.any(axis=0).all()


def test_a_single_number_can_be_bred_too():
    assert children(np.zeros((1, 1, 1)), 3, 0.1, np.random.default_rng(0)).shape == (3, 1, 1)


def test_charges_are_parents_each_round_and_one_choice_at_the_end():
    result = dpcore.run("pgkm", data(), 2, 1.0, seed=0, population=20, parents=4, rounds=5)
    assert [c.answers for c in result.transcript] == [4, 4, 4, 4, 1]
    assert [c.epsilon for c in result.transcript] == pytest.approx([0.2] * 5)


@pytest.mark.parametrize(("epsilon", "rounds"), [(1.0, 8), (1e3, 37), (1e6, 1000)])
def test_rounds_follow_the_paper_where_the_number_of_rows_is_public(epsilon, rounds):
    few = {"population": 4, "parents": 1}
    result = dpcore.run("pgkm", data(30), 2, epsilon, neighbors="replace-one", seed=0, **few)
    assert result.facts["rounds"] == rounds


def test_the_rounds_do_not_depend_on_a_private_number_of_rows():
    few = {"population": 4, "parents": 1}
    for n in (10, 3000):
        assert dpcore.run("pgkm", data(n), 2, 1e3, seed=0, **few).facts["rounds"] == 8


def test_with_a_huge_budget_it_is_the_search_that_always_picks_the_fittest():
    settings = {"seed": 3, "population": 60}
    private = dpcore.run("pgkm", data(), 2, 1e6, **settings)
    exact = dpcore.run("pgkm", data(), 2, 1.0, noise=Best(), **settings)
    np.testing.assert_allclose(np.asarray(private.centers), np.asarray(exact.centers), atol=1e-9)
    assert nicv(data(), private.centers) < 0.05


def test_choices_are_sharper_than_the_plain_mechanism_allows():
    noise = Best()
    dpcore.run("pgkm", data(), 2, 1.0, seed=0, noise=noise)
    sensitivities = [sensitivity / COST_UNITS for _, sensitivity, _, _ in noise.asked]
    assert max(sensitivities) <= 8.01
    assert sensitivities[-1] < 6
    assert all(monotone for *_, monotone in noise.asked)
