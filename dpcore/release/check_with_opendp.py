"""Checks the charges of a release with OpenDP, and without dpcore.

usage: python check_with_opendp.py [certificate.json]    (needs: pip install opendp)

The certificate lists every question of the release with its mechanism, sensitivity, scale and
charge. This program rebuilds each mechanism with OpenDP, asks OpenDP's privacy map what it costs at
that sensitivity, and compares the answer with the charge. Then it adds the charges up and compares
the sums with the budgets. It ends with exit code 0 if everything holds, and 1 if anything fails.

It trusts two things that a privacy map cannot know: the sensitivity of each question, which follows
from the algorithm's proof, and that the release drew its noise with these mechanisms. The first can
be compared with the algorithm by `dpcore verify`.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import opendp.prelude as dp

#: The number of next floats that are tried for a scale, which is rounded on its way to OpenDP.
ROUNDING_STEPS = 16
#: What two programs may make of the same formula, as a part of the result.
SAME = 1e-9
#: Sensitivities are whole numbers of units, or fractions with a small denominator.
MOST_PARTS = 1000

#: More than any account has.
NO_PRICE = Fraction(10) ** 30

Charge = dict[str, Any]
#: Whether something holds, and what was compared, in words.
Line = tuple[bool, str]


def main(words: list[str]) -> int:
    path = Path(words[0]) if words else Path(__file__).with_name("certificate.json")
    dp.enable_features("contrib")
    failed = 0
    for holds, text in checks(json.loads(path.read_text(encoding="utf-8"))):
        print("holds" if holds else "FAILS", text)
        failed += not holds
    print(f"{failed} checks fail." if failed else "All charges hold.")
    return 1 if failed else 0


def checks(certificate: dict[str, Any]) -> Iterator[Line]:
    """Every check of a certificate."""
    yield from account_checks(certificate["transcript"], "")
    of_row, rows = certificate["budget of one row"], certificate["unit"]["rows"]
    for name in ("epsilon", "delta"):
        allowed, spent = of_row[name], certificate["transcript"][name]
        yield spent <= allowed, f"the transcript has {name} {spent:g} of {allowed:g} for one row"
    epsilon, delta = group(of_row["epsilon"], of_row["delta"], rows)
    yield (
        epsilon <= Fraction(certificate["epsilon"]) and delta <= certificate["delta"] * (1 + SAME),
        f"rows of one person: {rows}, which cost epsilon {float(epsilon):g}, delta {delta:g}; the "
        f"release is epsilon {certificate['epsilon']:g}, delta {certificate['delta']:g}",
    )


def group(epsilon: float, delta: float, rows: int) -> tuple[Fraction, float]:
    """The cost to a group of rows: epsilons add up, and each delta is multiplied by e^epsilon for
    every row after it (Dwork and Roth 2014, theorem 2.2)."""
    if not delta:
        return Fraction(epsilon) * rows, 0.0
    return Fraction(epsilon) * rows, delta * math.expm1(rows * epsilon) / math.expm1(epsilon)


def account_checks(account: dict[str, Any], where: str) -> Iterator[Line]:
    """The checks of a list of charges with a budget of its own."""
    in_rho = account["accounting"] != "pure"
    for number, charge in enumerate(account["charges"], start=1):
        here = f"{where}{number}."
        if charge["inner"]:
            yield from inner_checks(charge, in_rho, here)
        else:
            yield charge_check(charge, in_rho, here)
    title = where.rstrip(".") or "all"
    epsilon, delta = account["epsilon"], account["delta"]
    if in_rho:
        rho = total(account, "rho")
        spent, by = converted(rho, account)
        yield (
            spent <= epsilon * (1 + SAME),
            f"{title}: rho adds up to {float(rho):g}, which is epsilon {spent:g} at delta "
            f"{delta:g} {by}; the budget is {epsilon:g}",
        )
    else:
        sums = total(account, "epsilon"), total(account, "delta")
        yield (
            sums[0] <= Fraction(epsilon) and sums[1] <= Fraction(delta),
            f"{title}: charges add up to epsilon {float(sums[0]):g}, delta {float(sums[1]):g}; "
            f"the budget is {epsilon:g}, {delta:g}",
        )


def inner_checks(charge: Charge, in_rho: bool, here: str) -> Iterator[Line]:
    """The checks of a charge that pays for accounts: one, or several on disjoint parts of the data,
    of which the dearest counts."""
    for place, inner in enumerate(charge["inner"], start=1):
        yield from account_checks(inner, f"{here}{place}.")
        if in_rho:
            # An epsilon is worth a rho only without a delta.
            pure = Fraction(inner["epsilon"]) ** 2 / 2 if not inner["delta"] else NO_PRICE
            spent = total(inner, "rho") if inner["accounting"] == "zcdp" else pure
            paid = {"rho": (spent, charge["rho"])}
        else:
            paid = {name: (Fraction(inner[name]), charge[name]) for name in ("epsilon", "delta")}
        for name, (spent, allowed) in paid.items():
            yield (
                spent <= Fraction(allowed) * (1 + Fraction(SAME) * in_rho),
                f"{here} {charge['why']}: an account of {name} {float(spent):g} for {allowed:g}",
            )


def charge_check(charge: Charge, in_rho: bool, here: str) -> Line:
    """The check of one question: the mechanism rebuilt, and its privacy map."""
    kind, moved = charge["mechanism"], charge["sensitivity"]
    picks = charge["answers"] if kind == "exponential mechanism" else 1
    measure = "rho" if in_rho else "epsilon"
    allowed: float = charge[measure]
    scale: float = charge["scale"] or 0.0
    try:
        if kind == "two-sided geometric":
            loss, scale = least(laplace(moved, in_rho), scale, allowed)
        elif kind == "discrete Gaussian":
            loss, scale = least(gaussian(moved, charge["delta"], in_rho), scale, allowed)
        elif kind == "exponential mechanism":
            # The certificate states no scale: it is the one that the price allows. OpenDP prices
            # the mechanism in rho; its range r is worth r^2/8, and it is r-private.
            range_ = math.sqrt(8 * allowed / picks) if in_rho else allowed / picks
            price = allowed / picks if in_rho else range_**2 / 8
            loss, scale = least(choice(moved), 2 * moved / range_, price)
            loss = picks * (loss if in_rho else min(range_, math.sqrt(8 * loss)))
        else:
            return False, f"{here} {charge['why']}: OpenDP has no mechanism called {kind!r}"
    except dp.OpenDPException as problem:
        return False, f"{here} {charge['why']}: OpenDP refuses it: {problem}"
    return (
        loss <= allowed,
        f"{here} {charge['why']}: {kind}, scale {scale:g}, at sensitivity {moved:g} is {measure} "
        f"{loss:g} by OpenDP; charged {allowed:g}",
    )


def least(cost: Callable[[float], float], scale: float, allowed: float) -> tuple[float, float]:
    """The cost at the first of the next floats from a scale upwards that keeps within a price."""
    first = cost(scale)
    for _ in range(ROUNDING_STEPS):
        if (loss := cost(scale)) <= allowed:
            return loss, scale
        scale = math.nextafter(scale, math.inf)
    return first, scale


def integers() -> Any:
    return dp.vector_domain(dp.atom_domain(T="i64"))


def laplace(moved: float, in_rho: bool) -> Callable[[float], float]:
    """The cost of two-sided geometric noise by its scale, in epsilon or in rho.

    A tree whose cuts are decided for one price has a fraction as its sensitivity: noise and
    sensitivity are then multiplied by its denominator, which leaves their ratio as it is.
    """
    whole = Fraction(moved).limit_denominator(MOST_PARTS)

    def cost(scale: float) -> float:
        noise: Any = dp.m.make_laplace(
            integers(), dp.l1_distance(T="i64"), scale=scale * whole.denominator
        )
        measurement: Any = dp.c.make_pureDP_to_zCDP(noise) if in_rho else noise
        return float(measurement.map(whole.numerator))

    return cost


def gaussian(moved: float, delta: float, in_rho: bool) -> Callable[[float], float]:
    """The cost of discrete Gaussian noise by its scale, in rho or, at a delta, in epsilon."""

    def cost(scale: float) -> float:
        noise: Any = dp.m.make_gaussian(integers(), dp.l2_distance(T="f64"), scale=scale)
        if in_rho:
            return float(noise.map(float(moved)))
        converted: Any = dp.c.make_zCDP_to_approxDP(noise)
        return float(converted.map(float(moved)).epsilon(delta))

    return cost


def choice(moved: float) -> Callable[[float], float]:
    """The cost of the exponential mechanism by its scale, in rho."""

    def cost(scale: float) -> float:
        measurement: Any = dp.m.make_noisy_max(
            integers(), dp.linf_distance(T="i64"), dp.zero_concentrated_divergence(), scale=scale
        )
        return float(measurement.map(int(moved)))

    return cost


def converted(rho: Fraction, account: dict[str, Any]) -> tuple[float, str]:
    """The epsilon of a sum of rho at the account's delta, and the rule that gives it."""
    epsilon, delta = account["epsilon"], account["delta"]
    if account["accounting"] == "gaussian":
        # All noise is Gaussian, so delta is known exactly (Balle and Wang 2018, theorem 8).
        within = exact_delta(epsilon, math.sqrt(2 * rho)) <= delta * (1 + SAME)
        return (epsilon if within else math.inf), "exactly"
    noise = dp.m.make_gaussian(
        integers(), dp.l2_distance(T="f64"), scale=math.sqrt(1 / (2 * float(rho)))
    )
    measurement: Any = dp.c.make_zCDP_to_approxDP(noise)
    return float(measurement.map(1.0).epsilon(delta)), "by OpenDP"


def exact_delta(epsilon: float, mu: float) -> float:
    """The delta of a Gaussian answer that one row moves by mu standard deviations."""
    return normal(mu / 2 - epsilon / mu) - math.exp(epsilon) * normal(-mu / 2 - epsilon / mu)


def normal(x: float) -> float:
    """The standard normal distribution function."""
    return math.erfc(-x / math.sqrt(2)) / 2


def total(account: dict[str, Any], name: str) -> Fraction:
    """The exact sum of a column of charges; a float is an exact fraction."""
    return sum((Fraction(charge[name]) for charge in account["charges"]), Fraction(0))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
