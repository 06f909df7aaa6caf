"""Standings: algorithms ranked by accuracy, with the reason for those that cannot answer.

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dpcore.algorithms import ALGORITHMS, get
from dpcore.study.curves import Point, curve
from dpcore.study.metrics import Metric
from dpcore.study.sweep_plan import table_csv
from dpcore.study.trials import Trial

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


#: Methods worth a first look, in order, all of which hold what they claim.
WORTH_A_LOOK = (
    "adaptive",
    "privtree",
    "ag",
    "lift",
    "eugkm",
    "dplloyd",
    "coreset",
    "hybrid",
    "sulq",
    "highdim",
    "kmeans-guarantee",
)
SHORTLIST_LENGTH = 6


def shortlist(d: int, k: int) -> list[str]:
    """The methods with which a ranking opens: the first that can run in d dimensions."""
    return [key for key in WORTH_A_LOOK if get(key).supports(d, None, k)][:SHORTLIST_LENGTH]


@dataclass(frozen=True)
class Standing:
    """The result of one algorithm at one epsilon: a point, a refusal, or nothing yet."""

    algorithm: str
    point: Point | None = None
    refusal: str | None = None
    #: Of a run, the middle one of all.
    seconds: float = math.nan


def standing(algorithm: str, trials: Iterable[Trial], metric: Metric) -> Standing:
    """The standing of one algorithm. All trials have the same epsilon."""
    own = [trial for trial in trials if trial.algorithm == algorithm]
    own_curve = curve(algorithm, own, metric)
    seconds = [trial.seconds for trial in own if trial.refusal is None]
    if own_curve.points:
        return Standing(algorithm, own_curve.points[0], seconds=statistics.median(seconds))
    refusal = next(iter(own_curve.refusals.values()), None)
    return Standing(algorithm, refusal=refusal and refusal.removeprefix(f"{algorithm}: "))


def ranked(algorithms: Iterable[str], trials: Sequence[Trial], metric: Metric) -> list[Standing]:
    """The standings in order: figures first, the best on top, then open ones, then refusals."""

    return in_order(standing(key, trials, metric) for key in algorithms)


def in_order(standings: Iterable[Standing]) -> list[Standing]:
    """Figures first, the best on top, then open ones, then refusals."""

    def place(each: Standing) -> tuple[bool, float]:
        return each.refusal is not None, math.inf if each.point is None else each.point.mean

    return sorted(standings, key=place)


def as_csv(standings: Iterable[Standing], metric: Metric) -> str:
    return table_csv(COLUMNS, (row(each, metric) for each in standings))


def as_json(standings: Iterable[Standing], metric: Metric) -> str:
    return json.dumps([row(each, metric) for each in standings], indent=1)


def row(each: Standing, metric: Metric) -> dict[str, Any]:
    """A standing as a row of a table."""
    system, point = ALGORITHMS.get(each.algorithm), each.point
    facts = {
        "algorithm": each.algorithm,
        "verdict": str(system.verdict) if system else None,
        "paper": system.paper if system else None,
        "metric": metric.key,
        "refusal": each.refusal,
    }
    if point is None:
        return facts
    figures = {"runs": point.runs, "mean": point.mean, "low": point.low, "high": point.high}
    return {**facts, **figures, "seconds": each.seconds}
