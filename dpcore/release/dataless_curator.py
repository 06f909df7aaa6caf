"""A curator without rows, which answers as a certificate says, and makes up the longer answers."""

from __future__ import annotations

import copy
import math
from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from dpcore.datasets.mapped import MappedRows
from dpcore.geometry.domain import FloatArray, IntArray, Partition
from dpcore.kmeans.stages import tell
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.losses import Loss, Pure, Selection, noise_scale
from dpcore.privacy.noise_proxy import NoiseKind, NoiseProxy, NoiseRequest
from dpcore.privacy.transcript import Transcript
from dpcore.queries.charged_questions import L
from dpcore.queries.curator import Curator
from dpcore.queries.questions import Sensitivity
from dpcore.queries.scores import Score
from dpcore.queries.splitting import Decisions, SplitTree
from dpcore.release.short_answers import ROWS

#: A count that stands out of any noise, in scales of it.
LOUD = 2000


class Loudness(IntEnum):
    """A guess at the loud cells of a long answer: close together, far apart, or none at all."""

    CLOSE = 0
    APART = 1
    NOTHING = 2


class Silence(NoiseProxy):
    """A source of noise that adds none. It chooses the last of two candidates, and of more the last
    or, with other coins, any."""

    simulated: ClassVar[bool] = True

    def __init__(self, coins: int):
        self._rng = np.random.default_rng(coins) if coins else None

    def answer(self, request: NoiseRequest) -> Any:
        if request.kind is not NoiseKind.CHOICE:
            return request.values
        scores, log_prior = request.values, request.log_prior
        prior = np.zeros(scores.shape) if log_prior is None else np.asarray(log_prior)
        possible = np.flatnonzero(np.broadcast_to(prior, scores.shape) > -np.inf)
        if self._rng is None or len(possible) == 2:
            return int(possible[-1])
        return int(self._rng.choice(possible))


class Nobody(MappedRows):
    """A place where a row could be."""

    def histogram(self, partition: Partition) -> IntArray:
        return np.zeros(partition.n_cells, dtype=np.int64)


def nobody(d: int) -> Nobody:
    """The place that a run without data is made on."""
    return Nobody(np.ones((1, d), dtype=np.int64), None)


class DatalessCurator(Curator):
    """A curator without rows, which books what it is asked and answers from a certificate.

    Long answers show something in a cell or two, unless `loudness` has something else for the
    number of the charge that bought them.
    """

    def __init__(
        self,
        d: int,
        budget: Budget,
        relation: Neighbors,
        answers: Sequence[Mapping[str, Any]],
        loudness: Mapping[int, Loudness],
        coins: int,
    ):
        super().__init__(
            nobody(d),
            budget,
            Silence(coins),
            relation,
            np.random.default_rng(coins),
        )
        self._answers: dict[str, deque[list[int]]] = defaultdict(deque)
        for each in answers:
            self._answers[each["why"]].append(each["values"])
        self._loudness = loudness
        #: What stands out is more or less, so that nothing is believed that depends on it.
        self._standing_out = 1 + coins
        #: All charges of the run, and the numbers of those that bought a long answer; both are
        #: shared with the curators of inner accounts.
        self._whole = self.transcript
        self._long: list[int] = []

    def known_on(self, resolution: int) -> DatalessCurator:
        """A copy of the curator for a place that is known on a lattice of this resolution."""
        copied = copy.copy(self)
        copied._data = copy.copy(self._data)
        copied._data.resolution = resolution
        return copied

    @property
    def unread(self) -> str | None:
        """The description of an answer that no question asked for."""
        return next((why for why, answers in self._answers.items() if answers), None)

    def last_long_answer(self, before: int) -> int | None:
        """The last that showed something, of those bought before a charge."""
        nothing = {i for i, loudness in self._loudness.items() if loudness == Loudness.NOTHING}
        return next((i for i in reversed(self._long) if i < before and i not in nothing), None)

    def size(self, fraction: float) -> tuple[int, float]:
        if not self.neighbors.size_is_private:
            numbers = self._told(ROWS)
            if len(numbers) != 1:
                raise ValueError(f"the answer to {ROWS!r} has {len(numbers)} numbers")
            return numbers[0], 1.0
        return super().size(fraction)

    def working_copy(self, cells_per_side: int | None = None) -> Curator:
        copied = copy.copy(self)
        copied._data = copy.copy(self._data)
        if self.d == 2 and cells_per_side:
            copied._data.resolution = min(cells_per_side, self.resolution)
        return copied

    def _paid(self, sensitivity: Sensitivity, loss: L, why: str) -> L:
        tell("asking", 0.0)
        return super()._paid(sensitivity, loss, why)

    def _scored(self, score: Score, loss: Selection, why: str) -> tuple[IntArray, bool, float]:
        tell("asking", 0.0)
        return super()._scored(score, loss, why)

    def _decided(self, tree: SplitTree, paid: Pure, epsilon: float) -> list[Decisions]:
        """A tree that is cut once less than something stands out."""
        n_cuts = self._standing_out - 1

        def noisy(heights: IntArray) -> IntArray:
            nonlocal n_cuts
            cut = np.full(heights.shape, -1, dtype=np.int64)
            cut[: n_cuts > 0] = 1
            n_cuts -= 1
            return cut

        return tree.grown(self._data.histogram, noisy, epsilon)

    def remove_nearest(self, centers: FloatArray, m: int) -> None:
        """There are no rows to remove."""

    def _told(self, why: str) -> list[int]:
        if not self._answers[why]:
            raise ValueError(f"the answer to {why!r} is missing")
        return self._answers[why].popleft()

    def _drawn(self, exact: Callable[[], IntArray], moved: Sensitivity, paid: Loss) -> IntArray:
        """The published answer to the question that was booked last, or a made-up one."""
        shape = np.shape(exact())
        values = super()._drawn(lambda: np.zeros(shape, dtype=np.int64), moved, paid)
        why = self.transcript[-1].why
        if why == ROWS or self._answers.get(why):
            answer = np.array(self._told(why), dtype=np.int64)
            if answer.size == values.size:
                return answer.reshape(values.shape)
            # How many centers a round asks about may follow from a long answer or from coins, but
            # not how many numbers it asks for each.
            if values.ndim != 2 or answer.size % values.shape[1]:
                raise ValueError(f"the answer to {why!r} has {answer.size} numbers")
        number = _booked(self._whole) - 1
        self._long.append(number)
        loudness = self._loudness.get(number, Loudness.CLOSE)
        loud = math.ceil(LOUD * noise_scale(moved.l1 if isinstance(paid, Pure) else moved.l2, paid))
        if loudness == Loudness.CLOSE:
            values.flat[: self._standing_out] = loud
        elif loudness == Loudness.APART:  # one cell in four, or with other coins in three
            values.flat[:: 5 - self._standing_out] = loud
        return values


def _booked(transcript: Transcript) -> int:
    """The number of charges, those of inner accounts included."""
    inner = (account for charge in transcript for account in charge.inner)
    return len(transcript) + sum(map(_booked, inner))
