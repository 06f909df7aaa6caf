"""The sparse mean chooses the right coordinates and pays for the choice."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.sparse_mean import HalvedFarSums, Take
from dpcore.datasets import GridDataset, RowsDataset
from dpcore.datasets.rows import from_array
from dpcore.errors import Infeasible
from dpcore.geometry.domain import TICKS, Box, to_ticks
from dpcore.privacy.accounting import Neighbors
from dpcore.queries.scores import FarSums


def sparse_rows(n=500, d=60):
    rng = np.random.default_rng(0)
    rows = np.zeros((n, d))
    rows[:, [3, 17, 40]] = [0.8, -0.6, 0.4]
    rows[:, [3, 17, 40]] += rng.uniform(-0.1, 0.1, (n, 3))
    return from_array(rows, (-1, 1))


@pytest.mark.parametrize("key", ["sparse-mean", "sparse-mean-published"])
def test_without_noise_the_largest_coordinates_have_their_means_and_the_others_are_zero(key):
    data = sparse_rows()
    center = np.asarray(dpcore.run(key, data, 1, 1e6, sparsity=1, accuracy=0.6, seed=0).centers)[0]
    ticks, _ = data.positions()
    means = ticks.mean(axis=0) / TICKS
    chosen = np.flatnonzero(center)
    assert set(chosen) >= {3, 17, 40}
    assert len(chosen) == 4
    np.testing.assert_allclose(center[chosen], means[chosen], atol=1e-4)


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_choice_and_sums_share_what_the_size_leaves(neighbors):
    result = dpcore.run("sparse-mean", sparse_rows(), 1, 1.0, neighbors=neighbors, seed=0)
    rest = 0.95 if neighbors.size_is_private else 1.0
    *_, choice, sums = result.transcript
    assert choice.epsilon == pytest.approx(rest / 2)
    assert choice.answers == 40
    assert sums.epsilon == pytest.approx(rest / 2)
    moved = 1 if neighbors.size_is_private else 2
    assert sums.scale == pytest.approx(moved * 40 * TICKS / (rest / 2), rel=1e-6)
    assert result.epsilon == 1.0


def test_where_every_coordinate_is_wanted_nothing_is_chosen():
    data = sparse_rows(d=41)
    result = dpcore.run("sparse-mean", data, 1, 1.0, sparsity=50, neighbors="replace-one", seed=0)
    assert [c.epsilon for c in result.transcript] == [1.0]


def test_scores_are_distances_of_sums_from_zero():
    data = RowsDataset.from_values([[0.5, -0.75], [-0.25, -0.5]], Box.cube(2))
    scores = FarSums(Neighbors.ADD_REMOVE).of(data) / TICKS
    np.testing.assert_allclose(scores, [0.25, 1.25], atol=1e-5)


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_a_row_moves_one_score_up_and_another_down_by_no_more_than_the_sensitivity(neighbors):
    score = FarSums(neighbors)
    before = [[0.9, 0.9], [0.9, 0.9]]
    after = [*before, [0.999, -0.999]]
    if neighbors is Neighbors.REPLACE_ONE:
        before = [*before, [-0.999, 0.999]]
    change = np.subtract(
        *(score.of(RowsDataset.from_values(rows, Box.cube(2))) for rows in (after, before))
    )
    assert change[0] > 0 > change[1]
    assert 0.99 * score.sensitivity < np.abs(change).max() <= score.sensitivity
    assert not score.monotone


def test_the_published_choice_is_twice_as_bold_as_its_epsilon_allows():
    assert HalvedFarSums(Neighbors.ADD_REMOVE).monotone
    result = dpcore.run("sparse-mean-published", sparse_rows(), 1, 1.0, seed=0)
    assert result.epsilon == math.inf


def test_only_one_center_is_offered_and_said_so():
    with pytest.raises(Infeasible, match="k must be 1"):
        dpcore.run("sparse-mean", sparse_rows(), 2, 1.0)


def test_taking_coordinates_keeps_its_promise():
    take = Take(np.array([0, 2]))
    image = take(to_ticks([[1.0, 0.3, -1.0]]))
    assert image.tolist() == [[TICKS, -TICKS]]
    assert np.abs(image).sum() <= take.reach_l1 * TICKS
    assert np.linalg.norm(image) <= take.reach * TICKS * (1 + 1e-12)


@pytest.mark.parametrize("rows", [[], [[0.2, -0.3]], [[0.5, 0.5]] * 30])
@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
def test_degenerate_data_give_a_center_in_the_box(rows, epsilon):
    data = RowsDataset.from_values(np.reshape(rows, (-1, 2)), Box.cube(2))
    center = np.asarray(dpcore.run("sparse-mean", data, 1, epsilon, seed=0).centers)
    assert (np.abs(center) <= 1).all()


def test_a_grid_has_a_mean_too():
    counts = np.zeros((4, 4), dtype=np.int64)
    counts[3, 0] = 100
    data = GridDataset(counts, Box.cube(2))
    center = np.asarray(dpcore.run("sparse-mean", data, 1, 1e5, seed=0).centers)
    np.testing.assert_allclose(center, [[0.75, -0.75]], atol=1e-3)
