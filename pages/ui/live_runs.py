"""Runs that are watched while they are made: how far they are, how to stop them, where to look
closer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

import streamlit as st

from dpcore.privacy import explain
from dpcore.runs.request import Request
from dpcore.study.sweep import Trial
from dpcore.study.sweep_plan import SweepPlan
from pages.ui import address, cached_work, fragments, url_keys, visibility
from pages.ui.background import Job
from pages.ui.downloads import File, keep


class Plan(Protocol):
    """What is to be run: equal plans are one, and a stopped one stays so."""

    @property
    def total(self) -> int:
        """How many runs there are."""

    def python(self) -> str:
        """A program that repeats it."""


class Run(Protocol):
    """One run as it came in."""

    @property
    def refusal(self) -> str | None:
        """Why there is no answer, if so."""


R = TypeVar("R", bound=Run)
K = TypeVar("K")
T = TypeVar("T")


def show(
    data: str,
    plan: Plan,
    gather: Callable[[bool], list[R]],
    draw: Callable[[list[R]], None],
    files: Callable[[list[R]], list[File]],
    command: str = "",
    marked: bool = True,
) -> None:
    """Runs while they come in: how far they are, a chart and a table, then files.

    `gather` has the missing runs made, unless they are stopped, and gives those that there are.
    """
    stopped = st.session_state.get("stopped") == plan

    def so_far() -> bool:
        runs = gather(stopped)
        status(plan, len(runs), sum(run.refusal is not None for run in runs), not stopped)
        draw(runs)
        return len(runs) >= plan.total

    going = not stopped and len(gather(stopped)) < plan.total
    fragments.until_done(so_far, going)
    runs = gather(stopped)
    ready = stopped or len(runs) >= plan.total
    keep(data, files(runs), ready, command, plan.python(), marked)


def sweep(
    plan: SweepPlan,
    draw: Callable[[list[Trial]], None],
    files: Callable[[list[Trial]], list[File]],
) -> None:
    """The runs of a sweep while they come in."""

    def trials(stopped: bool) -> list[Trial]:
        jobs = cached_work.swept(plan, 0 if stopped else plan.runs, url_keys.MOST_RUNS)
        return plan.ordered(gathered(jobs, plan.runs, refused))

    def refused(request: Request, number: int, why: str) -> Trial:
        return Trial.refused(request, number, plan.metrics, why)

    show(plan.data, plan, trials, draw, files, plan.command())


def gathered(
    jobs: Mapping[K, Job[T]], of_each: int, refused: Callable[[K, int, str], T]
) -> list[T]:
    """The runs so far. What fails altogether says so in place of its runs."""
    runs: list[T] = []
    for key, job in jobs.items():
        runs += job.results[:of_each]
        if job.failure:
            missing = range(len(job.results), of_each)
            runs += [refused(key, number, str(job.failure)) for number in missing]
    return runs


def status(plan: Plan, done: int, refused: int, live: bool) -> None:
    """How far it is, how long it will take, and a way to stop it or to go on."""
    total = plan.total
    if done >= total:
        st.caption(f"{total - refused:,} runs finished." + f" {refused:,} refused." * (refused > 0))
        return
    words, button = st.columns([5, 1], vertical_alignment="center")
    if live:
        words.progress(done / total, f"{done:,} of {total:,} runs{time_left(plan, done, total)}")
        if button.button("Stop", icon=":material/stop:", width="stretch"):
            st.session_state["stopped"] = plan
            st.rerun()
    else:
        words.caption(f"Stopped after {done:,} of {total:,} runs.")
        if button.button("Go on", icon=":material/play_arrow:", width="stretch"):
            del st.session_state["stopped"]
            st.rerun()


def time_left(plan: Plan, done: int, total: int) -> str:
    """Judged by the pace since this plan was first seen."""
    now = time.monotonic()
    seen, began, already = st.session_state.get("pace", (None, now, done))
    if seen != plan:
        st.session_state["pace"] = (plan, now, done)
        return ""
    if done == already:
        return ""
    seconds = (now - began) / (done - already) * (total - done)
    return (
        f", about {seconds / 60:.0f} min left" if seconds > 90 else f", about {seconds:.0f} s left"
    )


def warn(data: str, what: str, by: str) -> None:
    """Say what is on screen; raw data that nobody switched on end the page here."""
    if not visibility.show(data, what, by):
        st.stop()


def explore(epsilon: float, algorithm: str, *changes: dict[str, str]) -> None:
    """Go to Explore with this level and method."""
    level = explain.level_of(epsilon)
    at = url_keys.PRIVACY.at(level.name) if level else url_keys.EPSILON.at(epsilon)
    query = address.link(
        url_keys.ALGORITHM.at(algorithm),
        *changes,
        at,
        without=(url_keys.EPSILON, url_keys.PRIVACY),
    )
    st.switch_page("app.py", query_params=query)
