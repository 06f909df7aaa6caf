"""Coins are coupled row by row, so that sound algorithms with secret coins are not suspected."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms.base import Algorithm, AuditHints, _registry
from dpcore.audit import Case, attack, cases_of
from dpcore.audit.cases import pairs
from dpcore.audit.coupling import ConstantCoins, Coupling, matched
from dpcore.geometry.domain import Grid
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.losses import Pure
from dpcore.results.run_result import Outcome

PAIRS = {pair.key: pair for pair in pairs(2, epsilon=1.0)}
RUNS = 4


class TwoParts(Algorithm):
    """A noisy histogram of each of two random parts, side by side: all of epsilon, once."""

    key, title, paper, verdict = "two-parts", "Two parts", "ours", Verdict.PROVED

    def run(self, curator, k):
        grid = Grid(curator.box, 2)
        parts = curator.in_parts(2, curator.budget)
        loss = Pure(curator.budget.epsilon)
        counts = sum(part.noisy_counts(grid, loss, "part") for part in parts)
        return Outcome(np.clip(np.resize(counts, (k, curator.d)) / 100, -1, 1))


class TwoPartsTwice(TwoParts):
    """The same, but each part is asked for the whole of epsilon beside the other: twice."""

    def run(self, curator, k):
        grid = Grid(curator.box, 2)
        loss = Pure(curator.budget.epsilon)
        parts = curator.in_parts(2, curator.budget)
        counts = sum(part.noisy_counts(grid, loss, "part") for part in parts)
        extra = parts[0]
        extra.transcript = type(extra.transcript)(curator.budget, curator.neighbors)
        counts = counts + extra.noisy_counts(grid, loss, "again")
        return Outcome(np.clip(np.resize(counts, (k, curator.d)) / 100, -1, 1))


@pytest.fixture
def planted(monkeypatch):
    def register(system: type[Algorithm]) -> str:
        monkeypatch.setitem(_registry, system.key, system())
        return system.key

    return register


def test_a_new_algorithm_with_random_parts_is_not_refuted_in_any_of_its_cases(planted):
    assert TwoParts.audit == AuditHints(), "nobody has told the audit anything of it"
    planted(TwoParts)
    for case in cases_of(TwoParts()):
        found = attack(case, RUNS)
        assert not found.refutes(1 - 1e-6), f"{case.words}: {found.fault or found.cost}"
        assert 0 <= found.cost <= case.epsilon * (1 + 1e-9)


def test_and_with_a_fault_it_is(planted):
    planted(TwoPartsTwice)
    found = [attack(case, RUNS) for case in list(cases_of(TwoPartsTwice()))[:4]]
    assert any(each.refutes(1 - 1e-6) and each.cost > each.epsilon for each in found)


def test_matched_rows_keep_their_parts_copy_by_copy():
    before = np.array([[1, 1], [2, 2], [1, 1], [3, 3]])
    parts = np.array([5, 6, 7, 8])
    drawn = np.zeros(5, dtype=np.int64)
    after = np.array([[3, 3], [1, 1], [1, 1], [1, 1], [2, 2]])
    assert matched(after, before, parts, drawn).tolist() == [8, 5, 7, 0, 6]


def test_a_row_that_replaces_another_draws_the_part_of_that_one():
    before, parts = np.array([[1], [2], [2], [9]]), np.array([1, 2, 3, 4])
    after = np.array([[2], [7], [2], [1]])
    assert matched(after, before, parts, np.zeros(4, dtype=np.int64)).tolist() == [2, 4, 3, 1]


def test_a_replay_draws_for_a_new_row_alone():
    rows = np.arange(40)[:, None]
    coupling = Coupling(3)
    first = coupling.deal(rows[:-1], 4)
    again = coupling.again().deal(rows[::-1], 4)
    assert np.array_equal(again[::-1][:-1], first)
    assert len(set(first.tolist())) == 4


def test_blocks_of_rows_that_both_share_are_the_same_in_any_order():
    positions = np.random.default_rng(0).integers(-99, 99, (50, 2))
    coupling = Coupling(1)
    one = coupling.coins(coupling.constant).blocks(positions, None, 5)
    other = coupling.again().coins(coupling.constant).blocks(positions[::-1], None, 5)
    assert np.array_equal(positions[one.rows], positions[::-1][other.rows])
    assert np.array_equal(one.sizes, other.sizes)


def test_constant_coins_are_within_what_is_asked_of_them():
    coins = ConstantCoins(0.7)
    assert coins.integers(2, 5) == 4
    assert coins.random(3).tolist() == [0.7] * 3
    assert coins.choice(10, 3, replace=False).tolist() == [7, 8, 9]
    assert coins.choice(np.array([4, 5]), p=[0.9, 0.1]) == 4
    assert coins.uniform(-1, 1) == pytest.approx(0.4)
    assert coins.spawn(2) == [coins, coins]


@pytest.mark.parametrize(("key", "neighbors"), [("gkm", "lone row"), ("highdim", "lone row")])
def test_secret_coins_and_sparse_noise_have_an_exact_cost(key, neighbors):
    found = attack(Case(key, PAIRS[neighbors], 4.0), 4)
    assert 1 < found.cost <= 4.0
    assert found.fault == ""


def test_relations_are_both_coupled(planted):
    planted(TwoParts)
    for key in ("lone row", "corner to corner"):
        found = attack(Case("two-parts", PAIRS[key], 1.0), 4)
        assert found.cost == pytest.approx(1.0)
    assert PAIRS["corner to corner"].neighbors is Neighbors.REPLACE_ONE
