"""The rehearsal of an algorithm: its own run on no data, with the answers that it published, and
the charges that such a run makes.

A run reads private data through noisy answers only. What it asks next, and how it shares out its
budget, therefore follows from public parameters, public coins and those answers. A certificate
carries the short answers, such as the noisy number of rows. Of a long one, such as the counts on a
grid, at most one thing decides the next question: whether it shows anything. The rehearsal first
assumes that it does, and where the certificate's charges then differ, that it does not.

What coins that are not published decide, such as the sensitivity of a score of random candidates,
is known by repeating the rehearsal with other coins, and is not compared.
"""

from __future__ import annotations

import copy
import math
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore.algorithms import get
from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.datasets.mapped import MappedRows
from dpcore.errors import Infeasible
from dpcore.geometry.domain import FloatArray, IntArray, Partition
from dpcore.kmeans.stages import listening, tell
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.losses import Loss, Pure, Selection, noise_scale
from dpcore.privacy.noise_proxy import NoiseKind, NoiseProxy, NoiseRequest
from dpcore.privacy.transcript import Transcript
from dpcore.queries.charged_questions import L
from dpcore.queries.curator import Curator
from dpcore.queries.questions import Sensitivity
from dpcore.queries.scores import Score
from dpcore.queries.splitting import Decisions, SplitTree
from dpcore.results.run_result import Outcome
from dpcore.results.steps import RunStep
from dpcore.results.synopsis import Coreset, NoisyGrid

#: Longer answers are not on the certificate.
SHORT = 16
#: How the number of rows is called among the answers.
ROWS = "number of rows"
#: A count that stands out of any noise, in scales of it.
LOUD = 2000
#: Where so many long answers in a row showed nothing, it is not found out which.
MOST_TRIES = 64
#: More coordinates of centers than this, or more seconds, and a rehearsal is not made or ended:
#: whoever wrote the certificate may have chosen any sizes.
MOST_COORDINATES, MOST_SECONDS = 50_000, 60.0
#: What two machines may make of the same formula, as part of an amount.
SAME_FORMULA = 1e-12

Account = Mapping[str, Any]
Row = Mapping[str, Any]
#: A transcript as a certificate has it.
AsAccount = Callable[[Transcript], Account]


def short_answers(steps: Sequence[RunStep]) -> list[dict[str, Any]]:
    """The short answers of a run, in order, each with its question and its region."""
    answers: list[dict[str, Any]] = []
    region: dict[str, str] = {}
    for step in steps:
        if step.kind == "region":
            region = {"region": step.released["name"]}
        elif step.kind in ("size", "rows"):
            answers.append({**region, "why": ROWS, "values": [int(step.released["n"])]})
        elif step.kind == "answer":
            values = np.ravel(step.released["values"])
            if len(values) <= SHORT:
                why = step.released["why"]
                answers.append({**region, "why": why, "values": values.tolist()})
    return answers


@dataclass(frozen=True)
class Rehearsed:
    """The result of a rehearsal."""

    #: How the certificate's charges differ from the algorithm's, or None.
    difference: str | None
    #: Whether that is known; not, where too many long answers showed nothing.
    is_certain: bool = True
    #: What the algorithm tells as facts.
    names: frozenset[str] = frozenset()
    #: The facts that neither coins nor long answers change.
    facts: Mapping[str, Any] | None = None
    #: Cells a side of the grid that is published, if one is.
    cells_per_side: int | None = None
    #: Whether points are published all of whose weights are positive.
    coreset: bool = False
    #: Whether the noise in each weight is published beside it.
    has_noise: bool = False


def rehearse(certificate: Mapping[str, Any], as_account: AsAccount) -> Rehearsed:
    """Compare a certificate's charges with those of its algorithm at its public parameters."""
    if certificate["k"] * len(certificate["box"]["names"]) > MOST_COORDINATES:
        return Rehearsed("it has too many centers of too many coordinates", is_certain=False)
    try:
        with listening(Clock(MOST_SECONDS)):
            return compared(certificate, as_account)
    except TooLong:
        return Rehearsed(f"it takes longer than {MOST_SECONDS:g} seconds", is_certain=False)


class TooLong(Exception):
    """A rehearsal that takes longer than any release should."""


class Clock:
    """Ends a search, at the next of its steps, when the time is up."""

    def __init__(self, seconds: float):
        self._end = time.thread_time() + seconds

    def __call__(self, doing: str = "", part: float = 0.0) -> None:
        if time.thread_time() > self._end:
            raise TooLong


def compared(
    certificate: Mapping[str, Any], as_account: AsAccount, resolution: int | None = None
) -> Rehearsed:
    """One rehearsal, until a clock ends it. With a resolution it is the run on one region of a map,
    which looks for no centers."""
    charges = rows_of_account(certificate["transcript"])
    silent: set[int] = set()
    reached, problem = -1, ""
    for _ in range(MOST_TRIES):
        try:
            runs = [_Run(certificate, silent, coins, as_account, resolution) for coins in (0, 1)]
        except Infeasible as refusal:
            return Rehearsed(problem or f"the algorithm does not answer so: {refusal}")
        mismatch = first_difference(charges, [run.rows for run in runs])
        if mismatch is None:
            unread = runs[0].curator.unread
            unasked = f"nothing was asked that {unread!r} answers" if unread else None
            return runs[0].report(runs, unasked)
        index, difference = mismatch
        if index <= reached:
            return Rehearsed(problem)
        last = runs[0].curator.last_long_answer(index)
        if last is None:
            return Rehearsed(problem or difference)
        reached, problem = index, problem or difference
        silent.add(last)
    return Rehearsed("too many answers showed nothing", is_certain=False)


class _Run:
    """One run on no data."""

    def __init__(
        self,
        certificate: Mapping[str, Any],
        silent: set[int],
        coins: int,
        as_account: AsAccount,
        resolution: int | None,
    ):
        row, names = certificate["budget of one row"], certificate["box"]["names"]
        self.curator = DatalessCurator(
            len(names),
            Budget(row["epsilon"], row["delta"]),
            Neighbors(certificate["neighbors"]),
            certificate["answers"],
            silent,
            coins,
        )
        system = get(certificate["algorithm"])
        settings = system.settings(certificate["parameters"])
        with np.errstate(all="ignore"):  # nothing is learned from made-up answers
            if resolution is None:
                self.outcome: Outcome = system.run(self.curator, certificate["k"], **settings)
            else:
                assert isinstance(system, SynopsisAlgorithm)
                synopsis = system.summary(
                    self.curator.known_on(resolution), certificate["k"], **settings
                )
                self.outcome = Outcome(np.empty((0, 2)), synopsis)
        self.rows = rows_of_account(as_account(self.curator.transcript))

    def report(self, runs: Sequence[_Run], difference: str | None) -> Rehearsed:
        """The result of this run, and the facts on which all runs agree."""
        others = [run.outcome.facts for run in runs]
        facts = {
            name: value
            for name, value in self.outcome.facts.items()
            if all(each.get(name) == value for each in others)
        }
        synopsis = self.outcome.synopsis
        return Rehearsed(
            difference,
            names=frozenset(self.outcome.facts),
            facts=facts,
            cells_per_side=synopsis.grid.cells_per_side
            if isinstance(synopsis, NoisyGrid)
            else None,
            coreset=isinstance(synopsis, Coreset),
            has_noise=synopsis is not None and synopsis.variances is not None,
        )


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

    Long answers show something, but for those whose numbers are in `silent`.
    """

    def __init__(
        self,
        d: int,
        budget: Budget,
        relation: Neighbors,
        answers: Sequence[Mapping[str, Any]],
        silent: set[int],
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
        self._silent = silent
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
        candidates = (i for i in reversed(self._long) if i < before and i not in self._silent)
        return next(candidates, None)

    def size(self, fraction: float) -> tuple[int, float]:
        if not self.neighbors.size_is_private:
            return self._told(ROWS)[0], 1.0
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
        """The published answer to the question that was booked last, or a loud or silent one."""
        shape = np.shape(exact())
        values = super()._drawn(lambda: np.zeros(shape, dtype=np.int64), moved, paid)
        why = self.transcript[-1].why
        if why == ROWS or self._answers.get(why):
            return np.array(self._told(why), dtype=np.int64).reshape(values.shape)
        number = _booked(self._whole) - 1
        self._long.append(number)
        if number not in self._silent:
            scale = noise_scale(moved.l1 if isinstance(paid, Pure) else moved.l2, paid)
            values.flat[: self._standing_out] = math.ceil(LOUD * scale)
        return values


def _booked(transcript: Transcript) -> int:
    """The number of charges, those of inner accounts included."""
    inner = (account for charge in transcript for account in charge.inner)
    return len(transcript) + sum(map(_booked, inner))


def rows_of_account(account: Account) -> list[Row]:
    """The charges in the order in which they were booked, each with the account it is in."""
    return list(_booked_rows(account))


def _booked_rows(account: Account, depth: int = 0) -> Iterator[Row]:
    terms = {name: account[name] for name in ("epsilon", "delta", "accounting")}
    for charge in account["charges"]:
        own = {name: value for name, value in charge.items() if name != "inner"}
        in_account = {f"account's {name}": value for name, value in terms.items()}
        yield {"depth": depth, **in_account, **own, "accounts inside": len(charge["inner"])}
        for inner in charge["inner"]:
            yield from _booked_rows(inner, depth + 1)


def first_difference(
    charges: Sequence[Row], rehearsed: Sequence[Sequence[Row]]
) -> tuple[int, str] | None:
    """The number of the first charge that the algorithm does not make, and what is wrong."""
    for index, charge in enumerate(charges):
        here = f"charge {index + 1} ({charge['why']})"
        if any(index >= len(run) for run in rehearsed):
            return index, f"{here} is one more than the algorithm makes"
        others = [run[index] for run in rehearsed]
        for name, value in charge.items():
            expected = [other[name] for other in others]
            if not _agrees(value, expected):
                return index, f"{here}: its {name} is {value}, and the algorithm has {expected[0]}"
    if any(len(run) > len(charges) for run in rehearsed):
        missing = rehearsed[0][len(charges)]["why"]
        return len(charges), f"the algorithm makes one more charge ({missing})"
    return None


def _agrees(value: Any, expected: Sequence[Any]) -> bool:
    """Whether a value is the expected one; where coins change that, anything of its kind is."""
    first = expected[0]
    if any(each != first for each in expected):
        return type(value) is type(first)
    if isinstance(first, float) and isinstance(value, int | float):
        return abs(value - first) <= SAME_FORMULA * abs(first)
    return bool(value == first)
