"""A box found privately: where the rows lie, from noisy counts alone."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from dpcore.datasets.rows import RowsDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box, FloatArray, IntArray, Slabs
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.losses import Pure
from dpcore.privacy.noise import Noise
from dpcore.privacy.rounding import down
from dpcore.privacy.transcript import Transcript
from dpcore.queries.curator import Curator

#: Powers of two that are told apart: smaller values count as zero, larger ones as the largest.
SMALLEST, LARGEST = -32, 64
POWERS = LARGEST - SMALLEST
#: Bins of each sign's powers of two, and one for zero between them.
BINS = 2 * POWERS + 1
#: Equal slabs into which the first box is cut.
SLABS = 64
#: The chance that noise alone widens any side of the box.
MISTAKE = 0.01
#: How far the slabs that stand out are widened on either side, as a part of their width: the tails
#: beside them are too thin to stand out.
MARGIN = 0.5


def magnitudes(values: npt.ArrayLike) -> RowsDataset:
    """Each row as the bins of its values, by sign and power of two: exact, each row by itself."""
    x = np.asarray(values, dtype=np.float64)
    _, power = np.frexp(x)
    steps = np.clip(power - SMALLEST, 1, POWERS)
    steps = np.where(np.abs(x) < 2.0**SMALLEST, 0, steps)
    bins = POWERS + np.sign(x) * steps
    return RowsDataset.from_values(bins + 0.5, Box.cube(x.shape[1], 0, BINS))


def find_box(
    values: FloatArray,
    names: tuple[str, ...],
    epsilon: float,
    neighbors: Neighbors,
    noise: Noise,
) -> tuple[Box, Transcript]:
    """A box that holds nearly all rows, and what finding it cost: epsilon at most.

    First each column is counted by sign and power of two, then, within the box of the counts that
    stand out of the noise, in 64 equal slabs; those that stand out are widened by half.

    Private: the unit is one row. Each of the 2d questions counts the rows in disjoint bins, and a
    row's bin depends on that row and on earlier noisy answers alone. So a row added or removed
    changes one count by 1 (L1 sensitivity 1) and a row replaced changes two (L1 sensitivity 2),
    which is what `Curator.noisy_counts` scales its noise to: each question is
    epsilon/(2d)-private, rounded down, and together they are epsilon-private by adaptive
    composition. The box is computed from the noisy counts and public numbers, which is
    post-processing; so is the refusal when nothing stands out.

    A count stands out at b ln(n/0.01), where b is the scale of the noise and n the number of
    counts. By a union bound, noise alone lifts any empty bin there with a chance of 1 % at most.
    """
    d = len(names)
    share = Pure(down(Fraction(epsilon) / (2 * d)))
    start = magnitudes(values)
    curator = Curator(start, Budget(epsilon), noise, neighbors)
    transcript = curator.transcript

    def standing_out(curator: Curator, axis: int, bins: int, why: str) -> IntArray:
        counts = curator.noisy_counts(Slabs(axis, bins), share, why)
        scale = (1 if neighbors.size_is_private else 2) / share.epsilon
        return np.flatnonzero(counts >= scale * math.log(bins * d / MISTAKE))

    lows, highs = [], []
    for axis, name in enumerate(names):
        found = standing_out(curator, axis, BINS, f"bounds of {name}: powers of two")
        if not len(found):
            raise Infeasible(
                f"No bounds of {name!r} stand out of the noise at epsilon {epsilon:g}. Give bounds "
                "that are publicly known, or spend more of epsilon on them (bounds_share)."
            )
        lows.append(_ends(int(found[0]))[0])
        highs.append(_ends(int(found[-1]))[1])
    box = Box(tuple(lows), tuple(highs), names)
    inside = Curator(RowsDataset.from_values(values, box), Budget(epsilon), noise, neighbors)
    inside.transcript = transcript
    for axis, name in enumerate(names):
        found = standing_out(inside, axis, SLABS, f"bounds of {name}: equal slabs")
        if len(found):
            low, width = box.low[axis], (box.high[axis] - box.low[axis]) / SLABS
            first, end = int(found[0]), int(found[-1]) + 1
            margin = MARGIN * (end - first)
            lows[axis] = max(low, low + width * (first - margin))
            highs[axis] = min(box.high[axis], low + width * (end + margin))
    return Box(tuple(lows), tuple(highs), names), transcript


def _ends(bin: int) -> tuple[float, float]:
    """The values that a bin holds."""
    step = bin - POWERS
    if step == 0:
        return -(2.0**SMALLEST), 2.0**SMALLEST
    low, high = 2.0 ** (SMALLEST + abs(step) - 1), 2.0 ** (SMALLEST + abs(step))
    return (low, high) if step > 0 else (-high, -low)
