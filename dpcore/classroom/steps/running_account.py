"""The running account: the charges that are booked after each step of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.rounding import up
from dpcore.privacy.transcript import ROUNDING, Charge, Transcript
from dpcore.results.run_result import RunResult


@dataclass(frozen=True)
class AccountLine:
    """One line of the account."""

    why: str
    mechanism: Mechanism
    epsilon: float


def lines(result: RunResult) -> list[AccountLine]:
    """Every question in the order asked, with its cost. They add up to what the run spent.

    Where part of the budget was set aside, the questions paid from it stand in its place, and what
    none of them used follows at the end.
    """
    account = RunningAccount(result)
    for step in result.steps:
        account.book(step.charges)
    account.close()
    return account.lines


class RunningAccount:
    """The lines that are booked while the steps of a run go by."""

    def __init__(self, result: RunResult):
        self.lines: list[AccountLine] = []
        self._transcript = result.transcript
        self._whole = result.transcript.budget.epsilon
        self._booked: set[int] = set()

    def book(self, charges: Iterable[Charge]) -> None:
        """Add the charges of one step."""
        for charge in charges:
            self._booked.add(id(charge))
            if charge.mechanism is not Mechanism.SET_ASIDE:
                self.lines.append(AccountLine(charge.why, charge.mechanism, charge.epsilon))

    def close(self) -> None:
        """Add the charges after the last step, and amounts that were set aside and never used."""
        charges = list(_questions(self._transcript))
        self.book(charge for charge in charges if id(charge) not in self._booked)
        for charge in charges:
            unused = charge.epsilon - _used(charge)
            if charge.mechanism is Mechanism.SET_ASIDE and unused > ROUNDING * charge.epsilon:
                why = f"{charge.why}: what rounding left"
                self.lines.append(AccountLine(why, charge.mechanism, unused))

    @property
    def epsilon(self) -> float:
        """The sum of the lines so far: no more than may be spent."""
        total = sum((Fraction(line.epsilon) for line in self.lines), Fraction(0))
        return min(up(total), self._whole)


def _questions(transcript: Transcript) -> Iterator[Charge]:
    """All charges of a transcript, including those paid from amounts that were set aside."""
    for charge in transcript:
        yield charge
        if charge.mechanism is Mechanism.SET_ASIDE:
            for inner in charge.inner:
                yield from _questions(inner)


def _used(charge: Charge) -> float:
    return sum(each.epsilon for account in charge.inner for each in account)
