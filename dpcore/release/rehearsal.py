"""The rehearsal of an algorithm: its own run on no data, with the answers that it published, and
the charges that such a run makes.

A run reads private data through noisy answers only. What it asks next, and how it shares out its
budget, therefore follows from public parameters, public coins and those answers. A certificate
carries the short answers, such as the noisy number of rows. Of a long one, such as the counts on a
grid, at most two things decide which charges follow: whether it shows anything, and whether that
lies close together. The rehearsal first assumes both, and where the certificate's charges then
differ, that it lies far apart, and then that there is nothing.

What coins that are not published decide, such as the sensitivity of a score of random candidates,
is known by repeating the rehearsal with other coins, and is not compared.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.algorithms import get
from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.errors import Infeasible
from dpcore.kmeans.stages import listening
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.transcript import Transcript
from dpcore.release.dataless_curator import DatalessCurator, Loudness
from dpcore.results.run_result import Outcome
from dpcore.results.synopsis import Coreset, NoisyGrid

#: The rehearsal gives up after so many guesses at what long answers showed.
MOST_TRIES = 128
#: More coordinates of centers than this, or more seconds, and a rehearsal is not made or ended:
#: whoever wrote the certificate may have chosen any sizes.
MOST_COORDINATES, MOST_SECONDS = 50_000, 60.0
#: What two machines may make of the same formula, as part of an amount.
SAME_FORMULA = 1e-12

Account = Mapping[str, Any]
Row = Mapping[str, Any]
#: A transcript as a certificate has it.
AsAccount = Callable[[Transcript], Account]


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
    #: By the number of the charge that bought the answer.
    loudness: dict[int, Loudness] = {}
    reached, problem, last = -1, "", None
    for _ in range(MOST_TRIES):
        try:
            runs = [_Run(certificate, loudness, coins, as_account, resolution) for coins in (0, 1)]
        except Infeasible as refusal:
            return Rehearsed(problem or f"the algorithm does not answer so: {refusal}")
        mismatch = first_difference(charges, [run.rows for run in runs])
        if mismatch is None:
            unread = runs[0].curator.unread
            unasked = f"nothing was asked that {unread!r} answers" if unread else None
            return runs[0].report(runs, unasked)
        index, difference = mismatch
        if index > reached:
            reached, problem = index, problem or difference
            last = runs[0].curator.last_long_answer(index)
        if last is None or loudness.get(last) == Loudness.NOTHING:
            return Rehearsed(problem)
        loudness[last] = Loudness(loudness.get(last, Loudness.CLOSE) + 1)
    return Rehearsed("too many answers would have to be guessed", is_certain=False)


class _Run:
    """One run on no data."""

    def __init__(
        self,
        certificate: Mapping[str, Any],
        loudness: Mapping[int, Loudness],
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
            loudness,
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
