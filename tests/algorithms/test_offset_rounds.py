"""A round of clipped offsets: exact without noise, careful with it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.algorithms._offset_rounds import (
    APART,
    Counts,
    OffsetCells,
    OffsetTerms,
    Purse,
    Start,
    believed,
    moved,
    nearness,
    settled,
    trusted,
)
from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Accounting, Budget, Neighbors
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.queries.moments import WHOLE

MIDDLES = np.array([[-0.6, -0.6, -0.6], [0.6, 0.6, 0.6]])
ROWS = np.repeat(MIDDLES, [300, 700], axis=0) + 0.05 * np.random.default_rng(0).standard_normal(
    (1000, 3)
)


def purse(epsilon=1e5, delta=0.0, neighbors="add-remove", seed=0, data=None):
    budget = Budget(epsilon, delta, Accounting.GAUSSIAN if delta else Accounting.PURE)
    data = data or RowsDataset.from_values(ROWS, Box.cube(3))
    curator = Curator(data, budget, SimulatedNoise(seed), neighbors, np.random.default_rng(seed))
    return Purse(curator, OffsetTerms(budget, Neighbors(neighbors)))


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_without_noise_a_round_is_a_step_of_lloyd(delta):
    start = MIDDLES + 0.05
    energy = ((ROWS - start[[0] * 300 + [1] * 700]) ** 2).sum(1).mean()
    cells = moved(purse(delta=delta), start, energy, 1000, 3.0, 1.0, "round")
    np.testing.assert_allclose(cells.centers, [ROWS[:300].mean(0), ROWS[300:].mean(0)], atol=1e-3)
    np.testing.assert_allclose(cells.rows, [300, 700], atol=1)


def test_a_full_ball_grows_for_the_next_round_and_tells_what_it_saw():
    energy = ((ROWS - MIDDLES[[0] * 300 + [1] * 700]) ** 2).sum(1).mean()
    cells = moved(purse(delta=1e-6), MIDDLES, energy, 1000, 0.9, 1.0, "round")
    assert (cells.seen < 1.05 * energy).all()
    assert (cells.energy > 2 * energy).all()


def test_by_l2_norm_the_energy_left_is_that_of_the_moved_centers():
    start = MIDDLES + 0.02
    cells = moved(purse(delta=1e-6), start, 0.01, 1000, 6.0, 1.0, "round")
    left = ((ROWS - cells.centers[[0] * 300 + [1] * 700]) ** 2).sum(1).mean()
    assert np.average(cells.energy, weights=cells.rows) == pytest.approx(left, rel=0.05)


def test_where_noise_drowns_everything_centers_stay():
    cells = moved(purse(epsilon=0.01), MIDDLES / 2, 0.3, 1000, 1.1, 1.0, "round")
    assert np.abs(cells.centers - MIDDLES / 2).max() < 0.6
    assert (np.abs(cells.centers) <= 1).all()
    assert (cells.energy > 0).all()


@pytest.mark.parametrize("delta", [0.0, 1e-6])
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_the_noise_that_is_reckoned_with_is_the_noise_that_is_drawn(delta, neighbors):
    given = purse(1.0, delta, neighbors)
    question = given.terms.offsets(np.zeros((300, 3)) + np.linspace(-1, 1, 300)[:, None], 0.5)
    noise = given.ask(question, 1.0, "why") - question.of(
        RowsDataset.from_values(ROWS, Box.cube(3))
    )
    assert np.std(noise) == pytest.approx(given.terms.noise(question, 1.0), rel=0.1)


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_heavier_counts_are_heard_more_exactly_and_offsets_less(neighbors):
    usual = purse(1.0, neighbors=neighbors).terms
    heavy = replace(usual, count_weight=0.5)
    light, loud = (
        (noise / question.weight, noise * question.reach)
        for terms in (usual, heavy)
        for question in [terms.offsets(MIDDLES, 0.1)]
        for noise in [terms.noise(question, 1.0)]
    )
    assert loud[0] == pytest.approx(light[0] * (1.5 / 0.5) / (1.3 / 0.3), rel=1e-5)
    assert loud[1] == pytest.approx(light[1] * 1.5 / 1.3, rel=1e-5)


def test_relative_noise_is_that_of_the_mean_of_everything():
    terms = OffsetTerms(Budget(1.0, 1e-6, Accounting.GAUSSIAN), Neighbors.ADD_REMOVE)
    mu = math.sqrt(2 * terms.budget.rho)
    assert terms.relative_noise(100, 9) == pytest.approx(
        3 * math.hypot(1, 1 / 64) / mu / 100, rel=1e-3
    )
    half = OffsetTerms(terms.budget, terms.neighbors, 0.5)
    question = half.offsets(np.zeros((1, 9)), 1.0)
    assert half.noise(question, 1.0) / WHOLE == pytest.approx(math.hypot(1, 1 / 64) / mu / 0.5**0.5)


def test_merged_centers_take_their_spread_along():
    cells = OffsetCells(
        np.array([[0.1, 0], [0.3, 0], [-0.5, 0]]), np.array([50.0, 50, 100]), 0.1, np.full(3, 0.2)
    )
    merged = cells.merged(2, np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(merged.centers[:, 0]), [-0.5, 0.2], atol=1e-6)
    mine = merged.energy[merged.centers[:, 0].argsort()]
    assert mine == pytest.approx([0.2, 0.2 + 0.01], rel=1e-3)


def test_a_cell_is_as_wide_as_its_own_rows_say_where_these_are_many():
    many, few = np.array([1000.0, 1000.0]), np.array([1000.0, 2.0])
    own = np.array([0.01, 0.5])
    assert trusted(own, 0.2, many, 5.0) == pytest.approx(own, rel=0.02)
    assert trusted(own, 0.2, few, 5.0)[1] == pytest.approx(0.2, rel=0.02)


def test_each_ball_is_cut_to_the_rows_of_its_own_center():
    rng = np.random.default_rng(0)
    start = np.array([[-0.5, 0, 0], [0.5, 0, 0]])
    wide, tight = rng.normal(0, 0.1, (1000, 3)), rng.normal(0, 0.01, (1000, 3))
    data = RowsDataset.from_values(np.concatenate([start[0] + wide, start[1] + tight]), Box.cube(3))
    given = purse(50.0, data=data)
    cells = moved(given, start, 0.03, 2000, 3.0, 0.5, "first")
    assert cells.energy[0] == pytest.approx(0.03, rel=0.3)
    assert cells.energy[1] < cells.energy[0] / 4


def test_cells_that_noise_explains_hardly_count_when_merging():
    middles = np.array([[0.1, 0], [0.9, 0.9], [-0.5, 0]])
    cells = OffsetCells(middles, np.array([50.0, 1, 100]), 10.0, np.full(3, 0.2))
    merged = cells.merged(2, np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(merged.centers[:, 0]), [-0.5, 0.1], atol=0.01)


def test_a_far_cell_that_most_likely_holds_nobody_takes_no_center():
    # With 25 rows it would: they lie so far away that they would cost more than all the others.
    middles = np.array([[-0.5, 0], [-0.45, 0], [-0.3, 0], [-0.25, 0], [0.9, 0.9]])
    cells = OffsetCells(middles, np.array([900.0, 900, 500, 500, 25]), 15.0, np.full(5, 0.01))
    merged = cells.merged(2, np.random.default_rng(0))
    np.testing.assert_allclose(np.sort(merged.centers[:, 0]), [-0.475, -0.275], atol=0.02)
    sure = replace(cells, noise=1.0).merged(2, np.random.default_rng(0))
    assert sure.centers[:, 0].max() == pytest.approx(0.9)


def test_a_count_is_believed_as_far_as_noise_does_not_explain_it():
    rows = np.array([-30.0, 0, 10, 20, 40, 80, 400])
    expected = believed(rows, 10.0, 0.25)
    assert (expected[:2] == 0).all()
    assert (np.diff(expected / np.maximum(rows, 1)) >= 0).all()
    assert expected[2] < 2
    assert expected[-2:] == pytest.approx(rows[-2:], rel=0.01)
    # The more cells there are for each cluster, the likelier one is empty.
    assert (believed(rows, 10.0, 0.5) >= expected).all()
    # Each by its own noise and its own odds.
    each = believed(rows, np.full(7, 10.0), np.full(7, 0.25))
    np.testing.assert_allclose(each, expected)


def test_without_noise_every_row_is_believed():
    assert believed(np.array([0.0, 1, 1000]), 0.0, 0.5) == pytest.approx([0, 1, 1000])


def test_a_place_is_as_likely_as_it_is_near_the_rows():
    centers = np.array([[-0.1, 0], [0.1, 0], [0.2, 0], [0.9, 0.9]])
    likely = nearness(centers, np.array([900.0, 900, 10, 5]))
    assert likely[:2] == pytest.approx([1, 1], abs=0.15)
    assert 0.4 < likely[2] < likely[0]
    assert likely[3] < 0.2
    assert np.isfinite(nearness(centers, np.zeros(4))).all()


def test_a_place_where_noise_found_a_center_takes_one_only_near_the_rows_or_by_a_clear_count():
    # All rows lie in a small part of the box; the last center is told to have two scales of noise.
    middles = np.array([[0.0, 0], [0.02, 0], [0.06, 0], [0.08, 0], [0.9, 0.9]])
    cells = OffsetCells(middles, np.array([900.0, 900, 500, 500, 45]), 30.0, np.full(5, 1e-4))
    merged = [
        cells.merged(2, np.random.default_rng(0), anywhere=anywhere) for anywhere in (False, True)
    ]
    assert [each.centers[:, 0].max() > 0.5 for each in merged] == [True, False]
    clear = replace(cells, rows=np.array([900.0, 900, 500, 500, 300]))
    assert clear.merged(2, np.random.default_rng(0), anywhere=True).centers[:, 0].max() > 0.5


def test_two_counts_of_a_center_tell_more_than_one():
    told = Counts(np.array([10.0, 20, 30]), np.array([3.0, 3, 3]))
    both = told.with_earlier(Counts(np.array([20.0, 20, 99]), np.array([3.0, 1, np.inf])))
    assert both.rows == pytest.approx([15, 20, 30])
    assert both.noise == pytest.approx([3 / 2**0.5, 0.9**0.5, 3])


@pytest.mark.parametrize(("delta", "grows"), [(1e-6, True), (0.0, False)])
def test_a_ball_with_rows_beyond_it_grows_where_there_is_little_gaussian_noise(delta, grows):
    rows = np.repeat([[0.5, 0, 0], [-0.5, 0, 0]], 5000, axis=0)
    given = purse(5.0, delta, data=RowsDataset.from_values(rows, Box.cube(3)))
    start = np.array([[0.2, 0, 0], [-0.5, 0, 0]])
    cells = moved(given, start, np.array([0.01, 0.01]), 10_000, 1.0, 1.0, "round")
    assert (cells.energy[0] > 0.01) == grows
    assert cells.energy[1] < 0.002


def test_a_center_with_two_clusters_is_halved_and_each_half_finds_one():
    rng = np.random.default_rng(1)
    middles = np.array([[-0.7, 0, 0], [-0.4, 0.1, 0], [0.5, 0.5, 0], [0.5, -0.5, 0.3]])
    values = np.repeat(middles, 500, axis=0) + 0.02 * rng.standard_normal((2000, 3))
    given = purse(50.0, data=RowsDataset.from_values(values, Box.cube(3)))
    # Two clusters share a center, and one center has nobody.
    start = np.array([[-0.55, 0.05, 0], [0.5, 0.5, 0], [0.5, -0.5, 0.3], [0.9, 0.9, 0.9]])
    energy = np.array([0.03, 0.002, 0.002, 0.002])
    centers, rounds = settled(given, Start(start, energy), 2000, 4, (1, 1), 1.5)
    assert len(rounds[1].centers) == 5
    away = np.sqrt(((centers[:, None] - middles) ** 2).sum(axis=2))
    assert away.min(axis=0) == pytest.approx(np.zeros(4), abs=0.08)


def test_halves_lie_on_both_sides_of_a_wide_center_and_others_stay():
    middles, rows = np.zeros((3, 4)), np.full(3, 10.0)
    cells = OffsetCells(middles, rows, 1.0, np.array([0.01, 0.01, 0.16]))
    halved = cells.with_wide_ones_halved(np.random.default_rng(0))
    assert len(halved.centers) == len(halved.rows) == len(halved.energy) == 4
    assert (halved.centers[:2] == 0).all()
    np.testing.assert_allclose(halved.centers[2], -halved.centers[3])
    assert np.sqrt((halved.centers[2] ** 2).sum()) == pytest.approx(APART / 2 * 0.4)
    alike = replace(cells, energy=np.array([0.01, 0.02, 0.015]))
    assert len(alike.with_wide_ones_halved(np.random.default_rng(0)).centers) == 3


@pytest.mark.parametrize("multiples", [(2, 1), (4, 2, 1)])
def test_rounds_spend_the_purse_and_end_with_k_centers(multiples):
    given = purse(2.0, 1e-6)
    k = 2
    start = np.random.default_rng(0).uniform(-0.8, 0.8, (k * multiples[0], 3))
    centers, rounds = settled(given, Start(start, 1.0), 1000, k, multiples, 1.1)
    assert [len(each.centers) for each in rounds] == [k * multiple for multiple in multiples]
    np.testing.assert_allclose(centers[centers[:, 0].argsort()], MIDDLES, atol=0.1)
    assert len(given.curator.transcript) == len(multiples)
    assert given.curator.transcript.epsilon == 2.0
