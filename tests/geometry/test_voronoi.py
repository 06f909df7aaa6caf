"""Every place belongs to its nearest center, a tie to the lower index, however it is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.geometry.domain import TICKS, cell_ticks, from_ticks
from dpcore.geometry.voronoi import MANY_CENTERS, Voronoi


def nearest(centers: np.ndarray, ticks: np.ndarray) -> list[int]:
    """By comparing squared distances in whole numbers."""
    squared = ((ticks[:, None] - centers) ** 2).sum(axis=2)
    return squared.argmin(axis=1).tolist()


@given(st.data())
def test_a_row_belongs_to_its_nearest_center(data):
    d = data.draw(st.integers(1, 3))
    few = st.sampled_from([-TICKS, -TICKS // 2, 0, 1, TICKS // 2, TICKS])  # so that ties happen
    centers = data.draw(arrays(np.int64, (data.draw(st.integers(1, 9)), d), elements=few))
    ticks = data.draw(arrays(np.int64, (20, d), elements=st.one_of(few, st.integers(-9, 9))))
    assert Voronoi(from_ticks(centers)).labels(ticks).tolist() == nearest(centers, ticks)


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_a_tree_of_many_centers_gives_the_same_labels_ties_included(d):
    rng = np.random.default_rng(d)
    on_grid = cell_ticks(rng.integers(0, 8, (MANY_CENTERS + 50, d)), 8)  # some twice
    anywhere = rng.integers(-TICKS, TICKS, (50, d))
    centers = rng.permutation(np.concatenate([on_grid, anywhere]))
    corners = rng.integers(-8, 9, (500, d)) * (TICKS // 8)
    ticks = np.concatenate([corners, centers, rng.integers(-TICKS, TICKS, (1000, d))])
    assert Voronoi(from_ticks(centers)).labels(ticks).tolist() == nearest(centers, ticks)


def test_in_very_many_dimensions_coarser_positions_are_compared_without_rounding():
    d = 3000
    rng = np.random.default_rng(0)
    half = rng.integers(TICKS // 2, TICKS, (2, d // 2))
    # Each center is the other one turned round: a row in two equal halves is on the border.
    centers = np.stack([half.ravel(), half[::-1].ravel()])
    row = rng.integers(TICKS // 2, TICKS - 8, (200, d // 2))
    rows = np.concatenate([row, row], axis=1) + rng.integers(0, 2, (200, d))
    coarse = np.rint(centers / 8).astype(np.int64)
    assert Voronoi(from_ticks(centers)).labels(rows).tolist() == nearest(coarse, rows >> 3)


@pytest.mark.parametrize("side", [1, 4, 8, 64])
@settings(max_examples=20, deadline=None)
@given(st.data())
def test_cells_of_a_grid_belong_to_the_center_nearest_to_their_middle(side, data):
    place = st.one_of(st.integers(-TICKS, TICKS), st.sampled_from([-TICKS, 0, TICKS // 2]))
    m = data.draw(st.integers(1, 30))
    centers = data.draw(arrays(np.int64, (m, 2), elements=place))
    cells = np.stack(np.divmod(np.arange(side**2), side), axis=1)
    found = Voronoi(from_ticks(centers)).grid_labels(side)
    assert found.ravel().tolist() == nearest(centers, cell_ticks(cells, side))
