"""The price of a tree is what its proof says, over all trees and all counts that there may be."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from dpcore.audit.recorded_tree import RecordedTree, _log_tail
from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Budget, Neighbors, Pure
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.queries.curator import Curator
from dpcore.queries.splitting import SplitTree
from tests.exact_noise import ExactNoise


def log_cut(height: int, epsilon: float) -> float:
    return float(_log_tail(np.array([1 - height]), epsilon)[0])


def log_whole(height: int, epsilon: float) -> float:
    return float(_log_tail(np.array([height]), epsilon)[0])


@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0])
def test_chances_are_those_of_two_sided_geometric_noise(epsilon):
    a = math.exp(-epsilon)
    law = {z: (1 - a) / (1 + a) * a ** abs(z) for z in range(-3000, 3001)}
    for height in (-7, -1, 0, 1, 2, 9):
        above = sum(p for z, p in law.items() if height + z > 0)
        assert math.exp(log_cut(height, epsilon)) == pytest.approx(above, rel=1e-9)
        assert math.exp(log_whole(height, epsilon)) == pytest.approx(1 - above, rel=1e-9)


@pytest.mark.parametrize("halvings", [1, 2, 3])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_no_path_of_counts_makes_a_tree_cost_more_than_its_stretch(halvings, epsilon):
    """The row's path through trees of up to 40 depths, for counts that fall in many ways."""
    tree = SplitTree(2, halvings, 40)
    rng = np.random.default_rng(0)
    worst = 0.0
    for _ in range(300):
        start = int(rng.choice([1, 5, 50, 1000]) / epsilon) + 1
        counts = np.maximum(1, start * rng.uniform(0.2, 1, 40).cumprod() ** rng.choice([0, 0.1, 1]))
        counts = np.minimum.accumulate(counts.astype(np.int64))
        cuts = 0.0
        for depth, count in enumerate(counts):
            here = tree.heights(np.array([count, count - 1]), depth, epsilon)
            cut = log_cut(here[0], epsilon) - log_cut(here[1], epsilon)
            whole = log_whole(here[0], epsilon) - log_whole(here[1], epsilon)
            worst = max(worst, cuts - 0.0, -whole)
            assert cut >= 0 >= whole
            cuts += cut
        worst = max(worst, cuts)
    assert 0.4 * tree.stretch * epsilon < worst <= tree.stretch * epsilon * (1 + 1e-12)


def curator(n: int, epsilon: float, noise, relation=Neighbors.ADD_REMOVE, d=2, seed=0):
    rows = 0.5 + 0.02 * np.random.default_rng(seed).standard_normal((n, d))
    data = RowsDataset.from_values(rows, Box.cube(d), outside="clip")
    return Curator(data, Budget(epsilon), noise, relation)


def test_a_tree_is_one_charge_scaled_to_the_relation():
    tree = SplitTree(2, 2, 14)
    for relation, moved in ((Neighbors.ADD_REMOVE, 7 / 3), (Neighbors.REPLACE_ONE, 14 / 3)):
        asked = curator(500, 1.0, SimulatedNoise(0), relation)
        asked.leaves(tree, Pure(0.5), "cuts")
        (charge,) = asked.transcript
        assert (charge.epsilon, charge.sensitivity) == (0.5, pytest.approx(moved))
        assert charge.scale == pytest.approx(moved / 0.5)


@pytest.mark.parametrize("make", [lambda: SimulatedNoise(0), ReleaseNoise], ids=["numpy", "opendp"])
def test_leaves_cover_the_box_and_are_small_where_rows_are(make):
    cells = curator(3000, 2.0, make()).leaves(SplitTree(2, 2, 14), Pure(2.0), "cuts")
    assert (4.0 ** -(cells.levels / 2)).sum() == pytest.approx(1)
    near = np.abs(cells.centers() - 0.5).max(axis=1) < 0.05
    assert cells.levels[near].mean() > cells.levels[~near].mean() + 2
    assert (cells.levels % 2 == 0).all()


def test_without_noise_a_cell_is_cut_while_its_rows_outweigh_the_decay():
    epsilon = 7 / 3
    asked = curator(100, 10.0, ExactNoise())
    cells = asked.leaves(SplitTree(2, 2, 3), Pure(epsilon), "cuts")
    decay = SplitTree(2, 2, 3).decay(1.0)
    assert decay == math.ceil(math.log(4))
    assert cells.deepest == 6
    lone = curator(decay, 10.0, ExactNoise())
    assert lone.leaves(SplitTree(2, 2, 3), Pure(epsilon), "cuts").deepest == 2


def test_what_the_audit_says_a_tree_costs_is_the_most_over_all_trees():
    """Two depths on a line, every tree written out."""
    tree, epsilon = SplitTree(1, 1, 2), 0.8
    one, two = np.array([0, 0, 1, 3]), np.array([0, 0, 1])

    def log_chance(codes, shape):
        whole, halves = shape
        counts = [len(codes), (codes < 2).sum(), (codes >= 2).sum()]
        heights = [
            int(tree.heights(np.array([c]), min(i, 1), epsilon)[0]) for i, c in enumerate(counts)
        ]
        total = (log_cut if whole else log_whole)(heights[0], epsilon)
        if whole:
            for cut, height in zip(halves, heights[1:], strict=True):
                total += (log_cut if cut else log_whole)(height, epsilon)
        return total

    shapes = [(False, ())] + [(True, h) for h in itertools.product([False, True], repeat=2)]
    exact = max(abs(log_chance(one, s) - log_chance(two, s)) for s in shapes)
    first, second = (
        RecordedTree("tree", codes, 1 / epsilon, [], tree=tree) for codes in (one, two)
    )
    assert first.loss(second).worst == pytest.approx(exact)
    assert first.loss(first).worst == 0
