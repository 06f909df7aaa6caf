"""Tests of whether noise follows the distribution that its price assumes.

Every noisy answer is turned into a number that is uniform between 0 and 1 if the law is right,
whatever the data and the answers before it. So the numbers of one place in many runs must spread
evenly, and those of two places in one run must not move together. Noise that is too small, left
out, or used twice shows in either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from dpcore.audit.coupling import Phantoms
from dpcore.audit.recorded_tree import RecordedTree
from dpcore.audit.replay import CHOICE, GEOMETRIC, RecordedAnswer
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.noise import selection_weights

#: Questions of a run that are looked at.
QUESTIONS = 32
#: A verdict is wrong with a probability of about this: many thousand are passed in one audit.
DOUBT = 1e-12
#: Values of one answer that are looked at, besides those that are looked at by themselves.
VALUES = 48
#: With fewer runs nothing is said.
LEAST_RUNS = 8
#: Below this a discrete Gaussian is told apart from a rounded one.
LEAST_SIGMA = 2.0


class Laws:
    """The noise observed in many runs."""

    def __init__(self, seed: int):
        self._rng = np.random.default_rng(seed)
        self._runs: list[FloatArray] = []
        self._all: list[FloatArray] = []

    def hear(self, records: Sequence[RecordedAnswer]) -> None:
        """The answers of one run. The first, the last and two more of a long one."""
        row = np.full((QUESTIONS, 4), np.nan)
        for question, each in enumerate(records[:QUESTIONS]):
            uniform = self._uniform(each)
            some = np.unique([0, len(uniform) // 3, 2 * len(uniform) // 3, len(uniform) - 1])
            row[question, : len(some)] = uniform[some] if len(uniform) else np.nan
            self._all.append(uniform)
        self._runs.append(row.ravel())

    def _uniform(self, record: RecordedAnswer) -> FloatArray:
        if record.kind == CHOICE:
            weights = selection_weights(record.values, record.scale, record.log_prior)
            below = weights[: record.answer].sum() + self._rng.random() * weights[record.answer]
            return np.array([below / weights.sum()])
        if isinstance(record, RecordedTree):
            chances = np.concatenate([record.chances(t) for t in range(len(record.answer))])[
                :VALUES
            ]
            cut = np.concatenate([each.cut for each in record.answer])[:VALUES]
            jitter = self._rng.random(len(chances))
            return np.asarray(np.where(cut, jitter * chances, chances + jitter * (1 - chances)))
        noise = np.subtract(record.answer, record.values).ravel()
        some = np.unique(np.linspace(0, max(0, noise.size - 1), VALUES).astype(np.int64))
        noise = noise[some[: noise.size]].astype(np.float64)
        jitter = self._rng.random(len(noise))
        if record.kind == GEOMETRIC:
            return _geometric(noise, record.scale, jitter)
        if record.scale < LEAST_SIGMA:
            return np.empty(0)
        return np.asarray(ndtr((noise - 0.5 + jitter) / record.scale))

    def fault(self, phantoms: Sequence[Phantoms]) -> str:
        """The fault of the noise in words; empty if there is none."""
        for each in phantoms:
            if each.mean and each.chance < DOUBT:
                return (
                    f"noise alone reported {each.seen:,} cells, where {each.mean:,.1f} were to be "
                    "expected"
                )
        if len(self._runs) < LEAST_RUNS:
            return ""
        ranks = np.array(self._runs)
        for column, values in enumerate(ranks.T):
            uneven = _unevenness(values[~np.isnan(values)])
            if uneven < DOUBT:
                return f"the noise of answer {column // 4 + 1} does not follow its law"
        if self._all and _unevenness(np.concatenate(self._all)) < DOUBT:
            return "the noise of all answers does not follow its law"
        one, other = _together(ranks)
        if one is not None:
            return f"the noise of answers {one + 1} and {other + 1} moves together"
        return ""


def _geometric(noise: FloatArray, scale: float, jitter: FloatArray) -> FloatArray:
    """The distribution function below each value, and a random part of the step at it."""
    # P(z) = (1 - a) / (1 + a) a^|z|, and the tail from m > 0 on is a^m / (1 + a).
    a = math.exp(-1 / scale)
    step = np.exp(-np.abs(noise) / scale) * (-math.expm1(-1 / scale) / (1 + a))
    tail = np.exp(-np.maximum(np.abs(noise), 1) / scale) / (1 + a)
    below = np.where(noise > 0, 1 - tail, np.where(noise < 0, tail - step, a / (1 + a)))
    return np.asarray(below + jitter * step)


def _unevenness(values: FloatArray) -> float:
    """The probability that uniform numbers are at least as uneven (Kolmogorov's bound, with the
    constant of Dvoretzky, Kiefer, Wolfowitz and Massart)."""
    n = len(values)
    if n < LEAST_RUNS:
        return 1.0
    ordered = np.sort(values)
    ranks = np.arange(n + 1) / n
    gap = max(float((ranks[1:] - ordered).max()), float((ordered - ranks[:-1]).max()))
    return min(1.0, 2 * math.exp(-2 * n * gap**2))


def _together(ranks: FloatArray) -> tuple[int | None, int]:
    """The answers of two places whose noise is correlated more than chance allows.

    As numbers of a normal law, n pairs of independent ones have a correlation r about 0 of which
    r sqrt((n - 1) / (1 - r^2)) follows Student's law with n - 1 degrees of freedom.
    """
    present = ~np.isnan(ranks)
    normal = np.where(present, ndtri(np.clip(np.where(present, ranks, 0.5), 1e-12, 1 - 1e-12)), 0)
    both = present.astype(np.float64).T @ present
    squares = (normal**2).T @ present
    spread = np.sqrt(squares * squares.T)
    r = np.divide(np.abs(normal.T @ normal), spread, out=np.zeros_like(spread), where=spread > 0)
    r[both < LEAST_RUNS] = 0
    np.fill_diagonal(r, 0)
    freedom = np.maximum(both - 1, 1)
    chance = 2 * stdtr(freedom, -r * np.sqrt(freedom / np.maximum(1 - r**2, 1e-12)))
    one, other = divmod(int(chance.argmin()), len(chance))
    if chance[one, other] > DOUBT:
        return None, 0
    return one // 4, other // 4
