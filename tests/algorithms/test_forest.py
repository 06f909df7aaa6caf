"""Trees of many areas are read at once, and each says what it would say alone."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore import regions
from dpcore.algorithms import _grown_tree
from dpcore.algorithms._grown_tree import AdaptivePlan, grow
from dpcore.algorithms._tree_coreset import coresets_of, loose_points_of
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import TICKS, Box
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator


def curators(rows: tuple[int, ...], d: int = 2) -> list[Curator]:
    rng = np.random.default_rng(0)
    clouds = (rng.normal(0, 0.2, (n, d)).clip(-1, 1) for n in rows)
    return [
        Curator(RowsDataset.from_values(cloud, Box.cube(d)), Budget(1.0), SimulatedNoise(seed))
        for seed, cloud in enumerate(clouds)
    ]


def check_each_is_as_alone(several: list[Curator]) -> None:
    trees = [grow(each, *each.size(0.015)) for each in several]
    for together, tree, own in zip(coresets_of(trees, several), trees, several, strict=True):
        (alone,) = coresets_of([tree], [own])
        assert np.array_equal(together.unit_points, alone.unit_points)
        assert np.array_equal(together.weights, alone.weights)
        assert np.array_equal(together.variances, alone.variances)
    for beside, tree, own in zip(loose_points_of(trees, several), trees, several, strict=True):
        (loose,) = loose_points_of([tree], [own])
        np.testing.assert_allclose(beside.expected.weights, loose.expected.weights, rtol=1e-9)


def test_a_tree_beside_others_makes_the_coreset_that_it_makes_alone():
    several = curators((0, 40, 900, 5_000, 60_000, 3))
    check_each_is_as_alone(several)
    assert {len(grow(each, *each.size(0.015))) for each in curators((40, 60_000))} == {2, 3}


def test_so_does_a_tree_beyond_maps():
    several = curators((50, 4_000, 20_000), d=3)
    check_each_is_as_alone(several)
    # They end after very different numbers of stages.
    fresh = curators((50, 4_000, 20_000), d=3)
    assert [len(grow(each, *each.size(0.015))) for each in fresh] == [3, 4, 8]


class SadAtFirst(SimulatedNoise):
    """Noise that hides some rows of every cell in the first answer, and none in later ones."""

    def __init__(self, hidden: int):
        super().__init__(0)
        self.hidden = hidden

    def geometric(self, values, sensitivity, epsilon):
        hidden, self.hidden = self.hidden, 0
        return np.asarray(values) - hidden


@pytest.mark.parametrize("second_chance", [True, False])
def test_a_cluster_that_the_first_answer_hides_is_cut_once_all_answers_show_it(
    monkeypatch, second_chance
):
    plan = AdaptivePlan((0.1, 0.2, 0.3, 0.4), 20, (4, 3, 1.5), second_chance)
    monkeypatch.setattr(_grown_tree, "PLANS_BEYOND_MAPS", ((np.inf, plan),))
    rng = np.random.default_rng(0)
    heaps = np.repeat([[-0.7, -0.6, -0.6], [0.6, 0.7, 0.6]], (4000, 400), axis=0)
    cloud = heaps + 0.02 * rng.standard_normal(heaps.shape)
    curator = Curator(RowsDataset.from_values(cloud, Box.cube(3)), Budget(1.0), SadAtFirst(400))
    stages = grow(curator, 4400, 1.0)
    small = np.array([[0.6, 0.7, 0.6]]) * TICKS
    sides = [
        stage.cells.corners()[1][stage.cells.labels(small.astype(np.int64))].max()
        for stage in stages
    ]
    assert sides[1] == sides[0]
    assert (sides[-1] < sides[0] / 2) == second_chance


def test_no_trees_make_no_coresets():
    assert coresets_of([], []) == []


def test_the_private_coreset_counts_an_area_on_cells_no_larger_than_those_of_the_map(monkeypatch):
    asked = []
    right = Curator.working_copy

    def working_copy(self, cells_per_side=None):
        asked.append((self.span, cells_per_side))
        return right(self, cells_per_side)

    monkeypatch.setattr(Curator, "working_copy", working_copy)
    drawn = regions.boroughs()
    data = dpcore.datasets.load("nyc-taxi")
    dpcore.run(dpcore.Request("coreset", 2, 1.0, seed=0, regions=drawn), data)
    spans = {window.side / drawn.side for window in drawn.windows}
    assert {span for span, _ in asked} == spans
    assert all(cells == max(128, round(1024 * span)) for span, cells in asked)
