"""Scores for the exponential mechanism, each with its sensitivity."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy

from dpcore.datasets.base import COST_UNITS, Dataset
from dpcore.geometry.domain import TICKS, FloatArray, IntArray, to_ticks
from dpcore.privacy.accounting import Neighbors

#: More centers than this, in all sets, are not compared pair by pair.
MAX_COMPARED = 1 << 14


class Score(Protocol):
    """A whole-number score for each public candidate, computed where the data are."""

    @property
    def sensitivity(self) -> int:
        """The most that one row, added or replaced, can move any candidate's score."""
        ...

    @property
    def monotone(self) -> bool:
        """One more row moves every score the same way; then add/remove costs half."""
        ...

    def of(self, dataset: Dataset) -> IntArray: ...


@dataclass(frozen=True)
class LowCost:
    """Minus the k-means cost of each candidate set of centers (sets, k, d).

    A row in the box is at most 2 sqrt(d) from any center in it, so it adds between 0 and 4d to
    each cost; one more unit covers the rounding down.
    """

    center_sets: FloatArray
    monotone = True

    @property
    def sensitivity(self) -> int:
        return 4 * self.center_sets.shape[-1] * COST_UNITS + 1

    def of(self, dataset: Dataset) -> IntArray:
        return -np.asarray(dataset.whole_cost(to_ticks(self.center_sets)))


@dataclass(frozen=True)
class ContrastingCost(LowCost):
    """Minus the k-means cost again, for center sets that are alike: PrivGene's enhanced mechanism.

    The exponential mechanism looks at differences of scores only. Let d(t, A) be the squared
    distance from a row t to the nearest center of A. Then for all t in the box

        d(t, B) - d(t, A) <= max_a min_b max_t |t - b|^2 - |t - a|^2
                           = max_a min_b (|b|^2 - |a|^2 + 2 |a - b|_1),

    so a row added moves all scores by amounts that lie within S of each other, S being the largest
    of these over pairs of sets. Up to a shift that all candidates share, it moves them one way
    only and by at most S; and a row replaced, by at most S either way. S depends on the sets and
    on the box, never on the data. Costs are rounded down, which widens the range of the whole
    numbers by at most one.
    """

    @cached_property
    def sensitivity(self) -> int:
        sets = to_ticks(self.center_sets)
        count, k, d = sets.shape
        if count * k > MAX_COMPARED:
            return super().sensitivity
        flat = sets.reshape(-1, d)
        squares = (flat**2).sum(axis=1)
        furthest = 0
        for a, square in zip(sets, squares.reshape(count, k), strict=True):
            apart = scipy.spatial.distance.cdist(a, flat, "cityblock").astype(np.int64)
            gain = squares + 2 * TICKS * apart - square[:, None]
            furthest = max(furthest, int(gain.reshape(k, count, k).min(axis=2).max()))
        unit = TICKS**2 // COST_UNITS
        return min(-(-furthest // unit) + 1, super().sensitivity)


@dataclass(frozen=True)
class Quantile:
    """The score of each line between slabs of a coordinate: how nearly it splits rows at a share.

    The score of a line is -|rows below it - share * n|, times the share's denominator to be
    whole. A row added moves the number below by 0 or 1 and share * n by the share; a row replaced
    moves the former by at most 1: never by more than 1 in all.

    Lines between the same two rows have the same score, so that choosing among all lines with a
    flat prior is to choose a gap by its length times exp(-epsilon |rank - share n| / 2), and then
    to draw uniformly in it: on a lattice, the percentile of GUPT.
    """

    axis: int
    share: Fraction
    slabs: int
    monotone = False

    @property
    def sensitivity(self) -> int:
        return self.share.denominator

    def of(self, dataset: Dataset) -> IntArray:
        below = np.cumsum(dataset.margin(self.axis, self.slabs))
        target = self.share.numerator * dataset.n
        return -np.abs(self.share.denominator * np.append(0, below) - target)


@dataclass(frozen=True)
class FarSums:
    """The distance of each coordinate's sum over all rows from 0, in ticks.

    A row added moves a sum by at most 1 unit, a row replaced by at most 2, and so its distance
    from 0; up or down, so the scores are not monotone.
    """

    neighbors: Neighbors
    monotone = False

    @property
    def sensitivity(self) -> int:
        return TICKS if self.neighbors is Neighbors.ADD_REMOVE else 2 * TICKS

    def of(self, dataset: Dataset) -> IntArray:
        everything = np.zeros((1, dataset.d), dtype=np.int64)
        return np.abs(dataset.cluster_totals(everything).sums[0])
