"""SMALL-BALL as Feldman et al. (2017) print it (sections 4.1 to 4.3), to study and to time.

Its constants ask for more rows than anybody has, so no answer is ever drawn with it.

GOOD-RADIUS (Algorithm 2) looks for a half-width r at which t rows fit into a box around a row. It
measures a half-width by L(r, P), the mean of the t largest numbers of rows in boxes of half-width r
around rows of P, each counted up to t, and gives the quality

    Q(r, P) = min(t - L(r - 1, P), L(r, P) - t + Delta) / 2,
    Delta = 8^L (144 L / epsilon) log(12 L / (beta delta)),  L = log*(|X| sqrt(d)),

to RecConcave, which picks a good r out of 0, 1, ..., ceil(|X| sqrt(d)) wherever some quality
reaches Delta/4 (the quality promise), up to a factor 1/2 (the approximation parameter).

Nissim, Stemmer and Vadhan (2016), whom the paper cites for it, write it with other numbers:

* the first side looks at half of the radius, t - L(r/2, P), and not at the radius before;
* the second side adds 4 Gamma, and Gamma is the promise. In the paper Delta takes the place of
  4 Gamma and Delta/4 that of Gamma, so the promise is a quarter of what the same constant 144
  gives there;
* the logarithm is taken of 24 L, for they halve beta between two steps, and L is log* of twice the
  candidates, 2 |X| sqrt(d).

The paper's form asks for about a quarter of their rows, which is still far too many.

Distances are those of section 4.3, the larger difference of two coordinates. Everything here looks
at rows without protection, on a square grid of cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np

from dpcore.geometry.domain import IntArray
from dpcore.queries.boxes import most_rows, summed_area

#: L(r, P) for a half-width r.
Fullness = Callable[[int], Fraction]


def by_brute_force(cells: IntArray, t: int) -> Fullness:
    """L(r, P) from the distances of all pairs of rows (section 4.2): n^2 for each half-width."""
    apart = np.abs(cells[:, None] - cells).max(axis=2)
    return lambda radius: mean_of_fullest((apart <= radius).sum(axis=1), t)


def by_summed_area_table(cells: IntArray, side: int, t: int) -> Fullness:
    """L(r, P) from one table (section 4.3): |X|^2 once, then n for each half-width."""
    table = summed_area(rows_by_cell(cells, side))

    def fullness(radius: int) -> Fraction:
        (left, low), (right, high) = (
            np.maximum(cells - radius, 0).T,
            np.minimum(cells + radius + 1, side).T,
        )
        outer, inner = table[right, high] + table[left, low], table[left, high] + table[right, low]
        return mean_of_fullest(outer - inner, t)

    return fullness


def mean_of_fullest(rows: IntArray, t: int) -> Fraction:
    """The mean of the t largest numbers, each taken for t at most."""
    largest = np.partition(rows, len(rows) - t)[-t:]
    return Fraction(int(np.minimum(largest, t).sum()), t)


def rows_by_cell(cells: IntArray, side: int) -> IntArray:
    """Rows in each cell of the grid."""
    flat = np.bincount(cells @ np.array([side, 1]), minlength=side * side)
    return flat.reshape(side, side)


def good_radius(fullness: Fullness, side: int, t: int, delta_term: float = 0) -> int:
    """The half-width of greatest quality, the least of them: GOOD-RADIUS without its privacy."""
    cached_fullness = cache(fullness)
    qualities = [
        quality(cached_fullness, radius, t, delta_term) for radius in range(candidates(side))
    ]
    return qualities.index(max(qualities))


def candidates(side: int, d: int = 2) -> int:
    """The number of half-widths that GOOD-RADIUS chooses from: 0 to ceil(|X| sqrt(d))."""
    return math.ceil(side * math.sqrt(d)) + 1


def quality(fullness: Fullness, radius: int, t: int, delta_term: float) -> Fraction:
    """Q(r, P), with L(-1, P) = 0. L moves by up to 2 - 2/t when a row is replaced, hence the half,
    which makes one row move Q by less than 1."""
    before = fullness(radius - 1) if radius else Fraction(0)
    return min(t - before, fullness(radius) - t + Fraction(delta_term)) / 2


def fullest_box(cells: IntArray, side: int, t: int) -> Fullness:
    """M(r, P): the most rows in a box around any cell of the grid, t at most.

    The cells are public, so one row moves each number, and their maximum, by at most 1. The
    algorithms here choose by it in place of L (`dpcore.queries.boxes.GoodRadius`).
    """
    table = summed_area(rows_by_cell(cells, side))
    return lambda radius: Fraction(min(most_rows(table, radius), t))


def hardest_neighbors(t: int) -> tuple[IntArray, IntArray]:
    """Two data sets, one row replaced, between which L(0) differs by 2 - 2/t.

    All t rows in one cell make t boxes of t rows. With one of them moved away, t - 1 boxes hold
    t - 1 rows, and one holds 1.
    """
    together = np.zeros((t, 2), dtype=np.int64)
    parted = together.copy()
    parted[-1] = 1
    return together, parted


def log_star(x: float) -> int:
    """The number of times that the logarithm to base 2 must be taken until nothing above 1 is
    left."""
    times = 0
    while x > 1:
        x, times = math.log2(x), times + 1
    return times


def added_term(side: int, d: int, epsilon: float, delta: float, beta: float) -> float:
    """Delta of Algorithm 2: what the second side of the quality has on top."""
    steps = log_star(side * math.sqrt(d))
    return 8**steps * 144 * steps / epsilon * math.log(12 * steps / (beta * delta))


def promise(side: int, d: int, epsilon: float, delta: float, beta: float) -> float:
    """The quality that RecConcave must be promised, Delta/4: no ball of fewer rows is found."""
    return added_term(side, d, epsilon, delta, beta) / 4


def promise_of_a_round(
    side: int, n: int, k: int, epsilon: float, delta: float, beta: float = 0.1
) -> float:
    """The promise on a grid in the plane, where 8k ln(n) / 3 rounds share epsilon, delta and beta.

    For |X| = 1024, a million rows, k = 10, epsilon = 1 and delta = 1e-8 it is about eight thousand
    million rows.
    """
    rounds = 8 * k * math.log(n) / 3
    return promise(side, 2, epsilon / rounds, delta / rounds, beta / rounds)
