"""Rounds of Lloyd that ask for offsets from the present centers instead of positions.

Positions fill the box; offsets fill a ball that shrinks as the centers settle, and noise is scaled
to its size. A round therefore also asks how much of the ball is filled, which sets the next one's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.kmeans.weighted import weighted_kmeans
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.gaussian import MAX_VALUES
from dpcore.queries.curator import Curator
from dpcore.queries.moments import WHOLE, Offsets
from dpcore.queries.questions import Question
from dpcore.randomness.coins import Coins
from dpcore.results.steps import CentersNote

#: Weight of a row's count beside its offset of at most 1: at most where lengths are of L1 norm; of
#: L2 norm, where it costs less; and where there is one center, near which are all rows, whose
#: number is known already.
COUNT_WEIGHT, GAUSSIAN_COUNT_WEIGHT, ONE_WEIGHT = 0.3, 0.5, 1 / 64
#: The L1 norm of an offset, in units of its L2 norm times sqrt(d): .8 if it is Gaussian.
FLATNESS = 0.8
#: The least part of a ball that counts as filled, and the least that a move leaves unexplained:
#: of one center, near which are all rows, and of several, near each of which are few.
LEAST_FILLED, ONE_LEAST_LEFT, LEAST_LEFT = 0.02, 0.02, 0.15
#: One center's move leaves at least so many times the square of its noise unexplained, but no more
#: than a move of several does.
DOUBTED_GAIN = 2.0
#: A cell that holds rows is taken to hold any number of them up to so many times the mean.
MOST_ROWS = 2.0
#: The highest odds, before they are counted, that a center has rows.
MOST_ODDS = 0.5
#: These odds fall as this power of the squared distance from the mean of all rows, beyond about so
#: many times its average.
FALLING, FAR = 4, 30.0
#: A center is halved where the mean squared distance of its rows is so many times that of the
#: median center: there may be two clusters. Its halves lie apart by this part of its root.
WIDE, APART = 2.5, 1.0
#: Where Gaussian noise moves a center by less than this part of its ball, what clipping hides costs
#: more than noise does: the energy of a full ball is then raised by this many times itself.
STEADY, HIDDEN = 0.1, 8.0
#: Standard deviations of noise in rows at which a cell is trusted by half on its own spread.
DOUBTED = 5.0
RESTARTS = 10


@dataclass(frozen=True)
class OffsetTerms:
    """The price of the noise. All of it is public.

    In epsilon, noise is two-sided geometric and balls are of L1 norm; in rho, it is Gaussian and
    they are of L2 norm.
    """

    budget: Budget
    neighbors: Neighbors
    #: The part of the budget that shares are shares of.
    part: float = 1.0
    #: Of a row's count beside its offset; if None, what suits the dimension.
    count_weight: float | None = None

    @property
    def gaussian(self) -> bool:
        return self.budget.accounting.in_rho

    def noise(self, question: Question, share: float) -> float:
        """The standard deviation of each figure of an answer."""
        moved = question.added if self.neighbors.size_is_private else question.replaced
        if self.gaussian:
            return moved.l2 / math.sqrt(2 * self.budget.rho * self.part * share)
        return math.sqrt(2) * moved.l1 / (self.budget.epsilon * self.part * share)

    def offsets(self, centers: FloatArray, reach: float | FloatArray) -> Offsets:
        """The question for offsets of up to `reach` by L2 norm, or what is about that by L1."""
        m, d = centers.shape
        usual = GAUSSIAN_COUNT_WEIGHT if self.gaussian else COUNT_WEIGHT
        weight = ONE_WEIGHT if m == 1 else self.count_weight or usual
        if self.gaussian:
            return Offsets(centers, reach, 2, weight)
        if self.count_weight is None:
            weight = min(weight, max(COUNT_WEIGHT / 2, 1 / d))
        return Offsets(centers, FLATNESS * math.sqrt(d) * reach, 1, weight)

    def relative_noise(self, n: float, d: int) -> float:
        """The distance that noise moves the mean of n rows that lie 1 from it, if all is spent on
        that."""
        question = self.offsets(np.zeros((1, d)), 1.0)
        return math.sqrt(d) * self.noise(question, 1.0) * float(question.reach) / (WHOLE * n)


@dataclass(frozen=True)
class Purse:
    """A curator, and the terms on which part of its budget is handed out in shares."""

    curator: Curator
    terms: OffsetTerms

    def ask(self, question: Question, share: float, why: str) -> IntArray:
        terms = self.terms
        return self.curator.answer(question, terms.budget.share(terms.part * share), why)


@dataclass(frozen=True)
class Counts:
    """About how many rows each center has, and the standard deviation of the noise in each."""

    rows: FloatArray
    noise: FloatArray

    def with_earlier(self, earlier: Counts) -> Counts:
        """This count and an earlier one of the same centers, averaged by inverse variance."""
        new, old = self.noise**-2.0, earlier.noise**-2.0
        return Counts((new * self.rows + old * earlier.rows) / (new + old), (new + old) ** -0.5)


@dataclass(frozen=True)
class Start:
    """Centers before the first round, and the mean squared distance of their rows from them."""

    centers: FloatArray
    energy: float | FloatArray
    #: The noisy counts by which they were found, if they were.
    counts: Counts | None = None


@dataclass(frozen=True)
class OffsetCells:
    """Centers, about how many rows each has, and the mean squared distance of its rows to it."""

    centers: FloatArray
    rows: FloatArray
    #: The standard deviation of the noise in `rows`.
    noise: float
    energy: FloatArray
    #: What a round saw of that, where `energy` is taken for more.
    seen: FloatArray | None = None

    def merged(
        self, k: int, rng: Coins, earlier: Counts | None = None, anywhere: bool = False
    ) -> OffsetCells:
        """Fewer centers, each in the middle of some: their spread becomes distance.

        Each weighs the number of rows that it most likely has, by an earlier count too if there is
        one. Set `anywhere` if noisy counts found them: they may then lie far from all rows.
        """
        counts = Counts(self.rows, np.full(len(self.rows), self.noise))
        if earlier:
            counts = counts.with_earlier(earlier)
        odds = min(k / (len(self.rows) - k), MOST_ODDS)
        rows = believed(counts.rows, counts.noise, odds)
        if anywhere:
            rows = believed(counts.rows, counts.noise, odds * nearness(self.centers, rows))
        centers, cost = weighted_kmeans(self.centers, rows, k, RESTARTS, rng)
        total = max(rows.sum(), 1.0)
        squared = ((self.centers[:, None] - centers) ** 2).sum(axis=2)
        group, heavy = squared.argmin(axis=1), np.maximum(rows, 1e-9 * total)
        own = np.bincount(group, heavy * (self.energy + squared.min(axis=1)), k).astype(np.float64)
        mass = np.bincount(group, heavy, k).astype(np.float64)
        pooled = float(heavy @ self.energy) / float(heavy.sum()) + cost / total
        energy = trusted(own / np.maximum(mass, 1e-300), pooled, mass, self.noise)
        return OffsetCells(np.clip(centers, -1, 1), np.full(k, rows.sum() / k), self.noise, energy)

    def with_wide_ones_halved(self, rng: Coins) -> OffsetCells:
        """Two centers in place of each whose rows lie far and wide, in any direction from it.

        A cluster that the picture lost lies in the cell of another, and widens it. If there are two
        clusters, each half moves to one in the next round; if not, the halves are merged again.
        """
        m, d = self.centers.shape
        wide = np.flatnonzero(self.energy > WIDE * np.median(self.energy))
        wide = wide[: max(0, MAX_VALUES // (d + 2) - m)]
        away = rng.standard_normal((len(wide), d))
        lengths = APART / 2 * np.sqrt(self.energy[wide])
        away *= (lengths / np.sqrt((away**2).sum(axis=1)))[:, None]
        centers = self.centers.copy()
        centers[wide] += away
        new = np.clip(np.concatenate([centers, self.centers[wide] - away]), -1, 1)
        rows = self.rows.copy()
        rows[wide] /= 2
        energy = np.append(self.energy, self.energy[wide])
        return OffsetCells(new, np.append(rows, rows[wide]), self.noise, energy)


@dataclass(frozen=True)
class OffsetRound:
    """The centers that a round asked about, and their cells as its answer tells."""

    centers: FloatArray
    cells: OffsetCells


#: Better centers, from merged ones and the rounds so far.
Improved = Callable[[FloatArray, Sequence[OffsetRound]], FloatArray]


def trusted(own: FloatArray, pooled: float, rows: FloatArray, noise: float) -> FloatArray:
    """The value that each cell states of itself, as far as its rows stand out of the noise, else
    that of all.

    No cell is taken for much tighter than the others on the word of a few rows.
    """
    trust = rows**2 / (rows**2 + (DOUBTED * noise) ** 2)
    return np.asarray(trust * own + (1 - trust) * pooled)


def believed(rows: FloatArray, noise: float | FloatArray, odds: float | FloatArray) -> FloatArray:
    """The rows that each cell is expected to hold, by its noisy number, where it may hold none.

    `odds` are those, before the answer, that it holds any; if so, it holds any number of them up to
    some times the mean. The noise is taken for Laplace noise, whose tails are the longer ones. A
    cell that most likely holds nobody would otherwise take a center, if it only lies far enough
    from all others.
    """
    scale = np.maximum(noise / math.sqrt(2), 1e-9)
    most = MOST_ROWS * np.maximum(rows.mean(), scale)
    beforehand = np.log(np.maximum(2 * scale / most * odds, 1e-300))
    return np.asarray(np.maximum(rows, 0) * expit(rows / scale + beforehand))


def nearness(centers: FloatArray, rows: FloatArray) -> FloatArray:
    """The odds of rows at each center by its place alone, relative to those at the mean.

    That is nearly 1 where these rows lie, and next to nothing at many times that distance. In a box
    much wider than the data, noise finds centers there.
    """
    total = max(rows.sum(), 1e-300)
    away = ((centers - rows @ centers / total) ** 2).sum(axis=1)
    usual = max(float(rows @ away) / total, 1e-300)
    return np.asarray((1 + away / (FAR * usual)) ** -FALLING)


def moved(
    purse: Purse,
    centers: FloatArray,
    energy: float | FloatArray,
    n: float,
    reach: float,
    share: float,
    why: str,
) -> OffsetCells:
    """The centers where a noisy round of Lloyd takes them, for a share of the purse.

    Offsets are clipped to `reach` times the root of the mean squared distance, of each center's own
    rows where that is known. Everything after the answer reads noisy figures and n, which is noisy
    too: sums are shrunk by James and Stein's rule, a cell counts for at least a tenth of its share
    of rows, and no center leaves its ball. What a move leaves unexplained is at least some part of
    what was there; for one center it is twice the square of the move's noise, within limits. Where
    there is little Gaussian noise, the next ball is wider the fuller this one is.
    """
    m, d = centers.shape
    energy = np.broadcast_to(energy, m)
    question = purse.terms.offsets(centers, reach * np.sqrt(energy))
    rows, sums, room = question.read(purse.ask(question, share, why))
    unit = purse.terms.noise(question, share) / WHOLE
    noise, count_noise = unit * np.broadcast_to(question.reach, m), unit / question.weight
    if m == 1:
        rows, count_noise = np.array([n]), 0.0

    squared = np.maximum((sums**2).sum(axis=1), 1e-300)
    shrink = np.maximum(0.0, 1 - max(d - 1.5, 0.5) * noise**2 / squared)
    weights = np.maximum(rows, max(count_noise, 0.1 * n / m))
    steps = sums * (shrink / weights)[:, None]
    lengths = np.sqrt((steps**2).sum(axis=1))
    steps *= np.minimum(1.0, question.reach / np.maximum(lengths, 1e-300))[:, None]
    gained = (steps**2).sum(axis=1)

    power = 3 - question.norm
    least = LEAST_FILLED ** (1 / power)
    total = max(rows.sum(), count_noise * math.sqrt(m))
    pooled = float(np.clip(1 - room.sum() / total, least, 1.0))
    own = np.clip(1 - room / weights, least, 1.0)
    mean = trusted(own, pooled, np.maximum(rows, 0), max(count_noise, unit))
    before = reach**2 * energy * mean**power
    unsure = DOUBTED_GAIN * d * (noise / weights) ** 2 / before
    least_left = np.clip(unsure, ONE_LEAST_LEFT, LEAST_LEFT) if m == 1 else LEAST_LEFT
    energy_after = np.maximum(before - gained, least_left * before)
    seen = energy_after
    if m > 1 and question.norm == 2:
        full = np.clip(gained / question.reach**2, mean, 1)
        steady = math.sqrt(d) * noise < STEADY * question.reach * weights
        energy_after = seen * np.where(steady, 1 + HIDDEN * full**2, 1)
    return OffsetCells(np.clip(centers + steps, -1, 1), rows, count_noise, energy_after, seen)


def settled(
    purse: Purse,
    start: Start,
    n: float,
    k: int,
    multiples: Sequence[int],
    reach: float,
    improved: Improved | None = None,
) -> tuple[FloatArray, list[OffsetRound]]:
    """k centers after a round for each multiple of k, the first of which is how many are given; and
    the rounds.

    Rounds share the purse equally. After each, centers are merged to the next multiple, in the
    end to k, and those k may be improved by what the rounds have told so far. Before each
    later round with k centers, wide ones are halved.
    """
    rng = purse.curator.rng
    rounds = []
    centers, energy = start.centers, start.energy
    for i in range(len(multiples)):
        is_last = i + 1 == len(multiples)
        why = f"round {i + 1} of {len(multiples)}"
        cells = moved(purse, centers, energy, n, reach, 1 / len(multiples), why)
        rounds.append(OffsetRound(centers, cells))
        goal = k if is_last else k * multiples[i + 1]
        if goal < len(centers):
            earlier = None if i else start.counts
            cells = cells.merged(goal, rng, earlier, anywhere=start.counts is not None)
            if improved and goal == k:
                cells = replace(cells, centers=improved(cells.centers, rounds))
        if goal == k and not is_last:
            cells = cells.with_wide_ones_halved(rng)
        centers, energy = cells.centers, cells.energy
        purse.curator.note(CentersNote(centers, round=i + 1))
    return centers, rounds
