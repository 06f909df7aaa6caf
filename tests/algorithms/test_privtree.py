"""PrivTree spends half on its tree and half on its leaves, and finds clusters at any scale."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.privtree import tree_of
from dpcore.audit import Case, attack
from dpcore.audit.cases import pairs
from dpcore.datasets import GridDataset, RowsDataset
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.queries.splitting import SplitTree


def tight_corner(n: int = 20_000, d: int = 2):
    """Four clusters in a hundredth of the box."""
    rng = np.random.default_rng(0)
    middles = -0.8 + rng.uniform(0, 0.02, (4, d))
    rows = middles[rng.integers(0, 4, n)] + 0.001 * rng.standard_normal((n, d))
    return RowsDataset.from_values(rows, Box.cube(d))


@pytest.mark.parametrize(("relation", "moved"), [("add-remove", 1), ("replace-one", 2)])
def test_half_of_epsilon_cuts_and_half_counts(relation, moved):
    result = dpcore.run("privtree", tight_corner(2000), 4, 0.6, neighbors=relation, seed=0)
    cuts, counts = result.transcript
    assert (cuts.epsilon, counts.epsilon) == pytest.approx((0.3, 0.3))
    assert cuts.sensitivity == pytest.approx(moved * 7 / 3)
    assert counts.sensitivity == moved
    assert (result.synopsis.weights > 0).all()


@pytest.mark.parametrize("d", [2, 3])
def test_cells_are_small_enough_for_clusters_in_a_hundredth_of_the_box(d):
    points = dpcore.run("privtree", tight_corner(d=d), 4, 2.0, seed=1).synopsis
    near = np.abs(points.unit_points + 0.79).max(axis=1) < 0.02
    assert points.weights[near].sum() == pytest.approx(20_000, rel=0.05)
    assert near.sum() > 40


def test_no_side_is_halved_more_finely_than_the_data_are_known():
    coarse = GridDataset(np.full((16, 16), 100), Box.cube(2))
    tree = tree_of(Curator(coarse, Budget(1.0), SimulatedNoise(0)))
    assert (tree.halvings, tree.deepest) == (2, 4)
    assert dpcore.run("privtree", coarse, 3, 50.0, seed=0).synopsis.weights.sum() > 25_000


def test_points_are_merged_to_as_many_as_wanted():
    result = dpcore.run("privtree", tight_corner(), 4, 2.0, seed=0, points=25)
    assert len(result.synopsis) <= 25
    assert result.synopsis.weights.sum() == pytest.approx(20_000, rel=0.2)


def test_the_audit_finds_a_tree_without_decay(monkeypatch):
    lone = next(pair for pair in pairs(2, 1.0) if pair.key == "lone row")
    case = Case("privtree", lone, 1.0)
    assert 0.7 < attack(case, 4).cost <= 1.0
    monkeypatch.setattr(SplitTree, "decay", lambda self, epsilon: 0)
    assert attack(case, 4).cost > 2
