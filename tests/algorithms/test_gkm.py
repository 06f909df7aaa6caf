"""GkM asks for quartiles and for the mean of random blocks, at the price it says."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.gkm import GuptQuantile, SlicedCenters, quartiles
from dpcore.datasets import GridDataset, RowsDataset
from dpcore.geometry.domain import Box
from dpcore.kmeans.blocks import RANGE_UNITS
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.losses import Pure
from dpcore.privacy.noise import selection_scale, selection_weights
from dpcore.privacy.secret_coins import SecretCoins
from dpcore.queries.curator import Curator
from dpcore.queries.questions import BlockCenters
from dpcore.queries.scores import Quantile
from tests.exact_noise import ExactNoise

BOX = Box.cube(2)
QUARTER = Fraction(1, 4)


def rows(values, box=BOX):
    return RowsDataset.from_values(np.asarray(values, dtype=float), box)


def two_squares(n=4000, d=2, seed=0):
    """Uniform squares around (-.5, ...) and (.5, ...), as many rows in each."""
    rng = np.random.default_rng(seed)
    signs = np.where(np.arange(n) % 2, 0.5, -0.5)[:, None]
    return rows(signs + rng.uniform(-0.1, 0.1, (n, d)), Box.cube(d))


def test_the_score_of_a_line_is_how_far_its_rank_is_from_the_one_wanted():
    data = rows([[-0.9, 0], [-0.8, 0], [-0.3, 0], [0.7, 0]])  # slabs 0, 0, 1, 3 of 4
    below = np.array([0, 2, 3, 3, 4])
    for share in (QUARTER, Fraction(3, 4)):
        scores = Quantile(0, share, 4).of(data)
        np.testing.assert_allclose(scores / share.denominator, -np.abs(below - float(share) * 4))


def test_a_gap_is_chosen_by_its_length_and_the_distance_of_its_rank():
    """The weights of GUPT's percentile, with the 1/2: (length) exp(-epsilon |rank - p n| / 2)."""
    slabs, epsilon, x = 64, 0.7, np.array([-0.5, -0.25, 0.125, 0.5])
    data = rows(np.c_[x - 1e-9, np.zeros(4)])
    score = Quantile(0, QUARTER, slabs)
    weights = selection_weights(
        score.of(data), selection_scale(score.sensitivity, epsilon, score.monotone)
    )
    lines = 2 * np.arange(slabs + 1) / slabs - 1
    ranks = (x[None] <= lines[:, None]).sum(axis=1)
    ends = np.r_[-1, x, 1 + 2 / slabs]
    expected = np.diff(ends) * np.exp(-epsilon * np.abs(np.arange(5) - 1) / 2)
    found = np.bincount(ranks, weights)
    np.testing.assert_allclose(found / found.sum(), expected / expected.sum(), rtol=1e-12)


def test_gupt_leaves_out_the_half_in_the_exponent():
    honest, gupt = Quantile(0, QUARTER, 8), GuptQuantile(0, QUARTER, 8)
    assert gupt.sensitivity * 2 == honest.sensitivity


def test_a_grid_and_its_rows_have_the_same_quantiles():
    cells = np.random.default_rng(0).integers(0, 16, (300, 2))
    counts = np.zeros((16, 16), dtype=np.int64)
    np.add.at(counts, tuple(cells.T), 1)
    for axis in (0, 1):
        score = Quantile(axis, QUARTER, 16)
        on_grid = score.of(GridDataset(counts, BOX))
        np.testing.assert_array_equal(on_grid, score.of(rows((2 * cells + 1) / 16 - 1)))


@pytest.mark.parametrize("share", [QUARTER, Fraction(3, 4)])
def test_no_row_moves_a_quantile_score_by_more_than_its_sensitivity(share):
    rng = np.random.default_rng(0)
    score, furthest = Quantile(0, share, 32), 0
    for _ in range(50):
        values = rng.uniform(-1, 1, (rng.integers(0, 6), 2))
        added, replaced = np.vstack([values, rng.uniform(-1, 1, 2)]), values.copy()
        replaced[:1] = rng.uniform(-1, 1, 2)
        for other in (added, replaced):
            moved = np.abs(score.of(rows(values)) - score.of(rows(other))).max()
            furthest = max(furthest, moved)
    assert 0 < furthest <= score.sensitivity


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_one_row_moves_the_sum_over_blocks_by_one_range_a_number(neighbors):
    """The last row is replaced, so that the others keep their slices: one block changes."""
    rng = np.random.default_rng(0)
    values, moved, blocks = rng.uniform(-1, 1, (40, 2)), 0, 4
    low, high = np.array([-0.4, -0.4]), np.array([0.4, 0.4])

    for _ in range(20):
        other = values.copy()
        other[-1] = rng.uniform(-1, 1, 2)
        a, b = (
            SlicedCenters(3, blocks, low, high, SecretCoins(np.random.default_rng(5))).of(rows(v))
            for v in (values, other)
        )
        moved = max(moved, np.abs(a - b).sum())
    question = BlockCenters(3, blocks, low, high, SecretCoins(rng))
    limit = question.added if neighbors is Neighbors.ADD_REMOVE else question.replaced
    assert 0 < moved <= limit.l1
    assert limit.l2 == pytest.approx(math.sqrt(6) * RANGE_UNITS)


@pytest.mark.parametrize(("key", "settings"), [("gkm", {}), ("gkm-3k", {"rows_per_center": 30})])
def test_without_noise_the_answer_is_the_mean_of_what_blocks_find(key, settings):
    truth = [[-0.5, -0.5], [0.5, 0.5]]
    for noise, epsilon in ((ExactNoise(), 1.0), (None, 1e6)):
        result = dpcore.run(key, two_squares(), 2, epsilon, seed=0, noise=noise, **settings)
        np.testing.assert_allclose(np.asarray(result.centers), truth, atol=0.03)


def test_one_block_is_k_means_clamped_to_the_quartiles():
    data = two_squares(200)
    result = dpcore.run("gkm", data, 2, 1e6, neighbors="replace-one", seed=0, exponent=0.1)
    assert result.facts["blocks"] == 1
    values = data.box.from_unit(data.positions()[0] / 2**21)
    low, high = np.quantile(values, [0.25, 0.75], axis=0)
    means = [values[values[:, 0] < 0].mean(axis=0), values[values[:, 0] > 0].mean(axis=0)]
    np.testing.assert_allclose(np.asarray(result.centers), np.clip(means, low, high), atol=0.01)


def test_charges_are_a_size_then_quartiles_then_the_mean():
    result = dpcore.run("gkm-3k", two_squares(), 2, 1.0, seed=0)
    size, *quartiles, mean = result.transcript
    assert size.epsilon == 0.05
    assert [q.epsilon for q in quartiles] == pytest.approx([0.95 / 2 / 4] * 4)
    assert mean.epsilon == pytest.approx(0.95 / 2)
    # 2 (max - min) k d / (blocks epsilon) on the mean, in whole parts of the range.
    assert mean.scale / RANGE_UNITS == pytest.approx(2 * 2 * 2 / 0.95)


@pytest.mark.parametrize(("key", "n", "blocks"), [("gkm", 1024, 16), ("gkm-3k", 1024, 170)])
def test_a_public_number_of_rows_sets_the_number_of_blocks_and_costs_nothing(key, n, blocks):
    result = dpcore.run(key, two_squares(n), 2, 1.0, neighbors="replace-one", seed=0)
    assert result.facts["blocks"] == blocks
    assert len(result.transcript) == 5


def test_a_private_number_of_rows_sets_the_number_of_blocks_with_noise():
    blocks = {
        dpcore.run("gkm-3k", two_squares(600), 2, 1.0, seed=s).facts["blocks"] for s in range(8)
    }
    assert len(blocks) > 3


@pytest.mark.parametrize(("line", "expected"), [(0, (0, 1)), (7, (7, 8)), (64, (63, 64))])
def test_equal_quartiles_are_moved_one_slab_apart(line, expected):
    class Chooses(ExactNoise):
        def choose(self, *_):
            return line

    data = GridDataset(np.ones((64, 64), dtype=np.int64), BOX)
    low, high = quartiles(Curator(data, Budget(1.0), Chooses()), 1.0)
    np.testing.assert_array_equal((low + 1) * 32, [expected[0]] * 2)
    np.testing.assert_array_equal((high + 1) * 32, [expected[1]] * 2)


def test_crossed_quartiles_are_swapped():
    class Chooses(ExactNoise):
        lines = iter([40, 20, 10, 30])

        def choose(self, *_):
            return next(self.lines)

    data = GridDataset(np.ones((64, 64), dtype=np.int64), BOX)
    low, high = quartiles(Curator(data, Budget(1.0), Chooses()), 1.0)
    np.testing.assert_array_equal((low + 1) * 32, [10, 20])
    np.testing.assert_array_equal((high + 1) * 32, [40, 30])


def test_the_published_form_betrays_the_number_of_rows_and_says_so():
    facts = [
        dpcore.run("gkm-published", two_squares(n), 2, 1.0, seed=0).facts["blocks"]
        for n in (1024, 1023)
    ]
    assert facts == [16, 15]
    result = dpcore.run("gkm-published", two_squares(), 2, 1.0, seed=0, blocks="gkm-3k")
    assert result.facts["blocks"] == 666
    assert result.epsilon == math.inf
    assert sum(charge.epsilon for charge in result.transcript) == pytest.approx(1.0)


def test_leaving_out_the_first_row_shifts_all_slices():
    """Why the published form fails: the noise covers one range, and the sum moves by ten."""
    values = np.tile([[-0.9, 0], [-0.9, 0], [0.9, 0], [0.9, 0]], (10, 1))
    low, high = np.array([-0.8, -1]), np.array([-0.1, 1])

    def total(v):
        return SlicedCenters(1, 20, low, high, SecretCoins(np.random.default_rng(0))).of(rows(v))

    moved = np.abs(total(values) - total(values[1:]))
    assert moved[0, 0] >= 10 * RANGE_UNITS


def test_blocks_cost_no_more_in_many_dimensions():
    result = dpcore.run("gkm-3k", two_squares(600, d=20), 2, 1e4, seed=0, rows_per_center=20)
    np.testing.assert_allclose(np.sort(np.asarray(result.centers)[:, 0]), [-0.5, 0.5], atol=0.1)


def test_the_curator_answers_a_question_about_blocks_at_the_scale_it_states():
    curator = Curator(two_squares(), Budget(1.0), ExactNoise())
    coins = SecretCoins(np.random.default_rng(0))
    question = BlockCenters(2, 10, np.full(2, -1.0), np.full(2, 1.0), coins)
    means = question.mean(curator.answer(question, Pure(1.0), "blocks"))
    np.testing.assert_allclose(means, [[-0.5, -0.5], [0.5, 0.5]], atol=0.02)
    assert curator.transcript[0].sensitivity == 4 * RANGE_UNITS
