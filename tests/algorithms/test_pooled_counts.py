"""What noise hides point by point may be heard together, and noise alone is not."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms._pooled_counts import heard_together
from dpcore.geometry.domain import Box, Grid

SCALE = 5.0
VARIANCE = 2 * SCALE**2


def noisy(side: int, rows: float, d: int = 2, seed: int = 0):
    """The cells of a grid, and so many rows in each, hidden by noise."""
    points = Grid(Box.cube(d), side).centers()
    noise = np.random.default_rng(seed).laplace(0, SCALE, len(points))
    return points, rows + np.rint(noise)


@pytest.mark.parametrize(("side", "d"), [(32, 2), (8, 3), (6, 4)])
def test_rows_everywhere_are_heard_at_last_and_keep_their_number(side, d):
    points, counts = noisy(side, 3.0, d)
    heard, weights, _ = heard_together(points, counts, VARIANCE, 4)
    assert len(heard) > 0
    noise = np.sqrt(len(points) * VARIANCE)
    assert weights.sum() == pytest.approx(3 * len(points), abs=3 * noise)
    assert np.abs(weights @ heard / weights.sum()).max() < 0.1


def test_noise_alone_is_heard_in_hardly_any_draw():
    silent = [len(heard_together(*noisy(32, 0.0, seed=s), VARIANCE, 16)[1]) for s in range(200)]
    assert np.mean(np.array(silent) > 0) < 0.25


def test_the_smallest_block_that_stands_out_becomes_a_point_in_its_middle():
    points = Grid(Box.cube(2), 8).centers()
    corner = (points < -0.5).all(axis=1)
    counts = np.where(corner, 40.0, 0.0)
    heard, weights, _ = heard_together(points, counts, VARIANCE, 4)
    assert heard.tolist() == [[-0.75, -0.75]]
    assert weights.tolist() == [160.0]


def test_what_is_heard_in_a_small_block_is_not_heard_again_in_a_larger_one():
    points, counts = noisy(32, 20.0)
    heard, weights, _ = heard_together(points, counts, VARIANCE, 8)
    assert len(heard) == 64
    assert weights.sum() == counts.sum()


@pytest.mark.parametrize("blocks", [0, 1, 16])
def test_without_points_nothing_is_heard(blocks):
    heard, weights, _ = heard_together(np.empty((0, 3)), np.empty(0), VARIANCE, blocks)
    assert heard.shape == (0, 3)
    assert len(weights) == 0
