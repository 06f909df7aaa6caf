"""The box and its lattice: which cell a row falls in, to the last bit."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dpcore.geometry.domain import (
    LATTICE_CELLS,
    TICKS,
    Box,
    Grid,
    cell_ticks,
    coarsen,
    from_ticks,
    to_ticks,
)

CITY = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
powers = st.integers(0, 21).map(lambda bits: 1 << bits)
sides = st.integers(1, LATTICE_CELLS)


@st.composite
def boxes(draw):
    """One-dimensional boxes of every size that people use, off-center ones too."""
    low = draw(st.floats(-1e6, 1e6))
    high = low + draw(st.floats(1e-6, 1e6))
    assume(high > low)
    return Box((low,), (high,))


def inside(box: Box):
    return st.floats(box.low[0], box.high[0])


def exact_position(box: Box, x: float, cells: int) -> Fraction:
    low, high = Fraction(box.low[0]), Fraction(box.high[0])
    return (Fraction(x) - low) / (high - low) * cells


# Boxes.


def test_a_constant_column_is_refused_with_the_reason():
    with pytest.raises(ValueError, match=r"'age' has no width: it goes from 5\.0 to 5\.0"):
        Box((0, 5), (1, 5), ("height", "age"))


@pytest.mark.parametrize(
    ("low", "high", "reason"),
    [
        ((1,), (0,), "no width"),
        ((math.nan,), (1,), "finite"),
        ((0,), (math.inf,), "finite"),
        ((-1e308,), (1e308,), "too wide"),
        ((0,), (5e-324,), "too thin"),
        ((0, 0), (1,), "one low and one high"),
        ((), (), "one low and one high"),
    ],
)
def test_a_box_that_cannot_be_is_refused_with_the_reason(low, high, reason):
    with pytest.raises(ValueError, match=reason):
        Box(low, high)


def test_names_are_one_each_and_made_up_when_missing():
    assert Box.cube(3).names == ("x0", "x1", "x2")
    with pytest.raises(ValueError, match="2 names for 1 coordinates"):
        Box((0,), (1,), ("a", "b"))
    with pytest.raises(ValueError, match="Two coordinates have the same name: a, a"):
        Box((0, 0), (1, 1), ("a", "a"))


def test_a_column_beside_the_coordinates_has_a_name_of_its_own():
    assert Box.cube(2).beside("weight") == "weight"
    assert Box((0, 0), (1, 1), ("weight_", "weight")).beside("weight") == "weight__"


def test_ends_may_come_as_any_numbers_and_become_floats():
    box = Box(np.array([0, 1]), [2, np.float32(3)])
    assert box == Box((0.0, 1.0), (2.0, 3.0))
    assert hash(box) == hash(Box((0.0, 1.0), (2.0, 3.0)))
    assert Box(**box.as_dict()) == box


def test_some_of_the_coordinates_keep_their_names():
    assert CITY.take([1]) == Box((40.7,), (40.9,), ("lat",))


@given(boxes(), st.data())
def test_unit_coordinates_go_forth_and_back(box, data):
    x = data.draw(inside(box))
    unit = box.to_unit([x])
    rounding = 4 * math.ulp(max(abs(box.low[0]), abs(box.high[0])))
    assert abs(unit[0]) <= 1 + rounding / (box.high[0] - box.low[0])
    assert box.from_unit(unit)[0] == pytest.approx(x, abs=rounding, rel=1e-15)


def test_the_ends_of_the_box_are_plus_and_minus_one():
    assert np.allclose(CITY.to_unit([CITY.low, CITY.center, CITY.high]).T, [-1, 0, 1], atol=1e-12)


def test_the_middle_of_a_far_box_is_finite():
    assert 1e308 < Box((1e308,), (1.5e308,)).center[0] < 1.5e308


def test_a_box_holds_both_its_ends_and_nothing_that_is_no_number():
    rows = [CITY.low, CITY.high, (math.nan, 40.8), (-math.inf, 40.8), (40.8, -74.0), (-74.0, 40.8)]
    assert CITY.contains(rows).tolist() == [True, True, False, False, False, True]


# Cells of rows.


@given(boxes(), sides, st.data())
def test_a_row_in_the_box_falls_in_a_cell_of_the_grid(box, cells, data):
    x = data.draw(inside(box))
    assert 0 <= box.cells([x], cells)[0] < cells


@pytest.mark.parametrize("box", [CITY, Box.cube(2), Box((0, 0), (1e-3, 7e5))])
def test_the_last_float_in_the_box_is_in_the_last_cell(box):
    last = np.nextafter(box.high, -np.inf)
    assert np.all(box.cells(last) == LATTICE_CELLS - 1)
    assert np.all(box.cells(box.high) == LATTICE_CELLS - 1)
    assert np.all(box.cells(box.low) == 0)


@given(boxes(), sides, st.data())
def test_cells_are_those_of_exact_arithmetic_but_within_a_few_roundings_of_a_border(
    box, cells, data
):
    border = data.draw(st.integers(0, cells))
    x = box.low[0] + border * (box.high[0] - box.low[0]) / cells
    for row in (
        math.nextafter(x, -math.inf),
        x,
        math.nextafter(x, math.inf),
        data.draw(inside(box)),
    ):
        if not box.contains([row]):
            continue
        exact = exact_position(box, row, cells)
        got = int(box.cells([row], cells)[0])
        if got != min(math.floor(exact), cells - 1):
            assert abs(exact - round(exact)) <= 4 * Fraction(cells, 2**53)
            assert abs(got - math.floor(exact)) == 1


@given(powers, st.integers(-30, 30), st.data())
def test_in_a_box_from_zero_to_a_power_of_two_borders_are_exact_to_the_bit(cells, size, data):
    box = Box((0.0,), (2.0**size,))
    x = data.draw(st.integers(0, cells)) * 2.0**size / cells
    for row in (math.nextafter(x, -math.inf), x, math.nextafter(x, math.inf)):
        if box.contains([row]):
            exact = math.floor(exact_position(box, row, cells))
            assert box.cells([row], cells)[0] == min(exact, cells - 1)


@given(boxes(), powers, powers, st.data())
def test_cells_of_grids_of_a_power_of_two_nest(box, fine, coarse, data):
    fine, coarse = max(fine, coarse), min(fine, coarse)
    x = [data.draw(inside(box))]
    assert box.cells(x, coarse)[0] == box.cells(x, fine)[0] // (fine // coarse)
    assert box.cells(x, coarse)[0] == coarsen(box.cells(x), LATTICE_CELLS, coarse)[0]


@given(boxes(), st.data())
def test_a_larger_row_is_never_in_a_smaller_cell(box, data):
    a, b = sorted(data.draw(inside(box)) for _ in range(2))
    assert box.cells([a]) <= box.cells([b])


# Ticks and coarser grids.


@given(powers, st.data())
def test_a_cell_center_is_in_ticks_where_it_is_in_the_box(cells, data):
    cell = data.draw(st.integers(0, cells - 1))
    assert Fraction(int(cell_ticks(cell, cells)), TICKS) == Fraction(2 * cell + 1 - cells, cells)


def test_centers_of_a_grid_are_those_of_its_cells_in_ticks():
    assert np.array_equal(from_ticks(cell_ticks(range(64), 64)), Grid(CITY, 64).axis_centers())


def test_a_lattice_cell_is_an_odd_number_of_ticks():
    ticks = cell_ticks([0, 1, LATTICE_CELLS // 2, LATTICE_CELLS - 1])
    assert ticks.tolist() == [1 - TICKS, 3 - TICKS, 1, TICKS - 1]
    assert np.all(ticks % 2 == 1)


@pytest.mark.parametrize("cells", [3, 1000, 2 * LATTICE_CELLS])
def test_a_grid_that_does_not_nest_has_no_centers_in_ticks(cells):
    with pytest.raises(ValueError, match="do not nest"):
        cell_ticks([0], cells)


@given(of=sides, to=sides, data=st.data())
def test_coarsening_puts_a_cell_where_its_center_falls(of, to, data):
    cell = data.draw(st.integers(0, of - 1))
    center = Fraction(2 * cell + 1, 2 * of)
    assert coarsen([cell], of, to)[0] == math.floor(center * to)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5))
def test_ticks_are_the_nearest_inside_the_box(points):
    for point, ticks in zip(points, to_ticks(points), strict=True):
        folded = min(max(point, -1.0), 1.0)
        assert abs(Fraction(int(ticks)) - Fraction(folded) * TICKS) <= Fraction(1, 2)
        assert abs(ticks) <= TICKS


@given(st.integers(-TICKS, TICKS))
def test_ticks_go_to_unit_coordinates_and_back_unchanged(ticks):
    assert to_ticks(from_ticks(ticks)) == ticks


# Grids.


@given(d=st.integers(1, 3), cells=st.integers(1, 40), data=st.data())
def test_a_label_is_the_flat_cell_in_c_order(d, cells, data):
    grid = Grid(Box.cube(d), cells)
    lattice = [data.draw(st.integers(0, LATTICE_CELLS - 1)) for _ in range(d)]
    expected = np.ravel_multi_index(tuple(coarsen(lattice, LATTICE_CELLS, cells)), grid.shape)
    assert grid.labels(cell_ticks(lattice)[None, :]).tolist() == [expected]


@pytest.mark.parametrize(("d", "cells"), [(1, 7), (2, 5), (3, 4)])
def test_the_center_of_each_cell_is_labelled_with_the_cell(d, cells):
    grid = Grid(Box.cube(d), cells)
    centers = grid.centers()
    assert centers.shape == (grid.n_cells, d) == (cells**d, d)
    assert np.array_equal(grid.labels(to_ticks(centers)), np.arange(grid.n_cells))


def test_both_ends_of_the_box_are_in_the_first_and_the_last_cell():
    grid = Grid(Box.cube(1), 10)
    assert grid.labels(np.array([[-TICKS], [TICKS]])).tolist() == [0, 9]


@given(st.integers(1, 500))
def test_cell_centers_are_symmetric_and_evenly_spaced(cells):
    centers = Grid(Box.cube(1), cells).axis_centers()
    assert np.array_equal(centers, -centers[::-1])
    assert np.allclose(np.diff(centers), 2 / cells)


def test_a_grid_has_a_cell():
    with pytest.raises(ValueError, match="at least one cell"):
        Grid(CITY, 0)
