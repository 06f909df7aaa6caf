"""The event that tells two data sets apart best, looked for on some runs and counted on others.

An attacker may look at one number, at all of them, or at how they fit together. Whatever is tried
is tried on a pilot half of the runs: a quarter to learn scores from, a quarter to choose one event.
The other half of the runs then counts that event and no other, so that trying much costs nothing
in honesty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dpcore.audit.epsilon_bound import Evidence, bounds
from dpcore.geometry.domain import FloatArray, IntArray

#: How finely a score is cut: at these many ranks, evenly, and as finely as can be near both ends.
CUTS = 64
#: A score with no more values than this is cut at all of them.
ATOMS = 256
#: An event is chosen by a bound that holds for all that are tried: of rare ones some look good.
CAUTION = 1 - 1e-4
#: Values of one number that are told apart when odds are learned.
BINS = 16
#: Sums of log odds are tried over the most telling of the numbers, so many of them.
TELLING = (2, 4, 8, 16, 32, 64)
#: The most numbers that a linear score mixes.
MIXED = 160
#: Added to a correlation matrix, so that numbers that move as one do no harm.
RIDGE = 1e-10


class EventScore(Protocol):
    """A number computed from what a run revealed; NaN stands for what it did not."""

    @property
    def words(self) -> str: ...

    def __call__(self, numbers: FloatArray) -> FloatArray: ...


@dataclass(frozen=True)
class Number:
    """One of the numbers; minus infinity where there is none."""

    words: str
    column: int

    def __call__(self, numbers: FloatArray) -> FloatArray:
        return np.nan_to_num(numbers[:, self.column], nan=-np.inf, posinf=np.inf, neginf=-np.inf)


@dataclass(frozen=True)
class Odds:
    """The sum, over some of the numbers, of the log odds that their values were learned to have."""

    words: str
    columns: IntArray
    edges: Sequence[FloatArray]
    tables: Sequence[FloatArray]

    def __call__(self, numbers: FloatArray) -> FloatArray:
        total = np.zeros(len(numbers))
        for column, edges, table in zip(self.columns, self.edges, self.tables, strict=True):
            total += table[_bin(numbers[:, column], edges)]
        return total


@dataclass(frozen=True)
class Mix:
    """The linear score that separates best (Fisher's discriminant).

    It finds noise that was used twice: a difference without noise has no variance at all.
    """

    columns: IntArray
    weights: FloatArray
    words = "a linear score of all numbers"

    def __call__(self, numbers: FloatArray) -> FloatArray:
        with np.errstate(over="ignore", invalid="ignore"):
            score = numbers[:, self.columns] @ self.weights
        return np.nan_to_num(score, nan=-np.inf, posinf=np.inf, neginf=-np.inf)


def _bin(values: FloatArray, edges: FloatArray) -> IntArray:
    """The bin of each value; the last one is for missing values."""
    inside = np.searchsorted(edges, values, side="right")
    return np.where(np.isnan(values), len(edges) + 1, inside)


def learned(one: FloatArray, other: FloatArray, names: Sequence[str]) -> Iterator[EventScore]:
    """Scores learned from runs (runs, numbers) on each data set."""
    yield from (Number(name, column) for column, name in enumerate(names))
    pooled = np.concatenate([one, other])
    columns = np.flatnonzero([len(np.unique(column)) > 1 for column in pooled.T])
    if not len(columns):
        return
    edges, tables, telling = [], [], []
    for column in columns:
        values = np.unique(pooled[:, column])
        values = values[~np.isnan(values)]
        if len(values) > BINS:
            values = values[np.arange(1, BINS) * len(values) // BINS]
        shares = []
        for side in (one, other):
            hits = np.bincount(_bin(side[:, column], values), minlength=len(values) + 2) + 1
            shares.append(hits / hits.sum())
        table = np.log(shares[0] / shares[1])
        edges.append(values)
        tables.append(table)
        telling.append((shares[0] - shares[1]) @ table)
    order = np.argsort(telling, kind="stable")[::-1]
    for number in sorted({min(m, len(order)) for m in TELLING} - {1}):
        best = order[:number]
        yield Odds(
            f"odds of {number} numbers",
            columns[best],
            [edges[i] for i in best],
            [tables[i] for i in best],
        )
    yield from _mixed(one, other, columns[order])


def _mixed(one: FloatArray, other: FloatArray, columns: IntArray) -> Iterator[Mix]:
    whole = np.isfinite(one[:, columns]).all(axis=0) & np.isfinite(other[:, columns]).all(axis=0)
    columns = np.sort(columns[whole][:MIXED])
    a, b = one[:, columns], other[:, columns]
    gap = a.mean(axis=0) - b.mean(axis=0)
    within = np.concatenate([a - a.mean(axis=0), b - b.mean(axis=0)])
    spread = within.std(axis=0)
    noisy = spread > 0
    if not noisy.any():
        return
    columns, gap, spread = columns[noisy], gap[noisy], spread[noisy]
    correlation = np.cov((within[:, noisy] / spread).T).reshape(len(columns), len(columns))
    weights = np.linalg.solve(correlation + RIDGE * np.eye(len(columns)), gap / spread)
    yield Mix(columns, weights / spread)


@dataclass(frozen=True)
class Event:
    """A score at least, at most or exactly at a value, and on which data set that is likely."""

    score: EventScore
    test: str
    value: float
    likely_on_first: bool

    @property
    def words(self) -> str:
        return f"{self.score.words} {self.test} {self.value:.6g}"

    def happens(self, numbers: FloatArray) -> npt.NDArray[np.bool_]:
        values = self.score(numbers)
        compare = {"at least": np.greater_equal, "at most": np.less_equal, "exactly": np.equal}
        return np.asarray(compare[self.test](values, self.value))


def best_event(
    scores: Iterator[EventScore], one: FloatArray, other: FloatArray, delta: float
) -> Event | None:
    """The event with the greatest bound on these runs, or None when every number is constant."""
    runs = len(one), len(other)
    cuts_of, hits_of, tried = [], [], []
    for score in scores:
        a, b = np.sort(score(one)), np.sort(score(other))
        cuts = _cuts(np.append(a, b))
        if len(cuts) < 2:
            continue
        below = np.stack([np.searchsorted(x, cuts, side="left") for x in (a, b)])
        up_to = np.stack([np.searchsorted(x, cuts, side="right") for x in (a, b)])
        total = np.array(runs)[:, None]
        hits_of.append(np.stack([total - below, up_to, up_to - below]))
        cuts_of.append(cuts)
        tried.append(score)
    if not tried:
        return None
    hits = np.concatenate(hits_of, axis=2)
    lower_bounds = np.stack(
        [
            bounds(hits[:, 0], hits[:, 1], *runs, CAUTION, delta),
            bounds(hits[:, 1], hits[:, 0], *runs[::-1], CAUTION, delta),
        ]
    )
    side, test, place = np.unravel_index(lower_bounds.argmax(), lower_bounds.shape)
    sizes = np.cumsum([len(cuts) for cuts in cuts_of])
    which = int(np.searchsorted(sizes, place, side="right"))
    value = np.concatenate(cuts_of)[place]
    tests = ("at least", "at most", "exactly")
    return Event(tried[which], tests[test], float(value), bool(side == 0))


def _cuts(values: FloatArray) -> FloatArray:
    distinct = np.unique(values)
    if len(distinct) <= ATOMS:
        return distinct
    last = len(values) - 1
    near_end = 2 ** np.arange(last.bit_length() - 1)
    even = np.linspace(0, last, CUTS).astype(np.int64)
    return np.unique(np.sort(values)[np.concatenate([even, near_end, last - near_end])])


def evidence(
    one: FloatArray, other: FloatArray, names: Sequence[str], delta: float = 0.0
) -> Evidence:
    """The evidence that runs (runs, numbers) on two data sets come from different distributions."""
    learn, choose, count = zip(_parts(one), _parts(other), strict=True)
    event = best_event(learned(learn[0], learn[1], names), choose[0], choose[1], delta)
    if event is None:
        return Evidence("nothing that a run lets out varies", 0, len(count[0]), 0, len(count[1]))
    sides = count if event.likely_on_first else count[::-1]
    hits = [int(event.happens(side).sum()) for side in sides]
    words = f"{event.words}, more often on the {'first' if event.likely_on_first else 'second'}"
    return Evidence(words, hits[0], len(sides[0]), hits[1], len(sides[1]))


def _parts(runs: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A quarter to learn from, a quarter to choose by, a half to count."""
    quarter = len(runs) // 4
    return runs[:quarter], runs[quarter : 2 * quarter], runs[2 * quarter :]
