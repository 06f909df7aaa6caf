"""k-median of weighted points: the sum of plain distances, not of their squares."""

from __future__ import annotations

import numpy as np
import scipy

from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.merging import merge_points
from dpcore.kmeans.points import padded
from dpcore.kmeans.seeding import greedy_plus_plus
from dpcore.randomness.coins import Coins

#: More points than this are merged before the search.
MOST_POINTS = 4000
#: Rounds of assigning and moving, at most; a round that gains less than this part is the last.
ROUNDS, BETTER = 100, 1e-6
#: A distance is taken for at least this.
LEAST_DISTANCE = 1e-9


def distances(points: FloatArray, centers: FloatArray) -> FloatArray:
    """From each point to its nearest center."""
    return np.asarray(scipy.spatial.distance.cdist(points, centers).min(axis=1))


def weighted_kmedian(
    points: FloatArray, weights: FloatArray, k: int, restarts: int, rng: Coins
) -> tuple[FloatArray, float]:
    """The best centers (k, d) found for points (n, d) of positive weight, and their cost.

    The cost is the weighted sum of distances. From every start, centers move to the mean of their
    points first, for a center on a point would never leave it. Then points are assigned to their
    nearest center and centers moved by one step of Weiszfeld: to the mean of their points, each
    weighted by its weight over its distance, which never costs more.
    """
    if len(points) <= k:
        return padded(points, weights, k), 0.0
    few, its_weights = merge_points(points, weights, MOST_POINTS)
    starts = greedy_plus_plus(few, its_weights, k, restarts, rng)
    solutions = [_descended(few, its_weights, centers) for centers in starts]
    best = min(solutions, key=lambda each: each[1])[0]
    return (
        _descended(points, weights, best)
        if len(few) < len(points)
        else _costed(points, weights, best)
    )


def _costed(
    points: FloatArray, weights: FloatArray, centers: FloatArray
) -> tuple[FloatArray, float]:
    return centers, float(weights @ distances(points, centers))


def _descended(
    points: FloatArray, weights: FloatArray, centers: FloatArray
) -> tuple[FloatArray, float]:
    """The centers after as many rounds as they gain from."""
    best, before = centers, np.inf
    for i in range(ROUNDS):
        apart = scipy.spatial.distance.cdist(points, centers)
        nearest = apart.argmin(axis=1)
        least = apart[np.arange(len(points)), nearest]
        cost = float(weights @ least)
        if i > 1 and cost >= before * (1 - BETTER):
            break
        if cost < before:
            best, before = centers, cost
        pull = weights if i == 0 else weights / np.maximum(least, LEAST_DISTANCE)
        mass = np.bincount(nearest, pull, len(centers))
        sums = [np.bincount(nearest, pull * axis, len(centers)) for axis in points.T]
        moved = np.stack(sums, axis=1) / np.where(mass > 0, mass, 1)[:, None]
        centers = np.where(mass[:, None] > 0, moved, centers)
    return _costed(points, weights, best)
