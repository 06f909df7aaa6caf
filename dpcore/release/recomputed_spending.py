"""A transcript added up again, from what a certificate says of it and from nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpcore.privacy.accounting import Accounting
from dpcore.privacy.concentrated import epsilon_of_rho
from dpcore.privacy.gaussian import MIN_SENSITIVITY, epsilon_of_gaussian, implies
from dpcore.privacy.losses import Pure
from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.rounding import at_least, at_most, up

#: Charges that pay for no noise of their own: what they buy is inside them.
ACCOUNTS = (Mechanism.SET_ASIDE, Mechanism.SIDE_BY_SIDE)
#: What the charges' own epsilons, which only tell how rho grew, may differ by as a part of it.
SAME = 1e-6
GEOMETRIC, GAUSSIAN, CHOICE = Mechanism.GEOMETRIC, Mechanism.GAUSSIAN, Mechanism.EXPONENTIAL


def overspent(account: Mapping[str, Any], where: str = "") -> str | None:
    """The fault in a transcript or in one inside it, or None.

    Every charge costs more than nothing; together they stay within the budget under its own
    accounting; noise has the scale, sensitivity over epsilon, that the charge pays for; and an
    account inside a charge has no larger budget than the charge.
    """
    accounting = Accounting(account["accounting"])
    charges = account["charges"]
    for number, charge in enumerate(charges, start=1):
        here = f"{where}charge {number} ({charge['why']})"
        if problem := _wrong(charge, accounting, here):
            return problem
    epsilon, delta = (
        sum((Fraction(charge[name]) for charge in charges), Fraction(0))
        for name in ("epsilon", "delta")
    )
    if accounting.in_rho:
        rho = _rho_of(charges)
        worth = epsilon_of_gaussian if accounting is Accounting.GAUSSIAN else epsilon_of_rho
        spent = worth(rho, account["delta"]) if rho else 0.0
        if not math.isclose(spent, epsilon, rel_tol=SAME):
            return (
                f"{where}charges of rho {at_most(rho)} are epsilon {at_most(spent)}, not "
                f"{at_least(epsilon)}."
            )
        # What each of them was worth was rounded by itself; all together must be no more.
        paid = accounting is Accounting.GAUSSIAN and implies(
            rho, account["epsilon"], account["delta"]
        )
        epsilon = Fraction(account["epsilon"] if paid else spent)
    if not (within(epsilon, account["epsilon"]) and within(delta, account["delta"])):
        return (
            f"{where}charges add up to epsilon {at_most(epsilon, 17)}, delta {at_most(delta, 3)}, "
            f"over the {account['epsilon']}, {account['delta']} allowed."
        )
    return None


def within(spent: float | Fraction, allowed: float) -> bool:
    """Whether no more was spent than allowed, to the last bit."""
    return Fraction(spent) <= Fraction(allowed)


def _wrong(charge: Mapping[str, Any], accounting: Accounting, here: str) -> str | None:
    cost = charge["rho"] if accounting.in_rho else charge["epsilon"]
    if not (0 < cost < math.inf and charge["epsilon"] >= 0 and charge["delta"] >= 0):
        return f"{here} does not cost a positive, finite amount."
    if accounting is Accounting.GAUSSIAN and (
        charge["mechanism"] != GAUSSIAN or not charge["sensitivity"] >= MIN_SENSITIVITY
    ):
        return f"{here} is not Gaussian noise on fine units, as its accounting asks."
    if charge["mechanism"] in ACCOUNTS:
        return _wrong_inside(charge, accounting, here)
    if charge["inner"]:
        return f"{here} holds an account that it cannot pay for."
    if charge["mechanism"] == CHOICE:
        return None
    if charge["mechanism"] not in (GEOMETRIC, GAUSSIAN):
        return f"{here} is of a kind that no release has."
    if charge["mechanism"] == GAUSSIAN and not (accounting.in_rho or charge["delta"]):
        return f"{here}: Gaussian noise costs a delta where none is charged."
    moved, scale = charge["sensitivity"], charge["scale"]
    if not (0 < moved < math.inf and 0 < scale < math.inf and _pays(charge, accounting)):
        return f"{here}: noise of scale {scale:.6g} is too small for what it costs."
    return None


def _pays(charge: Mapping[str, Any], accounting: Accounting) -> bool:
    """Whether noise of the charge's scale costs no more than the charge, exactly."""
    moved = Fraction(charge["sensitivity"]) / Fraction(charge["scale"])
    if accounting.in_rho:
        return moved**2 / 2 <= Fraction(charge["rho"])
    if charge["mechanism"] == GEOMETRIC:
        return moved <= Fraction(charge["epsilon"])
    return epsilon_of_rho(up(moved**2 / 2), charge["delta"]) <= charge["epsilon"]


def _wrong_inside(charge: Mapping[str, Any], accounting: Accounting, here: str) -> str | None:
    if not charge["inner"]:
        return f"{here} shows no account for what it paid."
    for account in charge["inner"]:
        if accounting.in_rho:
            convertible = account["accounting"] == Accounting.ZCDP or not account["delta"]
            covered = convertible and _rho(account) <= charge["rho"]
        else:
            covered = all(within(account[name], charge[name]) for name in ("epsilon", "delta"))
        if not covered:
            return f"{here}: an account inside has a larger budget than the charge."
        if problem := overspent(account, f"{here}, "):
            return problem
    return None


def _rho(account: Mapping[str, Any]) -> float:
    """The largest cost of an inner account in rho: the rho that it used, or that of its epsilon."""
    if account["accounting"] == Accounting.ZCDP:
        return _rho_of(account["charges"])
    return Pure(account["epsilon"]).rho


def _rho_of(charges: Sequence[Mapping[str, Any]]) -> float:
    return up(sum((Fraction(charge["rho"]) for charge in charges), Fraction(0)))
