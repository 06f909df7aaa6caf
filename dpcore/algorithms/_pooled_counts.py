"""Counts too small to stand out of the noise one by one, pooled so that together they do."""

from __future__ import annotations

import math

import numpy as np

from dpcore.geometry.domain import Box, FloatArray, Grid, to_ticks

#: A block holds rows for certain when its sum is that many standard deviations above the highest
#: that noise alone reaches among so many blocks.
CERTAINTY = 2.0


def heard_together(
    points: FloatArray, counts: FloatArray, variance: float, blocks: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points, weights and their variances that stand for quiet points (m, d) with noisy counts.

    Each count may be noise, but the sum over a block of them need not be: in m points rows add up
    like m, noise like its square root. So many blocks a side of the box are tried, then half as
    many, and so on; one whose sum noise does not explain becomes a point in the middle of its quiet
    points, and these are done with. Far from everything else, one row in a hundred is worth a
    center.
    """
    d = points.shape[1]
    places, weights, variances = [np.empty((0, d))], [np.empty(0)], [np.empty(0)]
    box, ticks = Box.cube(d), to_ticks(points)
    while blocks and len(points):
        grid = Grid(box, blocks)
        n_cells, block = grid.n_cells, grid.labels(ticks)
        number = np.bincount(block, minlength=n_cells)
        mass = np.bincount(block, counts, n_cells)
        height = math.sqrt(2 * math.log(max(2, n_cells))) + CERTAINTY
        loud = mass > height * np.sqrt(number * variance)
        if loud.any():
            sums = [np.bincount(block, axis, n_cells)[loud] for axis in points.T]
            places.append(np.stack(sums, axis=1) / number[loud, None])
            weights.append(mass[loud])
            variances.append(number[loud] * variance)
            quiet = ~loud[block]
            points, counts, ticks = points[quiet], counts[quiet], ticks[quiet]
        blocks //= 2
    return np.concatenate(places), np.concatenate(weights), np.concatenate(variances)
