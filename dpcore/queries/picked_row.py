"""A question that returns one row, drawn as k-means++ draws the next center."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, IntArray, from_ticks
from dpcore.privacy.rounding import root_up
from dpcore.queries.questions import Sensitivity
from dpcore.randomness.coins import Coins


@dataclass(frozen=True)
class PickedRow:
    """The position of one row, drawn with probability proportional to its squared distance to the
    nearest of some centers; uniformly, if there are none yet.

    No two positions in the box are more than 2 apart in any coordinate. So whichever row is
    drawn, however the draw depends on the data, and with whatever coins, its position is within
    2d of any other's in L1, and 2 sqrt(d) in L2. Without rows it is the middle of the box.
    """

    centers: FloatArray
    coins: Coins

    @property
    def added(self) -> Sensitivity:
        d = self.centers.shape[1]
        return Sensitivity(2 * d * TICKS, 2 * root_up(d) * TICKS)

    @property
    def replaced(self) -> Sensitivity:
        return self.added

    def of(self, dataset: Dataset) -> IntArray:
        ticks, rows = dataset.positions()
        if not len(ticks):
            return np.zeros(dataset.d, dtype=np.int64)
        weights = np.ones(len(ticks)) if rows is None else rows.astype(np.float64)
        if len(self.centers):
            weights *= scipy.spatial.distance.cdist(
                from_ticks(ticks), self.centers, "sqeuclidean"
            ).min(axis=1)
        running = np.cumsum(weights)
        target = self.coins.random() * running[-1]
        return ticks[min(np.searchsorted(running, target, side="right"), len(ticks) - 1)]
