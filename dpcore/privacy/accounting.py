"""Budgets: how much privacy loss is allowed, and the rules by which it adds up.

A `Budget` is what a person allows, under an `Accounting` and for a kind of `Neighbors`. The charges
of a run are in `dpcore.privacy.transcript`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from dpcore.errors import BadInput
from dpcore.privacy.concentrated import rho_of_epsilon
from dpcore.privacy.gaussian import MIN_DELTA, rho_of_gaussian
from dpcore.privacy.losses import Gaussian, Loss, Pure, Zcdp

MIN_EPSILON, MAX_EPSILON = 1e-6, 1e6
MAX_DELTA = 0.01

_NUMBER = int | float | np.integer | np.floating


class Neighbors(StrEnum):
    """The relation between two data sets that an attacker must not be able to tell apart.

    Attributes
    ----------
    ADD_REMOVE
        Data with and without one row. The number of rows is private.
    REPLACE_ONE
        Data with one row replaced by another. The number of rows is public.

    Examples
    --------
    >>> from dpcore import Neighbors
    >>> Neighbors("add-remove").size_is_private
    True
    """

    ADD_REMOVE = "add-remove"
    REPLACE_ONE = "replace-one"

    @property
    def size_is_private(self) -> bool:
        """Under add/remove even the number of rows tells whether one is there."""
        return self is Neighbors.ADD_REMOVE


class Verdict(StrEnum):
    """The verdict on an algorithm's privacy claim.

    Attributes
    ----------
    PROVED
        The published proof holds.
    REPAIRED
        The published claim fails; the version here is repaired and proved.
    UNPROVEN
        No proof is known. The algorithm runs as published, for study only.

    Examples
    --------
    >>> from dpcore import ALGORITHMS
    >>> ALGORITHMS["eugkm"].verdict.holds
    True
    """

    PROVED = "PROVED"
    REPAIRED = "REPAIRED"
    UNPROVEN = "UNPROVEN"

    @property
    def holds(self) -> bool:
        return self is not Verdict.UNPROVEN


class Accounting(StrEnum):
    """The way in which charges add up: epsilons and deltas, zero-concentrated rho, or Gaussian rho,
    which buys more but is for Gaussian noise alone."""

    PURE = "pure"
    ZCDP = "zcdp"
    GAUSSIAN = "gaussian"

    @property
    def in_rho(self) -> bool:
        return self is not Accounting.PURE


@dataclass(frozen=True)
class Budget:
    """A privacy budget: epsilon, delta, and how charges add up. All of it is public.

    Parameters
    ----------
    epsilon : float
        From 1e-6 to 1e6.
    delta : float, default=0.0
        From 0 to 0.01.
    accounting : Accounting or str, default="pure"
        How charges add up: "pure", "zcdp" or "gaussian". The last two need a delta above 0.

    Raises
    ------
    ValueError
        If a number is out of its range or does not fit the accounting.

    Examples
    --------
    >>> from dpcore import Budget
    >>> Budget(1.0).share(0.25)
    Pure(epsilon=0.25)
    """

    epsilon: float
    delta: float = 0.0
    accounting: Accounting = Accounting.PURE

    def __post_init__(self) -> None:
        object.__setattr__(self, "accounting", Accounting(self.accounting))
        e, delta = self.epsilon, self.delta
        if not (isinstance(e, _NUMBER) and MIN_EPSILON <= e <= MAX_EPSILON):
            raise BadInput(
                f"epsilon must be a number from {MIN_EPSILON:g} to {MAX_EPSILON:g}, not {e!r}."
            )
        if not (isinstance(delta, _NUMBER) and 0 <= delta <= MAX_DELTA):
            raise BadInput(f"delta must be a number from 0 to {MAX_DELTA:g}, not {delta!r}.")
        if self.accounting is Accounting.ZCDP and delta == 0:
            raise BadInput("zCDP accounting needs a delta above 0; pure accounting does not.")
        if self.accounting is Accounting.GAUSSIAN and not delta >= MIN_DELTA:
            raise BadInput(f"Gaussian accounting needs a delta of at least {MIN_DELTA:g}.")
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

    def within(self, paid: Loss) -> Budget:
        """The same loss, limited to a price that was paid."""
        epsilon = min(self.epsilon, getattr(paid, "epsilon", self.epsilon))
        return replace(self, epsilon=epsilon, delta=min(self.delta, getattr(paid, "delta", 0.0)))
