"""Metrics: how good centers are, by name. Every figure looks at the data without protection.

A metric is one entry of `METRICS`: sweeps, the command line, charts and files find it there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dpcore._suggestion import did_you_mean
from dpcore.datasets.base import Dataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import FloatArray, from_ticks
from dpcore.study.shifts import center_shift

__all__ = ["METRICS", "SIZE", "Metric", "Solution", "measurable", "named", "usual"]


def nicv(data: Dataset, centers: npt.ArrayLike) -> float:
    """Normalised intra-cluster variance: mean squared distance to the nearest center.

    Centers in data units; distances in unit coordinates, in which the box is [-1, 1]^d (Su et al.
    2016, section 5.1).
    """
    unit = data.box.to_unit(np.atleast_2d(np.asarray(centers, dtype=np.float64)))
    return float(data.cost(unit[None])[0]) / max(1, data.n)


def mean_distance(data: Dataset, centers: npt.ArrayLike) -> float:
    """Mean distance to the nearest center, not squared: Ni et al. (2021), equation (5)."""
    ticks, weights = data.positions()
    points = from_ticks(ticks)
    unit = data.box.to_unit(np.atleast_2d(np.asarray(centers, dtype=np.float64)))
    squares = (unit**2).sum(axis=1) - 2 * points @ unit.T
    nearest = squares.min(axis=1) + (points**2).sum(axis=1)
    return float(np.average(np.sqrt(np.maximum(nearest, 0)), weights=weights))


def relative_error(value: float, reference: float) -> float:
    """(cost - best) / best (Feldman et al. 2017). Negative where the reference was beaten."""
    return (value - reference) / reference if reference > 0 else float(value > 0)


def cost_gap(value: float, reference: float) -> float:
    """|cost - reference| / reference (Joshi and Thakkar 2022), which punishes doing better."""
    return abs(relative_error(value, reference))


@dataclass(frozen=True, eq=False)
class Solution:
    """Centers on a data set, to be measured.

    Parameters
    ----------
    data : Dataset
        The data to compare with.
    centers : array of shape (k, d)
        Centers in data units.
    published : int, default=0
        How many weighted points, or cells with counts, are published beside the centers.

    Examples
    --------
    >>> import dpcore
    >>> from dpcore.study.metrics import METRICS, Solution
    >>> data = dpcore.datasets.load("iris")
    >>> best = Solution(data, dpcore.baseline(data, k=3).centers)
    >>> METRICS["relative-error"].of(best, best)
    0.0
    """

    data: Dataset
    #: In data units.
    centers: FloatArray
    #: How many weighted points, or cells with counts, are published beside the centers.
    published: int = 0

    @cached_property
    def nicv(self) -> float:
        """Computed once, since several metrics need it."""
        return nicv(self.data, self.centers)


@dataclass(frozen=True)
class Metric:
    """A figure of a solution beside the non-private reference, less being better.

    Parameters
    ----------
    key : str
        The name on the command line and in addresses; in tables with underscores.
    title : str
        The name for people.
    meaning : str
        A sentence that says what is measured.
    of : callable
        The figure of a solution and the reference.
    short : str, default=""
        The title where there is little room.
    is_length : bool, default=False
        Whether the figure is a length: in meters on a map.
    is_signed : bool, default=False
        Whether the figure can be below zero, so that ratios of it say nothing.
    is_share : bool, default=False
        Whether the figure is a part of the cost without privacy, which people say in percent.
    is_costly : bool, default=False
        Whether it takes a pass over all rows: sweeps measure it only where it is named.

    Examples
    --------
    >>> from dpcore.study.metrics import METRICS
    >>> METRICS["relative-error"].column
    'relative_error'
    """

    #: On the command line and in addresses; in tables with underscores.
    key: str
    title: str
    meaning: str
    #: Of a solution and the reference.
    of: Callable[[Solution, Solution], float]
    #: The title where there is little room.
    short: str = ""
    #: Whether the figure is a length: in meters on a map.
    is_length: bool = False
    #: Whether the figure can be below zero, so that ratios of it say nothing.
    is_signed: bool = False
    #: Whether the figure is a part of the cost without privacy, which people say in percent.
    is_share: bool = False
    #: Whether it takes a pass over all rows of its own: sweeps measure it only where it is named.
    is_costly: bool = False

    @property
    def column(self) -> str:
        return self.key.replace("-", "_")

    @property
    def label(self) -> str:
        return self.short or self.title


METRICS: dict[str, Metric] = {
    metric.key: metric
    for metric in (
        Metric(
            "nicv",
            "NICV",
            "Mean squared distance to the nearest center, in a box from -1 to 1 (Su et al., 2016).",
            lambda solution, _: solution.nicv,
        ),
        Metric(
            "mean-distance",
            "NICV as Ni et al. print it (not squared)",
            "Mean distance to the nearest center, in a box from -1 to 1 (Ni et al., 2021, "
            "equation 5).",
            lambda solution, _: mean_distance(solution.data, solution.centers),
            short="NICV, not squared",
            is_costly=True,
        ),
        Metric(
            "relative-error",
            "Worse than without privacy",
            "How much the mean squared distance to the nearest center grows over that of k-means "
            "without privacy: the relative error of Feldman et al. (2017).",
            lambda solution, best: relative_error(solution.nicv, best.nicv),
            short="% worse than without privacy",
            is_signed=True,
            is_share=True,
        ),
        Metric(
            "cost-gap",
            "CostGap",
            "|cost - best| / best, which punishes doing better as well (Joshi and Thakkar, 2023).",
            lambda solution, best: cost_gap(solution.nicv, best.nicv),
        ),
        Metric(
            "shift",
            "Center shift",
            "How far the middle one of the centers lies from its non-private partner: in meters on "
            "a map, else in a box from -1 to 1.",
            lambda solution, best: float(
                np.median(center_shift(solution.data, solution.centers, best.centers))
            ),
            is_length=True,
        ),
    )
}
#: Not how good a solution is, but how much it publishes.
SIZE = Metric(
    "points",
    "Points published",
    "How many weighted points, or cells with counts, are published beside the centers.",
    lambda solution, _: solution.published,
)


def measurable() -> dict[str, Metric]:
    """Each metric that a sweep can measure, by its key.

    Returns
    -------
    dict of str to Metric

    Examples
    --------
    >>> from dpcore.study import metrics
    >>> "nicv" in metrics.measurable()
    True
    """
    return {**METRICS, SIZE.key: SIZE}


def usual(*others: str) -> tuple[str, ...]:
    """The metrics that a sweep measures by default, and others beside them.

    Parameters
    ----------
    *others : str
        Keys of metrics to measure as well.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> from dpcore.study import metrics
    >>> "mean-distance" in metrics.usual(), "mean-distance" in metrics.usual("mean-distance")
    (False, True)
    """
    cheap = [key for key, metric in measurable().items() if not metric.is_costly]
    return tuple(dict.fromkeys([*cheap, *others]))


def named(keys: Iterable[str]) -> list[Metric]:
    """The metrics of these keys, or an error that lists all keys.

    Parameters
    ----------
    keys : iterable of str
        Keys of `measurable()`.

    Returns
    -------
    list of Metric

    Raises
    ------
    ValueError
        If there is no metric of a key.

    Examples
    --------
    >>> from dpcore.study import metrics
    >>> [each.title for each in metrics.named(["nicv"])]
    ['NICV']
    """
    metrics = measurable()
    for key in keys:
        if key not in metrics:
            raise BadInput(
                f"No metric {key!r}.{did_you_mean(key, metrics)} There are: {', '.join(metrics)}."
            )
    return [metrics[key] for key in keys]
