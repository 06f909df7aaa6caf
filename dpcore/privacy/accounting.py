"""Who may spend what, and who spent it: budgets, losses, charges and their sum.

A `Budget` is what a person allows. A `Loss` is what one question asks for. The `Transcript` turns
each question into a `Charge` before any noise is drawn, adds them up by the budget's accounting,
and refuses the one that would go over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from dpcore.privacy.gaussian import (
    MIN_DELTA,
    MIN_SENSITIVITY,
    epsilon_of_gaussian,
    rho_of_gaussian,
)

MIN_EPSILON, MAX_EPSILON = 1e-6, 1e6
MAX_DELTA = 0.01
#: Relative room for the rounding of float additions; no noise is drawn by it.
ROUNDING = 1e-9

_NUMBER = int | float | np.integer | np.floating


class Neighbors(StrEnum):
    """Which two data sets an attacker must not be able to tell apart."""

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"

    @property
    def size_is_private(self) -> bool:
        """Under add/remove even the number of rows tells whether one is there."""
        return self is Neighbors.ADD_REMOVE


class Verdict(StrEnum):
    """Whether an algorithm's privacy claim stands."""

    PROVED = "PROVED"
    REPAIRED = "REPAIRED"
    UNPROVEN = "UNPROVEN"

    @property
    def holds(self) -> bool:
        return self is not Verdict.UNPROVEN


class Accounting(StrEnum):
    """How charges add up: epsilons and deltas, zero-concentrated rho, or Gaussian rho, which buys
    more but is for Gaussian noise alone."""

    PURE = "pure"
    ZCDP = "zcdp"
    GAUSSIAN = "gaussian"

    @property
    def in_rho(self) -> bool:
        return self is not Accounting.PURE


class BudgetExceeded(ValueError):
    """A question would have spent more than the budget allows; no noise was drawn."""


class Infeasible(ValueError):
    """The algorithm cannot answer so; says the smallest epsilon at which it can, if known."""

    def __init__(self, message: str, smallest_epsilon: float | None = None):
        super().__init__(message)
        self.smallest_epsilon = smallest_epsilon


@dataclass(frozen=True)
class Pure:
    """epsilon-differential privacy."""

    epsilon: float

    @property
    def rho(self) -> float:
        """Pure epsilon implies epsilon^2/2-zCDP (Bun and Steinke 2016, proposition 1.4)."""
        return self.epsilon**2 / 2


@dataclass(frozen=True)
class Selection:
    """epsilon by an exponential mechanism, whose bounded range makes it cheaper under zCDP.

    Of several picks in a row, each has an equal share of epsilon.
    """

    epsilon: float
    picks: int = 1

    @property
    def rho(self) -> float:
        """epsilon-bounded range implies epsilon^2/8-zCDP (Cesar and Rogers 2021, lemma 3.4)."""
        return self.epsilon**2 / (8 * self.picks)


@dataclass(frozen=True)
class Zcdp:
    """rho zero-concentrated differential privacy."""

    rho: float


@dataclass(frozen=True)
class Gaussian:
    """Gaussian noise of a variance of squared sensitivity over 2 rho: rho zero-concentrated, and
    counted exactly where there is nothing else."""

    rho: float


@dataclass(frozen=True)
class Approx:
    """(epsilon, delta), bought as the largest rho that implies it."""

    epsilon: float
    delta: float

    @property
    def rho(self) -> float:
        return rho_of_epsilon(self.epsilon, self.delta)


Loss = Pure | Selection | Zcdp | Gaussian | Approx


@lru_cache(maxsize=4096)
def epsilon_of_rho(rho: float, delta: float) -> float:
    """The epsilon that rho-zCDP implies at delta (Canonne, Kamath and Steinke 2020, corollary 13).

    delta(alpha) = exp((alpha-1)(alpha rho - epsilon)) / (alpha-1) * (1 - 1/alpha)^alpha, solved
    for epsilon and minimised over alpha > 1. Every alpha gives a true bound, so a minimiser that
    stops early is only a little less tight.
    """
    if not rho >= 0:
        raise ValueError(f"rho is at least 0, not {rho!r}.")
    if rho == 0:
        return 0.0
    if math.isinf(rho) or not 0 < delta < 1:
        return math.inf

    def epsilon(log_alpha_minus_1: float) -> float:
        a = 1 + math.exp(log_alpha_minus_1)
        log_terms = -math.log(delta) - math.log(a - 1) + a * math.log1p(-1 / a)
        return a * rho + log_terms / (a - 1)

    best = minimize_scalar(epsilon, bounds=(-12.0, 25.0), method="bounded", options={"xatol": 1e-9})
    return max(0.0, float(best.fun))


@lru_cache(maxsize=4096)
def rho_of_epsilon(epsilon: float, delta: float) -> float:
    """The largest rho whose zCDP implies (epsilon, delta), rounded down."""
    if not 0 < delta < 1:
        raise ValueError(f"A delta between 0 and 1 is needed to count in rho, not {delta!r}.")
    low, high = math.log(1e-24), math.log(10 * epsilon + 1)
    found = brentq(
        lambda log_rho: epsilon_of_rho(math.exp(log_rho), delta) - epsilon, low, high, xtol=1e-13
    )
    rho = math.exp(found)
    while epsilon_of_rho(rho, delta) > epsilon:
        rho *= 1 - 1e-12
    return rho


@dataclass(frozen=True)
class Budget:
    """What may be spent in all: epsilon, delta, and how charges add up. All of it is public."""

    epsilon: float
    delta: float = 0.0
    accounting: Accounting = Accounting.PURE

    def __post_init__(self) -> None:
        object.__setattr__(self, "accounting", Accounting(self.accounting))
        e, delta = self.epsilon, self.delta
        if not (isinstance(e, _NUMBER) and MIN_EPSILON <= e <= MAX_EPSILON):
            raise ValueError(
                f"epsilon must be a number from {MIN_EPSILON:g} to {MAX_EPSILON:g}, not {e!r}."
            )
        if not (isinstance(delta, _NUMBER) and 0 <= delta <= MAX_DELTA):
            raise ValueError(f"delta must be a number from 0 to {MAX_DELTA:g}, not {delta!r}.")
        if self.accounting is Accounting.ZCDP and delta == 0:
            raise ValueError("zCDP accounting needs a delta above 0; pure accounting does not.")
        if self.accounting is Accounting.GAUSSIAN and not delta >= MIN_DELTA:
            raise ValueError(f"Gaussian accounting needs a delta of at least {MIN_DELTA:g}.")
        object.__setattr__(self, "epsilon", float(e))
        object.__setattr__(self, "delta", float(delta))

    @property
    def rho(self) -> float:
        """All of the budget, as rho."""
        if self.accounting is Accounting.GAUSSIAN:
            return rho_of_gaussian(self.epsilon, self.delta)
        return rho_of_epsilon(self.epsilon, self.delta)

    def share(self, fraction: float) -> Pure | Zcdp | Gaussian:
        """A fraction of the whole, in the budget's own currency."""
        if self.accounting is Accounting.GAUSSIAN:
            return Gaussian(self.rho * fraction)
        if self.accounting is Accounting.ZCDP:
            return Zcdp(self.rho * fraction)
        return Pure(self.epsilon * fraction)


@dataclass(frozen=True)
class Charge:
    """One question asked of the private data, and what it cost.

    epsilon is what the running total grew by, so that charges add up to the claim under either
    accounting. `inner` holds the accounts that this charge paid for: one, when part of the budget
    was set aside under its own accounting; several, when disjoint parts of the data were asked
    side by side and only the dearest counts.
    """

    mechanism: str
    why: str
    epsilon: float
    delta: float = 0.0
    rho: float | None = None
    sensitivity: float = 0.0
    scale: float | None = None
    answers: int = 1
    inner: tuple[Transcript, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        row = {f.name: getattr(self, f.name) for f in fields(self)}
        row["inner"] = [account.as_dicts() for account in self.inner]
        return row


@dataclass
class Transcript(Sequence[Charge]):
    """The charges of one run, in order, and what they add up to."""

    budget: Budget
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    #: Set once the raw data were handed out: whatever the charges say, epsilon is infinite.
    handed_out: bool = False
    _charges: list[Charge] = field(default_factory=list)
    _spent: list[tuple[float, float, float]] = field(default_factory=list)

    def charge(
        self,
        mechanism: str,
        why: str,
        loss: Loss,
        sensitivity: float,
        scale: float | None = None,
        answers: int = 1,
        inner: tuple[Transcript, ...] = (),
    ) -> Charge:
        """Book a question, or raise BudgetExceeded with nothing booked."""
        spend = self._in_currency(loss)
        self._refuse_to_convert(inner)
        self._refuse_coarse(loss, sensitivity)
        before, after = self._total(self._spent), self._total([*self._spent, spend])
        room = self.budget
        if after[0] > room.epsilon * (1 + ROUNDING) or after[1] > room.delta * (1 + ROUNDING):
            raise BudgetExceeded(
                f"{why}: this question would bring the total to epsilon {after[0]:.6g}, "
                f"delta {after[1]:.3g}, over the {room.epsilon:g}, {room.delta:g} allowed."
            )
        self._spent.append(spend)
        booked = Charge(
            mechanism,
            why,
            after[0] - before[0],
            after[1] - before[1],
            spend[2] if room.accounting.in_rho else None,
            sensitivity,
            scale,
            answers,
            inner,
        )
        self._charges.append(booked)
        return booked

    def _in_currency(self, loss: Loss) -> tuple[float, float, float]:
        """A loss as (epsilon, delta, rho), of which the accounting adds up what it uses."""
        amount = loss.rho if isinstance(loss, Zcdp | Gaussian) else loss.epsilon
        if not (math.isfinite(amount) and amount > 0):
            raise ValueError(f"A question must cost a positive, finite amount, not {loss}.")
        if isinstance(loss, Approx) and not 0 < loss.delta <= MAX_DELTA:
            raise ValueError(
                f"A question's delta is above 0 and at most {MAX_DELTA:g}, not {loss.delta!r}."
            )
        if self.budget.accounting.in_rho:
            return 0.0, 0.0, loss.rho
        if isinstance(loss, Zcdp | Gaussian):
            raise ValueError("Under pure accounting a question is priced in epsilon, not rho.")
        return loss.epsilon, loss.delta if isinstance(loss, Approx) else 0.0, 0.0

    def _refuse_to_convert(self, inner: tuple[Transcript, ...]) -> None:
        """Counted in rho, (epsilon, delta) is worth its rho only if it was spent in rho.

        rho implies (epsilon, delta), not the other way around: an account that adds up epsilons and
        deltas may hold one question whose rho is far larger, and one of Gaussian noise alone buys a
        larger rho for them.
        """
        if self.budget.accounting.in_rho and any(
            account.budget.accounting is not Accounting.ZCDP and account.budget.delta
            for account in inner
        ):
            raise ValueError("Under zCDP accounting, an inner account with a delta counts in rho.")

    def _refuse_coarse(self, loss: Loss, sensitivity: float) -> None:
        """Gaussian accounting holds for Gaussian noise on fine units, and for nothing else."""
        if self.budget.accounting is Accounting.GAUSSIAN and not (
            isinstance(loss, Gaussian) and sensitivity >= MIN_SENSITIVITY
        ):
            raise ValueError(
                "Under Gaussian accounting a question costs Gaussian rho, and its sensitivity is "
                f"at least {MIN_SENSITIVITY:,} whole units, not {loss} at {sensitivity:g}."
            )

    def _total(self, spent: list[tuple[float, float, float]]) -> tuple[float, float]:
        accounting, delta = self.budget.accounting, self.budget.delta
        if accounting.in_rho:
            rho = math.fsum(s[2] for s in spent)
            epsilon = epsilon_of_gaussian if accounting is Accounting.GAUSSIAN else epsilon_of_rho
            return (epsilon(rho, delta), delta) if rho else (0.0, 0.0)
        return math.fsum(s[0] for s in spent), math.fsum(s[1] for s in spent)

    @property
    def unprotected(self) -> bool:
        """Whether the raw data left the curator, here or in an inner account."""
        return self.handed_out or any(
            account.unprotected for charge in self._charges for account in charge.inner
        )

    @property
    def epsilon(self) -> float:
        """What was spent in all; the budget itself when it was spent up to rounding."""
        if self.unprotected:
            return math.inf
        spent = self._total(self._spent)[0]
        whole = self.budget.epsilon
        return whole if abs(spent - whole) <= ROUNDING * whole else spent

    @property
    def delta(self) -> float:
        return self._total(self._spent)[1]

    @property
    def remaining(self) -> Loss | None:
        """What is left, in the budget's currency, or None when nothing is."""
        if self.budget.accounting.in_rho:
            rho = self.budget.rho - math.fsum(s[2] for s in self._spent)
            kind = Gaussian if self.budget.accounting is Accounting.GAUSSIAN else Zcdp
            return kind(rho) if rho > ROUNDING * self.budget.rho else None
        left = self.budget.epsilon - math.fsum(s[0] for s in self._spent)
        return Pure(left) if left > ROUNDING * self.budget.epsilon else None

    def as_dicts(self) -> list[dict[str, Any]]:
        return [charge.as_dict() for charge in self._charges]

    def __len__(self) -> int:
        return len(self._charges)

    def __iter__(self) -> Iterator[Charge]:
        return iter(self._charges)

    def __getitem__(self, index: Any) -> Any:
        return self._charges[index]
