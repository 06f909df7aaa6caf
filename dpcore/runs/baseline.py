"""The non-private reference: the best k-means that money can buy, for your eyes only."""

from __future__ import annotations

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.results.run_result import BaselineResult, NonPrivate, NonPrivateCenters


def baseline(data: Dataset, k: int, seed: int = 0) -> BaselineResult:
    """Non-private k-means of the data, the best of several starts."""
    unit = data.best_centers(k, np.random.default_rng(seed))
    cost = float(data.cost(unit[None])[0])
    return BaselineResult(NonPrivateCenters(data.box.from_unit(unit), data.box), NonPrivate(cost))
