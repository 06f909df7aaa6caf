"""Starts for Lloyd: sphere packing and uniform draws, blind to the data, and greedy k-means++."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.points import single_thread
from dpcore.kmeans.stages import tell
from dpcore.randomness.coins import Coins

BISECTIONS = 20
#: What is being done, to whoever waits for it.
SEEDING = "looking for starting centers"
#: A radius is too large when 100 candidates in a row are refused. Most points are found among the
#: first few, so those are drawn first.
CANDIDATES = (8, 24, 68)


def uniform_starts(k: int, d: int, starts: int, rng: Coins) -> FloatArray:
    """Centers drawn uniformly in the box, (starts, k, d)."""
    return rng.uniform(-1, 1, (starts, k, d))


def sphere_packing(k: int, d: int, starts: int, rng: Coins) -> FloatArray:
    """Centers that keep their distance from each other and from the border, (starts, k, d).

    Su et al. (2016), section 4.1.1: points are drawn uniformly at least a from the border, and
    kept when at least 2a from those before. Bisection finds the largest a for which k points are
    found.
    """
    low, high = np.zeros(starts), np.ones(starts)
    best = uniform_starts(k, d, starts, rng)
    for i in range(BISECTIONS):
        radius = (low + high) / 2
        packed, succeeded = _pack(k, d, radius, rng, i)
        best[succeeded] = packed[succeeded]
        low, high = np.where(succeeded, radius, low), np.where(succeeded, high, radius)
    return best


def _pack(
    k: int,
    d: int,
    radius: FloatArray,
    rng: Coins,
    bisection: int,
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """k points at least 2 radius apart for each of the radii, and where that many were found."""
    points = np.empty((len(radius), k, d))
    inside, apart = (1 - radius)[:, None, None], (4 * radius**2)[:, None, None]
    complete = np.arange(len(radius))
    for j in range(k):
        tell(SEEDING, (bisection + j / k) / BISECTIONS)
        waiting = complete
        for size in CANDIDATES:
            candidates = rng.uniform(-1, 1, (len(waiting), size, d))
            candidates *= inside[waiting]
            gaps = candidates[:, :, None] - points[waiting, None, :j]
            far = (np.einsum("scjd,scjd->scj", gaps, gaps) >= apart[waiting]).all(axis=2)
            first = far.argmax(axis=1)
            fits = far[np.arange(len(waiting)), first]
            points[waiting[fits], j] = candidates[fits, first[fits]]
            waiting = waiting[~fits]
            if not len(waiting):
                break
        if len(waiting):
            complete = np.setdiff1d(complete, waiting, assume_unique=True)
            if not len(complete):
                break
    succeeded = np.zeros(len(radius), dtype=bool)
    succeeded[complete] = True
    return points, succeeded


def greedy_plus_plus(
    points: FloatArray, weights: FloatArray, k: int, restarts: int, rng: Coins
) -> FloatArray:
    """Greedy k-means++ for weights that are not negative, (restarts, k, d).

    Each center is the best of 2 + floor(ln k) points drawn with probability proportional to
    weight times squared distance to the centers before it. Where fewer distinct points than k
    exist, some are taken again.
    """
    n, d = points.shape
    trials = 2 + int(math.log(k))
    squares = np.einsum("nd,nd->n", points, points)
    columns = -2 * points.T
    which = np.arange(restarts)
    centers = np.empty((restarts, k, d))
    picks = _drawn(np.cumsum(weights)[None], rng.random((restarts, 1)))
    nearest = np.full((restarts, n), np.inf)
    with single_thread():
        for j in range(k):
            tell(SEEDING, j / k)
            candidates = points[picks]
            distances = candidates.reshape(-1, d) @ columns
            distances += squares
            distances = distances.reshape(*picks.shape, n)
            distances += squares[picks][..., None]
            np.maximum(distances, 0, out=distances)
            np.minimum(distances, nearest[:, None], out=distances)
            best = (distances @ weights).argmin(axis=1)
            centers[:, j] = candidates[which, best]
            if j < k - 1:
                nearest = distances[which, best]
                picks = _drawn((nearest * weights).cumsum(axis=1), rng.random((restarts, trials)))
    return centers


def _drawn(cumulative: FloatArray, uniform: FloatArray) -> npt.NDArray[np.int64]:
    """Indices drawn by inverse distribution function: for each row of cumulative sums, the first
    that is beyond each draw."""
    beyond = cumulative[:, None] > (uniform * cumulative[:, -1:])[..., None]
    # Rounding apart, the last one is.
    beyond[..., -1] = True
    return np.asarray(beyond.argmax(axis=-1))
