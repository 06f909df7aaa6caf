"""Swaps are scored exactly, moved little by any row, and find the best set when noise allows."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms._local_swap import local_swap
from dpcore.datasets.mapped import MappedRows
from dpcore.geometry.domain import to_ticks
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.queries.row_costs import COARSER, PLACES, RowCost, SetCost, SwapCost

COSTS = [RowCost(1.0), RowCost(1.0, squared=False), RowCost(0.4)]


def data(seed=0, n=60, p=3):
    rng = np.random.default_rng(seed)
    return MappedRows(to_ticks(rng.uniform(-0.5, 0.5, (n, p))), rng.integers(1, 4, n))


def after_each_swap(centers, candidates):
    return np.array(
        [
            [*np.delete(centers, leaving, axis=0), coming]
            for leaving in range(len(centers))
            for coming in candidates
        ]
    )


def by_hand(dataset, center_sets, cost):
    """Costs in whole units, one row and one set at a time."""
    ticks, weights = dataset.positions()
    rows, sets = (t // ((1 << 21) // PLACES) for t in (ticks, to_ticks(center_sets)))
    totals = []
    for centers in sets:
        squares = ((rows[:, None] - centers) ** 2).sum(axis=2).min(axis=1).astype(float)
        paid = squares if cost.squared else np.floor(np.sqrt(squares) * PLACES)
        totals.append(int(np.minimum(paid, cost.sensitivity * COARSER) @ weights) // COARSER)
    return -np.array(totals)


@pytest.mark.parametrize("cost", COSTS, ids=["means", "medians", "capped"])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_all_swaps_at_once_cost_what_each_costs_by_hand(k, cost):
    rng = np.random.default_rng(k)
    centers, candidates = rng.uniform(-0.5, 0.5, (k, 3)), rng.uniform(-0.5, 0.5, (7, 3))
    sets = after_each_swap(centers, candidates)
    expected = by_hand(data(), sets, cost)
    np.testing.assert_array_equal(SwapCost(centers, candidates, cost).of(data()), expected)
    np.testing.assert_array_equal(SetCost(sets, cost).of(data()), expected)


@pytest.mark.parametrize("cost", COSTS, ids=["means", "medians", "capped"])
def test_a_row_anywhere_lowers_every_score_by_no_more_than_the_sensitivity(cost):
    rng = np.random.default_rng(1)
    centers, candidates = rng.uniform(-0.5, 0.5, (2, 3)), np.array([[-1.0, 0, 0], [0, 0.5, 0]])
    score = SwapCost(centers, candidates, cost)
    sets = SetCost(np.array([[[-1.0, 0, 0]], [[0, 0, 0.3]]]), cost)
    ticks, weights = data().positions()
    furthest = 0
    for place in [[1.0, 0, 0], [0, 0, 0], [0, -1, 0], [0.1, 0.2, -0.3], [1, 1, 1]]:
        more = MappedRows(np.vstack([ticks, to_ticks([place])]), np.append(weights, 1))
        for each in (score, sets):
            change = each.of(data()) - each.of(more)
            assert change.min() >= 0
            assert change.max() <= each.sensitivity
            furthest = max(furthest, change.max())
    assert furthest == score.sensitivity
    assert score.monotone
    assert sets.monotone


@pytest.mark.parametrize(("squared", "most"), [(True, 4.0), (False, 2.0)])
def test_within_the_ball_no_cost_is_capped(squared, most):
    opposite = MappedRows(to_ticks([[-1.0, 0.0]]), None)
    score = SetCost(np.array([[[1.0, 0.0]], [[0.0, 0.0]]]), RowCost(1.0, squared))
    assert (-score.of(opposite) / COARSER).tolist() == [most, 1.0]
    assert score.sensitivity / COARSER == most


def test_costs_of_whole_numbers_of_rows_do_not_depend_on_their_order():
    ticks, weights = data(n=9000).positions()
    order = np.random.default_rng(0).permutation(9000)
    shuffled = MappedRows(ticks[order], weights[order])
    rng = np.random.default_rng(2)
    score = SwapCost(rng.uniform(-1, 1, (4, 3)), rng.uniform(-1, 1, (50, 3)), RowCost(1.0))
    np.testing.assert_array_equal(score.of(data(n=9000)), score.of(shuffled))


@pytest.mark.parametrize("squared", [True, False])
def test_with_little_noise_the_search_finds_the_clusters(squared):
    rng = np.random.default_rng(0)
    middles = np.array([[-0.5, -0.5], [0.5, -0.5], [0.0, 0.6]])
    rows = np.repeat(middles, 100, axis=0) + 0.01 * rng.standard_normal((300, 2))
    curator = Curator(MappedRows(to_ticks(rows), None), Budget(1e6), SimulatedNoise(0), rng=rng)
    candidates = np.concatenate([rng.uniform(-1, 1, (20, 2)), middles])
    found = local_swap(curator, candidates, 3, 8, 1e6, RowCost(1.0, squared), "search")
    assert sorted(found.tolist()) == sorted(middles.tolist())
    assert curator.transcript.epsilon == pytest.approx(1e6)
    assert [c.epsilon for c in curator.transcript] == [pytest.approx(1e6 / 9)] * 9


@pytest.mark.parametrize("number", [1, 2, 3])
def test_fewer_candidates_than_centers_are_taken_more_than_once(number):
    curator = Curator(data(), Budget(1.0), SimulatedNoise(0), rng=np.random.default_rng(0))
    candidates = np.eye(3)[:number] / 2
    found = local_swap(curator, candidates, 3, 4, 1.0, RowCost(1.0), "search")
    assert found.shape == (3, 3)
    assert curator.transcript.epsilon <= 1.0
