"""Work that is done once: data, references, runs and draws, shared by everybody who looks.

Only built-in data come here, which are public; what somebody brings along must stay in their
own session.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

import dpcore
from dpcore import curves
from dpcore import picture as pictures
from dpcore.curves import Limits
from dpcore.datasets.base import Dataset
from dpcore.draws import Draw, draws
from dpcore.picture import Axes, Levels, Marks, Truth
from dpcore.plan import Plan
from dpcore.privacy import Verdict
from dpcore.results import BaselineResult, NonPrivate, RunResult
from dpcore.sweep import Trial
from pages.ui.background import Job, Worker
from pages.ui.controls import Choice


@dataclass(frozen=True)
class Picture:
    """What a screen needs of a run, small enough to keep many of."""

    marks: Marks | None
    density: Levels | None
    centers: pd.DataFrame
    truth: NonPrivate[Truth]
    verdict: Verdict
    epsilon: float
    delta: float


@st.cache_resource(show_spinner="Reading the data …", max_entries=16)
def data(key: str) -> Dataset:
    return dpcore.datasets.load(key)


@st.cache_resource(show_spinner=False, max_entries=256)
def reference(key: str, k: int, seed: int = 0) -> BaselineResult:
    return dpcore.baseline(data(key), k, seed)


@st.cache_resource(show_spinner=False, max_entries=256)
def limits(key: str, k: int, seed: int) -> NonPrivate[Limits]:
    return NonPrivate(curves.limits(data(key), k, reference(key, k, seed), seed))


# A run holds all that it published, up to a million cells: few are kept.
@st.cache_resource(show_spinner=False, max_entries=8)
def run(choice: Choice) -> RunResult:
    return dpcore.run(
        choice.algorithm,
        data(choice.data),
        choice.k,
        choice.epsilon,
        choice.delta,
        choice.neighbors,
        choice.seed,
        **dict(choice.settings),
    )


@st.cache_resource(show_spinner=False, max_entries=512)
def picture(choice: Choice, axes: Axes) -> Picture:
    result = run(choice)
    synopsis = result.synopsis
    source = data(choice.data)
    return Picture(
        None if synopsis is None else pictures.marks(synopsis, axes),
        None if synopsis is None else pictures.published_density(synopsis, axes),
        pictures.centers_table(result, source.about.geographic),
        pictures.truth(source, result, reference(choice.data, choice.k, 0)),
        result.verdict,
        result.epsilon,
        result.delta,
    )


@st.cache_resource(show_spinner=False, max_entries=64)
def true_density(key: str, axes: Axes) -> NonPrivate[Levels]:
    return pictures.true_density(data(key), axes)


@st.cache_resource
def worker() -> Worker:
    return Worker()


def repeated(choice: Choice) -> Job[Draw]:
    """The same run with other luck, over and over, in the background: its draws so far.

    The seed of the picture is left out: new noise keeps the band.
    """
    source, best = data(choice.data), reference(choice.data, choice.k, 0)
    options = (choice.k, choice.epsilon, choice.delta, choice.neighbors)
    return worker().job(
        (choice.data, choice.algorithm, *options, choice.settings),
        lambda: draws(choice.algorithm, source, *options, dict(choice.settings), best),
    )


def swept(plan: Plan, enough: int, most: int) -> dict[tuple[str, float], Job[Trial]]:
    """A job for each algorithm and epsilon, which goes on until there are enough trials.

    Each depends on its own settings alone, so that what is finished stays when others change.
    """
    source, best = data(plan.data), reference(plan.data, plan.k, plan.seed)
    options = (plan.delta, plan.neighbors)
    settings = {key: plan.changed(key) for key in plan.algorithms}
    return {
        (key, epsilon): worker().job(
            (
                "sweep",
                plan.data,
                key,
                epsilon,
                plan.k,
                plan.seed,
                *options,
                tuple(settings[key].items()),
                plan.unsquared,
            ),
            partial(
                dpcore.sweep,
                [key],
                source,
                plan.k,
                [epsilon],
                most,
                plan.seed,
                *options,
                {key: settings[key]},
                reference=best,
                unsquared=plan.unsquared,
            ),
            enough,
        )
        for epsilon in reversed(plan.epsilons)
        for key in reversed(plan.algorithms)
    }
