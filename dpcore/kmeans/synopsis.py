"""k-means of a noisy grid of counts: many starts on a coarser grid, the best polished on all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from dpcore.domain import FloatArray, IntArray
from dpcore.kmeans.lloyd import Totals, distinct, lloyd
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.scanline import RowSums
from dpcore.kmeans.seeding import greedy_plus_plus, sphere_packing

#: Cells of the coarse grid on which all starts run, about: 48 x 48 in two dimensions.
COARSE_CELLS = 48 * 48
#: Results of the coarse grid that go on: with fewer, every second noisy month lost its best one.
FINALISTS = 6


def solve_grid(
    counts: npt.ArrayLike,
    k: int,
    starts: int,
    rng: np.random.Generator,
    sweeps: int = 60,
    tolerance: float = 4e-4,
    packed: bool = False,
    note: Callable[..., None] | None = None,
) -> FloatArray:
    """Centers (k, d) of least inertia on a grid (g, ..., g) of whole, possibly negative counts.

    Lloyd runs from starts drawn by greedy k-means++ among the cells that stand out of the noise,
    and from a third as many sphere packings; packed, from packings only. The counts themselves
    choose among the results. All starts run on a coarser grid, if that is much smaller, and the
    best few on the grid itself. `note` hears of the starts, and of the results with their inertia.
    """
    grid = np.asarray(counts, dtype=np.int64)
    coarse = coarsened(grid)
    if packed:
        centers = sphere_packing(k, grid.ndim, starts, rng)
    else:
        drawn = greedy_starts(coarse, k, starts, rng)
        centers = np.concatenate([drawn, sphere_packing(k, grid.ndim, starts // 3, rng)])
    if note:
        note("starts", centers=centers)
    if coarse is not grid:
        found, inertia = lloyd(totals(coarse), centers, iterations=25, tolerance=4e-3)
        centers = distinct(found, inertia, keep=FINALISTS)
    found, inertia = lloyd(totals(grid), centers, sweeps, tolerance)
    if note:
        note("finalists", centers=found, cost=inertia)
    return found[inertia.argmin()]


def greedy_starts(grid: IntArray, k: int, starts: int, rng: np.random.Generator) -> FloatArray:
    """Starts drawn among cells that stand out of the noise; packed, where these are too few."""
    points, weights = standing_out(grid)
    if len(points) > k:
        return greedy_plus_plus(points, weights, k, starts, rng)
    return sphere_packing(k, grid.ndim, starts, rng)


def totals(grid: IntArray) -> Totals:
    """What Lloyd needs of a grid: row sums in two dimensions, cells as points in others."""
    if grid.ndim == 2:
        return RowSums(grid)
    return WeightedPoints(_cell_centers(grid), grid.ravel())


def coarsened(grid: IntArray) -> IntArray:
    """The grid added up to about COARSE_CELLS cells, or itself if that would save little."""
    if grid.size <= 4 * COARSE_CELLS:
        return grid
    side = max(2, round(COARSE_CELLS ** (1 / grid.ndim)))
    for axis, cells in enumerate(grid.shape):
        if cells > side:
            grid = np.add.reduceat(grid, np.arange(side) * cells // side, axis=axis)
    return grid


def standing_out(grid: IntArray) -> tuple[FloatArray, FloatArray]:
    """Centers and counts of the cells that noise does not explain.

    No true count is negative, so the most negative cell tells how far noise reaches.
    """
    heights = grid.ravel()
    high = heights > max(0, -int(heights.min()))
    return _cell_centers(grid)[high], heights[high].astype(np.float64)


def _cell_centers(grid: IntArray) -> FloatArray:
    axes = [(2 * np.arange(g) + 1 - g) / g for g in grid.shape]
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, grid.ndim)
