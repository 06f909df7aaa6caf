"""Halved cells are where geometry says, count as it does, and agree with the squares of a map."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.datasets import GridDataset, RowsDataset
from dpcore.geometry.domain import Box, to_ticks
from dpcore.geometry.dyadic import DyadicCells
from dpcore.geometry.halved import HalvedCells, as_squares, most_halvings


def cells_of(d: int, seed: int = 0) -> HalvedCells:
    """Cells of mixed levels that cover the box."""
    rng = np.random.default_rng(seed)
    cells = HalvedCells.uniform(d, 2)
    for _ in range(5):
        cells, _ = cells.split(np.arange(cells.n_cells), rng.integers(0, 3, cells.n_cells))
    return cells


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_every_row_is_counted_in_the_cell_that_holds_it(d):
    rows = np.random.default_rng(d).uniform(-1, 1, (400, d))
    cells = cells_of(d)
    low, side = cells.corners()
    inside = (rows[:, None] >= low) & (rows[:, None] < low + side)
    data = RowsDataset.from_values(rows, Box.cube(d))
    expected = inside.all(axis=2).sum(axis=0)
    assert expected.sum() == 400
    np.testing.assert_array_equal(data.histogram(cells), expected)
    label = cells.labels(to_ticks(rows))
    np.testing.assert_array_equal(np.bincount(label, minlength=cells.n_cells), expected)
    np.testing.assert_allclose(cells.centers(), low + side / 2)


def test_on_a_map_two_halvings_make_a_square():
    cells = HalvedCells.uniform(2, 4)
    squares = as_squares(cells)
    assert isinstance(squares, DyadicCells)
    np.testing.assert_allclose(squares.centers(), cells.centers())
    assert as_squares(HalvedCells.uniform(2, 3)).n_cells == 8
    assert not isinstance(as_squares(HalvedCells.uniform(3, 4)), DyadicCells)
    counts = np.random.default_rng(0).integers(0, 9, (8, 8))
    data = GridDataset(counts, Box.cube(2))
    expected = DyadicCells.uniform(2)
    np.testing.assert_array_equal(data.histogram(cells), data.histogram(expected))
    assert data.histogram(HalvedCells.uniform(2, 3)).sum() == counts.sum()


def test_rows_outside_all_cells_have_none():
    half, _ = HalvedCells.uniform(1, 1).split(np.array([1]), np.array([2]))
    assert half.labels(np.array([[-(2**20)], [2**20]])).tolist() == [-1, 2]


@pytest.mark.parametrize(
    ("levels", "codes"),
    [([1, 1], [0]), ([-1], [0]), ([99], [0]), ([1], [2]), ([1, 2], [0, 1]), ([2, 1], [2, 0])],
)
def test_what_is_no_set_of_disjoint_cells_in_order_is_refused(levels, codes):
    with pytest.raises(ValueError, match=r"cell|Level|level"):
        HalvedCells(2, np.array(levels), np.array(codes))


def test_codes_fit_in_a_whole_number_in_any_dimension():
    assert [most_halvings(d) for d in (1, 2, 3, 200)] == [21, 42, 62, 62]
