"""The exponential mechanism drawn exactly, about as fast from a sharp law as from a flat one.

Candidate i, whose score lies d_i below the best, is drawn with probability proportional to
w_i = exp(-x_i), x_i = d_i / scale. Drawing candidates uniformly and keeping i with probability w_i,
as OpenDP does, takes as many draws as there are candidates where one of them outweighs the rest.
Here candidates are drawn by powers of two that are no less than their weights.

**Law.** Let t_i be whole numbers with 2^-t_i >= w_i, and W the sum of 2^-t_i. A round proposes i
with probability 2^-t_i / W and keeps it with probability w_i 2^t_i, which is at most 1. So it ends
with i with probability w_i / W, and the first that is kept is i with probability w_i / sum_j w_j.

**Exactness.** With T the largest t_i, all 2^(T - t_i) are whole numbers, and a uniform whole number
below their sum proposes. To keep i, a uniform real number, of which more and more decimals are
drawn, must lie below w_i 2^t_i, which is enclosed between two numbers by decimal arithmetic, whose
division and exponential are correctly rounded. Decimals and precision grow until the enclosure
decides. So no rounding has a part in the answer, and nothing but whole numbers is drawn.

**Cost.** t_i is the floor of SLOPE x_i in floats, whose three roundings cannot lift it above
x_i / ln 2, as SLOPE is less than 1 / ln 2 by one part in 15,000. Where no x_i exceeds 701,
w_i 2^t_i is at least exp(-701 (1 - SLOPE ln 2)) / 2 > 0.47: fewer than 2.2 rounds are expected. How
many there are depends on the scores, as the time of OpenDP's samplers does.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from dpcore.geometry.domain import IntArray

#: Less than 1 / ln 2 = 1.44269...
SLOPE = 1.4426
#: Decimals drawn at a time. More are needed once in 10^18 times, or so.
DECIMALS = 18

#: A sampler of uniform whole numbers from 0 up to, but not including, its argument.
Below = Callable[[int], int]


def choose_exactly(depths: IntArray, scale: float, below: Below = secrets.randbelow) -> int:
    """An index i with probability proportional to exp(-depths[i] / scale)."""
    halvings = whole_halvings(depths, scale)
    while True:
        i = proposed(halvings, below)
        if is_kept(int(depths[i]), scale, int(halvings[i]), below):
            return i


def whole_halvings(depths: IntArray, scale: float) -> IntArray:
    """Whole numbers t with 2^-t >= exp(-depth / scale)."""
    return np.floor(depths * (SLOPE / scale)).astype(np.int64)


def proposed(halvings: IntArray, below: Below) -> int:
    """An index i with probability proportional to 2^-halvings[i]."""
    counts = np.bincount(halvings)
    last = len(counts) - 1
    levels = np.flatnonzero(counts).tolist()
    position = below(sum(int(counts[t]) << (last - t) for t in levels))
    for t in levels:
        mass = int(counts[t]) << (last - t)
        if position < mass:
            return int(np.flatnonzero(halvings == t)[position >> (last - t)])
        position -= mass
    raise AssertionError("A number below the sum lies in one of its terms.")


def is_kept(depth: int, scale: float, halvings: int, below: Below) -> bool:
    """True with probability exp(-depth / scale) 2^halvings."""
    if depth == 0:
        return True
    uniform, unit = 0, 1
    digits = DECIMALS
    while True:
        uniform = uniform * 10**DECIMALS + below(10**DECIMALS)
        unit *= 10**DECIMALS
        low, high = enclosure(depth, scale, halvings, 2 * digits)
        if Fraction(uniform + 1, unit) <= low:
            return True
        if Fraction(uniform, unit) >= high:
            return False
        digits += DECIMALS


def enclosure(depth: int, scale: float, halvings: int, digits: int) -> tuple[Fraction, Fraction]:
    """Two numbers between which exp(-depth / scale) 2^halvings lies, to so many digits.

    `Context.exp` rounds correctly to the nearest, so its neighbors on both sides enclose the truth.
    Operators of Decimal, signs among them, would round to 28 digits.
    """
    downwards, upwards = (Context(digits, rounding) for rounding in (ROUND_FLOOR, ROUND_CEILING))
    exact, divisor = Decimal(depth), Decimal(scale)
    most, least = upwards.divide(exact, divisor), downwards.divide(exact, divisor)
    low = downwards.next_minus(downwards.exp(most.copy_negate()))
    high = upwards.next_plus(upwards.exp(least.copy_negate()))
    return Fraction(low) * 2**halvings, Fraction(high) * 2**halvings
