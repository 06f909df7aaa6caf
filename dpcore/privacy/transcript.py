"""Transcripts: the charges of a run and their exact sums.

A `Loss` is what one question asks for. The `Transcript` turns each question into a `Charge` before
any noise is drawn, adds charges up by the accounting of the budget, and refuses a question that
would go over it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from threading import Lock
from typing import Any

from dpcore.errors import BudgetExceeded
from dpcore.privacy.accounting import MAX_DELTA, Accounting, Budget, Neighbors
from dpcore.privacy.concentrated import epsilon_of_rho
from dpcore.privacy.gaussian import MIN_SENSITIVITY, epsilon_of_gaussian
from dpcore.privacy.losses import Approx, Gaussian, Loss, Pure, Zcdp, lowered
from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.rounding import at_least, at_most, down, up

#: A question that asks for more than is left, by no more than this part of it, gets what is left:
#: shares of a budget that were rounded to floats need not add up to it.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Charge:
    """The charge for one question about the private data.

    epsilon is what the running total grew by, so that charges add up to the claim under either
    accounting. `inner` holds the accounts that this charge paid for: one, when part of the budget
    was set aside under its own accounting; several, when disjoint parts of the data were asked
    side by side and only the dearest counts.
    """

    mechanism: Mechanism
    why: str
    epsilon: float
    delta: float = 0.0
    rho: float | None = None
    sensitivity: float = 0.0
    scale: float | None = None
    answers: int = 1
    inner: tuple[Transcript, ...] = ()
    #: The loss that was paid: the one asked for, or the rest of the budget if that is less by
    #: rounding alone. Noise is scaled to it.
    paid: Loss | None = None

    def as_dict(self) -> dict[str, Any]:
        row = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "paid"}
        row["mechanism"] = str(self.mechanism)
        row["inner"] = [account.as_dicts() for account in self.inner]
        return row


@dataclass(frozen=True)
class Spent:
    """Exact sums of what questions cost. Under rho, epsilon and delta follow from it."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            _sum(self.epsilon, other.epsilon),
            _sum(self.delta, other.delta),
            _sum(self.rho, other.rho),
        )


def _sum(one: Fraction, other: Fraction) -> Fraction:
    """Most sums have a 0 in them, and finding a common denominator takes time."""
    return one + other if one and other else one or other


@dataclass
class Transcript(Sequence[Charge]):
    """The charges of one run in order, and their sum.

    **Rounding.** A float is an exact fraction, and fractions are what is added up: a question that
    would go over the budget by however little is refused, or is paid what is left where floats
    alone made it ask for more. Totals are rounded up, and what remains is rounded down.

    **Threads.** Charges may come from several threads. Each is weighed and booked as one step, so
    the sum never goes over the budget, no charge is lost, and charges stand in the order in which
    they were booked. Which thread comes first is not promised. Nor is concurrent composition: that
    charges add up is proved for questions asked one after the other, each fixed by the answers
    before it, not for accounts inside charges whose questions take turns with others.
    """

    budget: Budget
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    #: Set once the raw data were handed out: whatever the charges say, epsilon is infinite.
    handed_out: bool = False
    _charges: list[Charge] = field(default_factory=list)
    #: What was spent in all after each charge.
    _spent: list[Spent] = field(default_factory=list)
    _lock: Any = field(default_factory=Lock, init=False, repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _lock=Lock())

    def charge(
        self,
        mechanism: Mechanism,
        why: str,
        loss: Loss,
        sensitivity: float,
        scale: float | Callable[[Any], float] | None = None,
        *,
        answers: int = 1,
        inner: tuple[Transcript, ...] = (),
    ) -> Charge:
        """Book a question, or raise BudgetExceeded with nothing booked.

        The charge says what was `paid`: noise is scaled to that, and accounts inside have no more.
        """
        self._refuse_to_convert(inner)
        self._refuse_coarse(loss, sensitivity)
        with self._lock:
            paid, cost = self._affordable(loss, why)
            if paid is not loss:
                for account in inner:
                    account.budget = account.budget.within(paid)
            booked = Charge(
                Mechanism(mechanism),
                why,
                *self._growth(cost),
                rho=up(cost.rho) if self.budget.accounting.in_rho else None,
                sensitivity=sensitivity,
                scale=scale(paid) if callable(scale) else scale,
                answers=answers,
                inner=inner,
                paid=paid,
            )
            self._spent.append(self._all + cost)
            self._charges.append(booked)
        return booked

    @property
    def _all(self) -> Spent:
        return self._spent[-1] if self._spent else Spent()

    @property
    def _left(self) -> Spent:
        spent, whole = self._all, self.budget
        if whole.accounting.in_rho:
            return Spent(rho=Fraction(whole.rho) - spent.rho)
        return Spent(
            _sum(Fraction(whole.epsilon), -spent.epsilon),
            _sum(Fraction(whole.delta), -spent.delta),
        )

    def _affordable(self, loss: Loss, why: str) -> tuple[Loss, Spent]:
        """The loss, or what is left where that is less by rounding alone; and what it costs."""
        cost, remainder = self._cost(loss), self._left
        over = {
            name: getattr(remainder, name)
            for name in ("epsilon", "delta", "rho")
            if getattr(cost, name) > getattr(remainder, name)
        }
        if not over:
            return loss, cost
        if any(
            rest < getattr(cost, name) * (1 - Fraction(ROUNDING)) for name, rest in over.items()
        ):
            (epsilon, delta), room = self._told(self._all + cost), self.budget
            raise BudgetExceeded(
                f"{why}: this question would bring the total to epsilon {at_most(epsilon)}, "
                f"delta {at_most(delta, 3)}, over the {at_least(room.epsilon)}, "
                f"{at_least(room.delta)} allowed."
            )
        paid = lowered(loss, over)
        return paid, self._cost(paid)

    def _cost(self, loss: Loss) -> Spent:
        """A loss in the currency of the accounting, exactly."""
        amount = loss.rho if isinstance(loss, Zcdp | Gaussian) else loss.epsilon
        if not (math.isfinite(amount) and amount > 0):
            raise ValueError(f"A question must cost a positive, finite amount, not {loss}.")
        if isinstance(loss, Approx) and not 0 < loss.delta <= MAX_DELTA:
            raise ValueError(
                f"A question's delta is above 0 and at most {MAX_DELTA:g}, not {loss.delta!r}."
            )
        if self.budget.accounting.in_rho:
            return Spent(rho=Fraction(loss.rho))
        if isinstance(loss, Zcdp | Gaussian):
            raise ValueError("Under pure accounting a question is priced in epsilon, not rho.")
        delta = Fraction(loss.delta) if isinstance(loss, Approx) else Fraction(0)
        return Spent(Fraction(loss.epsilon), delta)

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

    def _told(self, spent: Spent) -> tuple[float, float]:
        """Sums as (epsilon, delta), rounded up."""
        accounting, delta = self.budget.accounting, self.budget.delta
        if accounting.in_rho:
            convert = epsilon_of_gaussian if accounting is Accounting.GAUSSIAN else epsilon_of_rho
            return (convert(up(spent.rho), delta), delta) if spent.rho else (0.0, 0.0)
        return up(spent.epsilon), up(spent.delta)

    def _growth(self, cost: Spent) -> tuple[float, float]:
        """The growth of the rounded totals with one more question, rounded up."""
        if not self.budget.accounting.in_rho:
            return self._told(cost)
        before, after = self._told(self._all), self._told(self._all + cost)
        return (
            up(Fraction(after[0]) - Fraction(before[0])),
            up(Fraction(after[1]) - Fraction(before[1])),
        )

    @property
    def unprotected(self) -> bool:
        """Whether the raw data left the curator, here or in an inner account."""
        return self.handed_out or any(
            account.unprotected for charge in self._charges for account in charge.inner
        )

    @property
    def epsilon(self) -> float:
        """The total epsilon, rounded up; the budget itself if all but rounding was spent."""
        if self.unprotected:
            return math.inf
        return self.budget.epsilon if self.remaining is None else self._told(self._all)[0]

    @property
    def delta(self) -> float:
        return self._told(self._all)[1]

    @property
    def remaining(self) -> Loss | None:
        """The rest of the budget in its own currency, rounded down; None if nothing is left."""
        remainder = self._left
        if self.budget.accounting.in_rho:
            kind = Gaussian if self.budget.accounting is Accounting.GAUSSIAN else Zcdp
            return kind(down(remainder.rho)) if remainder.rho > ROUNDING * self.budget.rho else None
        return (
            Pure(down(remainder.epsilon))
            if remainder.epsilon > ROUNDING * self.budget.epsilon
            else None
        )

    def as_dicts(self) -> list[dict[str, Any]]:
        return [charge.as_dict() for charge in self._charges]

    def __repr__(self) -> str:
        charges = f"{len(self)} charge{'' if len(self) == 1 else 's'}"
        delta = f", delta {self.delta:g} of {self.budget.delta:g}" if self.budget.delta else ""
        used = f"epsilon {self.epsilon:g} of {self.budget.epsilon:g}{delta}"
        return f"Transcript({charges}, {used}, {self.neighbors})"

    def __len__(self) -> int:
        return len(self._charges)

    def __iter__(self) -> Iterator[Charge]:
        return iter(self._charges)

    def __getitem__(self, index: Any) -> Any:
        return self._charges[index]
