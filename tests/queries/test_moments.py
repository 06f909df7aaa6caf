"""Level, offsets and products: what one row moves, and what the answers say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import TICKS, Box
from dpcore.queries.moments import WHOLE, LevelQuestion, Offsets, Products, clipped


def data(values):
    rows = np.atleast_2d(np.asarray(values, dtype=np.float64))
    return RowsDataset.from_values(rows, Box.cube(rows.shape[1]), outside="clip")


def scattered(n, d, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, (n, d))


CENTERS = np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 0.0], [0.9, -0.9, 0.9]])
QUESTIONS = {
    "level": LevelQuestion(),
    "offsets by L1": Offsets(CENTERS, 0.4, 1, 0.2),
    "offsets by L2": Offsets(CENTERS, 0.4, 2, 0.3),
    "offsets by L2, wide": Offsets(CENTERS, 3.0, 2, 0.3),
    "products": Products(CENTERS[0], 0.7),
}
#: Rows that move answers most: corners, centers, and what lies at the edge of a ball.
EXTREME = [
    [1, 1, 1],
    [-1, -1, -1],
    [1, -1, 1],
    [0, 0, 0],
    [-0.5, -0.5, 0],
    [-0.5, -0.1, 0],
    [0.5, 0.5, 0.4],
    [0.73, 0.73, 0.23],
]


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("row", EXTREME)
def test_a_row_added_moves_an_answer_by_no_more_than_its_sensitivity(name, row):
    question, rest = QUESTIONS[name], scattered(50, 3)
    moved = question.of(data([*rest, row])) - question.of(data(rest))
    assert np.abs(moved).sum() <= question.added.l1
    assert math.sqrt(float((moved.astype(object) ** 2).sum())) <= question.added.l2 * (1 + 1e-12)


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("row", EXTREME)
@pytest.mark.parametrize("other", EXTREME[:4])
def test_a_row_replaced_moves_it_no_further_than_is_said(name, row, other):
    question, rest = QUESTIONS[name], scattered(20, 3)
    moved = question.of(data([*rest, row])) - question.of(data([*rest, other]))
    assert np.abs(moved).sum() <= question.replaced.l1
    assert math.sqrt(float((moved.astype(object) ** 2).sum())) <= question.replaced.l2 * (1 + 1e-9)


@pytest.mark.parametrize("name", ["level", "offsets by L1"])
def test_the_l1_bound_is_reached(name):
    question = QUESTIONS[name]
    moved = question.of(data(EXTREME[0]))
    assert np.abs(moved).sum() == question.added.l1


def test_the_l2_bound_is_reached_at_the_edge_and_nearly_by_a_row_far_beyond_it():
    question = QUESTIONS["offsets by L2"]
    moved = question.of(data(EXTREME[0])).astype(np.float64)
    assert np.linalg.norm(moved) == pytest.approx(question.added.l2, rel=1e-6)
    products = QUESTIONS["products"]
    along_a_pair = products.of(data([1, 1, 0])).astype(np.float64)
    assert np.linalg.norm(along_a_pair) == pytest.approx(products.added.l2, rel=1e-3)


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_a_row_adds_is_the_same_in_any_company(name):
    question = QUESTIONS[name]
    row = scattered(1, 3, seed=9)
    alone = question.of(data(row))
    for n in (1, 7, 1000, 40_000):
        rest = scattered(n, 3, seed=n)
        together = question.of(data(np.concatenate([rest, row])))
        np.testing.assert_array_equal(together - question.of(data(rest)), alone)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_corner_weights_are_never_negative_and_sum_to_one_row(values):
    weights = LevelQuestion().of(data(values))
    assert (weights >= 0).all()
    assert weights.sum() == WHOLE


def test_the_level_reads_rows_means_and_mean_squares():
    rows = scattered(500, 7)
    n, means, squares = LevelQuestion.read(LevelQuestion().of(data(rows)))
    assert n == 500
    assert means == pytest.approx(rows.mean(axis=1).sum(), abs=1e-3)
    assert squares == pytest.approx((rows**2).mean(axis=1).sum(), abs=1e-3)


@pytest.mark.parametrize(("norm", "power"), [(1, 1), (2, 2)])
def test_offsets_read_counts_sums_and_what_room_they_leave(norm, power):
    rows = scattered(400, 3)
    question = Offsets(CENTERS, 0.6, norm, 0.25)
    counts, sums, room = question.read(question.of(data(rows)))
    label = ((rows[:, None] - CENTERS) ** 2).sum(-1).argmin(1)
    offset = rows - CENTERS[label]
    length = np.linalg.norm(offset, norm, axis=1)
    inside = offset * np.minimum(1, 0.6 / length)[:, None]
    for j in range(3):
        mine = label == j
        assert counts[j] == pytest.approx(mine.sum())
        np.testing.assert_allclose(sums[j], inside[mine].sum(0), atol=1e-3)
        left = 1 - np.minimum(1, length[mine] / 0.6) ** power
        assert room[j] == pytest.approx(left.sum(), abs=1e-3)


def test_products_read_the_scatter_of_clipped_rows():
    rows = scattered(300, 4)
    question = Products(np.full(4, 0.1), 2.5)
    offset = rows - 0.1
    np.testing.assert_allclose(question.read(question.of(data(rows))), offset.T @ offset, atol=0.2)


@pytest.mark.parametrize("norm", [1, 2])
def test_clipping_never_leaves_a_row_outside_its_ball(norm):
    ticks = np.random.default_rng(0).integers(-2 * TICKS, 2 * TICKS, (2000, 5))
    short = clipped(ticks, 0.3, norm, WHOLE)
    length = np.abs(short).sum(1) if norm == 1 else np.sqrt((short**2).sum(1))
    assert (length <= WHOLE).all()
    assert length.max() > 0.999 * WHOLE


@pytest.mark.parametrize("reach", [0.0, -1.0, 1e-310, math.nan, math.inf])
def test_a_ball_that_would_make_a_row_anything_but_a_short_vector_is_refused(reach):
    for ask in (lambda c, r: Offsets(c[None], r, 2, 0.3), Products):
        with pytest.raises(ValueError, match="a ball with a size"):
            ask(np.zeros(3), reach)
        with pytest.raises(ValueError, match="finite centers"):
            ask(np.array([0.0, math.nan, 0.0]), 1.0)


def test_rows_that_count_several_times_count_so():
    weighted = RowsDataset.from_values([[0.2, 0.3]], Box.cube(2))
    weighted.positions = lambda: (data([[0.2, 0.3]]).positions()[0], np.array([5]))
    for question in (
        LevelQuestion(),
        Offsets(np.zeros((1, 2)), 1.0, 2, 0.3),
        Products(np.zeros(2), 1.0),
    ):
        np.testing.assert_array_equal(
            question.of(weighted), 5 * question.of(data([[0.2, 0.3]])), str(question)
        )


def test_in_many_dimensions_cells_are_still_a_rows_own_affair():
    rows = scattered(300, 700)
    question = Offsets(scattered(4, 700, seed=1), 10.0, 2, 0.3)
    alone = sum(question.of(data(row)) for row in rows)
    np.testing.assert_array_equal(question.of(data(rows)), alone)


def test_no_rows_give_nothing():
    empty = RowsDataset.from_values(np.empty((0, 3)), Box.cube(3))
    for question in QUESTIONS.values():
        assert not question.of(empty).any()
