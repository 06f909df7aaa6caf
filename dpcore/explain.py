"""Epsilon in words: levels with names, odds, and what is protected."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    """A named stop of the privacy slider."""

    name: str
    epsilon: float


#: From the one that leaks most to the one that leaks least.
LEVELS = (
    Level("Loosest", 4.0),
    Level("Loose", 1.0),
    Level("Balanced", 0.5),
    Level("Strong", 0.2),
    Level("Stronger", 0.1),
    Level("Very strong", 0.05),
    Level("Strictest", 0.02),
)


def attacker_certainty(epsilon: float, before: float = 0.5) -> float:
    """How sure an attacker can become at most that one unit is in the data.

    Who was sure with probability p can reach at most p e^epsilon / (p e^epsilon + 1 - p): from
    even odds e^epsilon / (1 + e^epsilon).
    """
    return 1 / (1 + math.exp(-epsilon) * (1 - before) / before)


def percent(share: float) -> str:
    """A share as people say it, never rounded up to certainty."""
    if share < 0.99:
        return f"{100 * share:.0f} %"
    return f"{math.floor(share * 1e4) / 100:.4g} %" if share < 1 else "100 %"


def odds(epsilon: float) -> str:
    """What an attacker gains, as "50 % → at most 73 %"."""
    return f"50 % → at most {percent(attacker_certainty(epsilon))}"


def level_of(epsilon: float) -> Level | None:
    """The named level at this epsilon, if there is one."""
    return next((level for level in LEVELS if math.isclose(level.epsilon, epsilon)), None)
