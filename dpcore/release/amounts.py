"""Epsilon and delta as exact fractions, so that ten times 0.1 is 1 and not a little less."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from dpcore.errors import BadInput
from dpcore.privacy.rounding import in_full

NOTHING = Fraction(0)


@dataclass(frozen=True)
class Amount:
    """An amount of epsilon and of delta, exactly.

    Parameters
    ----------
    epsilon, delta : Fraction, default=Fraction(0)
        Exact amounts; `Amount.of` takes decimal numbers.

    Examples
    --------
    >>> from dpcore.release import Amount
    >>> print(Amount.of(0.1) + Amount.of(0.2))
    ε 0.3
    """

    epsilon: Fraction = NOTHING
    delta: Fraction = NOTHING

    @classmethod
    def of(cls, epsilon: float, delta: float = 0.0) -> Self:
        """The amount that people mean by these numbers: 0.1 is a tenth, not the nearest binary
        number."""
        for amount in (epsilon, delta):
            if not 0 <= amount < math.inf:
                raise BadInput(f"An epsilon or delta is a number of at least 0, not {amount!r}.")
        return cls(Fraction(repr(float(epsilon))), Fraction(repr(float(delta))))

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.epsilon + other.epsilon, self.delta + other.delta)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, other: Amount) -> bool:
        """Whether neither epsilon nor delta is larger than the other's."""
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def __str__(self) -> str:
        delta = f", δ {in_full(self.delta)}" if self.delta else ""
        return f"ε {in_full(self.epsilon)}{delta}"
