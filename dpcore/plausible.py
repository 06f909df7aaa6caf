"""What rows might look like before any were seen: public guesses that answers are weighed against.

All of it is simulated, from coins of its own that are always the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpcore.domain import Box, FloatArray, Grid, to_ticks
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.weighted import weighted_kmeans

#: More numbers than this are drawn as centers, not searched for.
MAX_SEARCHED = 6000
#: Synthetic data sets, and rows in each.
SETS, ROWS = 1500, 200
#: Rows that each cell is thought to hold at its middle when its centroid is guessed.
MIDDLE_ROWS = 5


def along_the_diagonal(d: int, share: float) -> FloatArray:
    """A root of the covariance of total variance 1 with that share along (1, ..., 1), the rest
    the same in all directions."""
    diagonal = np.full((d, d), 1 / d)
    return math.sqrt((1 - share) / d) * (np.eye(d) - diagonal) + (
        math.sqrt(share + (1 - share) / d) * diagonal
    )


def spread_out(m: int, root: FloatArray, rng: np.random.Generator) -> FloatArray:
    """m centers that suit rows of a normal distribution with that root of a covariance.

    They are drawn together by as much as fresh rows ask for: few rows, or random centers in many
    dimensions, would have them too far out.
    """
    d = len(root)
    if m * d > MAX_SEARCHED:
        centers = rng.standard_normal((m, d)) @ root.T
    else:
        rows = rng.standard_normal((min(8000, max(1000, 40 * m)), d)) @ root.T
        centers = weighted_kmeans(rows, np.ones(len(rows)), m, 1, rng)[0]
    fresh = WeightedPoints(rng.standard_normal((2000, d)) @ root.T)
    counts, sums, _ = fresh.step(centers)
    weight = float((counts * (centers**2).sum(axis=1)).sum())
    return centers * np.clip((sums * centers).sum() / max(weight, 1e-300), 0.05, 1.0)


def synthetic_rows(d: int, rng: np.random.Generator) -> FloatArray:
    """A data set (ROWS, d) of one to eight clusters, in one of three shapes.

    Round clusters whose coordinates share a common factor; clusters anywhere; or clusters in a
    few directions, skewed, that fill the box: people measured in centimeters and kilograms.
    """
    clusters = int(rng.integers(1, 9))
    which = rng.choice(clusters, ROWS, p=rng.dirichlet(np.full(clusters, 3.0)))
    shape = rng.choice(3, p=(0.5, 0.15, 0.35))
    if shape == 0:
        common = rng.uniform()
        centers = math.sqrt(common) * rng.standard_normal((clusters, 1))
        centers = centers + math.sqrt(1 - common) * rng.standard_normal((clusters, d))
        rows = 0.5 * centers[which] + rng.uniform(0.1, 0.3) * rng.standard_normal((ROWS, d))
    elif shape == 1:
        rows = rng.uniform(-0.8, 0.8, (clusters, d))[which]
        rows = rows + rng.uniform(0.05, 0.3) * rng.standard_normal((ROWS, d))
    else:
        directions = int(rng.integers(1, 4))
        loadings = rng.normal(rng.choice([0.0, 0.7]), 1, (directions, d))
        factors = rng.standard_normal((clusters, directions))[which] * rng.uniform(0.5, 2)
        factors = factors + 0.5 * rng.standard_normal((ROWS, directions))
        rows = factors @ loadings + rng.uniform(0.2, 1) * rng.standard_normal((ROWS, d))
        skew = rng.uniform(0.05, 0.6, d)
        rows = np.expm1(np.clip(rows, -6, 6) * skew)
        low, high = rows.min(axis=0), rows.max(axis=0)
        rows = 2 * (rows - low) / np.where(high > low, high - low, 1) - 1
    return np.clip(rows, -1, 1)


@dataclass(frozen=True, eq=False)
class Histograms:
    """Mean and covariance of the shares of rows in the cells of a grid, and where in each cell
    rows lie on average."""

    mean: FloatArray
    covariance: FloatArray
    centroids: FloatArray

    def expected(self, counts: FloatArray, n: float, variance: float) -> FloatArray:
        """The best linear estimate of the exact counts behind noisy ones, none negative."""
        spread = n**2 * self.covariance
        surprise = counts - n * self.mean
        noisy = spread + variance * np.eye(len(counts))
        return np.maximum(n * self.mean + spread @ np.linalg.solve(noisy, surprise), 0.0)


@lru_cache(maxsize=16)
def histograms(d: int, cells_per_side: int) -> Histograms:
    """How synthetic data sets of d coordinates fill a grid."""
    rng = np.random.default_rng(11)
    grid = Grid(Box.cube(d), cells_per_side)
    shares = np.empty((SETS, grid.n_cells))
    centroids, total = MIDDLE_ROWS * grid.centers(), np.full(grid.n_cells, float(MIDDLE_ROWS))
    for i in range(SETS):
        rows = synthetic_rows(d, rng)
        label = grid.labels(to_ticks(rows))
        counts = np.bincount(label, minlength=grid.n_cells)
        shares[i] = counts / ROWS
        total += counts
        for axis in range(d):
            centroids[:, axis] += np.bincount(label, rows[:, axis], grid.n_cells)
    return Histograms(shares.mean(axis=0), np.cov(shares.T), centroids / total[:, None])
