"""Questions about rows around public places: their level, offsets and products.

One row gives one short vector of whole numbers, and an answer adds these up, cell by cell. So one
row moves the answer by its own vector, whose length is bounded by how it is made: clipped to a
ball, truncated towards zero, and weighted so that the numbers beside the offset cost nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, IntArray, to_ticks
from dpcore.geometry.voronoi import Voronoi
from dpcore.privacy.rounding import root_up
from dpcore.queries.questions import Sensitivity

#: A whole of one row's share in an answer.
WHOLE = 1 << 21
#: The same for products: their sums stay exact in float64 for half a billion rows.
FINE = 1 << 12
#: Whole numbers are exact in float64, and so are their sums, up to here, with room for rounding.
EXACT = 2.0**52
#: In so many dimensions the square of an offset, in ticks, is exact in float64.
EXACT_DIMENSIONS = 512
#: Scaled so much short of the ball, rounding leaves nothing outside it.
JUST_INSIDE = 1 - 1e-9
#: 41/29 is just below the square root of 2, by which pairs off the diagonal count twice.
ON_DIAGONAL, OFF_DIAGONAL = 29, 41
#: No ball is smaller, so that no division by its size overflows.
LEAST_REACH = 1e-100


@dataclass(frozen=True)
class LevelQuestion:
    """The number of rows, their average height, and their distance from the box center.

    A row of mean m and mean square e lies in a triangle: m^2 <= e <= 1, and the corners (-1, 1),
    (1, 1) and (0, -1) hold all of that. The row is described by its weights at the three
    corners, none negative, which sum to WHOLE: that is all it moves the answer by, in L1, for three
    figures.
    """

    @property
    def added(self) -> Sensitivity:
        return Sensitivity(WHOLE, WHOLE)

    @property
    def replaced(self) -> Sensitivity:
        return Sensitivity(2 * WHOLE, root_up(2) * WHOLE)

    def of(self, dataset: Dataset) -> IntArray:
        return dataset.summed(self.of_rows)

    @staticmethod
    def of_rows(ticks: IntArray, weights: IntArray) -> IntArray:
        """The contribution of some rows to the answer."""
        d = ticks.shape[1]
        # Whole sums first: how one row is described is the same among any other rows.
        mean = ticks.sum(axis=1) / (d * TICKS)
        square = (ticks**2).sum(axis=1) / (d * TICKS**2)
        above = np.floor(WHOLE * ((1 + square) / 2 + mean) / 2).clip(0, WHOLE)
        beside = np.floor(WHOLE * (1 - square) / 2).clip(0, WHOLE - above)
        corners = weights @ np.stack([above, beside], axis=1).astype(np.int64)
        return np.array([weights.sum() * WHOLE - corners.sum(), *corners])

    @staticmethod
    def read(answer: IntArray) -> tuple[float, float, float]:
        """Rows, the sum of their means, and the sum of their mean squares."""
        low, high, beside = (float(value) / WHOLE for value in answer)
        return low + high + beside, high - low, low + high - beside


@dataclass(frozen=True, eq=False)
class Offsets:
    """Counts and offsets by public centers: for each, the number of rows nearest to it, the sum of
    their offsets from it, clipped to a ball of size `reach`, one for all or one for each, and the
    room that they leave in the ball.

    A row's offset v, in units of its center's reach, has a norm of r <= 1. It counts as
    (weight, v, 1-r) by L1 norm, which comes to weight + 1, and as (weight, v, 1-r^2) by L2 norm,
    whose square is weight^2 + r^2 + (1-r^2)^2 <= weight^2 + 1: the room is free. A row replaced
    changes these in one cell or in two, at most by twice as much.
    """

    centers: FloatArray
    reach: float | FloatArray
    #: 1 or 2.
    norm: int
    weight: float

    def __post_init__(self) -> None:
        _check_ball(self.centers, self.reach)

    @property
    def _counted(self) -> int:
        return math.ceil(self.weight * WHOLE)

    @property
    def added(self) -> Sensitivity:
        longest = root_up(self._counted**2 + WHOLE**2)
        if self.norm == 1:
            return Sensitivity(self._counted + WHOLE, longest)
        l1 = math.ceil(self._counted + WHOLE * (root_up(self.centers.shape[1]) + 1))
        return Sensitivity(l1, longest * (1 + 1e-12))

    @property
    def replaced(self) -> Sensitivity:
        added = self.added
        return Sensitivity(2 * added.l1, 2 * added.l2)

    def of(self, dataset: Dataset) -> IntArray:
        return dataset.summed(self.of_rows)

    def of_rows(self, ticks: IntArray, weights: IntArray) -> IntArray:
        """The contribution of some rows to the answer."""
        places = to_ticks(self.centers)
        m, d = places.shape
        # Coordinate by coordinate: so the sums over them run along the rows.
        exact = ticks.T.astype(np.float64, order="C")
        label = Voronoi(self.centers).labels(exact.T)
        exact -= places.T.take(label, axis=1)
        reach = np.broadcast_to(self.reach, m).take(label)
        offset = clipped(exact.T, reach, self.norm, WHOLE).T
        if self.norm == 1:
            room = WHOLE - np.abs(offset).sum(axis=0)
        else:
            room = np.floor((WHOLE**2 - (offset**2).sum(axis=0)) / WHOLE)
        total = np.empty((m, d + 2), dtype=np.int64)
        total[:, 0] = self._counted * _summed_by(label, np.ones(1), weights, m)
        for axis, values in enumerate([*offset, room], start=1):
            total[:, axis] = _summed_by(label, values, weights, m)
        return total

    def read(self, answer: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rows (m,), sums of offsets (m, d) in unit coordinates, and of the room (m,) that rows
        leave: 1 less the norm in units of the reach, or its square."""
        rows = np.asarray(answer[:, 0] / self._counted, dtype=np.float64)
        reach = np.broadcast_to(self.reach, len(answer))[:, None]
        sums = np.asarray(answer[:, 1:-1] * (reach / WHOLE), dtype=np.float64)
        return rows, sums, np.asarray(answer[:, -1] / WHOLE, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Products:
    """The sum over rows of the products of every two coordinates of their offset from a public
    center, clipped to a ball of size `reach`: the diagonal and what lies above it, as one vector.

    With weights of 29 and 41 the squared length of a row's vector is at most
    29^2 (sum of y_i^4 + 2 sum of y_i^2 y_j^2) = 29^2 |y|^4, as 41^2 < 2 * 29^2; and the vectors
    of two rows never point apart, so one replaced by the other is sqrt(2) of that.
    """

    center: FloatArray
    reach: float

    def __post_init__(self) -> None:
        _check_ball(self.center, self.reach)

    @property
    def added(self) -> Sensitivity:
        d = len(self.center)
        length = ON_DIAGONAL * FINE**2
        return Sensitivity(math.ceil(root_up(length**2 * d * (d + 1) // 2)), float(length))

    @property
    def replaced(self) -> Sensitivity:
        length = ON_DIAGONAL * FINE**2
        return Sensitivity(2 * self.added.l1, root_up(2 * length**2))

    def of(self, dataset: Dataset) -> IntArray:
        total = dataset.summed(self.of_rows)
        scale = np.full(total.shape, OFF_DIAGONAL)
        np.fill_diagonal(scale, ON_DIAGONAL)
        return (total * scale)[np.triu_indices(len(total))]

    def of_rows(self, ticks: IntArray, weights: IntArray) -> IntArray:
        """The contribution of some rows to all products, not yet weighted."""
        offset = clipped(ticks - to_ticks(self.center), self.reach, 2, FINE)
        # Whole numbers below 2^53: exact in whatever order they are added up.
        return np.asarray(offset.T @ (offset * weights[:, None])).astype(np.int64)

    def read(self, answer: IntArray) -> FloatArray:
        """The symmetric matrix (d, d) of sums in unit coordinates."""
        d = len(self.center)
        upper = np.zeros((d, d))
        upper[np.triu_indices(d)] = answer * (self.reach / FINE) ** 2
        diagonal = np.diag(np.diag(upper)) / ON_DIAGONAL
        above = np.triu(upper, 1) / OFF_DIAGONAL
        return np.asarray(diagonal + above + above.T)


def _check_ball(places: FloatArray, reach: float | FloatArray) -> None:
    """Refuse a ball without a size: as a whole number NaN is the least, and nothing bounds it."""
    sizes = np.atleast_1d(reach)
    sound = ((sizes >= LEAST_REACH) & (sizes < math.inf)).all()
    if not (np.isfinite(places).all() and sound):
        raise ValueError(f"Offsets need finite centers and a ball with a size, not {reach!r}.")


def clipped(
    offset: FloatArray | IntArray, reach: float | FloatArray, norm: int, whole: int
) -> FloatArray:
    """Vectors (n, d) in ticks as whole numbers in units of reach/whole, those longer than the reach
    moved straight to it.

    Their norm is a whole number, or its root, so a row's image is the same among any other rows;
    it is truncated, so its norm is at most `whole`.
    """
    by_axis = np.ascontiguousarray(offset.T, dtype=np.float64)
    if norm == 1:
        length = np.abs(by_axis).sum(axis=0)
    elif len(by_axis) <= EXACT_DIMENSIONS:
        length = np.sqrt((by_axis**2).sum(axis=0))
    else:
        length = np.sqrt((by_axis.astype(np.int64) ** 2).sum(axis=0).astype(np.float64))
    short = by_axis * (whole * JUST_INSIDE / np.maximum(length, reach * TICKS))
    return np.trunc(short, out=short).T


def _summed_by(label: IntArray, values: FloatArray, weights: IntArray, m: int) -> IntArray:
    """The sums of whole numbers up to WHOLE, each as often as its weight says, by label."""
    if float(weights.sum(dtype=np.float64)) * WHOLE >= EXACT:
        total = np.zeros(m, dtype=np.int64)
        np.add.at(total, label, values.astype(np.int64) * weights)
        return total
    if m == 1:
        return np.array([(values * weights).sum()]).astype(np.int64)
    each = values.shape == label.shape and bool((weights == 1).all())
    return np.bincount(label, values if each else values * weights, m).astype(np.int64)
