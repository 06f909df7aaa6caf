"""Sources of noise: the only place where randomness meets private numbers.

Whole numbers come in, whole numbers go out, and both back ends draw from the same distributions:

* two-sided geometric (discrete Laplace) with scale b: P(z) proportional to exp(-|z|/b);
* discrete Gaussian with parameter s: P(z) proportional to exp(-z^2/(2 s^2));
* the exponential mechanism with scale b: P(i) proportional to prior_i * exp(score_i / b).

`SimulatedNoise` is numpy with a seed: fast, repeatable, for exploring and measuring, never for
publishing. `dpcore.privacy.release_noise.ReleaseNoise` draws exactly, by OpenDP: no seed; it alone
may reach a release.

Answers saturate at the ends of int64, in both. Saturating afterwards is post-processing.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dpcore.errors import Infeasible
from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.randomness.coins import seed_for

INT64 = np.iinfo(np.int64)
#: The largest float below the end of int64.
_LARGEST_NOISE = math.nextafter(2.0**63, 0)
#: Scores saturate here, so that the distance between any two of them is still an int64.
_LARGEST_SCORE = 2**61
#: Numbers computed at a time.
_BLOCK = 1 << 15
#: From so many numbers on, a table of quantiles pays for being made.
_MANY = 1 << 17
#: No candidate's log weight counts as further than this below the greatest: e^-700 is not denormal.
LOG_FLOOR = 700.0
#: Scales of a selection within these bounds keep every intermediate number an int64.
MIN_SCALE, MAX_SCALE = 2.0**-20, 2.0**50


class Noise(Protocol):
    """A source of noise, as the curator uses it. Every private value in and out is a whole number.

    Arrays have any shape, and answers have the same. Everything but `values` and `scores` is
    public, the prior included.
    """

    def geometric(self, values: IntArray, sensitivity: int, epsilon: float) -> IntArray:
        """values + two-sided geometric noise, epsilon-DP for an L1 sensitivity."""
        ...

    def gaussian(self, values: IntArray, sensitivity: float, rho: float) -> IntArray:
        """values + discrete Gaussian noise, rho-zCDP for an L2 sensitivity."""
        ...

    def choose(
        self,
        scores: IntArray,
        sensitivity: int,
        epsilon: float,
        monotone: bool = False,
        log_prior: FloatArray | None = None,
    ) -> int:
        """The exponential mechanism: a flat index, by weight prior * exp(epsilon*score/(2*Delta)).

        Where one more row can only raise scores (or only lower them), `monotone`, the 2 falls
        away. The range of log-ratios is epsilon in both cases. A log prior of -inf rules a
        candidate out; every other one keeps a positive probability: one whose log weight is more
        than LOG_FLOOR below the greatest is drawn as if it were at that floor. Among a million
        candidates this moves less than e^-686 of the mass. Nor does it cost privacy: log weights
        move by no more than score/scale does, hence so does their greatest, hence so does
        max(log weight, greatest - c), and all of them in the same direction when scores do.
        """
        ...


class SimulatedNoise:
    """numpy noise with a seed, for exploring, teaching and measuring.

    The distributions are those of the release up to float rounding: about 1e-13 in total variation.
    """

    def __init__(self, seed: int | np.random.SeedSequence | None = None):
        sequence = (
            seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(seed)
        )
        self._seed = sequence
        self._rng = np.random.default_rng(self._seed)
        self._parts: Counter[str] = Counter()

    def for_part(self, name: str) -> SimulatedNoise:
        """Noise of its own for a named part of a run: it depends on the seed and the name alone,
        and is another each time that it is asked for."""
        self._parts[name] += 1
        return SimulatedNoise(seed_for(self._seed, f"{self._parts[name]} {name}"))

    def geometric(self, values: IntArray, sensitivity: int, epsilon: float) -> IntArray:
        values = whole_numbers(values)
        scale = positive(operator.index(sensitivity)) / positive(epsilon)
        if values.size < _MANY:
            return _add(values, self._two_sided_geometric(values.size, scale))
        quantiles = _Quantiles(scale)
        exact, noisy = values.reshape(-1), np.empty(values.size, dtype=np.int64)
        for block in _blocks(values.size):
            noisy[block] = _add(exact[block], quantiles.draw(self._rng, exact[block].size))
        return noisy.reshape(values.shape)

    def gaussian(self, values: IntArray, sensitivity: float, rho: float) -> IntArray:
        values = whole_numbers(values)
        sigma = positive(sensitivity) / math.sqrt(2 * positive(rho))
        return _add(values, self._discrete_gaussian(values.size, sigma))

    def choose(
        self,
        scores: IntArray,
        sensitivity: int,
        epsilon: float,
        monotone: bool = False,
        log_prior: FloatArray | None = None,
    ) -> int:
        """Inverse CDF in two levels, sums of runs first, so that small weights are not absorbed."""
        scale = selection_scale(sensitivity, epsilon, monotone)
        weights = selection_weights(scores, scale, log_prior)
        run = max(1, math.isqrt(weights.size))
        starts = np.arange(0, weights.size, run)
        start = starts[self._index(np.add.reduceat(weights, starts))]
        return int(start) + self._index(weights[start : start + run])

    def _index(self, weights: FloatArray) -> int:
        """An index by weight. The target is above 0, so a weight of 0 is never hit."""
        cumulative = np.cumsum(weights)
        target = (1 - self._rng.random()) * cumulative[-1]
        return int(np.searchsorted(cumulative, target))

    def _two_sided_geometric(self, count: int, scale: float) -> FloatArray:
        """The floor of an exponential is geometric; the difference of two is two-sided."""
        noise = np.floor(self._rng.standard_exponential(count) * scale)
        noise -= np.floor(self._rng.standard_exponential(count) * scale)
        return noise

    def _discrete_gaussian(self, count: int, sigma: float) -> FloatArray:
        """Rejection from two-sided geometric draws (Canonne, Kamath and Steinke 2020, algorithm 3).

        z is kept with probability exp(-(|z| - sigma^2/t)^2 / (2 sigma^2)), which times
        exp(-|z|/t) is the Gaussian weight up to a constant. Two in three are kept, or nearly half
        when sigma is far below 1.
        """
        t = math.floor(sigma) + 1
        draws = [np.empty(0)]
        missing = count
        while missing:
            z = self._two_sided_geometric(missing + missing // 2 + 16, t)
            misfit = ((np.abs(z) - sigma * (sigma / t)) / sigma) ** 2 / 2
            z = z[self._rng.standard_exponential(z.size) >= misfit][:missing]
            draws.append(z)
            missing -= z.size
        return np.concatenate(draws)


def noise_for(noise: Noise, name: str) -> Noise:
    """The noise of a named part of a run. Simulated noise has a stream for each, so that one part
    can be run again without the others; noise without a seed has no need of any."""
    stream: Callable[[str], Noise] | None = getattr(noise, "for_part", None)
    return noise if stream is None else stream(name)


class _Quantiles:
    """Two-sided geometric noise by inverse distribution function: fast for very many numbers.

    For s uniform in (0, 1] and t = b ln(2 / (1 + e^(-1/b))), which lies between 0 and 1, the floor
    of t - b ln s is m or more with probability e^((t - m)/b) = 2 e^(-m/b) / (1 + e^(-1/b)), for
    m = 1, 2, ...: the magnitude of the noise, whose sign is a coin. 16 bits, the coin and the first
    15 of s, decide almost all numbers; only the others need a logarithm.
    """

    def __init__(self, scale: float):
        self._scale = scale
        self._shift = -scale * math.log1p(math.expm1(-1 / scale) / 2)
        ends = self._magnitudes(np.arange((1 << 15) + 1) / (1 << 15))
        decided = np.where(ends[1:] == ends[:-1], ends[1:], np.nan)
        self._table = np.concatenate([decided, -decided])

    def _magnitudes(self, s: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):  # at 0, the end of the last step, it is infinite
            return np.floor(self._shift - self._scale * np.log(s))

    def draw(self, rng: np.random.Generator, count: int) -> FloatArray:
        bits = rng.integers(0, 1 << 16, count, dtype=np.uint16)
        noise = self._table[bits]
        undecided = np.flatnonzero(np.isnan(noise))
        coin, first = np.divmod(bits[undecided], 1 << 15)
        magnitudes = self._magnitudes((first + 1 - rng.random(first.size)) / (1 << 15))
        noise[undecided] = np.where(coin, -magnitudes, magnitudes)
        return noise


def whole_numbers(values: npt.ArrayLike) -> IntArray:
    """The values as int64, or a TypeError: floats leak through their low bits."""
    array = np.asarray(values)
    if array.dtype == np.int64:
        return array
    if not (np.issubdtype(array.dtype, np.integer) and np.can_cast(array.dtype, np.int64)):
        raise TypeError(f"Noise is for whole numbers (int64), not for {array.dtype}.")
    return array.astype(np.int64, copy=False)


def positive(amount: float) -> float:
    """A sensitivity or a privacy loss, which must be positive and finite."""
    if not 0 < amount < math.inf:
        raise ValueError(f"Sensitivities and losses are positive and finite, not {amount!r}.")
    return amount


def selection_scale(sensitivity: int, epsilon: float, monotone: bool) -> float:
    """The b in exp(score / b): a row may move one score up and another down, unless monotone."""
    moves = operator.index(sensitivity) * (1 if monotone else 2)
    scale = positive(moves) / positive(epsilon)
    if not MIN_SCALE <= scale <= MAX_SCALE:
        raise Infeasible(
            f"A selection by scores of sensitivity {sensitivity} cannot be made at epsilon "
            f"{epsilon:g}: the scale would be {scale:.3g}, not {MIN_SCALE:.3g} to {MAX_SCALE:.3g}."
        )
    return scale


def saturated(scores: npt.ArrayLike) -> IntArray:
    """The scores, whole numbers of any kind, none so far from 0 that differences overflow."""
    scores = np.asarray(scores)
    if not scores.size:
        raise ValueError("There is nothing to choose from.")
    if scores.dtype.kind != "i":
        scores = whole_numbers(scores)
    if max(int(scores.max()), -int(scores.min())) <= _LARGEST_SCORE:
        return scores
    return np.clip(scores, -_LARGEST_SCORE, _LARGEST_SCORE)


def below_best(scores: npt.ArrayLike) -> IntArray:
    """The distance of each score below the best one."""
    scores = saturated(scores)
    return np.subtract(scores.max(), scores, dtype=np.int64)


def public_prior(log_prior: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    """A log prior for each candidate, its greatest at 0, floored except where it is -inf."""
    prior = np.broadcast_to(np.asarray(log_prior, dtype=np.float64), shape)
    best = prior.max(initial=-math.inf)
    if not math.isfinite(best):
        raise ValueError("A log prior must be below +inf everywhere and finite somewhere.")
    floored = np.maximum(prior - best, -LOG_FLOOR)
    if prior.min() == -math.inf:
        floored[prior == -math.inf] = -math.inf
    return floored


def selection_weights(
    scores: npt.ArrayLike, scale: float, log_prior: npt.ArrayLike | None = None
) -> FloatArray:
    """The weights by which the exponential mechanism draws, flat; the greatest is 1."""
    scores = saturated(scores)
    best = scores.max()
    prior = None if log_prior is None else public_prior(log_prior, scores.shape).reshape(-1)
    scores = scores.reshape(-1)
    weights = np.empty(scores.size)
    blocks = _blocks(scores.size)
    for block in blocks:
        depth = np.subtract(best, scores[block], dtype=np.int64)
        np.multiply(depth, -1 / scale, out=weights[block])
        if prior is not None:
            weights[block] += prior[block]
    greatest = 0.0 if prior is None else weights.max()
    for block in blocks:
        logits = weights[block]
        logits -= greatest
        np.maximum(logits, -LOG_FLOOR, out=logits)
        np.exp(logits, out=logits)
    if prior is not None and prior.min() == -math.inf:
        weights[prior == -math.inf] = 0.0
    return weights


def _blocks(size: int) -> list[slice]:
    """Some thousand numbers at a time, which stay in the cache: two or three times as fast."""
    return [slice(start, start + _BLOCK) for start in range(0, size, _BLOCK)]


def _add(values: IntArray, noise: FloatArray) -> IntArray:
    """values + noise, saturating where the sum would leave int64, which is seldom anywhere near."""
    noise = noise.reshape(values.shape)
    reach = max(int(values.max(initial=0)), -int(values.min(initial=0)))
    if max(reach, np.abs(noise).max(initial=0)) < 2**52:
        return np.asarray(values + noise.astype(np.int64))
    whole = np.clip(noise, -_LARGEST_NOISE, _LARGEST_NOISE).astype(np.int64)
    total = np.asarray(values + whole)
    overflow = ((values ^ total) & (whole ^ total)) < 0
    return np.where(overflow, np.where(whole > 0, INT64.max, INT64.min), total)
