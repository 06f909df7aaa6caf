"""Cached work: data sets, references, runs and repeated runs.

Results on built-in data, which are public, are shared by all sessions. Results on data that a
person brought stay in that person's session and disappear with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial, wraps
from typing import Any, TypeVar, cast

import pandas as pd
import streamlit as st

import dpcore
from dpcore.datasets.base import Dataset
from dpcore.privacy.accounting import Verdict
from dpcore.results.non_private import NonPrivate, opened
from dpcore.results.run_result import BaselineResult, RunResult
from dpcore.runs.area_runs import AreaRuns
from dpcore.runs.request import Request
from dpcore.study import curves
from dpcore.study import run_view as pictures
from dpcore.study.curves import CurveLimits
from dpcore.study.kept_draws import kept_draws
from dpcore.study.metrics import METRICS
from dpcore.study.repeats import Draw, draws
from dpcore.study.run_view import Axes, Levels, Marks, Truth
from dpcore.study.sweep_plan import SweepPlan
from dpcore.study.trials import Trial
from pages.ui import own_data, workers
from pages.ui.background import Job, finished
from pages.ui.choice import Choice
from pages.ui.city_map import in_new_york

Function = TypeVar("Function", bound=Callable[..., Any])


def told_apart(choice: Choice) -> Any:
    """The key of a choice in caches. Areas are compared by a digest of their map."""
    areas = choice.request.regions
    levels = areas and (areas.map_key, sorted(areas.levels.items()))
    return choice.data, replace(choice.request, regions=None), levels


def once(most: int, show_spinner: bool | str = False) -> Callable[[Function], Function]:
    """Cache a function for all sessions or, for a session's own data, in that session alone.

    The first argument names the data: a data key, or a `Choice`.
    """

    def decorate(function: Function) -> Function:
        usual: dict[str, Any] = {"max_entries": most, "show_spinner": show_spinner}
        cached = partial(st.cache_resource, **usual, hash_funcs={Choice: told_apart})
        shared, own = cached()(function), cached(scope="session")(function)

        @wraps(function)
        def cached_function(subject: str | Choice, *rest: Any) -> Any:
            key = subject if isinstance(subject, str) else subject.data
            return (own if own_data.is_own(key) else shared)(subject, *rest)

        return cast(Function, cached_function)

    return decorate


@dataclass(frozen=True)
class Picture:
    """The parts of a run that a page draws, small enough to keep many of them."""

    marks: Marks | None
    density: Levels | None
    centers: pd.DataFrame
    truth: NonPrivate[Truth]
    verdict: Verdict
    epsilon: float
    delta: float
    #: Why `auto` chose this method, in a sentence.
    because: str = ""
    #: A remark about the points.
    note: str = ""

    @property
    def kind(self) -> str:
        """The name of its centers."""
        return "Private" if self.verdict.holds else "Unproven"


def data(key: str) -> Dataset:
    if own_data.is_own(key):
        return own_data.of_session()[key].dataset
    return dpcore.datasets.load(key)


@once(256)
def reference(key: str, k: int, seed: int = 0) -> BaselineResult:
    return dpcore.baseline(data(key), k, seed)


@once(256)
def limits(key: str, k: int, seed: int, metric: str) -> NonPrivate[CurveLimits]:
    best = reference(key, k, seed)
    return NonPrivate(curves.limits(data(key), k, best, METRICS[metric], seed))


# A run holds all that it published, up to a million cells: few are kept.
@once(8)
def run(choice: Choice) -> RunResult:
    runs = area_runs(choice.data) if choice.request.regions else None
    return dpcore.run(choice.request, data(choice.data), kept=runs)


@once(4)
def area_runs(key: str) -> AreaRuns:
    """Runs on single areas, so that a move of one area's level runs that area only."""
    return AreaRuns()


@once(512)
def picture(choice: Choice, axes: Axes) -> Picture:
    result = run(choice)
    synopsis = result.synopsis
    source = data(choice.data)
    most = pictures.MOST_ON_MAP if source.about.geographic else pictures.MOST_POINTS
    return Picture(
        marks=None if synopsis is None else pictures.marks(synopsis, axes, most),
        density=None if synopsis is None else pictures.published_density(synopsis, axes),
        centers=pictures.centers_table(result, source.about.geographic and in_new_york(source.box)),
        truth=pictures.truth(source, result, reference(choice.data, choice.request.k, 0)),
        verdict=result.verdict,
        epsilon=result.epsilon,
        delta=result.delta,
        because=result.facts.get("caution") or result.facts.get("because", ""),
        note=result.facts.get("note", ""),
    )


@once(64)
def true_density(key: str, axes: Axes) -> NonPrivate[Levels]:
    return pictures.true_density(data(key), axes)


def repeated(choice: Choice) -> Job[Draw]:
    """Repeat a run with other noise in the background, and return the job with its draws so far.

    The draws do not depend on the seed of the picture: new noise keeps the band. Those with which
    pages open are kept, and there at once.
    """
    request = choice.request.with_seed(0)
    if sample := kept_draws().get((choice.data, request)):
        return finished(sample)
    source, best = data(choice.data), reference(choice.data, choice.request.k, 0)
    return workers.worker_of(choice.data).job(
        (choice.data, request), lambda: draws(request, source, best)
    )


def swept(
    plan: SweepPlan, enough: int, most: int, at_once: int | None = None
) -> dict[Request, Job[Trial]]:
    """One job for each request of a sweep, which runs until there are enough trials, or as many
    as the plan makes of its algorithm.

    A job depends on its own request only, so finished trials stay when other requests change. With
    `at_once`, only so many unfinished requests run at a time, the first ones first.
    """
    source, best = data(plan.data), reference(plan.data, plan.k, plan.seed)

    def job(request: Request, enough: int) -> Job[Trial]:
        enough = min(enough, plan.runs_of(request.algorithm))
        return workers.worker_of(plan.data).job(
            ("sweep", plan.data, request, plan.metrics),
            partial(_trials, [request], source, runs=most, metrics=plan.metrics, reference=best),
            enough,
        )

    if at_once is None:
        return {request: job(request, enough) for request in reversed(plan.requests)}
    jobs, running = {}, 0
    for request in plan.requests:
        jobs[request] = job(request, enough if running < at_once else 0)
        running += jobs[request].waiting
    return jobs


def _trials(*arguments: Any, **named: Any) -> Iterator[Trial]:
    """Trials of a sweep, opened for the screen of the data's owner."""
    return map(opened, dpcore.sweep(*arguments, **named))
