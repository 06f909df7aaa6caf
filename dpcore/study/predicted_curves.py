"""Predicted errors as curves beside measured ones, and the winners over each public number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcore.algorithms import get
from dpcore.errors import Infeasible
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.request import Request
from dpcore.study.prediction import COMPARED, PREDICTED, Win, crossover, prediction_of

#: Metrics in which an added NICV can be drawn: as it is, or as a part of the best.
ABSOLUTE, RELATIVE = ("nicv",), ("relative-error", "cost-gap")


@dataclass(frozen=True)
class PredictedPoint:
    """The predicted figure of a method at one epsilon: from its noise alone, and at most."""

    epsilon: float
    low: float
    high: float


@dataclass(frozen=True)
class PredictedCurve:
    """A method's prediction across epsilon."""

    algorithm: str
    points: tuple[PredictedPoint, ...]
    #: The equations in words.
    by: str

    @property
    def is_range(self) -> bool:
        """Whether the error is known only as a range, because cells are coarse."""
        return any(point.low < point.high for point in self.points)


def predicted_curves(
    requests: Iterable[Request],
    n: int,
    d: int,
    epsilons: Sequence[float],
    metric: str,
    best: float,
) -> list[PredictedCurve]:
    """The predicted curves of those requests whose method has one, if the metric has one.

    `best` is the NICV of k-means without privacy, above which a method's error comes.
    """
    if metric not in (*ABSOLUTE, *RELATIVE) or (metric in RELATIVE and best <= 0):
        return []
    offset, unit = (best, 1.0) if metric in ABSOLUTE else (0.0, best)
    curves = []
    for request in requests:
        if request.algorithm not in PREDICTED:
            continue
        points, equations = [], []
        for epsilon in epsilons:
            try:
                prediction = prediction_of(request.at(epsilon), n, d)
            except Infeasible:
                continue
            least = min(prediction.noise, prediction.mse)
            points.append(
                PredictedPoint(epsilon, offset + least / unit, offset + prediction.mse / unit)
            )
            equations.append(prediction.by)
        if points:
            curves.append(PredictedCurve(request.algorithm, tuple(points), equations[-1]))
    return curves


@dataclass(frozen=True)
class Winners:
    """The method with the least predicted noise, over one number with the others fixed."""

    over: str
    fixed: Mapping[str, float]
    wins: tuple[Win, ...]


def winners(
    n: int, k: int, d: int, epsilon: float, neighbors: Neighbors = Neighbors.ADD_REMOVE
) -> list[Winners]:
    """The winners over epsilon, over n and over d, each with the other two fixed."""
    here: dict[str, Any] = {"epsilon": epsilon, "n": n, "d": d}
    all_winners = []
    for over in here:
        fixed = {name: value for name, value in here.items() if name != over}
        able = [key for key in COMPARED if get(key).obstacle(fixed.get("d", 1), None, k) is None]
        wins = crossover(able, k=k, neighbors=neighbors, **fixed)
        all_winners.append(Winners(over, {**fixed, "k": k}, wins))
    return all_winners
