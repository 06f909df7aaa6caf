"""k-means of weighted points: a coreset, merged cells, a synopsis without negative counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpcore.domain import FloatArray
from dpcore.kmeans.lloyd import distinct, lloyd
from dpcore.kmeans.merging import merge_points, on_raster
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.seeding import greedy_plus_plus

#: More points than this are merged for the search; the best solutions then see all of them.
SEARCH_POINTS = 2000
#: More points on a plane than this are added up on a raster, coarse enough that few are left.
RASTER_POINTS, RASTER_SIDE = 20_000, 512
#: Steps in which the best solution of a raster then sees all points.
LAST_STEPS = 3


def weighted_kmeans(
    points: npt.ArrayLike,
    weights: npt.ArrayLike,
    k: int,
    restarts: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, float]:
    """The best centers (k, d) found for points (n, d) with weights, and their cost.

    Points of weight 0 or less do not count. Where there are no more than k points they are the
    centers, and the heaviest fills the places left; without any point it is the origin.
    """
    points = np.asarray(points, dtype=np.float64)
    weights = np.asarray(weights, dtype=np.float64)
    points, weights = points[weights > 0], weights[weights > 0]
    if len(points) <= k:
        return padded(points, weights, k), 0.0
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    reach = np.abs(points - middle).max() or 1.0
    centers, cost = _solve((points - middle) / reach, weights, k, restarts, rng)
    return centers * reach + middle, cost * reach**2


def padded(points: FloatArray, weights: FloatArray, k: int) -> FloatArray:
    """k centers from no more than k points: the heaviest point fills the places left."""
    missing = k - len(points)
    filler = points[weights.argmax()] if len(points) else np.zeros(points.shape[1])
    return np.concatenate([points, np.tile(filler, (missing, 1))])


def _solve(
    points: FloatArray, weights: FloatArray, k: int, restarts: int, rng: np.random.Generator
) -> tuple[FloatArray, float]:
    """Greedy k-means++ starts, a few steps from each, the best followed to the end."""
    everything = WeightedPoints(points, weights)
    points, weights = _thinned(points, weights)
    sketch, masses = merge_points(points, weights, SEARCH_POINTS)
    search = WeightedPoints(sketch, masses)
    centers = greedy_plus_plus(sketch, masses, k, restarts, rng)
    centers, cost = lloyd(search, centers, iterations=12, tolerance=1e-3, minimum_weight=0)
    centers = distinct(centers, cost, keep=max(8, restarts // 5))
    centers, cost = lloyd(search, centers, iterations=150, tolerance=1e-4, minimum_weight=0)
    if len(sketch) < len(points):
        centers = distinct(centers, cost, keep=max(4, restarts // 10))
        most = WeightedPoints(points, weights)
        centers, cost = lloyd(most, centers, iterations=60, tolerance=1e-4, minimum_weight=0)
    if len(points) < len(everything.points):
        centers = distinct(centers, cost, keep=1)
        centers, cost = lloyd(everything, centers, LAST_STEPS, minimum_weight=0)
    best = cost.argmin()
    return centers[best], float(cost[best])


def _thinned(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Points on a plane added up on a raster, the finest on which few enough are left."""
    side = RASTER_SIDE
    while points.shape[1] == 2 and len(points) > RASTER_POINTS:
        points, weights = on_raster(points, weights, side)
        side //= 2
    return points, weights
