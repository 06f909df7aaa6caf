"""Estimates of the rows in a rectangle from a synopsis, with their error.

Two things make an estimate wrong (Su et al. 2016, section 4.2.1). Noise was added to counts: how
much is public, so its standard error is known. And a synopsis knows positions only roughly: of a
cell that the rectangle cuts it cannot say which rows are inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, IntArray


@dataclass(frozen=True)
class Estimate:
    """A number of rows, with the two things that it may be off by."""

    value: float
    #: The standard error that noise makes; None where no noisy count stands behind the weights.
    error: float | None
    #: How many rows cannot be told to lie inside or outside, by the same account.
    cut: float
    #: Why it is not for publication; empty for a release.
    status: str = ""

    @property
    def low(self) -> float:
        """Two standard errors and all that is cut below the value, and at least 0."""
        return max(0.0, self.value - 2 * (self.error or 0.0) - self.cut)

    @property
    def high(self) -> float:
        """Two standard errors and all that is cut above the value."""
        return self.value + 2 * (self.error or 0.0) + self.cut

    def __str__(self) -> str:
        noise = "noise unknown" if self.error is None else f"± {self.error:,.0f} by noise"
        words = f"{self.value:,.0f} rows {noise}, {self.cut:,.0f} of them cut by the border"
        return f"{words} ({self.status})" if self.status else words


def unit_rectangle(
    box: Box, low: npt.ArrayLike, high: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """The part of a rectangle in data units that lies in the box, in unit coordinates."""
    ends = []
    for name, end in (("low", low), ("high", high)):
        try:
            ends.append(np.broadcast_to(np.asarray(end, dtype=np.float64), (box.d,)))
        except (TypeError, ValueError):
            raise BadInput(
                f"{name} has one number for each of {', '.join(box.names)}, not {end!r}."
            ) from None
    if not (ends[0] <= ends[1]).all():
        raise BadInput(f"Every low end is at most its high end, not {low!r} to {high!r}.")
    first, last = (np.clip(box.to_unit(end[None])[0], -1, 1) for end in ends)
    return first, last


def in_grid(counts: IntArray, low: FloatArray, high: FloatArray) -> tuple[float, float, float]:
    """The rows in a rectangle of the unit box, the sum of squared shares of cells, and what is cut.

    Rows are taken to lie evenly in their cell, so a cell counts with the share of it that the
    rectangle covers, and independent noise of variance v makes a variance of v times the sum of
    squared shares. Shares are products over the axes, so no cell is visited twice.
    """
    side = counts.shape[0]
    edges = np.linspace(-1, 1, side + 1)
    shares = []
    for first, last in zip(low, high, strict=True):
        covered = np.minimum(edges[1:], last) - np.maximum(edges[:-1], first)
        shares.append(np.clip(covered * side / 2, 0, 1))
    whole = [np.where(share > 1 - 1e-9, 1.0, 0.0) for share in shares]
    touched = [np.where(share > 1e-9, 1.0, 0.0) for share in shares]
    value, inside, all_of = (_contracted(counts, each) for each in (shares, whole, touched))
    squares = math.prod(float((share**2).sum()) for share in shares)
    return value, squares, max(0.0, all_of - inside)


def _contracted(counts: IntArray, along: list[FloatArray]) -> float:
    """The sum of all counts, each times the product of its numbers along the axes."""
    table = counts.astype(np.float64)
    for numbers in along:
        table = np.tensordot(numbers, table, axes=(0, 0))
    return float(table)


def among_points(
    points: FloatArray, low: FloatArray, high: FloatArray, origin: IntArray | None = None
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The points that lie in a rectangle of the unit box, and those that its border cuts.

    A point stands for the rows around it, up to half of the way to the nearest other point of the
    same origin. It is cut where the border is nearer than that.
    """
    inside = ((points >= low) & (points <= high)).all(axis=1)
    reach = reaches(points, origin)
    # The sides of the box are no border: nothing lies beyond them.
    first = np.where(low <= -1, -np.inf, low)
    last = np.where(high >= 1, np.inf, high)
    beyond = np.maximum(np.maximum(first - points, points - last), 0)
    outside_by = np.sqrt((beyond**2).sum(axis=1))
    inside_by = np.minimum(points - first, last - points).min(axis=1)
    return np.asarray(inside), np.asarray(np.where(inside, inside_by, outside_by) < reach)


def reaches(points: FloatArray, origin: IntArray | None = None) -> FloatArray:
    """The reach of each point's rows: half of the way to the nearest other point of the same
    origin."""
    reach = np.full(len(points), np.inf)
    groups = np.zeros(len(points), dtype=np.int64) if origin is None else origin
    for group in np.unique(groups):
        own = groups == group
        if own.sum() > 1:
            apart = np.asarray(scipy.spatial.cKDTree(points[own]).query(points[own], 2)[0])
            reach[own] = apart[:, 1] / 2
    return reach


def geometric_scale(variance: float) -> float:
    """The scale of the two-sided geometric noise of this variance v: a is the root below 1 of
    v (1-a)^2 = 2a, and the scale -1 / log(a)."""
    if variance <= 0:
        return 0.0
    # a = 1 - rest, where rest = (sqrt(2v + 1) - 1) / v, without losing digits where v is large.
    rest = 2 / (math.sqrt(2 * variance + 1) + 1)
    return -1 / math.log1p(-rest) if rest < 1 else 0.0


def geometric_variance(scale: float) -> float:
    """The variance of two-sided geometric noise: 2a / (1-a)^2 with a = exp(-1/scale)."""
    if scale <= 0:
        return 0.0
    # 1 - exp(-1/s) without losing digits where s is large.
    rest = -math.expm1(-1 / scale)
    return 2 * (1 - rest) / rest**2
