"""Choices by the exponential mechanism: their law, computed from what the sampler does."""

from __future__ import annotations

import math
import random
from collections import Counter
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from dpcore.privacy.exact_choice import (
    DECIMALS,
    choose_exactly,
    enclosure,
    is_kept,
    proposed,
    whole_halvings,
)

CASES = [
    ([0, 3, 3, 7, 20, 0], 5.0),
    ([0, 1, 2], 0.3),
    ([0, 0, 0], 1.7),
    ([0, 14, 15, 16], 10.0),
]


def exponential(depth: int, scale: float) -> Fraction:
    """exp(-depth / scale) to eighty digits, by its series."""
    x = Fraction(depth) / Fraction(scale)
    halved = x / 2**12
    term = total = Fraction(1)
    for i in range(1, 40):
        term *= -halved / i
        total += term
    context = Context(90)
    power = context.divide(Decimal(total.numerator), Decimal(total.denominator))
    return Fraction(context.power(power, 2**12))


class Scripted:
    """Says the numbers given, and notes below what they were to lie."""

    def __init__(self, *numbers: int):
        self.numbers, self.asked = list(numbers), []

    def __call__(self, end: int) -> int:
        self.asked.append(end)
        return self.numbers.pop(0)


@pytest.mark.parametrize(("depths", "scale"), CASES)
def test_the_law_of_a_round_is_the_exponential_mechanism(depths, scale):
    """Of all numbers that can be drawn, count what they propose; times what is kept of it."""
    halvings = whole_halvings(np.array(depths), scale)
    end = 2 ** int(halvings.max())
    total = sum(end >> int(t) for t in halvings)
    proposals = Counter(proposed(halvings, Scripted(number)) for number in range(total))
    assert proposals == {i: end >> int(t) for i, t in enumerate(halvings)}
    for i, depth in enumerate(depths):
        low, high = enclosure(depth, scale, int(halvings[i]), 40)
        # A round ends with i with probability w_i / W, whatever i is.
        wanted = exponential(depth, scale) * 2 ** int(halvings[i])
        assert low < wanted < high
        assert wanted <= 1 + Fraction(1, 10**70)
        assert high - low < Fraction(1, 10**38)


def test_a_proposal_never_has_less_mass_than_its_weight():
    depths = np.arange(0, 7001)
    for scale in (0.37, 1.0, 9.99, 1234.5):
        some = depths[depths / scale < 701]
        halvings = whole_halvings(some, scale)
        assert (halvings * math.log(2) <= some / scale).all()
        assert (some / scale - halvings * math.log(2)).max() < -math.log(0.47)


def test_what_is_kept_is_told_by_as_many_decimals_as_it_takes():
    """A uniform number that begins as the probability does is drawn further."""
    low, _ = enclosure(3, 5.0, 0, 80)
    first, unit = int(low * 10**DECIMALS), 10**DECIMALS
    assert is_kept(3, 5.0, 0, Scripted(first - 1))
    assert not is_kept(3, 5.0, 0, Scripted(first + 1))
    following = int(low * unit * unit) % unit
    for number, kept in ((following - 1, True), (following + 1, False)):
        below = Scripted(first, number)
        assert is_kept(3, 5.0, 0, below) is kept
        assert below.asked == [unit, unit]


def test_the_best_is_kept_without_a_draw():
    assert is_kept(0, 3.0, 0, Scripted())


def test_a_sharp_choice_takes_few_draws_among_many_candidates():
    generator = random.Random(5)
    draws: Counter[str] = Counter()

    def counted(end: int) -> int:
        draws["all"] += 1
        return generator.randrange(end)

    depths = np.full(100_000, 6_000)
    depths[77] = 0
    found = {choose_exactly(depths, 200.0, counted) for _ in range(50)}
    assert found == {77}
    assert draws["all"] <= 200


def test_choices_follow_their_weights():
    generator = random.Random(6)
    depths, scale = np.array([0, 3, 9, 0, 40]), 4.0
    found = np.bincount(
        [choose_exactly(depths, scale, generator.randrange) for _ in range(4000)], minlength=5
    )
    weights = np.exp(-depths / scale)
    expected = 4000 * weights / weights.sum()
    assert ((found - expected) ** 2 / expected).sum() < 20
