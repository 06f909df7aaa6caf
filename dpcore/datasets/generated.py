"""Simulated sets: Gaussian clusters, and a month of taxi pickups."""

from __future__ import annotations

import numpy as np

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray

#: Closest centers of `gaussians` are this many standard deviations apart: no overlap to speak of.
SEPARATION = 8
#: Nor are clusters so wide that the box cuts more than their tails.
WIDEST = 1 / 12
REACH = 0.75  # centers of `gaussians` lie in [-REACH, REACH]^d
CANDIDATES = 20


def gaussians(k: int, d: int, n: int = 10_000, seed: int = 0) -> FloatArray:
    """k well separated Gaussian clusters of equal size in [-1, 1)^d: the k × d family of 000."""
    if not (1 <= k <= n and d >= 1):
        raise BadInput(f"{n} rows in {d} dimensions cannot make {k} clusters.")
    rng = np.random.default_rng(seed)
    centers = spread_centers(k, d, REACH, rng)
    gaps = np.linalg.norm(centers[:, None] - centers, axis=2)[~np.eye(k, dtype=bool)]
    return clusters(centers, min(gaps.min(initial=np.inf) / SEPARATION, WIDEST), n, rng)


def s1_like(n: int = 5_000, seed: int = 0) -> FloatArray:
    """15 Gaussians in [-1, 1)^2 that touch, like those of the S1 benchmark."""
    rng = np.random.default_rng(seed)
    return clusters(spread_centers(15, 2, 0.85, rng), 0.06, n, rng)


def spread_centers(k: int, d: int, reach: float, rng: np.random.Generator) -> FloatArray:
    """k points of [-reach, reach]^d, each the farthest from those before of a few candidates."""
    centers = rng.uniform(-reach, reach, (1, d))
    while len(centers) < k:
        candidates = rng.uniform(-reach, reach, (CANDIDATES, d))
        gaps = np.linalg.norm(candidates[:, None] - centers, axis=2).min(axis=1)
        centers = np.vstack([centers, candidates[gaps.argmax()]])
    return centers


def clusters(centers: FloatArray, deviation: float, n: int, rng: np.random.Generator) -> FloatArray:
    """n rows in random order, equally many around each center; the few outside are drawn again."""
    k, d = centers.shape
    middles = centers[rng.permutation(n) % k]
    rows = middles + deviation * rng.standard_normal((n, d))
    box = Box.cube(d)
    while (outside := ~box.contains(rows)).any():
        rows[outside] = middles[outside] + deviation * rng.standard_normal((outside.sum(), d))
    return rows


def month(
    trips: FloatArray, grid: Grid, n: int, uniform: float, smoothing: float, seed: int
) -> IntArray:
    """n pickups on a 2-D grid, drawn from the smoothed density of real ones and a uniform part.

    smoothing is the standard deviation of the kernel, in cells. The draw is one multinomial over
    rows of the grid, then one within each row.
    """
    from scipy.ndimage import gaussian_filter

    cells = np.ravel_multi_index(tuple(grid.box.cells(trips, grid.cells_per_side).T), grid.shape)
    counts = np.bincount(cells, minlength=grid.n_cells).reshape(grid.shape)
    density = gaussian_filter(counts.astype(np.float64), smoothing, mode="constant")
    density = (1 - uniform) * density / density.sum() + uniform / grid.n_cells
    rows = density.sum(axis=1)
    rng = np.random.default_rng(seed)
    return rng.multinomial(rng.multinomial(n, rows / rows.sum()), density / rows[:, None])
