"""The level of one area against the error there and on the whole map, over many runs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from dpcore.datasets.divided import rows_in
from dpcore.datasets.own import AnyData, opened_data
from dpcore.errors import BadInput, Infeasible
from dpcore.results.non_private import NonPrivate, guarded
from dpcore.results.run_result import BaselineResult
from dpcore.runs.area_runs import AreaRuns
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.curves import Curve, curve_through
from dpcore.study.metrics import Metric, Solution, measurable, named, usual
from dpcore.study.sweep_plan import plain, table_csv
from dpcore.study.trial_seeds import trial_seed
from dpcore.study.trials import NumberedRun

#: Where an error is measured.
Where = Literal["inside", "whole"]


@dataclass(frozen=True)
class AreaTrial(NumberedRun):
    """One run with one area at one level, and its figures, which look at the true data.

    Areas whose level is the same as in an earlier run are not run again, which saves seconds.
    """

    #: The area whose level is varied.
    area: str
    #: Figures of the rows in the area, and of all rows, by the key of the metric.
    inside: Mapping[str, float] = field(default_factory=dict)
    whole: Mapping[str, float] = field(default_factory=dict)

    @property
    def level(self) -> float:
        """The epsilon of the area."""
        assert self.request.regions is not None
        return self.request.regions.levels[self.area]

    def answer(self, metric: Metric, where: Where) -> float | str:
        """The figure of a metric, or the reason why there is none."""
        return self.refusal or (self.inside if where == "inside" else self.whole)[metric.key]


def area_sweep(
    request: Request,
    data: AnyData,
    area: str,
    levels: Sequence[float],
    runs: int = 20,
    *,
    metrics: Sequence[str] | None = None,
    reference: BaselineResult | None = None,
    first: int = 0,
) -> Iterator[AreaTrial | NonPrivate[AreaTrial]]:
    """One area at each level, `runs` times, yielding each trial as it finishes.

    All other areas keep the levels of the request. Every level sees the same draws elsewhere, so
    that what differs between two levels comes from the area alone. On data that are not public
    each trial comes as `NonPrivate`.
    """
    regions = request.regions
    if regions is None:
        raise BadInput("A sweep over the level of an area needs a request with regions.")
    if runs < 1:
        raise BadInput(f"A sweep needs at least one run at each level, not {runs}.")
    regions.index(area)
    requests = [_with_level(request, area, level) for level in dict.fromkeys(map(float, levels))]
    if not requests:
        raise BadInput(f"Give at least one level for {area!r}.")
    measured = named(usual() if metrics is None else metrics)
    exact = opened_data(data)
    for each in requests:
        each.check_data(exact)
    trials = _trials(requests, data, area, range(first, first + runs), measured, reference)
    return (guarded(trial, data.about.public) for trial in trials)


def _with_level(request: Request, area: str, level: float) -> Request:
    assert request.regions is not None
    regions = request.regions.with_levels({**request.regions.levels, area: level})
    return replace(request, regions=regions)


def _trials(
    requests: Sequence[Request],
    data: AnyData,
    area: str,
    numbers: Iterable[int],
    metrics: Sequence[Metric],
    reference: BaselineResult | None,
) -> Iterator[AreaTrial]:
    exact, first = opened_data(data), requests[0]
    assert first.regions is not None
    best = np.asarray((reference or baseline(data, first.k, first.seed or 0)).centers)
    references = [Solution(rows_in(exact, first.regions, area), best), Solution(exact, best)]
    runs = AreaRuns()
    for number in numbers:
        seed = trial_seed(first.seed or 0, number)
        for request in requests:
            start = time.perf_counter()
            try:
                result = run(request.with_seed(seed), data, kept=runs)
            except Infeasible as refusal:
                nothing = {metric.key: math.nan for metric in metrics}
                yield AreaTrial(request, number, area, nothing, nothing, refusal=str(refusal))
                continue
            seconds = time.perf_counter() - start
            centers = np.asarray(result.centers)
            published = 0 if result.synopsis is None else len(result.synopsis)
            inside, whole = (
                {
                    metric.key: metric.of(Solution(of.data, centers, published), of)
                    for metric in metrics
                }
                for of in references
            )
            yield AreaTrial(request, number, area, inside, whole, seconds=seconds)


def area_curve(trials: Iterable[AreaTrial], metric: Metric, where: Where) -> Curve:
    """The error in the area, or on the whole map, across the levels of the area."""
    some = list(trials)
    key = some[0].algorithm if some else ""
    return curve_through(key, ((trial.level, trial.answer(metric, where)) for trial in some))


#: Columns on both sides of the figures.
BEFORE, AFTER = ("algorithm", "area", "level", "run", "seed"), ("seconds", "refusal")


def as_csv(trials: Iterable[AreaTrial], status: str = "") -> str:
    """Every trial as the row of a table, with two columns for each metric."""
    rows, metrics = list(trials), measurable()
    keys = dict.fromkeys(key for trial in rows for key in trial.whole)
    figures = [f"{metrics[key].column}{end}" for key in keys for end in ("_inside", "")]
    extra = {"status": status} if status else {}
    return table_csv([*BEFORE, *figures, *AFTER, *extra], (_flat(row) | extra for row in rows))


def _flat(trial: AreaTrial) -> dict[str, Any]:
    """A trial as a row; what is not a number stays empty."""
    metrics = measurable()
    row = plain(trial, (*BEFORE, *AFTER))
    for ending, figures in (("_inside", trial.inside), ("", trial.whole)):
        for key, value in figures.items():
            row[f"{metrics[key].column}{ending}"] = None if math.isnan(value) else value
    return row
