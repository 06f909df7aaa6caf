"""SMALL-BALL as Feldman et al. (2017) write it (sections 4.1 to 4.3): to study, not to run.

GOOD-RADIUS looks for a half-width r at which t rows fit into a box around a row. It measures a
half-width by L(r, P), the mean of the t largest numbers of rows in boxes of half-width r around
rows of P, each taken for t at most, and hands the quality

    Q(r, P) = min(t - L(r/2, P), L(r, P) - t + 4 Gamma) / 2

to RecConcave (Beimel et al. 2014), which finds a good r wherever some quality reaches Gamma. What
Gamma comes to is `promise`.

This is the form of Nissim et al. (2016). Algorithm 2 of Feldman et al. (2017) prints L(r - 1, P)
for L(r/2, P), and Delta for 4 Gamma, with Delta = 8^L (144 L / epsilon) log(12 L / (beta delta))
and L = log*(|X| sqrt(d)), so that its Gamma is about a quarter of what `promise` gives.

Everything here looks at rows without protection, on a square grid of cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dpcore.geometry.domain import IntArray
from dpcore.queries.boxes import box_counts, most_rows, summed_area

#: L(r, P) for a half-width r.
Fullness = Callable[[int], Fraction]


def by_brute_force(cells: IntArray, t: int) -> Fullness:
    """L(r, P) from the distances of all pairs of rows (section 4.2): n^2 for each half-width."""
    apart = np.abs(cells[:, None] - cells).max(axis=2)
    return lambda radius: mean_of_fullest((apart <= radius).sum(axis=1), t)


def by_summed_area_table(cells: IntArray, side: int, t: int) -> Fullness:
    """L(r, P) from one table (section 4.3): n + |X|^2 for each half-width."""
    table = summed_area(counted(cells, side))
    x, y = cells.T
    return lambda radius: mean_of_fullest(box_counts(table, radius)[x, y], t)


def mean_of_fullest(rows: IntArray, t: int) -> Fraction:
    """The mean of the t largest numbers, each taken for t at most."""
    return Fraction(int(np.minimum(np.sort(rows)[-t:], t).sum()), t)


def counted(cells: IntArray, side: int) -> IntArray:
    """Rows in each cell of the grid."""
    flat = np.bincount(cells @ np.array([side, 1]), minlength=side * side)
    return flat.reshape(side, side)


def good_radius(fullness: Fullness, side: int, t: int, gamma: float = 0) -> int:
    """The half-width of greatest quality, the least of them: GOOD-RADIUS without its privacy."""
    qualities = [quality(fullness, radius, t, gamma) for radius in range(side)]
    return qualities.index(max(qualities))


def quality(fullness: Fullness, radius: int, t: int, gamma: float) -> Fraction:
    """Q(r, P). L moves by up to 2 - 2/t, hence the half, which makes one row move Q by less than
    1."""
    room = t - fullness(radius // 2)
    return min(room, fullness(radius) - t + 4 * Fraction(gamma)) / 2


def fullest_box(cells: IntArray, side: int, t: int) -> Fullness:
    """M(r, P): the most rows in a box around any cell of the grid, t at most.

    The cells are public, so one row moves each number, and their maximum, by at most 1. The
    algorithms here choose by it in place of L (`dpcore.queries.boxes.GoodRadius`).
    """
    table = summed_area(counted(cells, side))
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
    """How often the logarithm to base 2 must be taken until nothing above 1 is left."""
    times = 0
    while x > 1:
        x, times = math.log2(x), times + 1
    return times


def promise(domain: float, epsilon: float, delta: float, beta: float) -> float:
    """Gamma: the quality that RecConcave must be promised, over so many candidates.

    8^L (36 L / (alpha epsilon)) ln(12 L / (beta delta)) for L = log* of the candidates, with
    alpha = 1/2, and half of epsilon and of the probability beta to fail.
    """
    steps = log_star(domain)
    return 8**steps * 144 * steps / epsilon * math.log(24 * steps / (beta * delta))


def promise_of_a_round(
    side: int, n: int, k: int, epsilon: float, delta: float, beta: float = 0.1
) -> float:
    """Gamma on a grid in the plane, where 8k ln(n) / 3 rounds share epsilon, delta and beta.

    A round can find no ball of fewer rows. For |X| = 1024, a million rows, k = 10, epsilon = 1 and
    delta = 1e-8 it asks for thirty thousand million: as many rows as thirty thousand such cities
    have.
    """
    rounds = 8 * k * math.log(n) / 3
    return promise(2 * side * math.sqrt(2), epsilon / rounds, delta / rounds, beta / rounds)
