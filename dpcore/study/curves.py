"""Trials across epsilon as curves: metrics by name, means with bands, and what they lie between.

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.seeding import sphere_packing
from dpcore.results.run_result import BaselineResult
from dpcore.study.metrics import center_shift, mean_distance, nicv, relative_error
from dpcore.study.sweep import Trial

#: Where curves have their points: every named level and some between.
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 4.0)
#: Four trials in five lie in the band.
BAND = (0.1, 0.9)


@dataclass(frozen=True)
class Metric:
    """How good a trial is, less being better."""

    key: str
    title: str
    meaning: str
    of: Callable[[Trial], float]
    #: Whether trials have to be asked for it.
    unsquared: bool = False


_METRICS = (
    Metric(
        "nicv",
        "NICV",
        "Mean squared distance to the nearest center, in a box from -1 to 1 (Su et al. 2016).",
        lambda trial: trial.nicv,
    ),
    Metric(
        "nicv-003",
        "NICV as Ni et al. (2021) print it (not squared)",
        "Mean distance to the nearest center, in a box from -1 to 1 (Ni et al. 2021, eq. 5).",
        lambda trial: trial.mean_distance,
        unsquared=True,
    ),
    Metric(
        "relative-error",
        "Relative error",
        "(cost - best) / best; the best is k-means without privacy (Feldman et al. 2017).",
        lambda trial: trial.relative_error,
    ),
    Metric(
        "cost-gap",
        "CostGap",
        "|cost - best| / best, which punishes doing better as well (Joshi and Thakkar 2022).",
        lambda trial: abs(trial.relative_error),
    ),
    Metric(
        "shift",
        "Center shift",
        "How far the middle one of the centers lies from its non-private partner: in meters on "
        "a map, else in a box from -1 to 1.",
        lambda trial: trial.shift,
    ),
)
METRICS: Mapping[str, Metric] = {metric.key: metric for metric in _METRICS}
#: Not how good a trial is, but how much it publishes.
SIZE = Metric(
    "points",
    "Points published",
    "How many weighted points, or cells with counts, are published beside the centers.",
    lambda trial: trial.points,
)


@dataclass(frozen=True)
class Point:
    """What some trials of one algorithm at one epsilon came to."""

    epsilon: float
    runs: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """An algorithm across epsilon, and why it has no answer where it has none."""

    algorithm: str
    points: tuple[Point, ...]
    refusals: Mapping[float, str]


def curve(algorithm: str, trials: Iterable[Trial], metric: Metric) -> Curve:
    """Mean and band at every epsilon at which there is a trial, in order."""
    figures: dict[float, list[float]] = {}
    refusals: dict[float, str] = {}
    for trial in trials:
        if trial.algorithm != algorithm:
            continue
        if trial.refusal is not None:
            refusals[trial.epsilon] = trial.refusal
        else:
            figures.setdefault(trial.epsilon, []).append(metric.of(trial))
    points = []
    for epsilon in sorted(figures):
        values = figures[epsilon]
        low, high = np.quantile(values, BAND)
        mean = math.fsum(values) / len(values)
        points.append(Point(epsilon, len(values), mean, float(low), float(high)))
    return Curve(algorithm, tuple(points), refusals)


@dataclass(frozen=True)
class Limits:
    """What the curves lie between: nothing to lose and nothing learnt."""

    #: k-means without privacy.
    non_private: Trial
    #: The better of two answers that look at no data: k points packed into the box, or its center.
    blind: Trial
    blind_is_center: bool


def limits(data: Dataset, k: int, reference: BaselineResult, seed: int = 0) -> Limits:
    """The non-private answer and the best that looks at no data, measured as trials are."""
    packed = data.box.from_unit(sphere_packing(k, data.d, 1, np.random.default_rng(seed))[0])
    center = np.repeat(data.box.center[None], k, axis=0)
    is_center = nicv(data, center) < nicv(data, packed)
    best = np.asarray(reference.centers)
    return Limits(
        _measured("non-private", data, best, best, seed),
        _measured("blind", data, center if is_center else packed, best, seed),
        is_center,
    )


def _measured(name: str, data: Dataset, centers: FloatArray, best: FloatArray, seed: int) -> Trial:
    value = nicv(data, centers)
    return Trial(
        name,
        math.nan,
        0,
        seed,
        nicv=value,
        relative_error=relative_error(value, nicv(data, best)),
        shift=float(np.median(center_shift(data, centers, best))),
        mean_distance=mean_distance(data, centers),
    )
