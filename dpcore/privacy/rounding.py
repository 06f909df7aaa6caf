"""Numbers rounded one way only: upper bounds up, lower bounds down, as floats and as text.

A bound shown to people is true as it stands: a number after "at most" is never more than the
figure, and one after "at least" never less. In text, a float means the shortest decimal that
reads as it: 0.1 is a tenth. A `Fraction` means itself.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

Number = int | float | Fraction
#: Significant digits of an amount in text.
DIGITS = 6
#: Between these shares whole percents say enough; nearer to one half or to all they do not.
WHOLE_FROM, WHOLE_TO, ALL_BUT_SURE = 0.515, 0.9, 0.99


def up(exact: Fraction) -> float:
    """The least float that is no less."""
    return _up(exact.numerator, exact.denominator)


def up_quotient(dividend: float, divisor: float) -> float:
    """The least float that is no less than the exact quotient of two positive numbers."""
    (a, b), (c, d) = dividend.as_integer_ratio(), divisor.as_integer_ratio()
    return _up(a * d, b * c)


def _up(numerator: int, denominator: int) -> float:
    near = numerator / denominator
    a, b = near.as_integer_ratio()
    return near if a * denominator >= numerator * b else math.nextafter(near, math.inf)


def down(exact: Fraction) -> float:
    """The greatest float that is no more."""
    return 0.0 - _up(-exact.numerator, exact.denominator)  # 0 without a sign


def root_up(square: Fraction | int) -> float:
    """The least float whose square is no less."""
    square = Fraction(square)
    root = math.sqrt(square)
    while Fraction(root) ** 2 < square:
        root = math.nextafter(root, math.inf)
    return root


def root_down(square: Fraction) -> float:
    """The greatest float whose square is no more."""
    root = root_up(square)
    return root if Fraction(root) ** 2 == square else math.nextafter(root, 0.0)


def at_most(bound: Number, digits: int = DIGITS) -> str:
    """An upper bound, or an amount that was spent, as text: rounded up."""
    return _text(bound, digits, ROUND_CEILING)


def at_least(bound: Number, digits: int = DIGITS) -> str:
    """A lower bound, or an amount that is left, as text: rounded down."""
    return _text(bound, digits, ROUND_FLOOR)


def in_full(exact: Fraction) -> str:
    """A number that people wrote, or a sum of such numbers, without any rounding."""
    text = f"{float(exact):g}"
    if Fraction(text) == exact:
        return text
    context = Context(prec=1000)
    digits = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return f"{digits.normalize(context):f}"


def percent_at_most(share: float) -> str:
    """An upper bound on a share of at least one half, in percent: 74 % for 0.731."""
    decimals = 0 if WHOLE_FROM <= share < WHOLE_TO else 1 if share < ALL_BUT_SURE else 2
    return f"{float(decimals_at_most(100 * Fraction(repr(share)), decimals)):g} %"


def decimals_at_most(bound: Number, decimals: int) -> str:
    """An upper bound as text, rounded up to a number of decimals."""
    units = math.ceil(_meant(bound) * 10**decimals)
    return f"{Decimal(units).scaleb(-decimals):.{decimals}f}"


def _text(bound: Number, digits: int, rounding: str) -> str:
    if isinstance(bound, float) and not math.isfinite(bound):
        return f"{bound:g}"
    exact = _meant(bound)
    context = Context(prec=digits, rounding=rounding)
    rounded = context.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return f"{float(rounded):.{digits}g}"


def _meant(number: Number) -> Fraction:
    return Fraction(repr(float(number))) if isinstance(number, float) else Fraction(number)
