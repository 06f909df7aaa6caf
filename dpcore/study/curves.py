"""Curves of trials across epsilon: means with bands, and the limits between which they lie.

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.kmeans.seeding import sphere_packing
from dpcore.results.run_result import BaselineResult
from dpcore.study.metrics import Metric, Solution
from dpcore.study.trials import Trial

#: Four trials in five lie in the band.
BAND = (0.1, 0.9)


@dataclass(frozen=True)
class Point:
    """The mean and the band of some trials of one algorithm at one epsilon."""

    epsilon: float
    runs: int
    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Curve:
    """The points of an algorithm across epsilon, and the reasons where it has no answer."""

    algorithm: str
    points: tuple[Point, ...]
    refusals: Mapping[float, str]


def curve(algorithm: str, trials: Iterable[Trial], metric: Metric) -> Curve:
    """Mean and band at every epsilon at which there is a trial, in order."""
    own = (trial for trial in trials if trial.algorithm == algorithm)
    return curve_through(algorithm, ((t.epsilon, t.refusal or t.figures[metric.key]) for t in own))


def curve_through(algorithm: str, answers: Iterable[tuple[float, float | str]]) -> Curve:
    """The curve of answers at some epsilons: figures, or reasons why there are none."""
    figures: dict[float, list[float]] = {}
    refusals: dict[float, str] = {}
    for epsilon, answer in answers:
        if isinstance(answer, str):
            refusals[epsilon] = answer
        else:
            figures.setdefault(epsilon, []).append(answer)
    points = []
    for epsilon in sorted(figures):
        values = figures[epsilon]
        low, high = np.quantile(values, BAND)
        mean = math.fsum(values) / len(values)
        points.append(Point(epsilon, len(values), mean, float(low), float(high)))
    return Curve(algorithm, tuple(points), refusals)


@dataclass(frozen=True)
class EnoughEpsilon:
    """The smallest measured epsilon from which on a method meets a target; None where none does."""

    #: By the mean of its runs.
    on_average: float | None
    #: By nine runs in ten.
    nine_in_ten: float | None


def enough_epsilon(curve: Curve, target: float) -> EnoughEpsilon:
    """The smallest epsilon at which figures are at most the target, there and at every larger one.

    A point where a curve dips below the target by chance, and rises above it again, does not count.
    """

    def smallest(figure: Callable[[Point], float]) -> float | None:
        least = None
        for point in reversed(curve.points):
            if figure(point) > target:
                break
            least = point.epsilon
        return least

    return EnoughEpsilon(smallest(lambda p: p.mean), smallest(lambda p: p.high))


@dataclass(frozen=True)
class CurveLimits:
    """The figures that curves lie between: k-means without privacy, and centers without data."""

    #: Of k-means without privacy.
    non_private: float
    #: Of the better of two answers that look at no data: k points packed into the box, or its
    #: center.
    blind: float
    blind_is_center: bool


def limits(
    data: Dataset, k: int, reference: BaselineResult, metric: Metric, seed: int = 0
) -> CurveLimits:
    """The non-private answer and the best that looks at no data, measured as trials are."""
    best = Solution(data, np.asarray(reference.centers))
    packed = data.box.from_unit(sphere_packing(k, data.d, 1, np.random.default_rng(seed))[0])
    blind = Solution(data, packed)
    center = Solution(data, np.repeat(data.box.center[None], k, axis=0))
    is_center = center.nicv < blind.nicv
    return CurveLimits(
        metric.of(best, best), metric.of(center if is_center else blind, best), is_center
    )
