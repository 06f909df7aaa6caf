"""What a run spent, question by question, also where part of the budget was set aside first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from dpcore.privacy.accounting import ROUNDING, Charge, Transcript
from dpcore.privacy.rounding import up

#: How many charges stand behind a step of the journal; other steps cost nothing.
CHARGES = {"size": 1, "counts": 1, "totals": 2, "answer": 1, "full cells": 1, "selection": 1}


@dataclass(frozen=True)
class Line:
    """One line of the account."""

    why: str
    mechanism: str
    epsilon: float
    #: Whether a step of the journal tells of it.
    told: bool = True


def lines(transcript: Transcript) -> list[Line]:
    """Every question with what it cost. They add up to what the run spent."""
    return list(_lines(transcript))


def _lines(charges: Transcript) -> Iterator[Line]:
    for charge in charges:
        if charge.mechanism == "set aside":
            yield from _account(charge)
        else:
            yield Line(charge.why, charge.mechanism, charge.epsilon, told=not charge.inner)


def _account(charge: Charge) -> Iterator[Line]:
    """The questions of an inner account, and what it set aside without need."""
    spent = 0.0
    for inner in charge.inner:
        for line in _lines(inner):
            spent += line.epsilon
            yield line
    if charge.epsilon - spent > ROUNDING * charge.epsilon:
        yield Line(
            f"{charge.why}: what rounding left", charge.mechanism, charge.epsilon - spent, False
        )


class Ledger:
    """Which lines of an account are booked while the steps of a journal go by."""

    def __init__(self, transcript: Transcript):
        self.lines = lines(transcript)
        self._whole = transcript.budget.epsilon
        self.booked = 0

    def pass_step(self, kind: str) -> None:
        for _ in range(CHARGES.get(kind, 0)):
            self._pass_untold()
            self.booked += 1
        self.booked = min(self.booked, len(self.lines))

    def close(self) -> None:
        self.booked = len(self.lines)

    def _pass_untold(self) -> None:
        while self.booked < len(self.lines) and not self.lines[self.booked].told:
            self.booked += 1

    def epsilon_of(self, booked: int) -> float:
        """What the first so many lines add up to: no more than may be spent."""
        total = sum((Fraction(repr(line.epsilon)) for line in self.lines[:booked]), Fraction(0))
        return min(up(total), self._whole)
