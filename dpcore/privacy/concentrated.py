"""Conversion between rho-zCDP and (epsilon, delta), in both directions."""

from __future__ import annotations

import math
from functools import lru_cache

import scipy

#: What evaluating the bound may be off by, as a part of the size of its terms: each is a few
#: operations on doubles, rounded to 2^-53.
EVALUATION = 2.0**-48


@lru_cache(maxsize=4096)
def epsilon_of_rho(rho: float, delta: float) -> float:
    """The epsilon that rho-zCDP implies at delta (Canonne, Kamath and Steinke 2020, corollary 13).

    delta(alpha) = exp((alpha-1)(alpha rho - epsilon)) / (alpha-1) * (1 - 1/alpha)^alpha, solved
    for epsilon and minimised over alpha > 1. Every alpha gives a true bound, so a minimiser that
    stops early is only a little less tight. With t = alpha - 1, epsilon at alpha is
    rho + rho t + ln(1/delta)/t - ln(1+t)/t - ln(1+1/t); the sum is rounded up.
    """
    if not rho >= 0:
        raise ValueError(f"rho is at least 0, not {rho!r}.")
    if rho == 0:
        return 0.0
    if math.isinf(rho) or not 0 < delta < 1:
        return math.inf
    t = _best_order(rho, delta)[0] - 1
    terms = rho, rho * t, -math.log(delta) / t, -math.log1p(t) / t, -math.log1p(1 / t)
    return max(0.0, math.fsum(terms) + EVALUATION * sum(map(abs, terms)))


@lru_cache(maxsize=4096)
def _best_order(rho: float, delta: float) -> tuple[float, float]:
    """The order alpha that shows the least epsilon, and that epsilon, not rounded up."""

    def epsilon(log_alpha_minus_1: float) -> float:
        a = 1 + math.exp(log_alpha_minus_1)
        log_terms = -math.log(delta) - math.log(a - 1) + a * math.log1p(-1 / a)
        return a * rho + log_terms / (a - 1)

    best = scipy.optimize.minimize_scalar(
        epsilon, bounds=(-12.0, 25.0), method="bounded", options={"xatol": 1e-9}
    )
    return 1 + math.exp(best.x), float(best.fun)


@lru_cache(maxsize=4096)
def rho_of_epsilon(epsilon: float, delta: float) -> float:
    """The largest rho whose zCDP implies (epsilon, delta), rounded down."""
    if not 0 < delta < 1:
        raise ValueError(f"A delta between 0 and 1 is needed to count in rho, not {delta!r}.")
    low, high = math.log(1e-24), math.log(10 * epsilon + 1)

    def excess(log_rho: float) -> float:
        return max(0.0, _best_order(math.exp(log_rho), delta)[1]) - epsilon

    rho = math.exp(scipy.optimize.brentq(excess, low, high, xtol=1e-13))
    while max(0.0, _best_order(rho, delta)[1]) > epsilon:
        rho *= 1 - 1e-12
    # With room to spare, so that whoever computes it again, elsewhere too, finds no more.
    while epsilon_of_rho(rho, delta) * (1 + 4 * EVALUATION) > epsilon:
        rho *= 1 - EVALUATION
    return rho
