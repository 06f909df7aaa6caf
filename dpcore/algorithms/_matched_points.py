"""Points that stand for all rows, moved to where rounds of offsets say that the rows are.

A tree or a grid shows how rows lie in small cells. Rounds tell more exactly how many are near each
of a few centers, where their mean is, and how far they spread. All of it reads noisy answers and
public facts only.

**Noise.** A round corrects the number of rows in a whole cell, not how they are shared among its
points. Let e be the noise in the weights of a cell, whose covariance is at most diag(u), U the sum
of u, and v the variance of the round's own count, whose noise c is independent of e. The weights,
shares f of their sum, then move by h (c - sum e), h = (1 - left) f, to first order. With
q = U + v, the new covariance is

    diag(u) - h u' - u h' + q h h' = diag(u) + q z z' - u u' / q,   z = h - u / q,

and z z' is at most sum |z| diag(|z|). So at most diag(u + q |z| sum |z|): that is u where shares
are those of the variances, and more where a heavy point is scaled because of the noise of light
ones. Sums of these numbers bound what the noise in any sum of weights varies by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpcore.algorithms._offset_rounds import OffsetCells, OffsetRound, trusted
from dpcore.geometry.domain import Box, FloatArray, IntArray, to_ticks
from dpcore.geometry.voronoi import Voronoi
from dpcore.results.synopsis import Coreset

#: A cell without a point gets one where its rows are so many standard deviations of their noise.
CERTAIN = 3.0
#: The least that anything is divided by.
TINY = 1e-300


@dataclass(frozen=True, eq=False)
class LoosePoints:
    """Points with weights that stand for rows nearby."""

    points: FloatArray
    weights: FloatArray
    #: Of the noise in each weight; once there were rounds, their sums tell that of whole cells.
    variances: FloatArray
    #: The mean squared distance from each point to the rows that it stands for, were they spread
    #: evenly over its cell.
    room: FloatArray
    #: What the noise in any sum of weights varies by is no more than the sum of these; if None,
    #: that of `variances`.
    bounds: FloatArray | None = None
    #: The probability that each point stands for any rows; if None, all are certain.
    chances: FloatArray | None = None

    @property
    def expected(self) -> LoosePoints:
        """The same points, each weight times the probability that the point stands for any rows.

        This keeps centers away from noise, but costs computed from these weights are too low.
        """
        return self if self.chances is None else replace(self, weights=self.weights * self.chances)

    @property
    def noise_bounds(self) -> FloatArray:
        return self.variances if self.bounds is None else self.bounds

    def coreset(self, box: Box, n: float | None = None) -> Coreset:
        """The points that weigh anything. A public number of rows is shared out in full."""
        full = self.weights > 0
        points, weights = np.clip(self.points[full], -1, 1), self.weights[full]
        bounds = self.noise_bounds[full]
        if n is not None:
            all_of_one = np.zeros(len(weights), dtype=np.int64)
            bounds = _corrected(bounds, all_of_one, weights, np.ones(1), 0.0)
            share = n / max(float(weights.sum()), 1.0)
            weights, bounds = weights * share, bounds * share**2
        return Coreset(points, weights, box, bounds)


def points_of_cells(cells: OffsetCells, n: float, noise: float) -> LoosePoints:
    """A point for each cell of a round, all together as heavy as n rows, a number with noise."""
    m = len(cells.centers)
    variance = (cells.noise if m > 1 else noise) ** 2
    return LoosePoints(cells.centers, of_sum(cells.rows, n), np.full(m, variance), np.zeros(m))


def of_sum(counts: FloatArray, total: float) -> FloatArray:
    """The rest of counts above the threshold that makes it sum to a total."""
    ordered = np.sort(counts)[::-1]
    excess = (np.cumsum(ordered) - total) / np.arange(1, len(counts) + 1)
    return np.maximum(counts - excess[np.flatnonzero(ordered > excess)[-1]], 0.0)


def matched(loose: LoosePoints, rounds: Sequence[OffsetRound]) -> LoosePoints:
    """The points after each round in turn."""
    for each in rounds:
        loose = _after(loose, each)
    return loose


def _after(loose: LoosePoints, answer: OffsetRound) -> LoosePoints:
    """The points, of which those in each cell of a round together weigh what both say, by inverse
    variance. As far as its rows stand out of the noise, their mean is the one that the round found,
    and they spread no further than it saw.

    Clipped offsets do not see how far a tail reaches. So points are drawn together no more than
    their own cells are wide: a point may be so far from its rows, and no farther.
    """
    cells = answer.cells
    m, noise = len(cells.rows), cells.noise
    cell = Voronoi(answer.centers).labels(to_ticks(loose.points))
    weights, variances, bounds = loose.weights, loose.variances, loose.noise_bounds
    if m > 1:  # One cell holds all rows, whose number was known before.
        mass = np.bincount(cell, weights, m)
        doubt = np.bincount(cell, variances, m)
        remainder = noise**2 / (doubt + noise**2)
        bounds = _corrected(bounds, cell, weights, np.asarray(1 - remainder), noise)
        rows = np.maximum(mass + (1 - remainder) * (cells.rows - mass), 0)
        weights = weights * (rows / np.maximum(mass, TINY))[cell]
        variances = variances * remainder[cell]

    mass = np.bincount(cell, weights, m)
    mean = _sums(cell, loose.points.T, weights, m) / np.maximum(mass, TINY)[:, None]
    offsets = loose.points - mean[cell]
    spread = np.bincount(cell, weights * (offsets**2).sum(axis=1), m) / np.maximum(mass, TINY)
    room = np.bincount(cell, weights * loose.room, m) / np.maximum(mass, TINY)
    trust = trusted(np.ones(m), 0.0, np.maximum(cells.rows, 0), max(noise, TINY))
    seen = cells.energy if cells.seen is None else cells.seen
    energy = np.minimum(np.maximum(seen, spread - room), spread)
    narrower = 1 + trust * (np.sqrt(energy / np.maximum(spread, TINY)) - 1)
    # Noise has already drawn the mean of a round to the center that was asked about.
    signal = np.maximum(cells.rows, 0) ** 2
    moved = signal / np.maximum(signal + noise**2, TINY)
    middle = mean + moved[:, None] * (cells.centers - mean)

    alone = (np.bincount(cell, minlength=m) == 0) & (cells.rows > CERTAIN * noise)
    lonely = int(alone.sum())
    return LoosePoints(
        np.concatenate([middle[cell] + narrower[cell, None] * offsets, cells.centers[alone]]),
        np.concatenate([weights, cells.rows[alone]]),
        np.concatenate([variances, np.full(lonely, noise**2)]),
        np.concatenate([loose.room * narrower[cell] ** 2, np.zeros(lonely)]),
        np.concatenate([bounds, np.full(lonely, noise**2)]),
    )


def _corrected(
    bounds: FloatArray, cell: IntArray, weights: FloatArray, part: FloatArray, noise: float
) -> FloatArray:
    """Bounds on the noise in weights, of which those in each cell are scaled so that a part of the
    difference from a count with that noise is gone."""
    m = len(part)
    total = np.bincount(cell, bounds, m) + noise**2
    mass = np.maximum(np.bincount(cell, weights, m), TINY)
    apart = np.abs((part / mass)[cell] * weights - bounds / np.maximum(total, TINY)[cell])
    return np.asarray(bounds + (total * np.bincount(cell, apart, m))[cell] * apart)


def _sums(cell: IntArray, axes: FloatArray, weights: FloatArray, m: int) -> FloatArray:
    """The weighted sum in each cell, (m, d), of coordinates (d, n)."""
    return np.stack([np.bincount(cell, weights * axis, m) for axis in axes], axis=1)
