"""Dyadic cells are disjoint by construction, and counted alike by every kind of data."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.datasets import GridDataset, RowsDataset
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import LATTICE_CELLS, TICKS, Box, cell_ticks
from dpcore.geometry.dyadic import DyadicCells, deinterleaved, interleaved


def ragged(rng: np.random.Generator) -> DyadicCells:
    """Cells of levels 3 to 8, with gaps between them."""
    coarse = DyadicCells.uniform(3)
    some = np.flatnonzero(rng.random(64) < 0.7)
    cells, _ = coarse.split(some, rng.integers(0, 4, len(some)))
    some = np.flatnonzero(rng.random(cells.n_cells) < 0.5)
    return cells.split(some, rng.integers(0, 3, len(some)))[0]


def by_geometry(cells: DyadicCells, ticks: np.ndarray) -> np.ndarray:
    """Which cells hold which positions, from corners alone (cells, positions)."""
    low = np.stack(deinterleaved(cells.codes), axis=1) * (2 * TICKS >> cells.levels)[:, None]
    high = low + (2 * TICKS >> cells.levels)[:, None]
    moved = ticks + TICKS
    return ((moved >= low[:, None]) & (moved < high[:, None])).all(axis=2)


def test_the_four_quarters_follow_each_other_second_coordinate_first():
    expected = [[-0.5, -0.5], [-0.5, 0.5], [0.5, -0.5], [0.5, 0.5]]
    assert DyadicCells.uniform(1).centers().tolist() == expected


def test_indices_come_back_from_their_code():
    indices = np.random.default_rng(0).integers(0, LATTICE_CELLS, (2, 1000))
    indices[:, :2] = [[0, LATTICE_CELLS - 1], [LATTICE_CELLS - 1, 0]]
    assert np.array_equal(deinterleaved(interleaved(*indices)), indices)


def test_parts_fill_their_cell_and_come_in_order():
    parts, parent = DyadicCells.uniform(1).split(np.array([1, 3]), np.array([0, 1]))
    assert parent.tolist() == [1, 3, 3, 3, 3]
    assert parts.levels.tolist() == [1, 2, 2, 2, 2]
    assert parts.centers()[1:].mean(axis=0).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("levels", "codes"),
    [
        ([1, 2], [0, 3]),  # the second lies inside the first
        ([2, 2], [5, 5]),  # the same cell twice
        ([1, 1], [2, 1]),  # not in order
        ([1], [4]),  # no such cell
        ([22], [0]),  # finer than the lattice
        ([1, 1], [0]),
    ],
)
def test_cells_that_are_not_disjoint_and_in_order_are_refused(levels, codes):
    with pytest.raises(ValueError, match=r"[Dd]yadic|[Ll]evel"):
        DyadicCells(np.array(levels), np.array(codes))


def test_a_position_is_labelled_with_the_one_cell_that_holds_it():
    rng = np.random.default_rng(1)
    cells = ragged(rng)
    ticks = cell_ticks(rng.integers(0, LATTICE_CELLS, (2000, 2)))
    holds = by_geometry(cells, ticks)
    assert holds.sum(axis=0).max() == 1
    assert np.array_equal(
        cells.labels(ticks), np.where(holds.any(axis=0), holds.argmax(axis=0), -1)
    )


def test_rows_and_grids_count_as_labels_say():
    rng = np.random.default_rng(2)
    cells = ragged(rng)
    rows = RowsDataset.from_values(rng.normal(0, 0.4, (3000, 2)), Box.cube(2))
    grid = GridDataset(rng.poisson(0.3, (256, 256)), Box.cube(2))
    for data in (rows, grid):
        assert np.array_equal(data.histogram(cells), Dataset.histogram(data, cells))


def test_a_cell_smaller_than_those_of_the_grid_counts_the_grid_centers_in_it():
    grid = GridDataset(np.array([[3, 0], [0, 5]]), Box.cube(2))
    cells = DyadicCells.uniform(2)
    held = cells.labels(cell_ticks(np.array([[0, 0], [1, 1]]), 2))
    counts = grid.histogram(cells)
    assert counts[held].tolist() == [3, 5]
    assert counts.sum() == 8


@pytest.mark.parametrize("most", [2**31 - 1, 2**31, 2**40])
def test_a_grid_of_any_number_of_rows_counts_them_in_whole_numbers(most):
    grid = GridDataset(np.array([[most - 6, 3], [2, 1]]), Box.cube(2))
    for level, expected in ((0, [most]), (1, [most - 6, 3, 2, 1])):
        counts = grid.histogram(DyadicCells.uniform(level))
        assert counts.dtype == np.int64
        assert counts.tolist() == expected
