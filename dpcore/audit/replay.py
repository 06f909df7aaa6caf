"""Replay of a run on the neighboring data, to see what its answers tell an attacker.

All that may come between private data and what a run publishes is noise. So if every noisy answer
is kept, and the run is made again on the neighboring data with the same answers and the same
public coins, it must publish the same, word for word; whatever then differs, or asks otherwise,
has looked at the data behind the curator's back. And as every question is heard twice, once with
each data set behind it, what it truly cost on this pair is known: the most by which the
probability of any of its answers can differ.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcore.audit.independent_totals import gaussian_epsilon, zcdp_epsilon
from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.privacy.noise import Noise, noise_for, selection_weights
from dpcore.privacy.noise_proxy import NoiseKind, NoiseProxy, NoiseRequest
from dpcore.privacy.transcript import Transcript

GEOMETRIC, GAUSSIAN, CHOICE = NoiseKind


@dataclass(frozen=True)
class RecordedAnswer:
    """One question to the noise: the exact values, what the noise was scaled to, the answer."""

    kind: NoiseKind | str
    values: IntArray
    scale: float
    answer: Any
    log_prior: FloatArray | None = None
    #: What it was asked to cost: an epsilon, or a rho for Gaussian noise.
    price: float = math.inf
    #: The account that paid for it.
    account: Transcript | None = None


class Diverged(BaseException):
    """With the same noisy answers, a run on the neighboring data asked something else.

    No error that an algorithm may catch and answer.
    """


class Recorder(NoiseProxy):
    """A source of noise that remembers every question and its answer."""

    def __init__(self, noise: Noise):
        self.source = noise
        self.answers: list[RecordedAnswer] = []
        self.account: Transcript | None = None

    def for_part(self, name: str) -> Recorder:
        """The noise of a part, remembered in the same list."""
        part = copy.copy(self)
        part.source = noise_for(self.source, name)
        return part

    def answer(self, request: NoiseRequest) -> Any:
        exact = np.array(request.values)
        answer = request.put_to(self.source)
        self.answers.append(_asked(request, exact, copy.copy(answer), self.account))
        return answer


class Replay(NoiseProxy):
    """A source of noise that gives recorded answers again, to the same questions only."""

    def __init__(self, recorded: Sequence[RecordedAnswer]):
        self._recorded = recorded
        self.answers: list[RecordedAnswer] = []
        self.account: Transcript | None = None

    @property
    def left(self) -> int:
        """Recorded answers that have not been asked for."""
        return len(self._recorded) - len(self.answers)

    def for_part(self, name: str) -> Replay:
        """The answers of a part are the next ones."""
        return copy.copy(self)

    def answer(self, request: NoiseRequest) -> Any:
        scale, log_prior = request.scale, request.log_prior
        before = self.next_recorded()
        question = request.kind, np.shape(request.values), scale
        if question != (before.kind, before.values.shape, before.scale):
            raise Diverged("it asked another question")
        if not np.array_equal(log_prior, before.log_prior):  # type: ignore[arg-type]
            raise Diverged("it chose by another prior")
        again = _asked(request, np.array(request.values), before.answer, self.account)
        self.answers.append(replace(again, price=before.price))
        return copy.copy(before.answer)

    def next_recorded(self) -> RecordedAnswer:
        """The answer to the next question."""
        if len(self.answers) == len(self._recorded):
            raise Diverged("it asked one more question")
        return self._recorded[len(self.answers)]


def _asked(
    request: NoiseRequest, exact: IntArray, answer: Any, account: Transcript | None
) -> RecordedAnswer:
    kind, scale, prior = request.kind, request.scale, request.log_prior
    return RecordedAnswer(kind, exact, scale, answer, prior, request.price, account)


@dataclass(frozen=True)
class ReplayLoss:
    """The cost of one question on one pair of data sets."""

    kind: NoiseKind | str
    #: The log odds that its answer speaks for the first data set.
    realized: float
    #: The most that this could have been, for any answer; infinite for Gaussian noise.
    worst: float
    #: What it costs in zero-concentrated privacy.
    rho: float


def loss(first: RecordedAnswer, second: RecordedAnswer) -> ReplayLoss:
    """The privacy loss of a question with one exact answer on each data set, by the distribution
    that its noise should follow."""
    if first.kind == CHOICE:
        log_one, log_other = (
            _log_shares(record.values, record.scale, record.log_prior) for record in (first, second)
        )
        possible = np.isfinite(log_one)
        ratios = log_one[possible] - log_other[possible]
        realized = float(log_one.ravel()[first.answer] - log_other.ravel()[first.answer])
        width = float(np.ptp(ratios))
        return ReplayLoss(CHOICE, realized, float(np.abs(ratios).max()), width**2 / 8)
    gap = first.values.astype(np.float64) - second.values
    to_first = first.answer.astype(np.float64) - first.values
    if first.kind == GEOMETRIC:
        farther = np.abs(to_first + gap) - np.abs(to_first)
        worst = float(np.abs(gap).sum() / first.scale)
        return ReplayLoss(GEOMETRIC, float(farther.sum() / first.scale), worst, worst**2 / 2)
    farther = ((to_first + gap) ** 2 - to_first**2).sum()
    rho = float((gap**2).sum() / (2 * first.scale**2))
    realized = float(farther / (2 * first.scale**2))
    return ReplayLoss(GAUSSIAN, realized, math.inf if rho else 0.0, rho)


def as_priced(replay_loss: ReplayLoss, record: RecordedAnswer) -> ReplayLoss:
    """The most that a question at this price may cost, if it costs anything."""
    if not replay_loss.rho and not replay_loss.worst:
        return replay_loss
    if replay_loss.kind == GAUSSIAN:
        return ReplayLoss(GAUSSIAN, replay_loss.realized, math.inf, record.price)
    part = 8 if replay_loss.kind == CHOICE else 2
    return ReplayLoss(replay_loss.kind, replay_loss.realized, record.price, record.price**2 / part)


def moved_too_far(
    losses: Sequence[ReplayLoss], records: Sequence[RecordedAnswer], rows: int
) -> str:
    """The answer that the rows moved by more than its noise allows, in words."""
    for number, (replay_loss, each) in enumerate(zip(losses, records, strict=True), start=1):
        gaussian = replay_loss.kind == GAUSSIAN
        cost, price = (replay_loss.rho if gaussian else replay_loss.worst), each.price
        if cost > price * rows ** (2 if gaussian else 1) * (1 + 1e-9) + 1e-9:
            return f"answer {number} costs {cost / price:.4g} times what it was asked for"
    return ""


def together(losses: Sequence[ReplayLoss], delta: float) -> float:
    """The least epsilon, at delta, that surely covers all of these losses.

    They add up; or their rhos do, and are converted; or noisy counts add up, and the rest, where
    rho gains most, is converted; or all but Gaussian noise adds up, whose own rho says more.
    """
    if not delta:
        return math.fsum(each.worst for each in losses)

    def mixed(kinds: Collection[str], convert: Callable[[float, float], float]) -> float:
        rho = math.fsum(each.rho for each in losses if each.kind in kinds)
        added = math.fsum(each.worst for each in losses if each.kind not in kinds)
        return added + convert(rho, delta)

    return min(
        mixed((), zcdp_epsilon),
        mixed((GEOMETRIC, CHOICE, GAUSSIAN), zcdp_epsilon),
        mixed((CHOICE, GAUSSIAN), zcdp_epsilon),
        mixed((GAUSSIAN,), gaussian_epsilon),
    )


def _log_shares(scores: IntArray, scale: float, log_prior: FloatArray | None) -> FloatArray:
    weights = selection_weights(scores, scale, log_prior)
    with np.errstate(divide="ignore"):
        return np.log(weights) - np.log(weights.sum())


def repeats(first: Sequence[RecordedAnswer], second: Sequence[RecordedAnswer]) -> int:
    """The ratio of the chances of a repetition of the noise, under the first data set and under the
    second.

    A question is compared with the one before it of the same size and scale.
    """
    more = 0
    for side, sign in ((first, 1), (second, -1)):
        before: dict[tuple[str, int, float], IntArray] = {}
        for record in side:
            if record.kind in (GEOMETRIC, GAUSSIAN):
                noise = (record.answer - record.values).ravel()
                alike = record.kind, noise.size, record.scale
                more += sign * int(np.count_nonzero(noise == before.get(alike)))
                before[alike] = noise
    return more
