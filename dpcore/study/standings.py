"""Algorithms in the order of how well they do, those that cannot answer with the reason why.

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dpcore.algorithms import get
from dpcore.study.curves import Point, curve
from dpcore.study.metrics import Metric
from dpcore.study.sweep import Trial
from dpcore.study.sweep_plan import table_csv

COLUMNS = (
    "algorithm",
    "verdict",
    "paper",
    "metric",
    "runs",
    "mean",
    "low",
    "high",
    "seconds",
    "refusal",
)


@dataclass(frozen=True)
class Standing:
    """What the trials of one algorithm at one epsilon came to: a point, a refusal, or nothing
    yet."""

    algorithm: str
    point: Point | None = None
    refusal: str | None = None
    #: Of a run, the middle one of all.
    seconds: float = math.nan


def standing(algorithm: str, trials: Iterable[Trial], metric: Metric) -> Standing:
    """How one algorithm does. All trials have the same epsilon."""
    own = [trial for trial in trials if trial.algorithm == algorithm]
    found = curve(algorithm, own, metric)
    seconds = [trial.seconds for trial in own if trial.refusal is None]
    if found.points:
        return Standing(algorithm, found.points[0], seconds=statistics.median(seconds))
    refusal = next(iter(found.refusals.values()), None)
    return Standing(algorithm, refusal=refusal and refusal.removeprefix(f"{algorithm}: "))


def ranked(algorithms: Iterable[str], trials: Sequence[Trial], metric: Metric) -> list[Standing]:
    """The best first; after those with a figure the ones that wait, and last the refusals."""

    def place(each: Standing) -> tuple[bool, float]:
        return each.refusal is not None, math.inf if each.point is None else each.point.mean

    return sorted((standing(key, trials, metric) for key in algorithms), key=place)


def as_csv(standings: Iterable[Standing], metric: Metric) -> str:
    return table_csv(COLUMNS, (row(each, metric) for each in standings))


def row(each: Standing, metric: Metric) -> dict[str, Any]:
    """A standing as a row of a table."""
    system, point = get(each.algorithm), each.point
    told = {
        "algorithm": each.algorithm,
        "verdict": str(system.verdict),
        "paper": system.paper,
        "metric": metric.key,
        "refusal": each.refusal,
    }
    if point is None:
        return told
    figures = {"runs": point.runs, "mean": point.mean, "low": point.low, "high": point.high}
    return {**told, **figures, "seconds": each.seconds}
