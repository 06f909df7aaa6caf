"""Scanline steps on a grid, against all distances of all cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.geometry.domain import TICKS, Box, Grid, cell_ticks, to_ticks
from dpcore.kmeans.scanline import RowSums
from tests.kmeans.brute import nearest_totals

sides = st.integers(1, 12)
powers = st.sampled_from([1, 2, 4, 8, 16])


def signed_counts(shape):
    return arrays(np.int64, shape, elements=st.integers(-5, 9))


def positions(grid):
    """Cell centers in lattice units, flattened like the counts."""
    axes = [(2 * np.arange(g) + 1 - g) * (grid.lattice // g) for g in grid.shape]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)


def draw_centers(data, grid, k):
    """Centers on the lattice, many of them where bisectors pass through cell centers."""
    anywhere = st.integers(-grid.lattice, grid.lattice)
    on_cells = st.integers(-2 * grid.shape[0], 2 * grid.shape[0]).map(
        lambda i: max(-grid.lattice, min(grid.lattice, i * grid.lattice // (2 * grid.shape[0])))
    )
    few = st.integers(-2, 2)
    coordinate = data.draw(st.sampled_from([anywhere, on_cells, few]))
    return data.draw(arrays(np.int64, (k, 2), elements=coordinate))


def agrees_with_brute_force(counts, centers):
    grid = RowSums(counts)
    weights, sums = grid.totals(centers)
    expected = nearest_totals(positions(grid), counts.ravel(), centers)
    assert (weights.tolist(), sums.tolist(), grid.squared(centers)) == expected


@given(st.data(), sides, sides, st.integers(1, 8))
def test_any_grid_any_centers_and_signed_counts_are_exact(data, rows, columns, k):
    counts = data.draw(signed_counts((rows, columns)))
    agrees_with_brute_force(counts, draw_centers(data, RowSums(counts), k))


@given(st.data(), powers, powers, st.integers(1, 8))
def test_grids_of_powers_of_two_are_exact_in_ticks(data, rows, columns, k):
    counts = data.draw(signed_counts((rows, columns)))
    grid = RowSums(counts)
    assert grid.lattice == TICKS
    agrees_with_brute_force(counts, draw_centers(data, grid, k))


@given(st.data(), sides, st.integers(2, 6))
def test_centers_with_one_and_the_same_column_are_told_apart_by_row(data, side, k):
    counts = data.draw(signed_counts((side, side)))
    centers = draw_centers(data, RowSums(counts), k)
    centers[:, 1] = centers[0, 1]
    agrees_with_brute_force(counts, centers)


@given(st.data(), sides, st.integers(1, 30))
def test_of_equal_centers_the_first_takes_all(data, side, k):
    counts = data.draw(signed_counts((side, side)))
    grid = RowSums(counts)
    centers = draw_centers(data, grid, k)
    once, sums = grid.totals(centers)
    twice, double_sums = grid.totals(np.concatenate([centers, centers]))
    assert twice.tolist() == once.tolist() + [0] * k
    assert double_sums.tolist() == sums.tolist() + [[0, 0]] * k


def test_a_tie_goes_to_the_lower_index_whichever_side_it_is_on():
    grid = RowSums(np.ones((3, 3), dtype=np.int64))
    left, right = [0, -grid.lattice], [0, grid.lattice]
    assert grid.totals(np.array([left, right]))[0].tolist() == [6, 3]
    assert grid.totals(np.array([right, left]))[0].tolist() == [6, 3]


def test_bisectors_a_tick_off_a_cell_center_fall_on_the_right_side_on_the_finest_rows():
    counts = np.zeros((4, 4096), dtype=np.int64)
    counts[:, 2047] = [1, 10, 100, 1000]
    grid = RowSums(counts)
    cell = int(cell_ticks(2047, 4096))
    for nudge, expected in ((-1, [0, 1111]), (0, [1111, 0]), (1, [1111, 0])):
        centers = np.array([[5, cell - 999], [5, cell + 999 + 2 * nudge]])
        assert grid.totals(centers)[0].tolist() == expected


@given(st.data(), sides, st.integers(1, 5), st.integers(1, 4))
def test_a_batch_is_its_sets_one_by_one(data, side, k, sets):
    counts = data.draw(signed_counts((side, side)))
    grid = RowSums(counts)
    batch = np.stack([draw_centers(data, grid, k) for _ in range(sets)])
    weights, sums = grid.totals(batch)
    for centers, w, s, squared in zip(batch, weights, sums, grid.squared(batch), strict=True):
        assert grid.totals(centers)[0].tolist() == w.tolist()
        assert grid.totals(centers)[1].tolist() == s.tolist()
        assert grid.squared(centers) == squared


def test_batches_larger_than_the_cache_are_taken_in_parts():
    rng = np.random.default_rng(0)
    grid = RowSums(rng.integers(0, 9, (1024, 8)))
    sets = grid.snap(rng.uniform(-1, 1, (40, 5, 2)))
    weights, _ = grid.totals(sets)
    assert weights.tolist() == [grid.totals(centers)[0].tolist() for centers in sets]


def test_unit_coordinates_give_the_same_step_as_lattice_units():
    rng = np.random.default_rng(1)
    grid = RowSums(rng.integers(-3, 9, (7, 7)))
    centers = rng.uniform(-1, 1, (3, 4, 2))
    weights, sums, inertia = grid.step(centers)
    exact_weights, exact_sums = grid.totals(grid.snap(centers))
    np.testing.assert_array_equal(weights, exact_weights)
    np.testing.assert_array_equal(sums * grid.lattice, exact_sums)
    np.testing.assert_array_equal(inertia, grid.cost(centers))
    cells = Grid(Box.cube(2), 7).centers()
    assert grid.cost(cells) == pytest.approx(0, abs=1e-9)


def test_ticks_outside_the_box_are_folded_back():
    grid = RowSums(np.ones((2, 2), dtype=np.int64))
    assert grid.snap([[-3.0, 1.5]]).tolist() == [[-TICKS, TICKS]]
    assert grid.snap([[0.3, -0.7]]).tolist() == to_ticks([[0.3, -0.7]]).tolist()


def test_sides_without_a_common_lattice_are_refused():
    with pytest.raises(ValueError, match="1999 x 2003"):
        RowSums(np.zeros((1999, 2003), dtype=np.int64))
