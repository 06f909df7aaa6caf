"""A public function of each row: bounded images, and no row's image depends on another row."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms.highdim import NearestImage
from dpcore.algorithms.highdim_kmedian import Pull
from dpcore.datasets import GridDataset, RowsDataset
from dpcore.datasets.mapped import MappedRows
from dpcore.geometry.domain import TICKS, Box, to_ticks
from dpcore.geometry.row_maps import BallClip, Projection
from dpcore.geometry.voronoi import Voronoi
from dpcore.queries.questions import SumsOf

D = 40


def maps():
    rng = np.random.default_rng(0)
    projection = Projection.random(D, 6, 2.0, rng)
    cells = NearestImage(projection, Voronoi(rng.uniform(-1, 1, (3, 6))))
    return {
        "clip": BallClip(D, 1.5),
        "projection": projection,
        "shrinking": Projection.shrinking(D, 2.0),
        "pull": Pull(cells, rng.uniform(-0.2, 0.2, (3, D)), BallClip(D, 1.5), 0.3),
    }


def rows():
    rng = np.random.default_rng(1)
    corners = np.sign(rng.standard_normal((50, D)))
    ordinary = rng.uniform(-1, 1, (200, D)) * rng.random((200, 1))
    return to_ticks(np.concatenate([corners, ordinary, np.zeros((1, D))]))


@pytest.mark.parametrize("name", ["clip", "projection", "shrinking", "pull"])
def test_the_image_of_a_row_does_not_depend_by_a_bit_on_the_rows_around_it(name):
    row_map, ticks = maps()[name], rows()
    together = row_map(ticks)
    assert together.dtype == np.int64
    np.testing.assert_array_equal(np.concatenate([row_map(t[None]) for t in ticks]), together)
    np.testing.assert_array_equal(row_map(ticks[::-1])[::-1], together)


@pytest.mark.parametrize("name", ["clip", "projection", "shrinking", "pull"])
def test_no_image_is_longer_than_promised_and_sums_know_it(name):
    row_map = maps()[name]
    images = row_map(rows()).astype(np.float64)
    assert images.shape[1] == row_map.d
    norms = np.sqrt((images**2).sum(axis=1))
    assert norms.max() <= row_map.reach * TICKS * (1 + 1e-9)
    assert np.abs(images).sum(axis=1).max() <= row_map.reach_l1 * TICKS * (1 + 1e-9)
    added = SumsOf(Voronoi(np.zeros((1, D))), row_map).added
    assert added.l1 >= np.abs(images).sum(axis=1).max()
    assert added.l2 >= norms.max()


def test_a_row_in_the_ball_stays_and_one_outside_keeps_its_direction():
    clip = BallClip(2, 0.5)
    images = clip(to_ticks([[0.3, 0.4], [0.6, 0.8], [-1.0, 0.0]]))
    np.testing.assert_allclose(images / TICKS, [[0.3, 0.4], [0.3, 0.4], [-0.5, 0.0]], atol=1e-6)
    points = np.array([[0.6, 0.8], [0.0, 0.1]])
    np.testing.assert_allclose(clip.clip(points), [[0.3, 0.4], [0.0, 0.1]])


def test_a_projection_keeps_distances_on_average():
    rng = np.random.default_rng(2)
    x = rng.uniform(-0.05, 0.05, (60, 300))
    images = Projection.random(300, 100, 1.0, rng)(to_ticks(x)) / TICKS
    before, after = (np.linalg.norm(y[:30] - y[30:], axis=1) for y in (x, images))
    assert np.mean(after / before) == pytest.approx(1, abs=0.05)


def test_sums_are_taken_cell_by_cell_and_a_row_in_no_cell_does_not_count():
    class Half:
        n_cells = 3

        def labels(self, ticks):
            return np.where(ticks[:, 0] > 0, 2, -1)

    data = RowsDataset.from_values([[0.5, 0.5], [0.25, -0.5], [-0.5, 0.5]], Box.cube(2))
    sums = SumsOf(Half(), BallClip(2, 2.0)).of(data) / TICKS
    np.testing.assert_allclose(sums, [[0, 0], [0, 0], [0.75, 0]], atol=1e-6)


def test_a_mapped_grid_answers_like_its_rows_one_by_one():
    rng = np.random.default_rng(3)
    counts = rng.integers(0, 3, (8, 8))
    grid = GridDataset(counts, Box.cube(2))
    ticks, weights = grid.positions()
    shrink = Projection.shrinking(2, 1.5)
    image = MappedRows.of(grid, shrink)
    each = MappedRows(shrink(ticks.repeat(weights, axis=0)), None)
    centers = to_ticks(rng.uniform(-0.5, 0.5, (3, 2)))
    assert image.n == each.n == counts.sum()
    for totals in ("counts", "sums"):
        of_image, of_each = (getattr(m.cluster_totals(centers), totals) for m in (image, each))
        np.testing.assert_array_equal(of_image, of_each)
    exact = ((shrink(ticks)[:, None] - centers) ** 2).sum(axis=2).min(axis=1) @ weights
    assert image.squared_ticks(centers) == each.squared_ticks(centers) == exact
    assert image.squared_ticks(centers[None, None]).shape == (1, 1)
