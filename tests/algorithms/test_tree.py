"""A tree of noisy counts becomes weights that agree and are never negative."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.algorithms._leaf_points import WeighedLeaves, leaf_points
from dpcore.algorithms._tree import TreeStage, fused, posteriors
from dpcore.algorithms._tree_leaves import _handed_down, leaf_weights, leaves_of, unconditional
from dpcore.geometry.dyadic import DyadicCells, deinterleaved
from dpcore.geometry.halved import HalvedCells


def full_cells(stages):
    """The cells of each stage that more likely than not hold rows."""
    return [chances > 0.5 for chances in posteriors(stages, fused(stages))]


def all_leaves(stages):
    chances = unconditional(stages, posteriors(stages, fused(stages)))
    return leaves_of(stages, leaf_weights(stages, full_cells(stages), fused(stages)), chances)


def weighed_leaves(stages):
    return all_leaves(stages)[:3]


def points_of(cells, weights, scale, finest=21):
    return leaf_points([WeighedLeaves(cells, weights, scale, finest)])[0]


def first_stage(counts, alive, variance=2.0):
    counts = np.asarray(counts, dtype=float)
    cells = DyadicCells.uniform(1)
    return TreeStage(cells, np.full(4, -1), counts, variance, np.asarray(alive, dtype=bool))


def next_stage(before, which, counts, alive, variance=1.0):
    cells, parent = before.cells.split(np.array(which), np.ones(len(which), dtype=int))
    counts = np.asarray(counts, dtype=float)
    return TreeStage(cells, parent, counts, variance, np.asarray(alive, dtype=bool))


def test_a_cell_is_the_mean_of_its_count_and_its_parts_by_inverse_variance():
    above = first_stage([10, 0, 0, 0], [1, 0, 0, 0], variance=2.0)
    below = next_stage(above, [0], [9, 4, 2, -1], [1, 1, 1, 0], variance=1.0)
    estimates, variances = fused([above, below])[0]
    # Counted as 10 with variance 2, and as 9 + 4 + 2 - 1 = 14 with variance 4.
    assert estimates[0] == pytest.approx((10 / 2 + 14 / 4) / (1 / 2 + 1 / 4))
    assert variances[0] == pytest.approx(1 / (1 / 2 + 1 / 4))
    assert estimates[1:].tolist() == [0, 0, 0]
    assert variances[1:].tolist() == [2, 2, 2]


def test_a_weight_is_divided_among_live_parts_with_none_below_zero():
    parts = _handed_down(
        np.array([9.0]),
        np.zeros(4, dtype=int),
        np.array([True, True, True, False]),
        np.array([9.0, 3.0, 1.0, 50.0]),
        np.ones(4),
    )
    # All three less 4/3 would leave the third below 0; without it, both others lose 3/2.
    assert parts.tolist() == [7.5, 1.5, 0, 0]


def test_the_division_is_the_nearest_one_by_the_conditions_of_optimality():
    rng = np.random.default_rng(0)
    weights = rng.uniform(0, 20, 50) * (rng.random(50) < 0.9)
    parent = np.sort(rng.integers(0, 50, 600))
    alive = rng.random(600) < 0.7
    estimates, variances = rng.normal(1, 5, 600), rng.uniform(0.5, 3, 600)
    parts = _handed_down(weights, parent, alive, estimates, variances)
    assert (parts >= 0).all()
    assert (parts[~alive] == 0).all()
    for cell in range(50):
        mine = (parent == cell) & alive
        if not mine.any() or not weights[cell]:
            assert parts[parent == cell].sum() == 0
            continue
        assert parts[mine].sum() == pytest.approx(weights[cell])
        # One tau for all that got something, and nobody else would deserve more at it.
        taus = (estimates - parts)[mine] / variances[mine]
        got = parts[mine] > 0
        tau = taus[got].mean()
        assert taus[got] == pytest.approx(tau)
        assert (taus[~got] <= tau + 1e-9).all()


def test_leaves_hold_what_the_cells_of_the_first_stage_with_rows_are_estimated_to():
    above = first_stage([10, 6, -0.5, 3], [1, 1, 0, 1])
    below = next_stage(above, [0, 1, 3], [5, 5, 0, 0] * 3, [1, 1, 0, 0] + [0] * 4 + [1, 0, 0, 0])
    leaves, weights, _ = weighed_leaves([above, below])
    roots = fused([above, below])[0][0]
    assert weights.sum() == pytest.approx(roots[[0, 1, 3]].sum())
    # Two parts each of the three cells, whichever of them were to be cut any further.
    assert leaves.levels.tolist() == [2] * 6
    assert leaves.codes.tolist() == [0, 1, 4, 5, 12, 13]
    assert weights[:2].tolist() == pytest.approx([roots[0] / 2] * 2)


def test_a_cell_that_was_alive_by_chance_gets_no_weight():
    # Counted as 9, and as 1, 0, -1 and -6 in its parts: less than its standard deviation in all.
    above = first_stage([9, 90, 0, 0], [1, 1, 0, 0], variance=50.0)
    below = next_stage(above, [0], [1, 0, -1, -6], [1, 0, 0, 0], variance=1.0)
    leaves, weights, _ = weighed_leaves([above, below])
    assert leaves.codes.tolist() == [1]
    assert weights.tolist() == [90]


def test_a_high_count_that_no_later_answer_confirms_is_chance_however_high():
    # 15 is why the cell was asked again; all answers together would still put it at 2 deviations.
    above = first_stage([15, 90, 0, 0], [1, 1, 0, 0], variance=13.0)
    below = next_stage(above, [0, 1], [1, 0, -1, 0, 40, 50, 0, 0], [1] * 8, variance=1.0)
    estimates, variances = fused([above, below])[0]
    assert estimates[0] > 1.9 * np.sqrt(variances[0])
    leaves, weights, _ = weighed_leaves([above, below])
    assert set(leaves.codes.tolist()) <= {4, 5, 6, 7}
    assert weights.sum() == pytest.approx(estimates[1])


def test_without_a_count_above_nothing_there_is_no_leaf():
    leaves, weights, _ = weighed_leaves([first_stage([-1, -2, 0, -1], [0, 0, 0, 0])])
    assert leaves.n_cells == 0
    assert len(weights) == 0
    assert points_of(leaves, weights, 1.0).shape == (0, 2)


def test_a_point_moves_along_the_slope_of_the_density_and_not_in_noise():
    cells = DyadicCells.uniform(2)
    # Masses grow along the first coordinate: 10, 20, 30, 40 in each row of cells.
    masses = 10 * (1 + np.round((cells.centers()[:, 0] + 0.75) / 0.5))
    moved = (points_of(cells, masses, 0.0) - cells.centers()) / 0.5
    inner = np.abs(cells.centers()).max(axis=1) < 0.5
    assert moved[inner, 0] == pytest.approx(20 / (24 * masses[inner]))
    assert moved[inner, 1] == pytest.approx(np.zeros(4), abs=1e-15)
    noisy = (points_of(cells, masses, 5.0) - cells.centers()) / 0.5
    assert noisy[inner, 0] == pytest.approx(20 / (24 * (masses[inner] + 5)))


def test_a_point_never_leaves_its_cell_and_a_single_place_stays():
    cells = DyadicCells.uniform(2)
    masses = np.where(cells.codes == 5, 1000.0, 0.001)
    moved = np.abs(points_of(cells, masses, 0.0) - cells.centers()) / 0.5
    assert moved.max() == pytest.approx(0.3)
    assert np.array_equal(points_of(cells, masses, 0.0, finest=2), cells.centers())


def test_a_large_neighbor_counts_as_much_as_lies_in_an_equal_square():
    # The first quarter whole with mass 40; the second one cut into four of mass 20 each.
    cells = DyadicCells(np.array([1, 2, 2, 2, 2]), np.array([0, 4, 5, 6, 7]))
    masses = np.array([40.0, 20, 20, 20, 20])
    moved = (points_of(cells, masses, 0.0) - cells.centers()) / 0.5
    # Cell 4 has 10 of the large one on one side and 20 on the other.
    assert moved[1, 1] == pytest.approx((20 - 10) / (24 * 20))


def one_full_cell(alone: float, beside: float, level: int = 3) -> np.ndarray:
    """Which of a full cell, a lighter one beside it and one far away hold rows."""
    cells = DyadicCells.uniform(level)
    i0, i1 = deinterleaved(cells.codes)
    noise = np.random.default_rng(0).laplace(size=cells.n_cells) * 0.5
    first, second, third = (
        np.flatnonzero((i0 == a) & (i1 == b))[0] for a, b in ((1, 1), (1, 2), (6, 6))
    )
    noise[[first, second, third]] = 500.0, beside, alone
    stage = TreeStage(cells, np.full(cells.n_cells, -1), noise, 2.0, noise > 3)
    (held,) = full_cells([stage])
    return held[[first, second, third]]


def test_what_is_light_is_taken_for_empty_where_it_is_alone_and_not_beside_full_cells():
    assert one_full_cell(alone=9.0, beside=9.0).tolist() == [True, True, False]
    assert one_full_cell(alone=30.0, beside=1.0).tolist() == [True, False, True]


def test_where_most_cells_hold_rows_a_light_one_is_not_taken_for_empty():
    cells = DyadicCells.uniform(3)
    counts = np.full(cells.n_cells, 8.0)
    counts[20] = 1.0
    stage = TreeStage(cells, np.full(cells.n_cells, -1), counts, 2.0, counts > 3)
    assert full_cells([stage])[0].all()


def test_a_leaf_is_as_likely_as_it_and_the_cells_above_it_are():
    above = first_stage([90, 12, 0, 0], [1, 1, 0, 0], variance=8.0)
    stage = next_stage(above, [0, 1], [30, 25, 20, 15, 6, 0, 0, 0.0], np.ones(8))
    first, parts = posteriors([above, stage], fused([above, stage]))
    leaves = all_leaves([above, stage])
    assert leaves.chances == pytest.approx(
        (first[stage.parent] * parts)[np.isin(stage.cells.codes, leaves.cells.codes)], abs=1e-12
    )
    assert len(leaves.chances) == 5
    assert (leaves.chances[:4] > 0.999).all()
    assert (leaves.chances[4:] < 0.99).all()


def test_a_cell_that_did_not_stand_out_at_first_is_heard_when_it_is_asked_again():
    above = first_stage([90, 2, 0, 0], [1, 0, 0, 0], variance=50.0)
    again, parent = above.cells.split(np.arange(4), np.zeros(4, dtype=int))
    counts = np.array([88.0, 30.0, -1.0, 1.0])
    below = TreeStage(again, parent, counts, 2.0, np.array([True, False, False, False]))
    leaves, weights, _ = weighed_leaves([above, below])
    assert leaves.codes.tolist() == [0, 1]
    assert weights[1] == pytest.approx((2 / 50 + 30 / 2) / (1 / 50 + 1 / 2))


def test_a_cell_with_one_loud_part_holds_rows_whatever_noise_the_others_add():
    rng = np.random.default_rng(0)
    cells = HalvedCells.uniform(3, 6)
    counts = rng.laplace(0, 20, cells.n_cells)
    counts[:8], counts[5] = 2000, 25
    above = TreeStage(cells, np.full(64, -1), counts, 800.0, np.ones(64, bool))
    parts, parent = cells.split(np.arange(64), np.full(64, 6))
    below = rng.laplace(0, 5, parts.n_cells)
    loud = np.flatnonzero(parent == 5)[17]
    below[loud] = 90
    stage = TreeStage(parts, parent, below, 50.0, np.ones(parts.n_cells, bool))
    quiet = replace(stage, counts=np.where(np.arange(parts.n_cells) == loud, 5.0, below))
    held, part_held = full_cells([above, stage])
    assert held[5]
    assert part_held[loud]
    assert not full_cells([above, quiet])[0][5]


def asked_four_times(cells, counts, scales=(4.0, 2.0, 1.5, 1.0)):
    """Whether a cell that was asked again and again, beside 63 empty ones, holds rows."""
    stages = []
    for count, scale in zip(counts, scales, strict=True):
        cells, parent = cells.split(np.arange(64), np.zeros(64, dtype=int))
        answers = np.zeros(64)
        answers[5] = count
        dead = np.zeros(64, dtype=bool)
        stages.append(TreeStage(cells, parent, answers, 2 * scale**2, dead))
    return bool(full_cells(stages)[0][5])


@pytest.mark.parametrize("cells", [DyadicCells.uniform(3), HalvedCells.uniform(3, 6)])
def test_one_high_count_of_a_cell_does_not_outweigh_its_other_counts(cells):
    # Both say the same in the mean by inverse variance, about 8.5 rows.
    assert not asked_four_times(cells, [0, 0, 0, 14.9])
    assert asked_four_times(cells, [8.5, 8.5, 8.5, 8.5])
