"""Public functions that act on every row by itself: clipping to a ball, random projection.

A function of one row changes one row where one row is changed, so neighbors stay neighbors and
applying it costs nothing. That holds only if the image of a row does not depend, by a single bit,
on the rows around it: positions are whole ticks, matrices are whole numbers, every product is a
whole number below 2^53, which float64 holds exactly in whatever order it is added up, and every
squared norm one below 2^63, added up in int64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np

from dpcore.geometry.domain import TICKS, FloatArray, IntArray
from dpcore.randomness.coins import Coins

#: Entries of a projection are whole numbers of 2**-18.
MATRIX_UNITS = 1 << 18
#: A norm and a quotient are each rounded once: by far less than this, relatively.
SLACK = 1e-9


class RowMap(Protocol):
    """Rows in, rows out; all in ticks."""

    @property
    def d(self) -> int:
        """Coordinates of an image."""
        ...

    @property
    def reach(self) -> float:
        """The longest that any image can be, by L2 norm, in unit coordinates."""
        ...

    @property
    def reach_l1(self) -> float:
        """The longest that any image can be, by L1 norm, in unit coordinates."""
        ...

    def __call__(self, ticks: IntArray) -> IntArray: ...


@dataclass(frozen=True)
class BallClip:
    """Moves a row that is farther than `reach` from the middle of the box straight to that far."""

    d: int
    reach: float

    @property
    def reach_l1(self) -> float:
        return math.sqrt(self.d) * self.reach

    def __call__(self, ticks: IntArray) -> IntArray:
        return _into_ball(np.asarray(ticks, dtype=np.float64), self.reach)

    def clip(self, points: FloatArray) -> FloatArray:
        """Public points in unit coordinates, each clipped to the ball."""
        norms = np.sqrt((points**2).sum(axis=-1, keepdims=True))
        return points * (self.reach / np.maximum(norms, self.reach))


@dataclass(frozen=True, eq=False)
class Projection:
    """A linear map of the rows, and what it throws out of the unit ball moved back to its edge."""

    #: Of shape (coordinates of a row, coordinates of its image), in MATRIX_UNITS.
    matrix: IntArray
    reach = 1.0

    @classmethod
    def shrinking(cls, d: int, reach: float) -> Self:
        """No projection: rows divided by `reach`, so that the ball of that size becomes the unit
        ball."""
        return cls(np.rint(np.eye(d) * (MATRIX_UNITS / reach)).astype(np.int64))

    @classmethod
    def random(cls, d: int, dimensions: int, reach: float, rng: Coins) -> Self:
        """A Johnson-Lindenstrauss projection of the ball of size `reach` to the unit ball.

        Gaussian entries over sqrt(dimensions) keep distances as they are on average.
        """
        matrix = rng.standard_normal((d, dimensions)) / (math.sqrt(dimensions) * reach)
        return cls(np.rint(matrix * MATRIX_UNITS).astype(np.int64))

    @property
    def d(self) -> int:
        return self.matrix.shape[1]

    @property
    def reach_l1(self) -> float:
        return math.sqrt(self.d)

    def __call__(self, ticks: IntArray) -> IntArray:
        image = np.asarray(ticks, dtype=np.float64) @ self.matrix.astype(np.float64)
        image = np.clip(np.rint(image / MATRIX_UNITS), -2 * TICKS, 2 * TICKS)
        return _into_ball(image, self.reach)


def _into_ball(ticks: FloatArray, reach: float) -> IntArray:
    """Whole numbers of ticks, scaled down to the ball where they are outside, and truncated."""
    norms = np.sqrt((ticks.astype(np.int64) ** 2).sum(axis=1))
    limit = reach * TICKS
    outside = norms > limit
    factors = np.divide(limit, norms, out=np.ones_like(norms), where=outside)
    return np.trunc(ticks * factors[:, None]).astype(np.int64)
