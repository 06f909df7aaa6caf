"""k-means of weighted points: a coreset, merged cells, a synopsis without negative counts."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.lloyd import distinct, lloyd
from dpcore.kmeans.merging import merge_points, on_raster
from dpcore.kmeans.points import WeightedPoints, padded, single_thread
from dpcore.kmeans.seeding import greedy_plus_plus
from dpcore.randomness.coins import Coins

#: The search sees so many points a cluster at most, within these limits: merged, if there are more.
POINTS_A_CLUSTER, FEWEST_POINTS, MOST_POINTS = 30, 500, 2000
#: Steps of Lloyd from every start: enough to tell good ones from bad ones.
FIRST_STEPS = 4
#: The most rounds in which solutions are recombined, while they get better by at least this part.
ROUNDS, BETTER = 8, 1e-3
#: Solutions that are followed to the end.
FINALISTS = 3
#: More points on a plane than this are added up on a raster, coarse enough that few are left.
RASTER_POINTS, RASTER_SIDE = 10_000, 512
#: Steps in which the best solution of a raster then sees all points.
LAST_STEPS = 2
#: Steps of Lloyd from a solution on one set of weights to one on another, at most.
MOST_STEPS = 100


def weighted_kmeans(
    points: npt.ArrayLike,
    weights: npt.ArrayLike,
    k: int,
    restarts: int,
    rng: Coins,
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
    with single_thread():
        centers, cost = _solve((points - middle) / reach, weights, k, restarts, rng)
    return centers * reach + middle, cost * reach**2


def refined(points: FloatArray, weights: FloatArray, centers: FloatArray) -> FloatArray:
    """Centers found on other weights, moved by some steps of Lloyd on these."""
    steps = MOST_STEPS if len(points) <= RASTER_POINTS else LAST_STEPS
    with single_thread():
        (centers,), _ = lloyd(
            WeightedPoints(points, weights), centers[None], steps, minimum_weight=0
        )
    return centers


def _solve(
    points: FloatArray, weights: FloatArray, k: int, restarts: int, rng: Coins
) -> tuple[FloatArray, float]:
    """Searched for among few points; the best are then followed to the end on more of them."""
    everything = WeightedPoints(points, weights)
    points, weights = _thinned(points, weights)
    few = min(max(POINTS_A_CLUSTER * k, FEWEST_POINTS), MOST_POINTS)
    sketch = WeightedPoints(*merge_points(points, weights, few))
    centers = _search(sketch, k, restarts, rng)
    centers, cost = lloyd(sketch, centers, iterations=150, tolerance=1e-4, minimum_weight=0)
    if len(sketch.points) < len(points):
        centers = distinct(centers, cost, keep=FINALISTS)
        most = WeightedPoints(points, weights)
        centers, cost = lloyd(most, centers, iterations=60, tolerance=1e-4, minimum_weight=0)
    if len(points) < len(everything.points):
        centers = distinct(centers, cost, keep=1)
        centers, cost = lloyd(everything, centers, LAST_STEPS, minimum_weight=0)
    best = cost.argmin()
    return centers[best], float(cost[best])


def _search(points: WeightedPoints, k: int, restarts: int, rng: Coins) -> FloatArray:
    """The few best solutions found, (s, k, d).

    Starts are drawn by greedy k-means++ among the points and take a few steps; then, round after
    round, among the centers of the best few solutions, each as heavy as its cluster. So what is
    right in one comes together with what is right in another, which fresh starts would take long
    to hit upon.
    """
    centers = greedy_plus_plus(points.points, points.weights, k, restarts, rng)
    centers, cost = lloyd(points, centers, FIRST_STEPS, minimum_weight=0)
    before = np.inf
    for _ in range(ROUNDS):
        centers = distinct(centers, cost, keep=max(1, restarts // 3))
        masses, _, cost = points.step(centers)
        if len(centers) == 1 or cost.mean() >= (1 - BETTER) * before:
            break
        before = cost.mean()
        pool = centers.reshape(-1, centers.shape[2])
        joined = greedy_plus_plus(pool, masses.ravel(), k, len(centers), rng)
        joined, its_cost = lloyd(points, joined, FIRST_STEPS, minimum_weight=0)
        centers, cost = np.concatenate([centers, joined]), np.concatenate([cost, its_cost])
    return distinct(centers, cost, keep=FINALISTS)


def _thinned(points: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Points on a plane added up on a raster, the finest on which few enough are left."""
    side = RASTER_SIDE
    while points.shape[1] == 2 and len(points) > RASTER_POINTS:
        points, weights = on_raster(points, weights, side)
        side //= 2
    return points, weights
