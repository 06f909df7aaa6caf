"""The coreset of 2009: disjoint rings, bounded costs, signed weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpcore
from dpcore.algorithms.net_coreset import CELLS, RINGS, Rings
from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import TICKS, Box, to_ticks
from dpcore.queries.row_costs import COARSER, PLACES, AddedCost, RowCost

SQUARE = Box.cube(2)


def odd(ticks):
    return np.asarray(ticks, dtype=np.int64) | 1


def test_a_row_lies_in_the_smallest_cube_of_its_nearest_center_that_holds_it():
    rings = Rings(np.array([[0.0, 0.0], [0.9, 0.9]]))
    ticks = to_ticks([[0.01, 0.005], [0.3, -0.1], [-1.0, 0.2], [0.9, 0.95]])
    labels = rings.labels(ticks)
    owner, rest = np.divmod(labels, RINGS * CELLS**2)
    assert owner.tolist() == [0, 0, 0, 1]
    # Half-widths are 2, 1, .5, ...: reaches .01, .3, 1 and .05 fall in cubes 7, 2, 1 and 5.
    assert (rest // CELLS**2).tolist() == [7, 2, 1, 5]


def test_every_row_lies_in_a_cell_that_can_hold_rows_and_near_its_middle():
    rng = np.random.default_rng(0)
    rings = Rings(rng.uniform(-1, 1, (5, 2)))
    ticks = odd(rng.integers(-TICKS, TICKS, (4000, 2)))
    labels = rings.labels(ticks)
    assert rings.can_hold_rows()[labels].all()
    reach = np.abs(ticks / TICKS - rings.centers[labels // (RINGS * CELLS**2)]).max(axis=1)
    gap = np.abs(rings.points()[labels] - ticks / TICKS).max(axis=1)
    # A cell is an eighth of its cube, whose half-width is at most twice the reach (or 2/128).
    assert (gap <= np.maximum(2 * reach, 2 / 128) / CELLS + 1e-6).all()


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.integers(-TICKS, TICKS - 1)] * 2), min_size=1, max_size=8), st.data()
)
def test_a_row_more_lowers_no_score_by_more_than_the_sensitivity_and_raises_none(rows, data):
    some = data.draw(st.integers(0, 3))
    rng = np.random.default_rng(some)
    score = AddedCost(
        rng.uniform(-1, 1, (some, 2)), rng.uniform(-1, 1, (6, 2)), RowCost(2**0.5, False)
    )
    cells = ((odd(rows) + TICKS) // 2).astype(np.int32)
    more, less = (score.of(RowsDataset(c, SQUARE)) for c in (cells, cells[1:]))
    assert ((more <= less) & (less - more <= score.sensitivity)).all()


def test_costs_are_distances_to_the_nearest():
    data = RowsDataset.from_values([[0.5, 0.0], [-0.5, 0.0]], SQUARE)
    score = AddedCost(
        np.array([[0.5, 0.0]]), np.array([[-0.5, 0.0], [0.5, 0.1]]), RowCost(2**0.5, False)
    )
    unit = PLACES**2 / COARSER
    np.testing.assert_allclose(-score.of(data) / unit, [0, 1], atol=2e-3)


@pytest.mark.parametrize("neighbors", ["add-remove", "replace-one"])
def test_half_of_the_budget_finds_centers_and_half_counts(neighbors):
    data = dpcore.datasets.load("s1-like")
    result = dpcore.run("net-coreset", data, 5, 1.0, neighbors=neighbors, seed=0)
    chosen = [c.epsilon for c in result.transcript if c.mechanism == "exponential mechanism"]
    rest = 0.95 if neighbors == "add-remove" else 1.0
    assert sum(chosen) == pytest.approx(rest / 2)
    assert result.transcript[-1].epsilon == pytest.approx(rest / 2)
    assert result.epsilon == 1.0


def test_weights_may_be_negative_so_it_is_no_coreset_to_publish_as_one():
    result = dpcore.run("net-coreset", dpcore.datasets.load("s1-like"), 5, 0.5, seed=0)
    assert (result.synopsis.weights < 0).any()
    assert result.coreset is None


def test_with_hardly_any_noise_its_cells_hold_all_rows_and_its_centers_are_good():
    data = dpcore.datasets.load("s1-like")
    result = dpcore.run("net-coreset", data, 5, 1e6, seed=0, starts=30)
    assert result.synopsis.weights.sum() == pytest.approx(data.n, rel=1e-3)
    best = dpcore.nicv(data, dpcore.baseline(data, 5).centers)
    assert dpcore.nicv(data, result.centers) <= 1.02 * best


def test_it_refuses_dimensions_with_too_many_cells():
    wide = dpcore.datasets.from_array(np.zeros((100, 6)), box=(-1, 1))
    with pytest.raises(dpcore.Infeasible, match=r"6 dimensions.*8\^6 cells"):
        dpcore.run("net-coreset", wide, 2, 1.0)
