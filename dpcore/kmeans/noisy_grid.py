"""k-means of a noisy grid of counts: many starts on a coarse grid, the best followed to the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.kmeans.lloyd import LloydTotals, distinct, lloyd
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.scanline import RowSums
from dpcore.kmeans.seeding import greedy_plus_plus, sphere_packing, uniform_starts
from dpcore.randomness.coins import Coins


@dataclass(frozen=True)
class LloydStage:
    """Lloyd on a grid of about so many cells, and which of its results go on."""

    cells: int
    sweeps: int
    tolerance: float
    #: At least so many, more where centers are many, as local optima then are too, and at most.
    keep: int
    keep_per_center: float
    keep_at_most: int

    def survivors(self, k: int) -> int:
        return min(max(self.keep, int(self.keep_per_center * k)), self.keep_at_most)


#: In two dimensions 48 x 48 cells, on which all starts take a few steps, and 192 x 192, on which
#: the best settle. Only the very best see the grid itself.
STAGES = (LloydStage(48**2, 8, 4e-3, 6, 1.0, 100), LloydStage(192**2, 60, 1e-3, 2, 0.2, 10))


def solve_grid(
    counts: npt.ArrayLike,
    k: int,
    starts: int,
    rng: Coins,
    sweeps: int = 60,
    tolerance: float = 4e-4,
    packed: bool = False,
    on_starts: Callable[[FloatArray], None] | None = None,
    on_finalists: Callable[[FloatArray, FloatArray], None] | None = None,
) -> FloatArray:
    """Centers (k, d) of least inertia on a grid (g, ..., g) of whole, possibly negative counts.

    Lloyd runs from starts drawn by greedy k-means++ among the cells that stand out of the noise,
    and from two thirds as many drawn uniformly: k-means++ alone is so sure of itself that a better
    optimum elsewhere can be missed by all of its starts. Packed, it runs from sphere packings
    only. The counts themselves choose among the results. `on_starts` gets the starts, and
    `on_finalists` the last results with their inertia.
    """
    grid = np.asarray(counts, dtype=np.int64)
    coarser = [grid]
    for stage in reversed(STAGES):
        coarser.insert(0, coarsened(coarser[0], stage.cells))
    if packed:
        centers = sphere_packing(k, grid.ndim, starts, rng)
    else:
        greedy = greedy_starts(coarser[0], k, starts, rng)
        centers = np.concatenate([greedy, uniform_starts(k, grid.ndim, 2 * starts // 3, rng)])
    if on_starts:
        on_starts(centers)
    for stage, coarse in zip(STAGES, coarser[:-1], strict=True):
        if coarse is not grid:
            solutions, inertia = lloyd(totals(coarse), centers, stage.sweeps, stage.tolerance)
            centers = distinct(solutions, inertia, stage.survivors(k))
    solutions, inertia = lloyd(totals(grid), centers, sweeps, tolerance)
    if on_finalists:
        on_finalists(solutions, inertia)
    return solutions[inertia.argmin()]


def greedy_starts(grid: IntArray, k: int, starts: int, rng: Coins) -> FloatArray:
    """Starts drawn among cells that stand out of the noise; packed, where these are too few."""
    points, weights = standing_out(grid)
    if len(points) > k:
        return greedy_plus_plus(points, weights, k, starts, rng)
    return sphere_packing(k, grid.ndim, starts, rng)


def totals(grid: IntArray) -> LloydTotals:
    """The rows of a grid for Lloyd: row sums in two dimensions, cells as points in others."""
    if grid.ndim == 2:
        return RowSums(grid)
    return WeightedPoints(_cell_centers(grid), grid.ravel())


def coarsened(grid: IntArray, cells: int) -> IntArray:
    """The grid added up to about so many cells, or itself if that would save little."""
    if grid.size <= 4 * cells:
        return grid
    side = max(2, round(cells ** (1 / grid.ndim)))
    for axis, length in enumerate(grid.shape):
        if length > side:
            parts = np.split(grid, np.arange(1, side) * length // side, axis)
            grid = np.stack([part.sum(axis) for part in parts], axis)
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
