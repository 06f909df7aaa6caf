"""The non-private reference: k-means that looks at every row, for your eyes only."""

from __future__ import annotations

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.own import AnyData, opened_data
from dpcore.geometry.domain import FloatArray, Grid
from dpcore.kmeans.reference import best_on_grid, best_on_rows
from dpcore.results.centers import NonPrivateCenters
from dpcore.results.non_private import NonPrivate
from dpcore.results.run_result import BaselineResult


def best_centers(data: Dataset, k: int, rng: np.random.Generator) -> FloatArray:
    """Non-private k-means, the best of several starts, in unit coordinates.

    Counts on a grid are never spread out into rows.
    """
    if isinstance(data, GridDataset):
        side = data.resolution
        return best_on_grid(data.histogram(Grid(data.box, side)).reshape(side, side), k, rng)
    ticks, weights = data.positions()
    return best_on_rows(ticks if weights is None else ticks.repeat(weights, axis=0), k, rng)


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
    data = opened_data(data)
    unit = best_centers(data, k, np.random.default_rng(seed))
    cost = float(data.cost(unit[None])[0])
    return BaselineResult(NonPrivateCenters(data.box.from_unit(unit), data.box), NonPrivate(cost))
