"""Nearest centers of rows and of weighted points, against all distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.geometry.domain import LATTICE_CELLS, TICKS, cell_ticks
from dpcore.kmeans.points import (
    CHUNK_ROWS,
    WeightedPoints,
    cluster_totals,
    square_sum,
    squared_ticks,
)
from tests.kmeans.brute import nearest_totals

dimensions = st.integers(1, 5)
numbers = st.integers(1, 7)


@st.composite
def rows_and_centers(draw):
    """Lattice rows and centers in ticks: far apart, or so near that ties abound."""
    n, d, k = draw(st.integers(0, 30)), draw(dimensions), draw(numbers)
    crowded = draw(st.booleans())
    middle = LATTICE_CELLS // 2
    cell = st.integers(middle - 2, middle + 1) if crowded else st.integers(0, LATTICE_CELLS - 1)
    tick = st.integers(-4, 4) if crowded else st.integers(-TICKS, TICKS)
    cells = draw(arrays(np.int32, (n, d), elements=cell))
    return cells, draw(arrays(np.int64, (k, d), elements=tick))


@given(rows_and_centers())
def test_counts_sums_and_cost_of_rows_are_exact(case):
    cells, centers = case
    counts, sums = cluster_totals(cells, centers)
    ones = np.ones(len(cells), dtype=np.int64)
    expected = nearest_totals(cell_ticks(cells), ones, centers) if len(cells) else None
    if expected is None:
        expected = [0] * len(centers), np.zeros_like(centers).tolist(), 0
    assert (counts.tolist(), sums.tolist(), squared_ticks(cells, centers)) == tuple(expected)


@given(rows_and_centers(), st.permutations(range(30)))
def test_the_order_of_rows_does_not_matter(case, permutation):
    cells, centers = case
    shuffled = cells[[i for i in permutation if i < len(cells)]]
    for a, b in zip(cluster_totals(cells, centers), cluster_totals(shuffled, centers), strict=True):
        assert a.tolist() == b.tolist()
    assert squared_ticks(cells, centers) == squared_ticks(shuffled, centers)


@pytest.mark.parametrize("d", [2, 100, 682, 683, 3000])
def test_rows_are_exact_across_chunks_and_in_any_number_of_dimensions(d):
    rng = np.random.default_rng(d)
    n = CHUNK_ROWS + 50 if d == 2 else 60
    # Corners and their opposite: the largest scores there are.
    corners = rng.integers(0, 2, (n, d)) * (LATTICE_CELLS - 1)
    cells = np.where(rng.random((n, 1)) < 0.5, corners, 0).astype(np.int32)
    centers = np.stack([np.full(d, TICKS), np.full(d, -TICKS), np.full(d, TICKS)])
    centers[2, 0] -= 1
    counts, sums = cluster_totals(cells, centers)
    expected = nearest_totals(cell_ticks(cells), np.ones(n, dtype=np.int64), centers)
    assert (counts.tolist(), sums.tolist(), squared_ticks(cells, centers)) == expected


def test_a_batch_of_center_sets_costs_what_each_costs():
    rng = np.random.default_rng(3)
    cells = rng.integers(0, LATTICE_CELLS, (500, 3)).astype(np.int32)
    sets = rng.integers(-TICKS, TICKS, (600, 4, 3))
    batch = squared_ticks(cells, sets)
    assert batch.tolist() == [squared_ticks(cells, centers) for centers in sets]
    assert squared_ticks(cells, sets[:7], square_sum(cells)).tolist() == batch[:7].tolist()


@given(st.data(), st.integers(1, 25), dimensions, numbers, st.integers(1, 3))
def test_weighted_points_agree_with_brute_force_whatever_the_signs(data, n, d, k, sets):
    # Multiples of 1/8 keep float64 exact, so that ties are ties.
    eighths = st.integers(-8, 8)
    points = data.draw(arrays(np.int64, (n, d), elements=eighths))
    weights = data.draw(arrays(np.int64, n, elements=st.integers(-5, 9)))
    centers = data.draw(arrays(np.int64, (sets, k, d), elements=eighths))
    found = WeightedPoints(points / 8, weights).step(centers / 8)
    for w, s, inertia, c in zip(*found, centers, strict=True):
        counts, sums, squared = nearest_totals(points, weights, c)
        assert (w.tolist(), (8 * s).tolist(), 64 * inertia) == (counts, sums, squared)


def test_many_weighted_points_are_taken_in_chunks():
    rng = np.random.default_rng(4)
    points = rng.uniform(-1, 1, (2 * CHUNK_ROWS + 5, 2))
    weights = rng.normal(size=len(points))
    centers = rng.uniform(-1, 1, (3, 6, 2))
    totals = WeightedPoints(points, weights)
    found, sums, inertia = totals.step(centers)
    for j, c in enumerate(centers):
        distances = ((points[:, None] - c) ** 2).sum(axis=2)
        labels = distances.argmin(axis=1)
        np.testing.assert_allclose(found[j], np.bincount(labels, weights, 6))
        np.testing.assert_allclose(sums[j, :, 1], np.bincount(labels, weights * points[:, 1], 6))
        assert inertia[j] == pytest.approx(weights @ distances.min(axis=1))
    assert totals.cost(centers).tolist() == inertia.tolist()
    assert totals.cost(centers[0]) == pytest.approx(inertia[0])


def test_points_without_weights_weigh_one_each():
    points = np.array([[0.5, 0.5], [0.5, -0.5]])
    weights, _, inertia = WeightedPoints(points).step(np.zeros((1, 2)))
    assert weights.tolist() == [2]
    assert inertia == 1.0


def test_centers_on_the_points_never_cost_less_than_nothing():
    points = np.random.default_rng(5).uniform(-1, 1, (200, 3))
    assert 0 <= WeightedPoints(points).cost(points) < 1e-12
