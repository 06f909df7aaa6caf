"""k-means in all blocks at once finds what it would find in each block alone."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from dpcore.geometry.domain import TICKS
from dpcore.kmeans import blocks as in_blocks
from dpcore.kmeans.blocks import RANGE_UNITS, Blocks


def columns(rng, d, sizes, reach=1024, dtype=np.float64):
    """Whole positions (d, rows, blocks) with padding, and what marks it."""
    x = rng.integers(-reach, reach + 1, (d, max(sizes), len(sizes))).astype(dtype)
    outside = -(np.arange(max(sizes))[:, None] >= sizes).astype(np.int16)
    return x, outside, np.array(sizes)


@pytest.mark.parametrize(("d", "dtype"), [(1, np.float32), (2, np.float32), (5, np.float64)])
def test_every_block_ends_where_scikit_learn_does_from_the_same_start(d, dtype):
    k = 3
    x, outside, sizes = columns(np.random.default_rng(d), d, [9, 12, 12, 14, 15], dtype=dtype)
    starts = in_blocks.plus_plus(x, outside, sizes, k, np.random.default_rng(7))
    found = in_blocks.k_means(x, outside, sizes, k, np.random.default_rng(7))
    for block, size in enumerate(sizes):
        rows = x[:, :size, block].T.astype(np.float64)
        start = starts[:, :, block].T.astype(np.float64)
        alone = KMeans(k, init=start, n_init=1, tol=0, max_iter=20).fit(rows)
        np.testing.assert_allclose(found[:, :, block].T, alone.cluster_centers_, atol=1e-3)


def test_starts_are_rows_of_their_own_block_and_differ_where_rows_do():
    x, outside, sizes = columns(np.random.default_rng(0), 2, [3, 4, 8, 8])
    starts = in_blocks.plus_plus(x, outside, sizes, 3, np.random.default_rng(1))
    for block, size in enumerate(sizes):
        rows = {tuple(row) for row in x[:, :size, block].T}
        chosen = {tuple(center) for center in starts[:, :, block].T}
        assert chosen <= rows
        assert len(chosen) == 3


def test_second_starts_are_drawn_by_squared_distance():
    """Of rows at 0, 1 and 3, the others are drawn 1 to 9 from 0, 1 to 4 from 1, 9 to 4 from 3."""
    many = 40_000
    x = np.repeat(np.array([0.0, 1, 3])[None, :, None], many, axis=2)
    sizes = np.full(many, 3)
    starts = in_blocks.plus_plus(x, None, sizes, 2, np.random.default_rng(0))[0]
    for first, second, chance in ((0, 3, 0.9), (1, 3, 0.8), (3, 0, 9 / 13)):
        from_there = starts[0] == first
        share = (starts[1, from_there] == second).mean()
        assert share == pytest.approx(chance, abs=0.02)
        assert from_there.mean() == pytest.approx(1 / 3, abs=0.02)


def test_a_block_with_fewer_rows_than_centers_repeats_rows():
    x, outside, sizes = columns(np.random.default_rng(0), 2, [1, 2])
    found = in_blocks.k_means(x, outside, sizes, 4, np.random.default_rng(0))
    assert {tuple(c) for c in found[:, :, 0].T} == {tuple(x[:, 0, 0])}
    assert {tuple(c) for c in found[:, :, 1].T} == {tuple(r) for r in x[:, :, 1].T}


def test_long_and_short_blocks_hold_the_same_numbers_in_memory_of_either_order():
    rng = np.random.default_rng(3)
    x, outside, sizes = columns(rng, 2, [50, 60])
    flipped = np.ascontiguousarray(x.swapaxes(1, 2)).swapaxes(1, 2)
    a, b = (in_blocks.k_means(v, outside, sizes, 4, np.random.default_rng(1)) for v in (x, flipped))
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("weights", [None, np.array([3, 0, 1, 200])])
def test_random_blocks_hold_every_row_once(weights):
    positions = np.zeros((4, 2), dtype=np.int64)
    dealt = in_blocks.random_blocks(positions, weights, 7, np.random.default_rng(0))
    expected = [1, 1, 1, 1] if weights is None else weights
    np.testing.assert_array_equal(np.bincount(dealt.rows, minlength=4), expected)
    assert dealt.sizes.sum() == len(dealt.rows)
    assert (dealt.sizes > 0).all()
    assert len(dealt.sizes) <= dealt.count == 7


def test_rows_draw_their_blocks_independently():
    """Three rows share one of two blocks a quarter of the time, and split two to one otherwise."""
    positions, rng = np.zeros((3, 2), dtype=np.int64), np.random.default_rng(0)
    occupied = [len(in_blocks.random_blocks(positions, None, 2, rng).sizes) for _ in range(4000)]
    assert np.mean(np.array(occupied) == 1) == pytest.approx(0.25, abs=0.02)


def test_slices_follow_the_order_of_rows_and_are_as_even_as_can_be():
    sliced = in_blocks.consecutive_blocks(np.zeros((10, 2), dtype=np.int64), 4)
    np.testing.assert_array_equal(sliced.rows, np.arange(10))
    assert sliced.sizes.tolist() == [3, 2, 3, 2]


def test_centers_are_sorted_by_the_second_coordinate_clamped_and_added_up():
    ticks = np.array([[-0.5, 0.8], [0.5, -0.8], [0.25, -0.2], [-0.25, 0.2]]) * TICKS
    blocks = Blocks(2, np.arange(4, dtype=np.int32), np.array([2, 2]))
    low, high = np.array([-1.0, -0.5]), np.array([1.0, 0.5])
    total = in_blocks.clamped_total(
        ticks.astype(np.int64), blocks, 2, low, high, TICKS, np.random.default_rng(0)
    )
    # Sorted by the second coordinate: (.5, -.8) and (.25, -.2) come first, the former clamped.
    first = np.array([(0.5 + 1) / 2 + (0.25 + 1) / 2, 0 + 0.3])
    second = np.array([(-0.5 + 1) / 2 + (-0.25 + 1) / 2, 1 + 0.7])
    np.testing.assert_allclose(total / RANGE_UNITS, [first, second], atol=1e-5)


def test_empty_blocks_answer_with_the_middle_of_the_range():
    nobody = Blocks(5, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64))
    total = in_blocks.clamped_total(
        np.empty((0, 2), dtype=np.int64),
        nobody,
        3,
        np.zeros(2),
        np.ones(2),
        TICKS,
        np.random.default_rng(0),
    )
    np.testing.assert_array_equal(total, np.full((3, 2), 5 * RANGE_UNITS // 2))


@pytest.mark.parametrize("many", [1, 3, 5000])
def test_what_a_block_finds_does_not_depend_on_its_company(many):
    """One block of equal rows, however many others lie beside it, answers the same to the bit."""
    rng = np.random.default_rng(0)
    odd = 2 * rng.integers(0, 1024, (1, 12, 2)) - 1023
    others = np.broadcast_to(odd, (many, 12, 2)).reshape(-1, 2) * (TICKS // 1024)
    blocks = Blocks(many, np.arange(12 * many, dtype=np.int32), np.full(many, 12))
    (centers,) = in_blocks.block_centers(others, blocks, 1, 1024, np.random.default_rng(1))
    assert len(np.unique(centers[:, 0].T, axis=0)) == 1
    np.testing.assert_allclose(centers[:, 0, 0], odd[0].mean(axis=0) / 1024)


def test_the_unit_of_a_block_follows_from_its_own_size_whatever_its_company(monkeypatch):
    """Float32 is exact for 16,384 rows of such a grid; one row more next door changes nothing."""
    seen = []
    monkeypatch.setattr(
        in_blocks, "k_means", lambda x, _, sizes, k, rng: seen.append((x.dtype, *sizes)) or x[:, :k]
    )
    for own, beside in ((16_384, 16_384), (16_384, 16_385)):
        n = own + beside
        blocks = Blocks(2, np.arange(n, dtype=np.int32), np.array([own, beside]))
        places = np.full((n, 2), TICKS // 1024)
        list(in_blocks.block_centers(places, blocks, 1, 1024, np.random.default_rng(0)))
    assert seen == [
        (np.float32, 16_384, 16_384),
        (np.float32, 16_384),
        (np.float64, 16_385),
    ]


def test_units_are_the_finest_that_stay_exact():
    assert in_blocks.exact_unit(1024, 2, 15) == (TICKS // 1024, np.float32)
    assert in_blocks.exact_unit(1024, 2, 20_000) == (1, np.float64)
    assert in_blocks.exact_unit(TICKS, 512, 1000) == (1, np.float64)
    unit, dtype = in_blocks.exact_unit(TICKS, 784, 1000)
    assert (unit, dtype) == (2, np.float64)
    assert 4 * 784 * (TICKS // unit) ** 2 <= 2**53
