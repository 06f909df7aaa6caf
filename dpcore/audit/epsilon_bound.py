"""Lower bounds on epsilon from how often an event happened on each of two data sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import betaincinv

from dpcore.geometry.domain import FloatArray

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Evidence:
    """An event, how often it happened on the data set that makes it likely, and on its neighbor.

    The event was fixed before these runs were made, so that they are fair evidence.
    """

    event: str
    hits: int
    runs: int
    neighbor_hits: int
    neighbor_runs: int

    def bound(self, confidence: float = CONFIDENCE, delta: float = 0.0) -> float:
        """The epsilon that is refuted below: with this confidence the true one is no smaller."""
        hits = np.array([self.hits]), np.array([self.neighbor_hits])
        least = bounds(*hits, self.runs, self.neighbor_runs, confidence, delta)[0]
        return max(0.0, float(least))


def bounds(
    hits: npt.ArrayLike,
    neighbor_hits: npt.ArrayLike,
    runs: int,
    neighbor_runs: int,
    confidence: float = CONFIDENCE,
    delta: float = 0.0,
) -> FloatArray:
    """Lower bounds on epsilon for many events; below 0, to minus infinity, they say nothing.

    (epsilon, delta)-privacy says P(event) <= e^epsilon P'(event) + delta. The first probability
    is bounded from below and the second from above, each by Clopper and Pearson's exact interval
    at half of the doubt.
    """
    doubt = (1 - confidence) / 2
    h, likely_of = np.unique(np.asarray(hits, dtype=np.float64), return_inverse=True)
    g, rare_of = np.unique(np.asarray(neighbor_hits, dtype=np.float64), return_inverse=True)
    # betaincinv has no value at a parameter of 0; there the interval ends at 0 or at 1.
    low = np.where(h > 0, betaincinv(np.maximum(h, 1), runs - h + 1, doubt), 0.0)
    room = np.maximum(neighbor_runs - g, 1)
    high = np.where(g < neighbor_runs, betaincinv(g + 1, room, 1 - doubt), 1.0)
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(low - delta, 0.0))[likely_of] - np.log(high)[rare_of]
