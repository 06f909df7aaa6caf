"""Removing the rows nearest a center: exactly those, and from neighbors, neighbors remain."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.datasets import GridDataset, RowsDataset
from dpcore.datasets.removable import working_copy
from dpcore.geometry.domain import TICKS, Box, Grid, cell_ticks

Place = tuple[int, ...]


def locations(data) -> list[Place]:
    """Where every row is, in ticks, one entry a row."""
    ticks, weights = data.positions()
    if weights is not None:
        ticks = np.repeat(ticks, weights, axis=0)
    return sorted(map(tuple, ticks.tolist()))


def without_nearest(rows: list[Place], centers: np.ndarray, m: int) -> tuple[list[Place], int]:
    """What removal means: sort all rows by distance, then by location, and leave out the first m.

    Also the squared distance of the last row that went. In whole numbers without limit.
    """

    def key(row: Place) -> tuple[int, Place]:
        offsets = np.abs(np.array(row) - centers).tolist()
        return min(sum(x**2 for x in offset) for offset in offsets), row

    ordered = sorted(rows, key=key)
    gone = ordered[: max(m, 0)]
    return sorted(ordered[len(gone) :]), key(gone[-1])[0] if gone else 0


def grid_of(side: int, cells: list[Place]) -> GridDataset:
    counts = np.zeros((side, side), dtype=np.int64)
    for cell in cells:
        counts[cell] += 1
    return GridDataset(counts, Box.cube(2))


def rows_of(cells: list[Place], side: int, d: int) -> RowsDataset:
    ticks = cell_ticks(np.array(cells, dtype=np.int64).reshape(-1, d), side)
    return RowsDataset(((ticks + TICKS) // 2).astype(np.int32), Box.cube(d))


@st.composite
def cases(draw, d: int, side: int):
    """Some rows in cells of a small grid, and a few removals: centers and how many rows."""
    cell = st.tuples(*[st.integers(0, side - 1)] * d)
    center = st.tuples(*[st.integers(-TICKS, TICKS)] * d)
    # Centers on cells and between them make ties.
    on_grid = st.tuples(*[st.integers(-side, side)] * d).map(
        lambda c: tuple(x * (TICKS // side) for x in c)
    )
    removal = st.tuples(
        st.lists(st.one_of(center, on_grid), min_size=1, max_size=3), st.integers(0, 12)
    )
    return (
        draw(st.lists(cell, max_size=40)),
        [(np.array(c), m) for c, m in draw(st.lists(removal, min_size=1, max_size=3))],
    )


def check_removals(whole, removals):
    """Removes rows from a copy, and compares each step with removal by sorting."""
    left, expected = working_copy(whole), locations(whole)
    for centers, m in removals:
        radius = left.remove_nearest(centers, m)
        expected, expected_radius = without_nearest(expected, centers, m)
        assert locations(left) == expected
        assert radius == expected_radius
        assert left.n == len(expected)


@pytest.mark.parametrize("side", [2, 8, 256])
@settings(deadline=None)
@given(data=st.data())
def test_removal_by_tiles_is_removal_by_sorting(side, data):
    cells, removals = data.draw(cases(2, side))
    whole = grid_of(side, cells)
    check_removals(whole, removals)
    assert locations(whole) == sorted(map(tuple, cell_ticks(np.array(cells).reshape(-1, 2), side)))


@pytest.mark.parametrize("d", [1, 2, 3, 4])
@given(data=st.data())
def test_removal_of_rows_is_removal_by_sorting(d, data):
    cells, removals = data.draw(cases(d, 8))
    whole = rows_of(cells, 8, d)
    check_removals(whole, removals)


def test_on_a_city_whole_tiles_go_and_still_it_is_removal_by_sorting():
    rng = np.random.default_rng(0)
    side = 1024
    spread = rng.normal(0.5, 0.15, (20_000, 2)) * side
    cells = np.clip(spread, 0, side - 1).astype(int)
    counts = np.zeros((side, side), dtype=np.int64)
    np.add.at(counts, tuple(cells.T), 1)
    left = working_copy(GridDataset(counts, Box.cube(2)))
    for m in (7000, 1, 500, 3000, 9000):
        centers = rng.integers(-TICKS // 2, TICKS // 2, (rng.integers(1, 4), 2))
        expected = without_nearest(locations(left), centers, m)
        radius = left.remove_nearest(centers, m)
        assert (locations(left), radius) == expected
    assert left.n == 20_000 - 19_501


def test_answers_after_a_removal_are_about_what_is_left():
    rng = np.random.default_rng(1)
    left = working_copy(grid_of(256, list(map(tuple, rng.integers(0, 256, (500, 2)).tolist()))))
    for _ in range(3):
        for cells in (4, 128, 256):
            grid = Grid(left.box, cells)
            places = np.array(locations(left)).reshape(-1, 2)
            expected = np.bincount(grid.labels(places), minlength=grid.n_cells)
            assert np.array_equal(left.histogram(grid), expected)
        left.remove_nearest(rng.integers(-TICKS, TICKS, (1, 2)), 100)


def test_rows_can_be_moved_to_a_coarser_public_grid_each_by_itself():
    rng = np.random.default_rng(2)
    rows = RowsDataset.from_values(rng.uniform(-1, 1, (300, 2)), Box.cube(2))
    coarse = working_copy(rows, 32)
    assert coarse.resolution == 32
    moved = Grid(rows.box, 32).labels(np.array(locations(coarse)))
    own = Grid(rows.box, 32).labels(rows.positions()[0])
    assert sorted(moved.tolist()) == sorted(own.tolist())


# The removal lemma: neighboring data stay neighbors, or become equal.


def apart(one: list[Place], other: list[Place]) -> tuple[int, int]:
    """Rows that only the one has, and that only the other has."""
    a, b = Counter(one), Counter(other)
    return (a - b).total(), (b - a).total()


@pytest.mark.parametrize("kind", ["grid", "rows"])
@settings(deadline=None)
@given(data=st.data())
def test_a_row_more_is_at_most_a_row_more_after_any_removals(kind, data):
    cells, removals = data.draw(cases(2, 8))
    cell = data.draw(st.tuples(st.integers(0, 7), st.integers(0, 7)))
    less, more = (pair_member(kind, some) for some in (cells, [*cells, cell]))
    for centers, m in removals:
        less.remove_nearest(centers, m)
        more.remove_nearest(centers, m)
        assert apart(locations(more), locations(less)) in ((1, 0), (0, 0))


@pytest.mark.parametrize("kind", ["grid", "rows"])
@settings(deadline=None)
@given(data=st.data())
def test_a_row_replaced_is_at_most_a_row_replaced_after_any_removals(kind, data):
    cells, removals = data.draw(cases(2, 8))
    one, other = (data.draw(st.tuples(st.integers(0, 7), st.integers(0, 7))) for _ in range(2))
    pair = [pair_member(kind, [*cells, cell]) for cell in (one, other)]
    for centers, m in removals:
        for each in pair:
            each.remove_nearest(centers, m)
        assert apart(*map(locations, pair)) in ((1, 1), (0, 0))


def pair_member(kind: str, cells: list[Place]):
    return working_copy(grid_of(8, cells) if kind == "grid" else rows_of(cells, 8, 2))


def test_the_order_of_rows_decides_nothing_even_among_ties():
    cells = [(1, 0), (0, 1), (2, 1), (1, 2)]
    middle = cell_ticks(np.array([[1, 1]]), 8)
    kept = set()
    for turn in range(4):
        left = working_copy(rows_of(cells[turn:] + cells[:turn], 8, 2))
        left.remove_nearest(middle, 2)
        kept.add(tuple(locations(left)))
    assert len(kept) == 1


def test_the_longest_squared_distance_is_exact():
    far = RowsDataset(np.zeros((1, 4), dtype=np.int32), Box.cube(4))
    radius = working_copy(far).remove_nearest(np.full((1, 4), TICKS), 1)
    assert radius == 4 * (2 * TICKS - 1) ** 2
