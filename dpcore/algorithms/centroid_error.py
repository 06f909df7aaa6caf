"""The error of a centroid by noise: the analysis of Su et al. (2016, section 6).

Errors are mean squared errors (MSE) of one centroid, the sum over its d coordinates, in a box from
-1 to 1, where the paper's r is 1. The analysis takes k clusters of n/k rows each. Every function
reads public numbers only, and follows the paper's equations with real numbers where runs round.
"""

from __future__ import annotations

import math

#: The paper's rho: mean distance of a centroid's coordinates from the middle of the box, as a part
#: of its side. The value is that of the journal version.
RHO = 0.225
#: Half of the box's side, which the paper calls r.
R = 1.0


def lloyd_round(n: float, k: int, d: int, epsilon: float, rho: float = RHO) -> float:
    """Equation (7) for one round that spends epsilon: 2d (1 + (2 rho r)^2) (k (dr+1) / n eps)^2.

    DPLloyd spends epsilon/t in each of t rounds, and its error is that of its last round.
    """
    return 2 * d * (1 + (2 * rho * R) ** 2) * (k * (d * R + 1) / (n * epsilon)) ** 2


def grid_cells(n: float, epsilon: float, d: int, theta: float) -> float:
    """Equation (4): M = (n epsilon / theta)^(2d / (2+d)) cells, which balances noise and coarseness
    for counts of rectangles. There is at least one."""
    return float(max(1.0, (n * epsilon / theta) ** (2 * d / (2 + d))))


def grid_variance(n: float, k: int, d: int, epsilon: float, cells: float) -> float:
    """Equation (9): 2d M r^2 k^((d-2)/d) / (3 n^2 eps^2), the part of the error that noise makes.

    The paper takes a cluster for a cube of 1/k of the box.
    """
    return float(2 * d * cells * R**2 * k ** ((d - 2) / d) / (3 * (n * epsilon) ** 2))


def grid_bias_bound(d: int, cells: float) -> float:
    """Equation (10): d r^2 / M^(2/d), the most that moving rows to the middle of cells can make."""
    return float(d * R**2 / cells ** (2 / d))


def aggregate_noise(k: int, d: int, epsilon: float, blocks: float, width: float = 2 * R) -> float:
    """Equation (3): Laplace noise of scale 2 (max - min) k d / (blocks eps) on each coordinate.

    A Laplace variable of scale b has the variance 2 b^2. The range that answers are clamped to lies
    in the box, so its width, taken here, bounds the noise from above. The paper has no formula for
    the other error of GkM, that of clustering samples (its figure 3 measures it).
    """
    return d * 2 * (2 * width * k * d / (blocks * epsilon)) ** 2


def smallest_epsilon_for_a_round(n: float, k: int, d: int, theta: float, rho: float = RHO) -> float:
    """Condition (15): from here on Hybrid's round of Lloyd errs no more than all of EUGkM's noise.

    (X/Y)^((2+d)/(2d)). X / eps^2 is equation (13), the error of one round with half of epsilon.
    Y / eps^(4/(2+d)) is equation (12), the variance (9) of the grid that equation (4) sizes for
    the whole of epsilon.
    """
    x = lloyd_round(n, k, d, 0.5, rho)
    y = 2 * d * R**2 * k ** ((d - 2) / d) / 3 / (theta ** (2 * d) * n**4) ** (1 / (2 + d))
    return math.exp(math.log(x / y) * (2 + d) / (2 * d))
