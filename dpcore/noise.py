"""The noise seam: the only place where randomness meets private numbers.

Whole numbers come in, whole numbers go out, and both back ends draw from the same distributions:

* two-sided geometric (discrete Laplace) with scale b: P(z) proportional to exp(-|z|/b);
* discrete Gaussian with parameter s: P(z) proportional to exp(-z^2/(2 s^2));
* the exponential mechanism: P(i) proportional to prior_i * exp(score_i * slope).

`SimulatedNoise` is numpy with a seed: fast, repeatable, for exploring and measuring, never for
publishing. `ReleaseNoise` is OpenDP: exact samplers, no seed; it alone may reach a release.
"""

from __future__ import annotations

import math
from typing import ClassVar, Protocol

import numpy as np

from dpcore.domain import FloatArray, IntArray


class Noise(Protocol):
    """What the curator asks of a source of noise. Every value in and out is a whole number."""

    #: Simulated noise may be looked at, never released.
    simulated: ClassVar[bool]

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
        """The exponential mechanism: an index, with weight prior * exp(epsilon*score/(2*Delta)).

        Where one more row can only raise scores (or only lower them), `monotone`, the 2 falls
        away. The range of log-ratios is epsilon in both cases.
        """
        ...


class SimulatedNoise:
    """numpy noise with a seed, for exploring, teaching and measuring."""

    simulated: ClassVar[bool] = True

    def __init__(self, seed: int | np.random.SeedSequence | None = None):
        self._rng = np.random.default_rng(seed)

    def geometric(self, values: IntArray, sensitivity: int, epsilon: float) -> IntArray:
        """The floor of an exponential is geometric; the difference of two is two-sided."""
        values = np.asarray(values, dtype=np.int64)
        scale = sensitivity / epsilon
        noise = np.floor(self._rng.standard_exponential(values.shape) * scale)
        noise -= np.floor(self._rng.standard_exponential(values.shape) * scale)
        return values + noise.astype(np.int64)

    def gaussian(self, values: IntArray, sensitivity: float, rho: float) -> IntArray:
        raise NotImplementedError

    def choose(
        self,
        scores: IntArray,
        sensitivity: int,
        epsilon: float,
        monotone: bool = False,
        log_prior: FloatArray | None = None,
    ) -> int:
        """Inverse CDF in two levels, row sums first, so that a million candidates cost one pass.

        Logits are floored at -700, which moves less mass than one float rounding and keeps every
        candidate possible.
        """
        scores = np.asarray(scores)
        logits = (scores - scores.max()) * (epsilon / sensitivity / (1 if monotone else 2))
        if log_prior is not None:
            logits = logits + log_prior
            logits -= logits.max()
        weights = np.exp(np.maximum(logits, -700.0)).ravel()
        width = max(1, math.isqrt(weights.size))
        starts = np.arange(0, weights.size, width)
        sums = np.cumsum(np.add.reduceat(weights, starts))
        target = self._rng.random() * sums[-1]
        row = min(int(np.searchsorted(sums, target, side="right")), len(starts) - 1)
        target -= sums[row - 1] if row else 0.0
        inside = np.cumsum(weights[starts[row] : starts[row] + width])
        return int(starts[row]) + min(
            int(np.searchsorted(inside, target, side="right")), len(inside) - 1
        )
