"""The non-private reference: the best k-means that money can buy, for your eyes only."""

from __future__ import annotations

import numpy as np

from dpcore.datasets.own import AnyData
from dpcore.results.run_result import BaselineResult, NonPrivate, NonPrivateCenters, opened


def baseline(data: AnyData, k: int, seed: int = 0) -> BaselineResult:
    """Non-private k-means of the data, the best of several starts.

    Parameters
    ----------
    data : Dataset or OwnData
        The data to cluster, without protection.
    k : int
        Number of centers.
    seed : int, default=0
        Seed of the random starts.

    Returns
    -------
    BaselineResult
        The centers and their cost. They are not private: do not publish them.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("iris")
    >>> dpcore.baseline(data, k=3).centers.shape
    (3, 4)
    """
    data = opened(data)
    unit = data.best_centers(k, np.random.default_rng(seed))
    cost = float(data.cost(unit[None])[0])
    return BaselineResult(NonPrivateCenters(data.box.from_unit(unit), data.box), NonPrivate(cost))
