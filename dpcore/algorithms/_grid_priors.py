"""Prior guesses, from public facts, of how rows are spread over a grid.

All of it is simulated, from coins of its own that are always the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array

from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, to_ticks
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.weighted import weighted_kmeans
from dpcore.randomness.coins import Coins

#: More numbers than this are drawn as centers, not searched for.
MAX_SEARCHED = 6000
#: Synthetic data sets, and rows in each.
SETS, ROWS = 3000, 200
#: Cells of a finer grid, at most.
FINE_CELLS = 4096
#: Rows that each fine cell is thought to hold at its middle when its centroid is guessed.
MIDDLE_ROWS = 2


def along_the_diagonal(d: int, share: float) -> FloatArray:
    """A root of the covariance of total variance 1 with that share along (1, ..., 1), the rest
    the same in all directions."""
    diagonal = np.full((d, d), 1 / d)
    return math.sqrt((1 - share) / d) * (np.eye(d) - diagonal) + (
        math.sqrt(share + (1 - share) / d) * diagonal
    )


def spread_out(m: int, root: FloatArray, rng: Coins) -> FloatArray:
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


def with_common_factor(d: int, which: IntArray, rng: np.random.Generator) -> FloatArray:
    """Round clusters about the middle, whose coordinates share a common factor."""
    common = rng.uniform()
    clusters = which.max() + 1
    centers = math.sqrt(common) * rng.standard_normal((clusters, 1))
    centers = centers + math.sqrt(1 - common) * rng.standard_normal((clusters, d))
    return 0.5 * centers[which] + rng.uniform(0.1, 0.3) * rng.standard_normal((len(which), d))


def anywhere(d: int, which: IntArray, rng: np.random.Generator) -> FloatArray:
    """Round clusters anywhere."""
    rows = rng.uniform(-0.8, 0.8, (which.max() + 1, d))[which]
    return rows + rng.uniform(0.05, 0.3) * rng.standard_normal(rows.shape)


def in_few_directions(d: int, which: IntArray, rng: np.random.Generator) -> FloatArray:
    """Clusters in a few directions, skewed, that fill the box: things measured in centimeters and
    kilograms."""
    directions = int(rng.integers(1, 4))
    loadings = rng.normal(rng.choice([0.0, 0.7]), 1, (directions, d))
    factors = rng.standard_normal((which.max() + 1, directions))[which] * rng.uniform(0.5, 2)
    factors = factors + 0.5 * rng.standard_normal(factors.shape)
    rows = factors @ loadings + rng.uniform(0.2, 1) * rng.standard_normal((len(which), d))
    rows = np.expm1(np.clip(rows, -6, 6) * rng.uniform(0.05, 0.6, d))
    low, high = rows.min(axis=0), rows.max(axis=0)
    return np.asarray(2 * (rows - low) / np.where(high > low, high - low, 1) - 1)


#: One as likely as another.
SHAPES = (with_common_factor, anywhere, in_few_directions)


def synthetic_rows(d: int, rng: np.random.Generator) -> FloatArray:
    """A data set (ROWS, d) of one to eight clusters, in one of some shapes."""
    clusters = int(rng.integers(1, 9))
    which = rng.choice(clusters, ROWS, p=rng.dirichlet(np.full(clusters, 3.0)))
    shape = SHAPES[rng.integers(len(SHAPES))]
    return np.clip(shape(d, which, rng), -1, 1)


@dataclass(frozen=True, eq=False)
class Histograms:
    """The spread of the shares of rows in the cells of a grid, and with them of those in a finer
    grid."""

    mean: FloatArray
    covariance: FloatArray
    #: Of the finer cells: the cell of the grid that each is a part of, where rows in it lie on
    #: average, the mean of its share, and its covariance with the shares of all cells.
    parent: IntArray
    centroids: FloatArray
    fine_mean: FloatArray
    fine_covariance: FloatArray

    def expected(self, counts: FloatArray, n: float, variance: float) -> FloatArray:
        """The best linear estimate of the exact counts of the finer cells behind noisy counts of
        the grid, none negative; they add up to that of the cells."""
        spread = n**2 * self.covariance + variance * np.eye(len(counts))
        surprise = np.linalg.solve(spread, n**2 * (counts - n * self.mean))
        whole = np.maximum(n * self.mean + self.covariance @ surprise, 0.0)
        parts = np.maximum(n * self.fine_mean + self.fine_covariance @ surprise, 0.0)
        sums = np.bincount(self.parent, parts, len(counts))
        return np.asarray(parts * (whole / np.maximum(sums, 1e-300))[self.parent])


@lru_cache(maxsize=16)
def histograms(d: int, cells_per_side: int) -> Histograms:
    """The histograms of synthetic data sets of d coordinates."""
    rng = np.random.default_rng(11)
    finer = max(1, math.floor(FINE_CELLS ** (1 / d) / cells_per_side + 1e-9))
    grid = Grid(Box.cube(d), cells_per_side)
    fine = Grid(Box.cube(d), cells_per_side * finer)
    labels = np.empty((SETS, ROWS), dtype=np.int64)
    centroids, total = MIDDLE_ROWS * fine.centers(), np.full(fine.n_cells, MIDDLE_ROWS)
    for i in range(SETS):
        rows = synthetic_rows(d, rng)
        labels[i] = fine.labels(to_ticks(rows))
        total = total + np.bincount(labels[i], minlength=fine.n_cells)
        for axis in range(d):
            centroids[:, axis] += np.bincount(labels[i], rows[:, axis], fine.n_cells)
    parent = grid.labels(to_ticks(fine.centers()))
    each = np.arange(0, labels.size + 1, ROWS), np.full(labels.size, 1 / ROWS)
    fine_shares = csr_array((each[1], labels.ravel(), each[0]), shape=(SETS, fine.n_cells))
    shares = csr_array((each[1], parent[labels].ravel(), each[0]), shape=(SETS, grid.n_cells))
    mean = shares.mean(axis=0)
    deviations = shares.toarray() - mean
    return Histograms(
        mean,
        deviations.T @ deviations / SETS,
        parent,
        centroids / total[:, None],
        fine_shares.mean(axis=0),
        fine_shares.T @ deviations / SETS,
    )
