"""Full cells among too many to count: exactly what noise on every cell would report."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpcore.algorithms._private_partition import Cubes
from dpcore.datasets import RowsDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Budget
from dpcore.privacy.losses import Pure
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.queries.sparse_cells import SparseCells, log_chance, reached_by_noise, reaching


class Tree:
    """Groups of 2^bits cells, and the rows in some of them."""

    def __init__(self, groups, bits, occupied=()):
        self.groups, self.bits, self._occupied = groups, bits, dict(occupied)

    def occupied(self, ticks=None, weights=None):
        keys = sorted(self._occupied)
        bits = np.array([key[1] for key in keys], dtype=bool).reshape(len(keys), self.bits)
        groups = np.array([key[0] for key in keys], dtype=np.int64)
        return SparseCells(groups, bits), np.array([self._occupied[key] for key in keys])


class Scripted:
    """Answers choices by a script, and remembers how likely it was."""

    def __init__(self, script):
        self.script, self.likelihood, self.asked = list(script), 1.0, []

    def choose(self, scores, sensitivity, epsilon):
        logits = scores * (epsilon / (2 * sensitivity))
        weights = np.exp(logits - logits.max())
        self.asked.append(len(scores))
        answer = self.script[len(self.asked) - 1] if len(self.asked) <= len(self.script) else 0
        self.likelihood *= weights[answer] / weights.sum()
        return answer


def names(cells):
    pairs = zip(cells.groups.tolist(), cells.bits.tolist(), strict=True)
    return frozenset((group, tuple(bits)) for group, bits in pairs)


def every_outcome(tree, chance):
    """Each set of cells that noise may reach, with its exact probability: all paths are walked."""
    outcomes, scripts = {}, [[]]
    while scripts:
        script = scripts.pop()
        noise = Scripted(script)
        found = names(reached_by_noise(tree, chance, noise))
        outcomes[found] = outcomes.get(found, 0) + noise.likelihood
        for place in range(len(script), len(noise.asked)):
            done = [*script, *[0] * (place - len(script))]
            scripts += [[*done, other] for other in range(1, noise.asked[place])]
    return outcomes


def keeps(rows, threshold, scale):
    """Probability that rows + two-sided geometric noise reaches the threshold, by summation."""
    z = np.arange(-4000, 4001)
    weights = np.exp(-np.abs(z) / scale)
    return weights[rows + z >= threshold].sum() / weights.sum()


@pytest.mark.parametrize(("groups", "bits"), [(1, 2), (2, 1), (3, 0)])
@pytest.mark.parametrize("chance", [math.log(0.3), math.log(1e-3), -60.0])
def test_noise_reaches_each_empty_cell_with_its_own_probability(groups, bits, chance):
    p, cells = math.exp(chance), groups << bits
    outcomes = every_outcome(Tree(groups, bits), chance)
    assert len(outcomes) == 2**cells
    for found, probability in outcomes.items():
        exact = p ** len(found) * (1 - p) ** (cells - len(found))
        assert probability == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("threshold", "scale"), [(1, 0.2), (3, 2.0), (7, 5.0)])
def test_the_chance_of_an_empty_cell_is_the_tail_of_the_noise(threshold, scale):
    assert math.exp(log_chance(threshold, scale)) == pytest.approx(keeps(0, threshold, scale))


def reported(tree, threshold, scale):
    """The exact distribution of the reported cells."""
    occupied, counts = tree.occupied()
    outcomes = {}
    passing = [keeps(m, threshold, scale) for m in counts]
    for phantoms, likely in every_outcome(tree, log_chance(threshold, scale)).items():
        drawn = SparseCells(
            np.array([g for g, _ in phantoms], dtype=np.int64),
            np.array([b for _, b in phantoms], dtype=bool).reshape(len(phantoms), tree.bits),
        )
        for passed in itertools.product((0, 1), repeat=len(counts)):
            noisy = np.array(passed, dtype=np.int64) * threshold
            full = names(reaching(occupied, noisy, threshold, drawn))
            chance = math.prod(p if yes else 1 - p for p, yes in zip(passing, passed, strict=True))
            outcomes[full] = outcomes.get(full, 0) + likely * chance
    return outcomes


A, B, C = (0, (False, False)), (0, (False, True)), (0, (True, True))
EPSILON = 0.7


@pytest.mark.parametrize(
    ("rows", "neighbor", "moved"),
    [
        ({A: 3}, {A: 3, B: 1}, 1),
        ({A: 2, C: 1}, {A: 3, C: 1}, 1),
        ({}, {C: 1}, 1),
        ({A: 2}, {A: 1, B: 1}, 2),
        ({A: 1}, {C: 1}, 2),
    ],
    ids=["into an empty cell", "one more", "the first row", "moved", "moved, leaving none"],
)
def test_neighbors_report_the_same_cells_with_like_probabilities(rows, neighbor, moved):
    scale = moved / EPSILON
    threshold = math.ceil(2 * scale)
    one, other = (reported(Tree(1, 2, r), threshold, scale) for r in (rows, neighbor))
    assert math.fsum(one.values()) == pytest.approx(1, rel=1e-12)
    losses = [abs(math.log(one[cells] / other[cells])) for cells in one | other]
    assert 0.5 * EPSILON < max(losses) <= EPSILON * (1 + 1e-11)


def test_an_empty_cell_can_be_reported_or_a_single_row_in_it_would_be_betrayed():
    threshold, scale = 3, 1 / EPSILON
    with_a_row = reported(Tree(1, 2, {A: 3, B: 1}), threshold, scale)
    without = reported(Tree(1, 2, {A: 3}), threshold, scale)
    assert with_a_row[frozenset({B})] > without[frozenset({B})] > 0


@pytest.mark.parametrize(("neighbors", "moved"), [("add-remove", 1), ("replace-one", 2)])
def test_simulated_draws_follow_the_exact_distribution(neighbors, moved):
    cubes = Cubes(np.array([-(1 << 21)]), 1 << 22, 0, np.zeros((1, 1), dtype=np.int64))
    data = RowsDataset.from_values([[-0.5], [-0.25], [-0.1]], Box.cube(1))
    draws, tally, noise = 1500, np.zeros((2, 2)), SimulatedNoise(5)
    for _ in range(draws):
        curator = Curator(data, Budget(EPSILON), noise, neighbors)
        cells = curator.full_cells(cubes, 1.5, Pure(EPSILON), "halves")
        found = set(cells.bits[:, 0].tolist())
        tally[int(False in found), int(True in found)] += 1
    scale = moved / EPSILON
    left, right = (keeps(rows, math.ceil(1.5 * scale), scale) for rows in (3, 0))
    expected = draws * np.outer([1 - left, left], [1 - right, right])
    assert ((tally - expected) ** 2 / expected).sum() < 16.3  # 0.1 % of chi-square with 3


@pytest.mark.parametrize(("neighbors", "scale"), [("add-remove", 2.0), ("replace-one", 4.0)])
def test_full_cells_are_charged_and_scaled_to_the_relation(neighbors, scale):
    data = RowsDataset.from_values([[0.5, 0.5]], Box.cube(2))
    curator = Curator(data, Budget(1.0), SimulatedNoise(0), neighbors)
    cubes = Cubes.around_the_ball(2, 0.25, np.random.default_rng(0))
    curator.full_cells(cubes, 3.0, Pure(0.5), "halves")
    assert [c.epsilon for c in curator.transcript] == [0.5]
    assert curator.transcript[0].scale == scale


def test_a_threshold_that_noise_alone_would_reach_everywhere_is_refused():
    data = RowsDataset.from_values(np.zeros((1, 60)), Box.cube(60))
    curator = Curator(data, Budget(1.0), SimulatedNoise(0))
    cubes = Cubes.around_the_ball(60, 0.25, np.random.default_rng(0))
    with pytest.raises(Infeasible, match="Noise alone"):
        curator.full_cells(cubes, 3.0, Pure(0.5), "halves")
    assert len(curator.transcript) == 0


def test_a_hundred_dimensions_have_cells_that_nobody_could_list():
    rng = np.random.default_rng(1)
    data = RowsDataset.from_values(0.1 * rng.standard_normal((50, 100)), Box.cube(100))
    curator = Curator(data, Budget(1e5), SimulatedNoise(0))
    cubes = Cubes.around_the_ball(100, 0.25, rng)
    full = curator.full_cells(cubes, 100.0, Pure(1e5), "halves")
    assert len(full) == 50
    assert full.bits.shape == (50, 100)
