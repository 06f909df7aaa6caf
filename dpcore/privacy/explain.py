"""Epsilon in words: named levels, what an attacker can gain, and numbers as people say them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.rounding import at_most, decimals_at_most, percent_at_most


@dataclass(frozen=True)
class Level:
    """A named stop of the privacy slider."""

    name: str
    epsilon: float


#: From the one that leaks most to the one that leaks least.
LEVELS = (
    Level("Loosest", 4.0),
    Level("Looser", 1.0),
    Level("Loose", 0.5),
    Level("Balanced", 0.2),
    Level("Strict", 0.1),
    Level("Stricter", 0.05),
    Level("Strictest", 0.02),
)
#: Where the slider stands at first.
MIDDLE = LEVELS[len(LEVELS) // 2]

#: From these certainties on, words should worry.
ALMOST_SURE, BETTER_THAN_A_GUESS = 0.9, 0.7

#: A number and its unit stay on one line.
NO_BREAK = "\u00a0"

#: What OpenDP says of the parts of it that are used.
UNVETTED = "OpenDP lists the parts that draw it as contributed: tested, but not vetted yet."

#: Somebody may own several rows; what is protected is each row, not its owner.
OWNERS = {"trip": "passenger"}
#: Plurals that do not end in s.
IRREGULAR = {"person": "people", "child": "children", "man": "men", "woman": "women"}


def level_of(epsilon: float) -> Level | None:
    """The named level at this epsilon, if there is one."""
    return next((level for level in LEVELS if math.isclose(level.epsilon, epsilon)), None)


def nearest_level(epsilon: float) -> Level:
    """The named level whose epsilon is the fewest times larger or smaller."""
    return min(LEVELS, key=lambda level: abs(math.log(level.epsilon / epsilon)))


def attacker_certainty(epsilon: float, before: float = 0.5) -> float:
    """The greatest certainty that an attacker can reach that one unit is in the data.

    Who was sure with probability p can reach at most p e^epsilon / (p e^epsilon + 1 - p): from
    even odds e^epsilon / (1 + e^epsilon).
    """
    return 1 / (1 + math.exp(-epsilon) * (1 - before) / before)


def percent(share: float) -> str:
    """A share as people say it, never rounded to certainty or to nothing."""
    if share < 0.99:
        return "< 1 %" if 0 < share <= 0.005 else f"{100 * share:.0f} %"
    return f"{math.floor(share * 1e4) / 100:.4g} %" if share < 1 else "100 %"


def certainty(epsilon: float) -> str:
    """The greatest certainty that an attacker can reach from even odds, rounded up."""
    return percent_at_most(attacker_certainty(epsilon))


def odds(epsilon: float) -> str:
    """An attacker's gain in certainty, as "50 % → at most 74 %"."""
    return f"50 % → at most {certainty(epsilon)}"


def attack(epsilon: float, unit: str, neighbors: Neighbors = Neighbors.ADD_REMOVE) -> str:
    """A sentence on the most that an attacker can learn about one unit."""
    if math.isinf(epsilon):
        return f"Nothing limits how sure an attacker can become about one {unit}."
    about = (
        f"that one {unit} is in the data"
        if neighbors is Neighbors.ADD_REMOVE
        else f"which of two {plural(unit)} is in the data"
    )
    return f"Someone who is 50 % sure {about} can become at most {certainty(epsilon)} sure."


def scope(unit: str) -> str:
    """The protected unit in words: "one trip, not one passenger"."""
    owner = OWNERS.get(unit)
    return f"one {unit}, not one {owner}" if owner else f"one {unit}"


def slip(delta: float) -> str | None:
    """The meaning of a delta above 0, or None where there is none."""
    if not delta:
        return None
    chance = at_most(delta)
    return f"With a chance of up to {chance} this limit does not hold (δ = {chance})."


def caution(epsilon: float) -> str | None:
    """A warning where little is protected; nothing where an attacker stays near a guess."""
    reached = attacker_certainty(epsilon)
    if reached >= ALMOST_SURE:
        return "This protects little: an attacker can become all but certain."
    if reached >= BETTER_THAN_A_GUESS:
        return "An attacker can do much better than guess. Stricter levels leak less."
    return None


def price(rows: int, unit: str) -> str:
    """The reason why the price of privacy depends on the number of rows."""
    return (
        f"Noise is sized to hide one {unit}, however many there are: "
        f"among {people_count(rows)} it all but vanishes."
    )


def plural(unit: str) -> str:
    """Several of what a word names: trips, people, cities, boxes."""
    first, gap, last = unit.rpartition(" ")
    if last in IRREGULAR:
        return first + gap + IRREGULAR[last]
    if last.endswith("y") and last[-2:-1] not in tuple("aeiou"):
        return f"{unit[:-1]}ies"
    return unit + ("es" if last.endswith(("s", "x", "ch", "sh")) else "s")


def people_count(number: float) -> str:
    """A whole number in words: 50,000, or 11.8 million."""
    if abs(number) >= 1e6:
        return f"{number / 1e6:.1f} million"
    return f"{number:,.0f}"


def _on_a_map(length: float) -> tuple[float, int, str]:
    """A length in meters or kilometers, with its number of decimals and its unit."""
    return (length, 0, "m") if length < 995 else (length / 1000, int(length < 9_950), "km")


def counted(numbers: Iterable[float], unit: str) -> list[str]:
    """Numbers of a unit in words, one text a number: "50,000 trips"."""
    many = plural(unit)
    return [f"{people_count(number)} {many}" for number in numbers]


def distance(length: float, in_meters: bool) -> str:
    """A length on a map in meters; elsewhere, given in unit coordinates, as part of the box."""
    if not in_meters:
        return f"{100 * length / 2:.2g}{NO_BREAK}% of the box"
    value, digits, unit = _on_a_map(length)
    return f"{value:.{digits}f}{NO_BREAK}{unit}"


def distance_at_most(length: float, in_meters: bool) -> str:
    """An upper bound on a length, rounded up, in the words of `distance`."""
    if not in_meters:
        return f"{at_most(100 * length / 2, 2)}{NO_BREAK}% of the box"
    value, digits, unit = _on_a_map(length)
    return f"{decimals_at_most(value, digits)}{NO_BREAK}{unit}"


def change(relative: float) -> str:
    """A relative change with two digits: 0.13 %, 5.4 %, 120 %; smaller ones as "<0.01 %"."""
    size = abs(100 * relative)
    if size < 0.005:
        return f"0{NO_BREAK}%" if relative == 0 else f"<{NO_BREAK}0.01{NO_BREAK}%"
    return f"{'−' if relative < 0 else ''}{size:.{_decimals(size)}f}{NO_BREAK}%"


def less_than(relative: float) -> str:
    """An upper bound on a relative change, rounded up: "less than 5 %"."""
    size = max(100 * relative, 0.01)
    digits = _decimals(size)
    return f"less than {decimals_at_most(size, digits)}{NO_BREAK}%"


def _decimals(percent: float) -> int:
    return 0 if percent >= 9.95 else 1 if percent >= 0.995 else 2


def protected(unit: str, neighbors: Neighbors, ids: str | None = None, rows: int = 1) -> str:
    """The units that a release protects, in a sentence or two."""
    if ids is not None:
        rows_are = f"one row of each {unit} is" if rows == 1 else f"{rows} rows of each {unit} are"
        return (
            f"This protects one {unit}, identified by {ids!r}: at most {rows_are} kept, chosen at "
            "random, and rows without an entry are left out."
        )
    if neighbors is Neighbors.REPLACE_ONE:
        return (
            f"This protects {scope(unit)}: which place in the box it has. "
            f"The number of {plural(unit)} in the box is published."
        )
    return f"This protects {scope(unit)}, including whether it is in the data at all."


def rows_of(kind: str) -> str:
    """A sentence on what one row of a file is; empty for other sources."""
    if kind != "files":
        return ""
    return (
        "In a CSV file, one record is one row, even if it contains line breaks in quotes. A file "
        "with a broken quote is refused."
    )


def bill(price: str, allowed: str) -> str:
    """The part of the budget that a release uses, in a sentence or two."""
    return (
        f"It uses {price} of a lifetime budget of {allowed}. A charge cannot be undone, whatever "
        "becomes of the files."
    )
