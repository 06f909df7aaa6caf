"""Noise for releases: exact samplers, which have no seed; OpenDP's for all noise on numbers.

OpenDP keeps the claim that a measurement makes in its privacy map. Here the map is asked before
every draw, and a draw whose map says more than what was charged never happens. The samplers are
exact, not constant in time: how long a release took is not for publishing.

Only ReleaseNoise imports OpenDP, and only once it is constructed.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.privacy.exact_choice import choose_exactly
from dpcore.privacy.noise import (
    LOG_FLOOR,
    below_best,
    positive,
    public_prior,
    selection_scale,
    whole_numbers,
)

if TYPE_CHECKING:
    from opendp.mod import Measurement

#: Values drawn between two reports of progress: about a fifth of a second.
CHUNK = 1 << 15
#: A scale is rounded once or twice on its way; more steps than this cannot mend a map.
MAX_ROUNDING_STEPS = 16
#: A scale is at least 2^32 fixed-point units of a log prior, so that it is right to 1e-10.
PRIOR_UNITS_BITS = 33


class PrivacyMapError(RuntimeError):
    """OpenDP's privacy map says that a draw costs more than was charged, so it was not made."""


class ReleaseNoise:
    """OpenDP noise, for publishing: 180,000 geometric or 100,000 Gaussian values a second.

    A choice is made by `choose_exactly`, from the law whose privacy map OpenDP states: OpenDP's own
    sampler takes seconds where one of a million candidates outweighs all others together.

    `progress`, when given, is called with the values drawn so far and those asked for.
    """

    def __init__(self, progress: Callable[[int, int], None] | None = None):
        import opendp.prelude as dp

        dp.enable_features("contrib")
        self._dp = dp
        self._integers = dp.vector_domain(dp.atom_domain(T="i64"))
        self._progress = progress
        #: Whether any noise was asked for.
        self.has_answered = False

    def geometric(self, values: IntArray, sensitivity: int, epsilon: float) -> IntArray:
        self.has_answered = True
        values = whole_numbers(values)
        sensitivity = operator.index(sensitivity)
        space = self._integers, self._dp.l1_distance(T="i64")
        measurement, _ = calibrated(
            lambda b: self._dp.m.make_laplace(*space, scale=b),
            positive(sensitivity) / positive(epsilon),
            sensitivity,
            epsilon,
        )
        return self._draw(measurement, values)

    def gaussian(self, values: IntArray, sensitivity: float, rho: float) -> IntArray:
        self.has_answered = True
        values = whole_numbers(values)
        space = self._integers, self._dp.l2_distance(T="f64")
        measurement, _ = calibrated(
            lambda s: self._dp.m.make_gaussian(*space, scale=s),
            positive(sensitivity) / math.sqrt(2 * positive(rho)),
            float(sensitivity),
            rho,
        )
        return self._draw(measurement, values)

    def choose(
        self,
        scores: IntArray,
        sensitivity: int,
        epsilon: float,
        monotone: bool = False,
        log_prior: FloatArray | None = None,
    ) -> int:
        """The exponential mechanism, on whole numbers from end to end.

        The prior is public, so it may be anything; it enters as a whole number. With u units to a
        score and b the scale, candidate i's score becomes u score_i + round(u b log_prior_i). What
        is added is the same for neighboring data sets, so their distance is u * sensitivity and
        stays monotone where it was; the scale is u b, so exp(score_i / b) is unchanged, and the
        rounding moves a weight by less than a factor 1 + 2e-10, the same for everybody.

        Scores are handed over as distances from the best one, so that they fit int64. The draw
        depends on differences of scores only, so its distribution is that of the scores themselves.

        Under the zCDP measure OpenDP's `make_noisy_max` is the exponential mechanism. (Under max
        divergence it is permute-and-flip: epsilon-DP too, but another distribution, whose range of
        log-ratios is not bounded by epsilon.) Its map says (range / scale)^2 / 8, so epsilon^2/8
        there bounds the range, and with it the pure loss, by epsilon. `choose_exactly` draws from
        the same law, at the scale that the map was asked about.
        """
        self.has_answered = True
        scores = whole_numbers(scores)
        scale = selection_scale(sensitivity, epsilon, monotone)
        prior = public_prior(0.0 if log_prior is None else log_prior, scores.shape).ravel()
        bits = 0 if log_prior is None else PRIOR_UNITS_BITS - math.frexp(scale)[1]
        units = 2 ** max(0, bits)
        possible = np.flatnonzero(prior > -math.inf)

        depth = below_best(scores.ravel()[possible])
        # No log prior is below the floor, so nothing deeper than two floors stays above one.
        depth = np.minimum(depth, math.ceil(2 * LOG_FLOOR * scale))
        fixed = np.rint(prior[possible] * (scale * units)).astype(np.int64) - depth * units
        fixed = np.maximum(fixed, fixed.max() - math.ceil(LOG_FLOOR * scale * units))

        space = self._integers, self._dp.linf_distance(T="i64", monotonic=monotone)
        _, scale = calibrated(
            lambda b: self._dp.m.make_noisy_max(
                *space, self._dp.zero_concentrated_divergence(), scale=b
            ),
            scale * units,
            operator.index(sensitivity) * units,
            math.nextafter(epsilon * epsilon / 8, 0),
        )
        return int(possible[choose_exactly(fixed.max() - fixed, scale)])

    def _draw(self, measurement: Measurement, values: IntArray) -> IntArray:
        """The measurement on a long vector, piece by piece.

        It adds independent noise to each value, so pieces are the same as the whole; the
        sensitivity that was checked is that of the whole.
        """
        noisy = values.flatten()  # a copy: OpenDP takes no read-only arrays
        for start in range(0, noisy.size, CHUNK):
            end = min(start + CHUNK, noisy.size)
            noisy[start:end] = measurement(noisy[start:end])
            if self._progress is not None:
                self._progress(end, noisy.size)
        return noisy.reshape(values.shape)


def calibrated(
    make: Callable[[float], Measurement], scale: float, sensitivity: float, charged: float
) -> tuple[Measurement, float]:
    """The measurement of the least scale, from `scale` upwards, that keeps within the charge, and
    that scale.

    Float division can put the scale one rounding too low, and then OpenDP, which rounds its map
    upwards, says so: the next floats are tried.
    """
    for _ in range(MAX_ROUNDING_STEPS):
        measurement = make(scale)
        loss: float = measurement.map(sensitivity)  # type: ignore[no-untyped-call]
        if loss <= charged:
            return measurement, scale
        scale = math.nextafter(scale, math.inf)
    raise PrivacyMapError(
        f"OpenDP's privacy map says {loss:.17g} at sensitivity {sensitivity:g}, "
        f"more than the {charged:.17g} charged."
    )
