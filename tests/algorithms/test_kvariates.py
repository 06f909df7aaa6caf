"""k-variates++ hides which row was picked; with the noise the data set, it hides nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.kvariates import loosened
from dpcore.datasets import GridDataset, RowsDataset
from dpcore.datasets.rows import from_array
from dpcore.errors import Infeasible
from dpcore.geometry.domain import TICKS, Box
from dpcore.privacy.accounting import Neighbors
from dpcore.queries.picked_row import PickedRow
from dpcore.queries.unprotected_data import UnprotectedData

CORNERS = [[-0.9, -0.9]] * 5 + [[0.9, -0.9]] * 5 + [[0.0, 0.9]] * 5


def in_box(rows):
    return from_array(np.reshape(rows, (-1, 2)), (-1, 1))


@pytest.mark.parametrize("neighbors", list(Neighbors))
@pytest.mark.parametrize("d", [2, 7])
def test_the_noise_covers_the_whole_box_for_every_center(neighbors, d):
    data = from_array(np.zeros((9, d)), (-1, 1))
    result = dpcore.run("kvariates", data, 3, 1.5, neighbors=neighbors, seed=0)
    assert [c.epsilon for c in result.transcript] == [pytest.approx(0.5)] * 3
    assert {c.scale for c in result.transcript} == {2 * d * 3 / 1.5 * TICKS}
    assert result.epsilon == 1.5


def test_no_two_rows_are_farther_apart_than_the_noise_covers():
    question = PickedRow(np.zeros((0, 3)), np.random.default_rng(0))
    low, high = (
        question.of(RowsDataset.from_values([[x] * 3], Box.cube(3))) for x in (-1.0, 0.9999999)
    )
    apart = np.abs(high - low)
    assert 0.999999 * question.added.l1 < apart.sum() <= question.added.l1
    assert np.sqrt((apart**2).sum()) <= question.added.l2
    assert question.replaced == question.added


def test_without_noise_it_is_k_means_plus_plus():
    for seed in range(5):
        centers = np.asarray(dpcore.run("kvariates", in_box(CORNERS), 3, 1e6, seed=seed).centers)
        found = sorted(map(tuple, centers.round(3)))
        assert found == [(-0.9, -0.9), (0.0, 0.9), (0.9, -0.9)]


def test_picks_are_likelier_the_farther_and_the_heavier():
    counts = np.zeros((2, 2), dtype=np.int64)
    counts[0, 0], counts[0, 1], counts[1, 1] = 5, 3, 1
    grid = GridDataset(counts, Box.cube(2))
    question = PickedRow(np.array([[-0.5, -0.5]]), np.random.default_rng(0))
    picks = [tuple(question.of(grid) / TICKS) for _ in range(2000)]
    # Squared distances 0, 1, 2 times 5, 3, 1 rows.
    assert picks.count((-0.5, -0.5)) == 0
    assert picks.count((-0.5, 0.5)) / 2000 == pytest.approx(3 / 5, abs=0.04)
    assert picks.count((0.5, 0.5)) / 2000 == pytest.approx(2 / 5, abs=0.04)


def test_one_row_decides_whether_the_published_noise_exists():
    rng = np.random.default_rng(0)
    rows = rng.normal(0, 0.02, (200, 2))
    moved = [*rows[1:], [0.99, 0.99]]
    result = dpcore.run("kvariates-published", in_box(rows), 3, 1.0, seed=0)
    assert result.facts["loosened epsilon"] > 0.5
    assert result.epsilon == math.inf
    with pytest.raises(Infeasible, match="not defined for these data"):
        dpcore.run("kvariates-published", in_box(moved), 3, 1.0, seed=0)


def test_the_published_epsilon_follows_its_formula_and_does_not_overflow():
    w, k = 0.1, 3
    expected = math.log((math.exp(2.0) - (1 + w) ** 2) / (w * 4))
    assert loosened(2.0, w, k) == pytest.approx(expected)
    assert loosened(1e6, w, k) == pytest.approx(1e6 - math.log(w * 4))
    for hopeless in (math.inf, 10.0):
        with pytest.raises(Infeasible):
            loosened(1.0, hopeless, k)


def test_spread_is_that_of_the_rows_at_hand():
    def spread(rows, k):
        return UnprotectedData(in_box(rows)).spread(k, np.random.default_rng(0))

    radius, w = spread([[-0.5, 0.0], [0.5, 0.0]], 1)
    assert radius == pytest.approx(0.5, abs=1e-5)
    assert w == pytest.approx(0.25, abs=1e-5)  # one row as the center costs the other 1
    assert spread([[0.5, 0.5]] * 3, 2)[1] == math.inf
    assert spread([], 2) == (0.0, math.inf)


@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
@pytest.mark.parametrize("rows", [[], [[0.2, -0.3]], [[0.5, 0.5]] * 30])
def test_degenerate_data_give_centers_in_the_box(rows, epsilon):
    centers = np.asarray(dpcore.run("kvariates", in_box(rows), 3, epsilon, seed=0).centers)
    assert centers.shape == (3, 2)
    assert (np.abs(centers) <= 1).all()
