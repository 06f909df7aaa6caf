"""The noise proxy: a source of noise that answers all requests in one method."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.privacy.noise import Noise, selection_scale


class NoiseKind(StrEnum):
    """The three methods of `Noise`."""

    GEOMETRIC = "geometric"
    GAUSSIAN = "gaussian"
    CHOICE = "choice"


@dataclass(frozen=True, eq=False)
class NoiseRequest:
    """One call to a source of noise."""

    kind: NoiseKind
    #: The exact values, or the scores to choose by.
    values: IntArray
    sensitivity: Any
    #: An epsilon, or a rho for Gaussian noise.
    price: float
    monotone: bool = False
    log_prior: FloatArray | None = None

    @property
    def scale(self) -> float:
        """The parameter of the distribution."""
        match self.kind:
            case NoiseKind.GEOMETRIC:
                return float(self.sensitivity / self.price)
            case NoiseKind.GAUSSIAN:
                return float(self.sensitivity / math.sqrt(2 * self.price))
            case NoiseKind.CHOICE:
                return selection_scale(self.sensitivity, self.price, self.monotone)

    def put_to(self, noise: Noise) -> Any:
        """The noisy values, or the index chosen, that a source of noise answers with."""
        match self.kind:
            case NoiseKind.GEOMETRIC:
                return noise.geometric(self.values, self.sensitivity, self.price)
            case NoiseKind.GAUSSIAN:
                return noise.gaussian(self.values, self.sensitivity, self.price)
            case NoiseKind.CHOICE:
                return noise.choose(
                    self.values, self.sensitivity, self.price, self.monotone, self.log_prior
                )


class NoiseProxy(ABC):
    """A source of noise that answers requests in one place."""

    @abstractmethod
    def answer(self, request: NoiseRequest) -> Any:
        """Noisy values of the request's shape, or for a choice an index."""

    def geometric(self, values: IntArray, sensitivity: int, epsilon: float) -> IntArray:
        request = NoiseRequest(NoiseKind.GEOMETRIC, values, sensitivity, epsilon)
        noisy: IntArray = self.answer(request)
        return noisy

    def gaussian(self, values: IntArray, sensitivity: float, rho: float) -> IntArray:
        request = NoiseRequest(NoiseKind.GAUSSIAN, values, sensitivity, rho)
        noisy: IntArray = self.answer(request)
        return noisy

    def choose(
        self,
        scores: IntArray,
        sensitivity: int,
        epsilon: float,
        monotone: bool = False,
        log_prior: FloatArray | None = None,
    ) -> int:
        kind = NoiseKind.CHOICE
        request = NoiseRequest(kind, scores, sensitivity, epsilon, monotone, log_prior)
        index: int = self.answer(request)
        return index
