"""What an exponential mechanism may choose by: scores whose sensitivity is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpcore.datasets.base import COST_UNITS, Dataset
from dpcore.domain import FloatArray, IntArray, to_ticks


class Score(Protocol):
    """A whole-number score for each public candidate, computed where the data are."""

    #: The most that one row, added or replaced, can move any candidate's score.
    sensitivity: int
    #: One more row moves every score the same way; then add/remove costs half.
    monotone: bool

    def of(self, dataset: Dataset) -> IntArray: ...


@dataclass(frozen=True)
class LowCost:
    """Minus the k-means cost of each candidate set of centers (sets, k, d).

    A row in the box is at most 2 sqrt(d) from any center in it, so it adds between 0 and 4d to
    each cost; one more unit covers the rounding down.
    """

    center_sets: FloatArray
    monotone = True

    @property
    def sensitivity(self) -> int:
        return 4 * self.center_sets.shape[-1] * COST_UNITS + 1

    def of(self, dataset: Dataset) -> IntArray:
        return -np.asarray(dataset.whole_cost(to_ticks(self.center_sets)))
