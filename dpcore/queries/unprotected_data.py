"""The raw data, for algorithms as published that read them without protection."""

from __future__ import annotations

import math

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, IntArray, Partition, from_ticks, to_ticks
from dpcore.queries.questions import Question
from dpcore.randomness.coins import Coins

#: Sets of centers by which `spread` judges how little clusters could cost.
SAMPLED_SETS = 200


class UnprotectedData:
    """Exact answers about all rows. Only `Curator.unprotected` hands it to an algorithm."""

    def __init__(self, data: Dataset):
        self._data = data

    @property
    def n(self) -> int:
        return self._data.n

    def positions(self) -> tuple[IntArray, IntArray | None]:
        """The places of rows in ticks, and how many rows lie at each; None means one."""
        return self._data.positions()

    def counts(self, partition: Partition) -> IntArray:
        """The exact number of rows in each cell."""
        return self._data.histogram(partition)

    def answer(self, question: Question) -> IntArray:
        """The exact answer to a question."""
        return question.of(self._data)

    def cluster_sums(self, centers: FloatArray) -> FloatArray:
        """The exact sums of the positions of the rows nearest to each center."""
        return np.asarray(self._data.cluster_totals(to_ticks(centers)).sums / TICKS)

    def cluster_means(self, centers: FloatArray) -> FloatArray:
        """The mean of the rows nearest to each center; a center without rows stays."""
        totals = self._data.cluster_totals(to_ticks(centers))
        means = totals.sums / (TICKS * np.maximum(totals.counts, 1)[:, None])
        return np.where(totals.counts[:, None] > 0, means, centers)

    def bounds(self) -> tuple[FloatArray, FloatArray] | None:
        """The corners of the smallest box that holds the rows, or None without rows."""
        ticks, _ = self.positions()
        if not len(ticks):
            return None
        return from_ticks(ticks.min(axis=0)), from_ticks(ticks.max(axis=0))

    def drawn_rows(self, k: int, rng: Coins) -> FloatArray:
        """k rows drawn uniformly; without any, the middle of the box."""
        ticks, weights = self.positions()
        if not len(ticks):
            return np.zeros((k, self._data.d))
        chances = None if weights is None else weights / weights.sum()
        return from_ticks(ticks[rng.choice(len(ticks), k, p=chances)])

    def longest_row(self) -> float:
        """The distance of the farthest row from the middle of the box."""
        ticks, _ = self.positions()
        squares = np.einsum("nd,nd->n", ticks, ticks)
        return max(1, math.sqrt(squares.max(initial=0))) / TICKS

    def spread(self, k: int, rng: Coins) -> tuple[float, float]:
        """R, the greatest L1 distance of a row from the mean, and w = R^2 over the least cost of
        k - 1 centers (at least one) among the rows."""
        ticks, weights = self.positions()
        if not len(ticks):
            return 0.0, math.inf
        mean = np.average(ticks, axis=0, weights=weights)
        radius = float(np.abs(ticks - mean).sum(axis=1).max()) / TICKS
        sets = ticks[rng.integers(len(ticks), size=(SAMPLED_SETS, max(1, k - 1)))]
        least = float(self._data.cost(from_ticks(sets)).min())
        return radius, radius**2 / least if least > 0 else math.inf
