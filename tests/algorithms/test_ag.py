"""AG worked out by hand: its two grids, its averages and its charges."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.ag import first_side, reconciled, second_sides
from dpcore.geometry.domain import Box, Grid, to_ticks
from dpcore.geometry.nested_grid import NestedGrid


def data(n=4000):
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(-0.6, 0.05, (n, 2)), rng.uniform(-1, 1, (n // 20, 2))])
    return dpcore.datasets.from_array(rows, box=(-1, 1))


@pytest.mark.parametrize(
    ("fill", "side"), [(100, 10), (16_000, 10), (100_000, 25), (-5, 10), (1e12, 1024)]
)
def test_the_first_grid_has_a_quarter_of_the_uniform_side_and_at_least_ten(fill, side):
    assert first_side(fill) == side


def test_a_cell_is_cut_the_finer_the_fuller_it_seems():
    fill = np.array([-3.0, 0.0, 4.9, 5.1, 45.1, 1e9])
    assert second_sides(fill, 64).tolist() == [1, 1, 1, 2, 4, 64]
    assert (second_sides(np.full(100, 1e6), 1024) ** 2).sum() <= 1 << 20


def test_parts_of_a_cell_add_up_to_the_mean_of_both_counts_by_their_noise():
    nested = NestedGrid(Grid(Box.cube(2), 1), np.array([2]))
    parts = np.array([10.0, 20.0, 30.0, 40.0])
    moved = reconciled(nested, np.array([140.0]), parts, 0.5, 0.5)
    # The sum of four counts has four times the variance of one.
    assert moved.sum() == pytest.approx((4 * 140 + 100) / 5)
    assert np.ptp(moved - parts) == pytest.approx(0)


def test_a_nested_grid_counts_rows_where_they_are():
    rng = np.random.default_rng(0)
    nested = NestedGrid(Grid(Box.cube(2), 3), rng.integers(1, 5, 9))
    rows = rng.uniform(-1, 1, (500, 2))
    label = nested.labels(to_ticks(rows))
    half = (1 / 3 / nested.sides[nested.parents])[label]
    assert (np.abs(rows - nested.centers()[label]) <= half[:, None] + 1e-6).all()
    assert nested.centers().shape == (nested.n_cells, 2)
    assert len(np.unique(nested.centers(), axis=0)) == nested.n_cells


def test_a_twentieth_buys_the_size_and_each_grid_half_of_the_rest():
    result = dpcore.run("ag", data(), 3, 2.0, seed=0)
    assert [c.epsilon for c in result.transcript] == pytest.approx([0.1, 0.95, 0.95])
    assert [c.scale for c in result.transcript] == pytest.approx([10, 1 / 0.95, 1 / 0.95])
    public = dpcore.run("ag", data(), 3, 2.0, neighbors="replace-one", seed=0)
    assert [c.scale for c in public.transcript] == pytest.approx([2, 2])


def test_cells_are_small_where_rows_are():
    points = dpcore.run("ag", data(), 3, 2.0, seed=0).synopsis.unit_points
    assert (np.abs(points + 0.6).max(axis=1) < 0.2).mean() > 0.5
