"""The exact (epsilon, delta) of answers that use Gaussian noise alone.

Questions answered with continuous Gaussian noise, each fixed by the answers before, cost no more
together than one number shifted by mu standard deviations, where mu^2 is the sum of their squared
sensitivities over variances, that is 2 rho (Dong, Roth and Su 2022, corollary 3.3). For that one,
delta(epsilon) is known exactly (Balle and Wang 2018, theorem 8). Noise is 8 % less than by way of
zero-concentrated privacy at epsilon 1 and delta 1e-6.

Ours is discrete. Let it have parameter s on N values, of L2 sensitivity D: rho = D^2/(2s^2).
Rounded to whole numbers a continuous answer is no less private, and where the noise on one value
is z it differs from the discrete one by a factor of between exp(-z^2/(8s^4)) and exp(1/(8s^2)):
one over the mean of exp(-t^2/(2s^2)) cosh(zt/s^2) over t within 1/2 of 0, but for another factor
of 1 + 3exp(-2 pi^2 s^2). All N make at most exp(N/(8s^2)) one way. The other way the noise is the
neighbor's, longer by D at most; discrete noise is sub-Gaussian, so but for probability exp(-80)
its squared length is below s^2(1.4N + 320), and the factor is at most
exp((.35N + 80 + rho/2)/s^2). Together that is exp((N + 160 + rho) rho/D^2). With no more than
2^22 values and a sensitivity of at least 2^20 whole units it is below exp(1e-5 rho), for a rho of
up to a million; and these factors multiply over the questions as rho adds up. So the whole costs
1e-5 rho more in epsilon, and delta is divided by exp(1e-5 rho), and lowered by exp(-80) a
question.
"""

from __future__ import annotations

import math
from functools import lru_cache

import scipy
from scipy.special import log_ndtr

#: Values of one answer at most, and the least sensitivity, in whole units.
MAX_VALUES, MIN_SENSITIVITY = 1 << 22, 1 << 20
#: What whole numbers cost, as a part of rho.
GRAIN = 1e-5
#: The least delta that a million tails of exp(-80) leave as it is, but for a part of TAILS.
MIN_DELTA, TAILS = 1e-18, 1e-9
#: What a logarithm of a probability may be off by, as a part of it; and the part by which an
#: epsilon is rounded up.
EVALUATION, STEP = 2.0**-48, 1e-9


def delta_of_shift(epsilon: float, mu: float) -> float:
    """The delta of telling N(0, 1) from N(mu, 1): Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu)."""
    first = float(log_ndtr(mu / 2 - epsilon / mu))
    second = epsilon + float(log_ndtr(-mu / 2 - epsilon / mu))
    return -math.exp(first) * math.expm1(min(0.0, second - first))


def delta_at_most(epsilon: float, mu: float) -> float:
    """`delta_of_shift`, rounded up by the largest error of its evaluation."""
    first = float(log_ndtr(mu / 2 - epsilon / mu))
    size = 1 + abs(first) + 2 * epsilon + abs(float(log_ndtr(-mu / 2 - epsilon / mu)))
    return delta_of_shift(epsilon, mu) + EVALUATION * size * math.exp(first)


def implies(rho: float, epsilon: float, delta: float) -> bool:
    """Whether discrete Gaussian answers whose rhos add up to this are surely (epsilon, delta)."""
    if not (rho > 0 and epsilon > GRAIN * rho):
        return rho == 0
    return delta_at_most(epsilon - GRAIN * rho, math.sqrt(2 * rho)) <= _room(rho, delta)


def _room(rho: float, delta: float) -> float:
    """The part of delta that discrete noise leaves."""
    return delta * math.exp(-GRAIN * rho) * (1 - TAILS)


@lru_cache(maxsize=4096)
def epsilon_of_gaussian(rho: float, delta: float) -> float:
    """The epsilon at delta of discrete Gaussian answers whose rhos add up to this, rounded up."""
    if not delta >= MIN_DELTA:
        raise ValueError(f"Gaussian noise alone is counted for a delta from {MIN_DELTA:g}.")
    if rho == 0:
        return 0.0
    mu = math.sqrt(2 * rho)
    room = _room(rho, delta)
    highest = rho + 2 * math.sqrt(rho * -math.log(room))
    if delta_at_most(0.0, mu) <= room:
        return GRAIN * rho
    epsilon, step = 0.0, EVALUATION
    if delta_of_shift(0.0, mu) > room:
        epsilon = float(
            scipy.optimize.brentq(
                lambda e: delta_of_shift(e, mu) - room, 0.0, highest, xtol=1e-15, rtol=1e-12
            )
        )
    bound = epsilon * (1 + STEP)
    while delta_at_most(bound, mu) > room:
        bound += step
        step *= 2
    return bound + GRAIN * rho


@lru_cache(maxsize=4096)
def rho_of_gaussian(epsilon: float, delta: float) -> float:
    """The largest rho of Gaussian answers that (epsilon, delta) buys, rounded down."""
    low, high = math.log(1e-24), math.log(2 * epsilon + 1)
    root = scipy.optimize.brentq(
        lambda log_rho: epsilon_of_gaussian(math.exp(log_rho), delta) - epsilon,
        low,
        high,
        xtol=1e-13,
    )
    rho = math.exp(root)
    while epsilon_of_gaussian(rho, delta) > epsilon:
        rho *= 1 - 1e-10
    return rho
