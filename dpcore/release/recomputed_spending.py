"""A transcript added up again, from what a certificate says of it and from nothing else."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpcore.privacy.accounting import ROUNDING, Accounting, Approx, Pure, epsilon_of_rho
from dpcore.privacy.gaussian import MIN_SENSITIVITY, epsilon_of_gaussian

#: Charges that pay for no noise of their own: what they buy is inside them.
ACCOUNTS = ("set aside", "side by side")
#: What conversions between rho and epsilon may differ by, as a part of the amount.
SAME = 1e-6
GEOMETRIC, GAUSSIAN, CHOICE = "two-sided geometric", "discrete Gaussian", "exponential mechanism"


def overspent(account: Mapping[str, Any], where: str = "") -> str | None:
    """What is wrong with a transcript or one inside it, or None.

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
    epsilon = math.fsum(charge["epsilon"] for charge in charges)
    delta = math.fsum(charge["delta"] for charge in charges)
    if accounting.in_rho:
        rho = math.fsum(charge["rho"] for charge in charges)
        worth = epsilon_of_gaussian if accounting is Accounting.GAUSSIAN else epsilon_of_rho
        spent = worth(rho, account["delta"]) if rho else 0.0
        if not math.isclose(spent, epsilon, rel_tol=SAME):
            return f"{where}charges of rho {rho:.6g} are epsilon {spent:.6g}, not {epsilon:.6g}."
    if not (within(epsilon, account["epsilon"]) and within(delta, account["delta"])):
        return (
            f"{where}charges add up to epsilon {epsilon:.9g}, delta {delta:.3g}, over the "
            f"{account['epsilon']:.9g}, {account['delta']:.3g} allowed."
        )
    return None


def within(spent: float, allowed: float) -> bool:
    """Whether no more was spent than allowed, up to the rounding of sums."""
    return spent <= allowed * (1 + ROUNDING)


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
    if charge["mechanism"] == GEOMETRIC:
        paid = math.sqrt(2 * cost) if accounting.in_rho else cost
    elif charge["mechanism"] == GAUSSIAN:
        if not (accounting.in_rho or charge["delta"]):
            return f"{here}: Gaussian noise costs a delta where none is charged."
        paid = math.sqrt(2 * (cost if accounting.in_rho else _rho(charge)))
    else:
        return f"{here} is of a kind that no release has."
    moved, scale = charge["sensitivity"], charge["scale"]
    if not (moved > 0 and scale >= moved / paid * (1 - SAME)):
        return f"{here}: noise of scale {scale:.6g} is too small for what it costs."
    return None


def _wrong_inside(charge: Mapping[str, Any], accounting: Accounting, here: str) -> str | None:
    if not charge["inner"]:
        return f"{here} shows no account for what it paid."
    for account in charge["inner"]:
        if accounting.in_rho:
            convertible = account["accounting"] == Accounting.ZCDP or not account["delta"]
            covered = convertible and _rho(account) <= charge["rho"] * (1 + SAME)
        else:
            covered = all(within(account[name], charge[name]) for name in ("epsilon", "delta"))
        if not covered:
            return f"{here}: an account inside has a larger budget than the charge."
        if problem := overspent(account, f"{here}, "):
            return problem
    return None


def _rho(spent: Mapping[str, Any]) -> float:
    """The largest rho that (epsilon, delta) can stand for."""
    epsilon, delta = spent["epsilon"], spent["delta"]
    return (Approx(epsilon, delta) if delta else Pure(epsilon)).rho
