"""`coreset-split` deals rows at random and pays once for all parts."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.datasets import RowsDataset
from dpcore.datasets.divided import dealt
from dpcore.errors import BudgetExceeded
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.secret_coins import SecretCoins
from dpcore.queries.curator import Curator
from dpcore.study.metrics import nicv

DATA = dpcore.datasets.load("gaussians-k4-d3")


def test_every_row_is_dealt_to_one_part():
    parts = dealt(DATA, 7, SecretCoins(np.random.default_rng(0)))
    assert sum(p.n for p in parts) == DATA.n
    assert min(p.n for p in parts) > DATA.n / 7 * 0.8
    together = np.concatenate([p.positions()[0] for p in parts])
    everything = DATA.positions()[0]
    order = [np.lexsort(x.T) for x in (together, everything)]
    np.testing.assert_array_equal(together[order[0]], everything[order[1]])


def test_a_row_more_changes_one_part_when_the_coins_fall_alike():
    values = np.random.default_rng(1).uniform(-1, 1, (500, 3))
    more, less = (RowsDataset.from_values(v, Box.cube(3)) for v in (values, values[:-1]))
    sizes = [
        [p.n for p in dealt(d, 5, SecretCoins(np.random.default_rng(3)))] for d in (more, less)
    ]
    assert sorted(np.subtract(*sizes).tolist()) == [0, 0, 0, 0, 1]


def test_parts_side_by_side_cost_the_budget_of_one():
    curator = Curator(DATA, Budget(1.0), SimulatedNoise(0), rng=np.random.default_rng(0))
    parts = curator.in_parts(4, Budget(0.7))
    assert curator.transcript.epsilon == pytest.approx(0.7)
    for part in parts:
        part.size(1.0)
    with pytest.raises(BudgetExceeded):
        parts[0].size(0.01)
    with pytest.raises(BudgetExceeded):
        curator.in_parts(2, Budget(0.4))


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_its_parts_are_as_many_as_the_rows_ask_for_and_their_weights_add_up(neighbors):
    result = dpcore.run("coreset-split", DATA, 4, 2.0, neighbors=neighbors, seed=0, rows=2000)
    assert result.facts["parts"] == 5
    assert len(result.transcript[-1].inner) == 5
    assert result.epsilon == pytest.approx(2.0)
    assert result.coreset.weights.sum() == pytest.approx(DATA.n, rel=0.1)


def test_with_hardly_any_noise_it_comes_to_k_means():
    best = nicv(DATA, dpcore.baseline(DATA, 4).centers)
    split = dpcore.run("coreset-split", DATA, 4, 1e5, seed=0, rows=5000)
    assert nicv(DATA, split.centers) <= 1.1 * best


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_the_smallest_epsilon_is_spent_on_one_part(neighbors):
    result = dpcore.run("coreset-split", DATA, 2, 1e-6, 0.0, neighbors, seed=0, rows=1_000_000)
    assert result.facts["parts"] == 1
    assert result.epsilon == 1e-6
