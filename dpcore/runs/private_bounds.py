"""A box found privately: for each column a median, a scale, and an interval around them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import Dataset
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box, FloatArray, IntArray
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.losses import Selection
from dpcore.privacy.noise import Noise
from dpcore.privacy.rounding import down
from dpcore.privacy.transcript import Transcript
from dpcore.queries.curator import Curator
from dpcore.queries.scores import Quantile

#: Powers of two that are told apart: smaller values count as zero, larger ones as the largest.
SMALLEST, LARGEST = -32, 64
#: Parts of each power of two.
PARTS = 8192
#: Numbers that are told apart, in the order of the values: so many of each sign, and zero.
OF_SIGN = (LARGEST - SMALLEST) * PARTS
NUMBERS = 2 * OF_SIGN + 1
#: Part of the budget that buys the number of rows, where it is private.
SIZE_SHARE = 0.05
HALF = Fraction(1, 2)
#: Radii in each power of two, and the most around any median.
RADII = 3
MOST_RADII = RADII * (LARGEST + 1 - SMALLEST) + 1
#: Epsilon times rows that a column needs, or there is no box.
ENOUGH = 272.0
#: A median beyond all rows, or a scale that holds none or all of them, is chosen with a chance of
#: e^-SURE at most.
SURE = 11.5
#: The least part of a column's budget that buys its median, and its scale.
LEAST_SHARE = Fraction(1, 20)
#: How much less likely an end is if it is twice as far out, as a logarithm.
SLOPE = 3.0
#: How far the ends are moved outward, as a part of their distance: this times the root of the
#: share of rows that a power of two is worth. A box that cuts off a cluster costs much, and so does
#: one far too wide.
MARGIN = 4.5


@dataclass(frozen=True)
class QuantileSlab(Quantile):
    """The score of each slab of a coordinate: how nearly it holds the row at a share of all.

    Let b rows lie below a slab and a more below its upper end. The score is minus the distance of
    share * n from the interval [b, b + a], times the share's denominator to be whole. A row added
    moves share * n by the share and each end by 0 or 1, so an end less share * n by at most the
    larger of the share and what is left of 1. A row replaced moves each end by at most 1, and
    share * n not at all. The distance moves by no more than the ends do. Unlike the lines between
    slabs, a slab that holds very many rows stands out from the empty ones beside it.
    """

    neighbors: Neighbors

    @property
    def sensitivity(self) -> int:
        whole, part = self.share.denominator, self.share.numerator
        return max(part, whole - part) if self.neighbors is Neighbors.ADD_REMOVE else whole

    def of(self, dataset: Dataset) -> IntArray:
        below = np.append(0, self.up_to(dataset))
        ends = self.share.denominator * below - self.share.numerator * dataset.n
        return -np.maximum(np.maximum(ends[:-1], -ends[1:]), 0)

    def up_to(self, dataset: Dataset) -> IntArray:
        """Rows below the upper end of each slab."""
        return np.cumsum(dataset.margin(self.axis, self.slabs))


@dataclass(frozen=True)
class Around:
    """Public intervals around a slab of a coordinate, each in the next: its first and its last
    slab."""

    first: IntArray
    last: IntArray
    slabs: int

    @classmethod
    def number(cls, middle: int) -> Around:
        """Intervals around the values with a number, from about as wide as they are to all."""
        low, high = lower_end(middle), lower_end(middle + 1)
        least, most = max(high - low, 2.0**SMALLEST), 2.0 ** (LARGEST + 1)
        steps = math.ceil(RADII * math.log2(most / least))
        radii = least * 2 ** (np.arange(steps + 1) / RADII)
        center = (low + high) / 2
        first, last = (numbers(ends).astype(np.int64) for ends in (center - radii, center + radii))
        return cls(first, last, NUMBERS)

    def __len__(self) -> int:
        return len(self.first)

    def ends(self, low: int, high: int) -> tuple[float, float]:
        """The lower end of one interval and the upper end of another."""
        return lower_end(int(self.first[low])), lower_end(int(self.last[high]) + 1)

    def rows(self, dataset: Dataset, axis: int) -> tuple[IntArray, IntArray]:
        """Rows below each first slab, and up to each last one."""
        below = np.append(0, np.cumsum(dataset.margin(axis, self.slabs)))
        return below[self.first], below[self.last + 1]


@dataclass(frozen=True)
class QuantileRadius(QuantileSlab):
    """The score of each interval around a slab: how nearly it is the first that holds a share of
    all rows.

    What an interval adds to the one in it is a slab of the distance, and every row lies in one at
    most, so that `QuantileSlab` has the proof.
    """

    around: Around

    def up_to(self, dataset: Dataset) -> IntArray:
        low, high = self.around.rows(dataset, self.axis)
        return high - low


@dataclass(frozen=True)
class RowsBetween:
    """Rows between each lower and each upper end of some intervals around a slab, in C order.

    A row lies between two ends or not: added, it raises a count by at most 1; replaced, it moves
    none by more than 1.
    """

    axis: int
    around: Around
    sensitivity = 1
    monotone = True

    def of(self, dataset: Dataset) -> IntArray:
        low, high = self.around.rows(dataset, self.axis)
        return (high - low[:, None]).ravel()


def numbers(values: npt.ArrayLike) -> FloatArray:
    """The number of each value among those that are told apart: exact, each value by itself."""
    x = np.asarray(values, dtype=np.float64)
    mantissa, power = np.frexp(np.abs(x))
    number = (power - 1 - SMALLEST) * PARTS + np.floor((2 * mantissa - 1) * PARTS)
    number = np.where(np.abs(x) < 2.0**SMALLEST, 0, np.minimum(number + 1, OF_SIGN))
    return OF_SIGN + np.sign(x) * number


def numbered(values: npt.ArrayLike) -> RowsDataset:
    """Rows whose values are replaced by their numbers."""
    of_rows = numbers(values) + 0.5
    return RowsDataset.from_values(of_rows, Box.cube(of_rows.shape[1], 0, NUMBERS))


def lower_end(index: int) -> float:
    """The lower end of the values with this number, where those with the one before end."""
    from_zero = index - OF_SIGN
    if from_zero > 0:
        power, part = divmod(from_zero - 1, PARTS)
        return math.ldexp(1 + part / PARTS, power + SMALLEST)
    power, part = divmod(-from_zero, PARTS)
    return -math.ldexp(1 + part / PARTS, power + SMALLEST)


def log_prior(around: Around, scale: int) -> FloatArray:
    """The log probability of each pair of ends beforehand: each end is less likely the farther out
    it is, in powers of two from the scale.

    An end nearer than the scale is no likelier. The rows on one side of the median are half of all,
    so that the scale, which holds half of them, is no farther than the last of either side.
    """
    powers = (np.arange(len(around)) - scale) / RADII
    each = -SLOPE * np.maximum(powers, 0.0)
    return np.add.outer(each, each).ravel()


def find_box(
    values: FloatArray,
    names: tuple[str, ...],
    epsilon: float,
    neighbors: Neighbors,
    noise: Noise,
) -> tuple[Box, Transcript]:
    """A box that holds nearly all rows, and what finding it cost: epsilon at most.

    Three choices a column. A *median*, among numbers that are as dense, relative to their size,
    everywhere: any scale of the values will do. A *scale*, the median distance from there, among
    radii that grow by a constant factor. And an *interval*, whose lower and upper end each lie at
    one of these distances from the median. The more rows an interval holds, the likelier it is, and
    the farther out its ends are, the less likely. So a column far from 0 has a box as narrow as one
    around 0. An end moves inward by a power of two only if that cuts off few rows, about SLOPE over
    what the choice costs. Both ends are then moved outward by a margin that grows with the share of
    such rows. The median and the scale cost what makes them sure, and the interval has the rest:
    the more it has, the narrower the margin.

    Private: the unit is one row. Under add/remove 5 % of epsilon buys the number of rows, which one
    row changes by 1; under replace-one that is public. The rest is divided equally among the
    columns, and in each among the three choices by `shares`, which look at public numbers and at
    that noisy one alone. Whatever it is, they add up to the column's part at most. Each choice is
    one of the exponential mechanism, whose score no row, added or replaced, moves by more than its
    sensitivity: `QuantileSlab` has the proof for the median and for the scale, and `RowsBetween`
    for the interval, whose score a row added can only raise. The candidates and their prior depend
    on earlier choices and on public numbers alone. So together they are epsilon-private by adaptive
    composition. Each row is numbered by itself, exactly. The box is computed from the noisy number
    and the choices, which is post-processing; so is the refusal where there are too few rows.
    """
    d = len(names)
    curator = Curator(numbered(values), Budget(epsilon), noise, neighbors)
    n, rest = curator.size(SIZE_SHARE)
    of_column = Fraction(epsilon) * Fraction(rest) / d
    if of_column * n < ENOUGH:
        raise Infeasible(
            f"Bounds cannot be found at epsilon {epsilon:g} among so few rows: about "
            f"{math.ceil(ENOUGH / of_column):,} are needed. Give bounds that are publicly "
            "known, or spend more of epsilon on them (bounds_share)."
        )
    middle, radius, ends = (Selection(down(share)) for share in shares(of_column, n, neighbors))
    # Under replace-one the rows in an interval are no monotone score, and count half.
    worth = SLOPE / ends.epsilon / n * (1 if neighbors.size_is_private else 2)
    margin = MARGIN * math.sqrt(worth)
    sides = []
    for axis, name in enumerate(names):
        why = f"bounds of {name}"
        median = QuantileSlab(axis, HALF, NUMBERS, neighbors)
        around = Around.number(curator.select(median, middle, f"{why}: median"))
        distance = QuantileRadius(axis, HALF, len(around), neighbors, around)
        prior = log_prior(around, curator.select(distance, radius, f"{why}: scale"))
        pair = curator.select(RowsBetween(axis, around), ends, f"{why}: both ends", prior)
        sides.append(widened(*around.ends(*divmod(pair, len(around))), margin))
    return Box(tuple(low for low, _ in sides), tuple(high for _, high in sides), names), (
        curator.transcript
    )


def shares(of_column: Fraction, n: int, neighbors: Neighbors) -> tuple[Fraction, ...]:
    """The epsilon of the median, the scale and the interval of a column that has ENOUGH rows.

    A median beyond all rows, and a scale of all of them or of none, have a score of half of the
    rows below the best. A row moves scores by a half under add/remove and by 1 under replace-one.
    So among N candidates the exponential mechanism with epsilon e chooses one with a chance of at
    most N exp(-e n / 2) or N exp(-e n / 4), and that is to be e^-SURE.
    """
    rate = Fraction(1 if neighbors.size_is_private else 2) * 2 / n
    middle, radius = (
        max(Fraction(math.log(candidates) + SURE) * rate, of_column * LEAST_SHARE)
        for candidates in (NUMBERS, MOST_RADII)
    )
    return middle, radius, of_column - middle - radius


def widened(low: float, high: float, margin: float) -> tuple[float, float]:
    """Both ends moved outward by a part of their distance."""
    room = margin * (high - low)
    return low - room, high + room
