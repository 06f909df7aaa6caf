"""A box found privately: where the rows lie, from a few private quantiles."""

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
PARTS = 1024
#: Numbers that are told apart, in the order of the values: so many of each sign, and zero.
OF_SIGN = (LARGEST - SMALLEST) * PARTS
NUMBERS = 2 * OF_SIGN + 1
#: Part of the budget that buys the number of rows, where it is private.
SIZE_SHARE = 0.05
#: The chance that any end lies beyond all rows.
MISTAKE = 0.05
#: The share of rows beyond each end is a multiple of one part in so many, and is no larger than
#: this: with more, the ends say nothing of the rest.
PRECISION, MOST_BEYOND = 1000, Fraction(1, 4)
#: How far the ends are moved outward, as a part of their distance: this times the root of the share
#: of rows beyond each, at most MOST_MARGIN. A box that is too wide costs little, and one that cuts
#: off a cluster costs much.
MARGIN, MOST_MARGIN = 9.0, 3.0


@dataclass(frozen=True)
class QuantileSlab(Quantile):
    """The score of each slab of a coordinate: how nearly it holds the row at a share of all.

    Let b rows lie below a slab and a more below its upper end. The score is minus the distance of
    share * n from the interval [b, b + a], times the share's denominator to be whole. A row added
    moves share * n by the share and each end by 0 or 1; a row replaced moves each end by at most 1:
    the distance never moves by more than 1. Unlike the lines between slabs, a slab that holds very
    many rows stands out from the empty ones beside it.
    """

    def of(self, dataset: Dataset) -> IntArray:
        below = np.append(0, np.cumsum(dataset.margin(self.axis, self.slabs)))
        ends = self.share.denominator * below - self.share.numerator * dataset.n
        return -np.maximum(np.maximum(ends[:-1], -ends[1:]), 0)


def numbered(values: npt.ArrayLike) -> RowsDataset:
    """Each value as its number among those that are told apart: exact, each row by itself."""
    x = np.asarray(values, dtype=np.float64)
    mantissa, power = np.frexp(np.abs(x))
    number = (power - 1 - SMALLEST) * PARTS + np.floor((2 * mantissa - 1) * PARTS)
    number = np.where(np.abs(x) < 2.0**SMALLEST, 0, np.minimum(number + 1, OF_SIGN))
    return RowsDataset.from_values(
        OF_SIGN + np.sign(x) * number + 0.5, Box.cube(x.shape[1], 0, NUMBERS)
    )


def lower_end(index: int) -> float:
    """Where the values with this number begin, and those with the one before end."""
    from_zero = index - OF_SIGN
    if from_zero > 0:
        power, part = divmod(from_zero - 1, PARTS)
        return math.ldexp(1 + part / PARTS, power + SMALLEST)
    power, part = divmod(-from_zero, PARTS)
    return -math.ldexp(1 + part / PARTS, power + SMALLEST)


def find_box(
    values: FloatArray,
    names: tuple[str, ...],
    epsilon: float,
    neighbors: Neighbors,
    noise: Noise,
) -> tuple[Box, Transcript]:
    """A box that holds nearly all rows, and what finding it cost: epsilon at most.

    The ends of each column are two private quantiles, so near the ends that noise alone hardly
    reaches beyond all rows, and are then moved outward. Any scale of the values will do, because
    the numbers among which the quantiles are chosen are as dense, relative to their size,
    everywhere.

    Private: the unit is one row. Under add/remove 5 % of epsilon buys the number of rows, which one
    row changes by 1; under replace-one that is public. Each of the 2d quantiles is one choice of
    the exponential mechanism with a score that no row, added or replaced, moves by more than 1
    (`QuantileSlab` has the proof), and costs an equal share of the rest, rounded down. The score
    depends on the rows, on public numbers and on the noisy number of rows, so together they are
    epsilon-private by adaptive composition. Each row is numbered by itself, exactly. The box is
    computed from the noisy number and the choices, which is post-processing; so is the refusal
    where there are too few rows.

    With N numbers to choose among, the exponential mechanism with epsilon e misses the score of the
    quantile's own slab, 0, by more than (2 / e) ln(N / chance) with at most that chance. With that
    many rows beyond an end, it lies beyond all rows no likelier.
    """
    d = len(names)
    curator = Curator(numbered(values), Budget(epsilon), noise, neighbors)
    n, rest = curator.size(SIZE_SHARE)
    loss = Selection(down(Fraction(epsilon) * Fraction(rest) / (2 * d)))
    hidden = 2 / loss.epsilon * math.log(NUMBERS * 2 * d / MISTAKE)
    beyond = Fraction(math.ceil(hidden / n * PRECISION), PRECISION)
    if beyond > MOST_BEYOND:
        raise Infeasible(
            f"Bounds cannot be found at epsilon {epsilon:g} among so few rows: about "
            f"{math.ceil(hidden / MOST_BEYOND):,} are needed. Give bounds that are publicly known, "
            "or spend more of epsilon on them (bounds_share)."
        )

    def end(axis: int, share: Fraction, which: str) -> int:
        score = QuantileSlab(axis, share, NUMBERS)
        return curator.select(score, loss, f"bounds of {names[axis]}: {which} end")

    margin = min(MOST_MARGIN, MARGIN * math.sqrt(beyond))
    ends = []
    for axis in range(d):
        low, high = end(axis, beyond, "lower"), end(axis, 1 - beyond, "upper")
        ends.append(widened(lower_end(min(low, high)), lower_end(max(low, high) + 1), margin))
    return Box(tuple(low for low, _ in ends), tuple(high for _, high in ends), names), (
        curator.transcript
    )


def widened(low: float, high: float, margin: float) -> tuple[float, float]:
    """Both ends moved outward by a part of their distance."""
    room = margin * (high - low)
    return low - room, high + room
