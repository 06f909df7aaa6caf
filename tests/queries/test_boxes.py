"""Rows in boxes, from one table: the right numbers, and scores that one row moves by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.datasets import GridDataset, RowsDataset
from dpcore.geometry.domain import Box, cell_ticks
from dpcore.queries.boxes import (
    BoxCounts,
    CenterCounts,
    GoodRadius,
    Ladder,
    box_counts,
    half_widths,
    most_rows,
    strip,
    summed_area,
)

SIDE = 4
SMALL = arrays(np.int64, (SIDE, SIDE), elements=st.integers(0, 3))


def rows_around(counts: np.ndarray, center: tuple[int, ...], radius: int) -> int:
    """Rows in cells at most radius from a cell along every axis, one by one."""
    near = [
        counts[cell]
        for cell in np.ndindex(counts.shape)
        if max(abs(a - b) for a, b in zip(cell, center, strict=True)) <= radius
    ]
    return int(sum(near))


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_a_table_counts_the_rows_of_every_box(d, stride):
    counts = np.random.default_rng(d).integers(0, 9, (7,) * d)
    table = summed_area(counts)
    centers = range(stride // 2, 7, stride)
    for radius in range(9):
        found = box_counts(table, radius, stride)
        expected = [rows_around(counts, c, radius) for c in itertools.product(centers, repeat=d)]
        assert found.ravel().tolist() == expected


@given(arrays(np.int64, (9, 9), elements=st.integers(0, 9)), st.integers(0, 10))
def test_strips_of_boxes_are_those_boxes(counts, radius):
    table = summed_area(counts)
    whole = box_counts(table, radius)
    for first, end in ((0, 9), (0, 3), (4, 9), (2, 7)):
        assert np.array_equal(strip(table, radius, first, end), whole[first:end])


@pytest.mark.parametrize("side", [1, 8, 128, 256, 512])
def test_the_fullest_box_found_by_bounds_is_the_fullest_of_all(side):
    rng = np.random.default_rng(side)
    for counts in (rng.poisson(0.3, (side, side)), rng.poisson(3, (side, side)) ** 3):
        table = summed_area(counts)
        for radius in (0, 1, 2, 5, side // 4, side):
            assert most_rows(table, radius) == box_counts(table, radius).max()


def test_half_widths_grow_by_the_square_root_of_two_up_to_half_the_grid():
    assert half_widths(16) == (0, 1, 2, 3, 4, 6, 8)
    assert half_widths(64, 2) == (2, 3, 4, 6, 8, 11, 16, 23, 32)
    assert half_widths(1) == (0,)


@pytest.mark.parametrize(("side", "d"), [(1, 2), (8, 1), (16, 2), (8, 3), (4, 4)])
def test_every_candidate_counts_the_rows_of_the_box_it_stands_for(side, d):
    ladder = Ladder(side, d)
    rng = np.random.default_rng(0)
    totals = rng.integers(0, 9, side**d)
    counts = ladder.counts(totals)
    middles = (2 * np.arange(side) + 1 - side) / side
    places = np.stack(np.meshgrid(*[middles] * d, indexing="ij"), axis=-1).reshape(-1, d)
    assert len(counts) == len(ladder) == int(ladder.ends[-1])
    for index in rng.choice(len(ladder), min(len(ladder), 60), replace=False):
        center, reach = ladder.box(int(index))
        inside = (np.abs(places - center) < reach).all(axis=1)
        assert counts[index] == totals[inside].sum()


def test_all_half_widths_but_for_the_penalty_are_as_likely_as_each_other():
    ladder = Ladder(16, 2)
    masses = [part.sum() for part in np.split(np.exp(ladder.log_prior(0.5)), ladder.ends[:-1])]
    assert masses == pytest.approx(np.exp(-0.5 * np.arange(len(masses))))


# How far one row can move a score: every row that could come, on small grids.

LADDER = Ladder(SIDE, 2)
SCORES = [
    *(BoxCounts(LADDER, cap) for cap in (1, 3, 100)),
    *(CenterCounts(SIDE, radius) for radius in (0, 1, 3)),
    *(GoodRadius(SIDE, (0, 1, 2), t) for t in (1, 2, 4, 9)),
]


def scores_of(score, counts: np.ndarray) -> np.ndarray:
    return np.asarray(score.of(GridDataset(counts, Box.cube(2))), dtype=np.int64)


def with_one_more(counts: np.ndarray) -> list[np.ndarray]:
    found = []
    for cell in np.ndindex(counts.shape):
        more = counts.copy()
        more[cell] += 1
        found.append(more)
    return found


@pytest.mark.parametrize("score", SCORES, ids=repr)
@settings(max_examples=25)
@given(counts=SMALL)
def test_any_row_added_or_replaced_moves_a_score_by_at_most_its_sensitivity(score, counts):
    before = scores_of(score, counts)
    after = np.array([scores_of(score, more) for more in with_one_more(counts)])
    assert np.abs(after - before).max() <= score.sensitivity == 1
    if score.monotone:
        assert (after >= before).all()
    # Two data sets that differ by a replacement have the same row less in common.
    assert (after.max(axis=0) - after.min(axis=0)).max() <= score.sensitivity


def test_the_quality_of_a_radius_goes_up_and_down_so_it_is_not_called_monotone():
    score = GoodRadius(SIDE, (0, 1, 2), 2)
    counts = np.zeros((SIDE, SIDE), dtype=np.int64)
    counts[0, 0] = 2
    changes = [scores_of(score, more) - scores_of(score, counts) for more in with_one_more(counts)]
    assert min(c.min() for c in changes) == -1
    assert max(c.max() for c in changes) == 1
    assert not score.monotone


def test_the_radius_at_which_the_fullest_box_comes_to_hold_t_rows_scores_best():
    counts = np.zeros((16, 16), dtype=np.int64)
    counts[4:9, 4:9] = 1
    radii = (0, 1, 2, 3, 4)
    # Boxes around the middle of the 25 rows hold 1, 9 and then all of them.
    assert scores_of(GoodRadius(16, radii, 25), counts).tolist() == [-24, -16, 0, 0, 0]
    assert scores_of(GoodRadius(16, radii, 10), counts).tolist() == [-9, -1, 1, -10, -10]
    assert scores_of(GoodRadius(16, radii, 6), counts).tolist() == [-5, 3, -3, -6, -6]


def test_rows_and_the_same_rows_on_a_grid_score_alike():
    cells = np.random.default_rng(0).integers(0, 16, (200, 2))
    counts = np.zeros((16, 16), dtype=np.int64)
    np.add.at(counts, tuple(cells.T), 1)
    ticks = cell_ticks(cells, 16)
    rows = RowsDataset(((ticks + (1 << 21)) // 2).astype(np.int32), Box.cube(2))
    for score in (BoxCounts(Ladder(16, 2), 50), CenterCounts(16, 3), GoodRadius(16, (0, 2), 30)):
        assert np.array_equal(score.of(rows), score.of(GridDataset(counts, Box.cube(2))))
