"""Faults that were planted on purpose are found, and their honest siblings pass."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from dpcore.algorithms import get
from dpcore.algorithms.base import Algorithm, _registry
from dpcore.algorithms.dplloyd import DPLloyd, lloyd_round
from dpcore.algorithms.eugkm import EUGkM, fitting_grid, noisy_grid
from dpcore.audit import Case, Pair, attack
from dpcore.audit.cases import ADD_REMOVE, REPLACE_ONE, corner, pairs, scattered
from dpcore.datasets.removable import ThinnedRows
from dpcore.geometry.domain import Grid, cell_ticks, from_ticks
from dpcore.kmeans.noisy_grid import solve_grid
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Pure
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.transcript import Transcript
from dpcore.results.run_result import Outcome
from tests.audit.planted import FAULTS, FEW_RUNS, caught, clear_caches

PAIRS = {pair.key: pair for pair in pairs(2, epsilon=1.0)}
RUNS = 1200
#: So that a bound holds against chance in all tests of this file together.
CONFIDENCE = 1 - 1e-4


def lloyd(pair="lone row", epsilon=1.0, algorithm="dplloyd", **parameters):
    return Case(
        algorithm, PAIRS[pair], epsilon, parameters={"rounds": 2, "start": "uniform"} | parameters
    )


@pytest.fixture
def planted(monkeypatch):
    """Registers an algorithm for the length of a test, and says under which key."""

    def register(system: type[Algorithm]) -> str:
        monkeypatch.setattr(system, "key", "planted", raising=False)
        monkeypatch.setitem(_registry, "planted", system())
        return "planted"

    return register


class OneHistogram(Algorithm):
    """A noisy count for each cell of a fixed grid: all of epsilon, and nothing else."""

    title, paper, verdict = "Histogram", "ours", Verdict.PROVED

    def run(self, curator, k):
        counts = curator.noisy_counts(Grid(curator.box, 2), Pure(curator.budget.epsilon), "grid")
        return Outcome(np.clip(np.resize(counts, (k, curator.d)) / 100, -1, 1))


def measured(case, make_noise=SimulatedNoise, runs=RUNS):
    found = attack(case, runs, make_noise=make_noise)
    assert found.failed < 1
    return found.evidence.bound(CONFIDENCE, case.delta), found


def test_honest_noise_is_not_suspected(planted):
    key = planted(OneHistogram)
    for case in (lloyd(), lloyd("other order"), Case(key, PAIRS["lone row"], 1.0)):
        bound, found = measured(case, runs=400)
        assert bound <= case.epsilon
        assert 0.99 * case.epsilon < found.cost <= case.epsilon * (1 + 1e-9)


# Noise that is less than it says.


class HalfTheNoise(SimulatedNoise):
    def geometric(self, values, sensitivity, epsilon):
        return super().geometric(values, sensitivity, 2 * epsilon)


def test_halved_noise(planted):
    key = planted(OneHistogram)
    assert measured(Case(key, PAIRS["lone row"], 1.0), HalfTheNoise)[0] > 1.4


class OneCountBare(SimulatedNoise):
    """The last of several answers gets no noise."""

    def geometric(self, values, sensitivity, epsilon):
        noisy = super().geometric(values, sensitivity, epsilon)
        if noisy.size > 1:
            noisy.reshape(-1)[-1] = values.reshape(-1)[-1]
        return noisy


def test_one_count_without_noise():
    assert measured(lloyd(), OneCountBare)[0] > 2


class OneDrawForAll(SimulatedNoise):
    """All values of an answer share one draw."""

    def geometric(self, values, sensitivity, epsilon):
        draw = super().geometric(np.zeros(1, dtype=np.int64), sensitivity, epsilon)
        return values + draw[0]


def test_a_draw_shared_by_all_coordinates():
    assert measured(lloyd(), OneDrawForAll)[0] > 3


class SameSeedEveryRound(SimulatedNoise):
    """Two rounds, each of two answers, both begun with the same seed."""

    def __init__(self, seed):
        super().__init__(seed)
        self._seeds, self._answers = np.random.default_rng(seed), 0

    def geometric(self, values, sensitivity, epsilon):
        if self._answers % 4 == 0:
            self._seed = self._seeds.integers(2**62)
        if self._answers % 2 == 0:
            self._rng = np.random.default_rng(self._seed)
        self._answers += 1
        return super().geometric(values, sensitivity, epsilon)


def test_a_seed_used_again_in_the_next_round():
    bound, found = measured(lloyd("other order", epsilon=2.0), SameSeedEveryRound)
    assert bound > 2.0
    assert "repeats" in found.evidence.event or "odds" in found.evidence.event


# Algorithms that look at the data behind the curator's back.


def test_a_round_that_is_not_charged(planted):
    class ForgottenRound(DPLloyd):
        def run(self, curator, k, *, rounds, start, **more):
            centers = super().run(curator, k, rounds=rounds, start=start, **more).centers
            forgetful = copy.copy(curator)
            forgetful.transcript = Transcript(curator.budget, curator.neighbors)
            share = curator.budget.epsilon / rounds
            return Outcome(lloyd_round(forgetful, centers, share, "one more"))

    key = planted(ForgottenRound)
    _, found = measured(lloyd(algorithm=key), runs=50)
    assert found.cost == pytest.approx(1.5, rel=0.01)
    assert found.refutes(CONFIDENCE)


def test_the_exact_number_of_rows_sizes_the_grid(planted):
    class ExactSize(EUGkM):
        def run(self, curator, k, *, theta, starts):
            curator.size(0.05)
            epsilon = 0.95 * curator.budget.epsilon
            sized = fitting_grid(curator, curator._data.n, epsilon, theta)
            synopsis = noisy_grid(curator, sized, epsilon)
            return Outcome(solve_grid(synopsis.counts, k, starts, curator.rng))

    n = math.ceil(90 / 0.95)
    rows = np.repeat(0.5 * corner(2), n, axis=0)
    pair = Pair("n", "sizes of the grid differ", ADD_REMOVE, rows, rows[1:])
    key = planted(ExactSize)
    bound, found = measured(Case(key, pair, 1.0, parameters={"starts": 1}), runs=400)
    assert bound > 2.5
    assert found.cost == math.inf


def test_an_empty_cluster_is_skipped_by_its_true_count(planted):
    class SkipsEmpty(DPLloyd):
        def run(self, curator, k, *, rounds, start, **more):
            centers = np.array([[-0.4, -0.4], [0.9, 0.9]])
            for i in range(rounds):
                before = centers
                centers = lloyd_round(curator, centers, curator.budget.epsilon / rounds, f"{i}")
                ticks = (before * 2**21).astype(np.int64)
                empty = curator._data.cluster_totals(ticks).counts == 0
                centers[empty] = before[empty]
            return Outcome(centers)

    key = planted(SkipsEmpty)
    bound, found = measured(lloyd(algorithm=key))
    assert bound > 3
    assert found.cost == math.inf


def test_centers_are_clipped_to_the_extremes_of_the_data(planted):
    class ClipsToExtremes(DPLloyd):
        def run(self, curator, k, *, rounds, start, **more):
            centers = super().run(curator, k, rounds=rounds, start=start, **more).centers
            rows = from_ticks(curator._data.positions()[0])
            return Outcome(np.clip(centers, rows.min(axis=0), rows.max(axis=0)))

    key = planted(ClipsToExtremes)
    bound, found = measured(lloyd(algorithm=key))
    assert bound > 3
    assert found.cost == math.inf


class RemovesThenCounts(Algorithm):
    """Forget the ten rows nearest the middle, and count the others noisily by octant."""

    title, paper, verdict = "Removal", "ours", Verdict.PROVED

    def run(self, curator, k):
        left = curator.working_copy()
        left.remove_nearest(np.zeros(curator.d), 10)
        counts = left.noisy_counts(Grid(curator.box, 2), Pure(curator.budget.epsilon), "left")
        return Outcome(np.clip(np.resize(counts, (k, curator.d)) / 100, -1, 1))


def tied_rows(neighbors):
    """Twenty rows equally far from the middle, listed in both orders."""
    d = 3
    tied = np.repeat(np.concatenate([corner(d, -1), corner(d)]) * 0.5, 10, axis=0)
    far = corner(d) * [[1, 1, -1]]
    if neighbors is ADD_REMOVE:
        return Pair("ties", "rows tie", neighbors, tied, np.concatenate([tied[::-1], far]))
    one, other = np.concatenate([tied, far]), np.concatenate([-far, tied[::-1]])
    return Pair("ties", "rows tie", neighbors, one, other)


@pytest.mark.parametrize("neighbors", [ADD_REMOVE, REPLACE_ONE])
def test_ties_are_broken_by_position_in_memory(neighbors, monkeypatch, planted):
    key = planted(RemovesThenCounts)
    case = Case(key, tied_rows(neighbors), 1.0)
    assert measured(case, runs=400)[1].cost == pytest.approx(1.0)

    def nearest_first(self, centers, m):
        squared = ((cell_ticks(self._cells) - centers[0]) ** 2).sum(axis=1)
        order = np.argsort(squared, kind="stable")
        self._cells = self._cells[np.sort(order[m:])]
        self._forget_answers()
        return int(squared[order[min(m, len(order)) - 1]])

    monkeypatch.setattr(ThinnedRows, "remove_nearest", nearest_first)
    bound, found = measured(case)
    assert bound > 2
    assert found.cost > 5


# The right noise for another relation.


def row_across(d):
    rows = scattered(60, d)
    one, other = (np.concatenate([rows, corner(d, side)]) for side in (-1, 1))
    return Pair("ends", "a row moves as far as it can", REPLACE_ONE, one, other)


def test_a_histogram_for_rows_added_does_not_hide_a_row_replaced(planted):
    key = planted(OneHistogram)
    bound, found = measured(Case(key, row_across(2), 1.0, neighbors=ADD_REMOVE), runs=3000)
    assert 1.4 < bound <= 2
    assert found.cost == pytest.approx(2)


def test_dplloyd_for_rows_added_does_not_hide_a_row_replaced():
    settings = {"rounds": 1, "start": "uniform"}
    case = Case("dplloyd", row_across(1), 2.0, parameters=settings, neighbors=ADD_REMOVE)
    bound, found = measured(case, runs=3000)
    assert 2.1 < bound <= 4
    assert found.cost == pytest.approx(4, rel=0.01)


# What may differ without harm.


def test_rows_that_are_scattered_have_the_same_law_in_any_order():
    rows = scattered(30, 2)
    pair = Pair("order", "nothing differs", ADD_REMOVE, rows, rows[::-1])
    for key in ("dplloyd", "eugkm", "adaptive"):
        _, found = measured(Case(key, pair, 1.0), runs=50)
        assert found.cost == 0
    assert get("dplloyd").verdict is Verdict.PROVED


# Faults of the product itself, planted in every layer: tests.audit.planted tries them in full.


@pytest.mark.parametrize("fault", FAULTS.values(), ids=lambda fault: fault.name)
def test_a_fault_anywhere_is_found_by_the_audit_in_few_runs(fault, monkeypatch):
    fault.plant(monkeypatch)
    clear_caches()
    try:
        found = caught(fault, FEW_RUNS)
    finally:
        monkeypatch.undo()
        clear_caches()
    assert found, f"dpcore audit {' '.join(fault.algorithms)} finds nothing wrong"


def test_many_faults_of_all_layers_are_planted():
    assert len(FAULTS) >= 28
