"""A source of noise that adds none, for tests that compare with exact numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


class ExactNoise:
    """Returns exact answers, all shifted by the same number, and makes the best choice."""

    simulated = True

    def __init__(self, offset: int = 0):
        self.offset = offset

    def geometric(self, values: npt.ArrayLike, sensitivity: Any, epsilon: float) -> Any:
        return np.asarray(values) + self.offset

    def gaussian(self, values: npt.ArrayLike, sensitivity: Any, rho: float) -> Any:
        return np.asarray(values) + self.offset

    def choose(
        self,
        scores: npt.ArrayLike,
        sensitivity: Any,
        epsilon: float,
        monotone: bool = False,
        log_prior: Any = None,
    ) -> int:
        return int(np.argmax(scores))
