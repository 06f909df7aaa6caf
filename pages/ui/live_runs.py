"""Live views: a chart and a table that grow while runs come in, with progress, stop and files."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Protocol, TypeVar

import streamlit as st

from dpcore.privacy import explain
from dpcore.runs.request import Request
from dpcore.study.sweep_plan import SweepPlan
from dpcore.study.trials import Trial
from pages.ui import address, cached_work, fragments, url_keys, visibility
from pages.ui.background import Job
from pages.ui.downloads import File, keep
from pages.ui.session_keys import SessionKey


class Plan(Protocol):
    """The runs that a view shows. Equal plans share their runs; a stopped plan stays stopped."""

    @property
    def total(self) -> int:
        """The number of runs."""

    def python(self) -> str:
        """A program that repeats it."""

    @property
    def shows(self) -> str:
        """Lines that print what the program found, if it does not print that itself."""


class Run(Protocol):
    """One finished run."""

    @property
    def refusal(self) -> str | None:
        """The reason why the run has no result, or None."""


#: The plan that a person stopped; and the newest, when it began and what was there then.
STOPPED, PACE = SessionKey["Plan"]("stopped"), SessionKey["tuple[Plan, float, int]"]("pace")
R = TypeVar("R", bound=Run)
#: Seconds that a view waits for its first runs, and between two looks.
SOON, BETWEEN = 0.4, 0.02
#: A chart is drawn anew once there are so many times the runs that it shows, and once it is so many
#: seconds old: the browser shows an empty one for a moment each time. It needs nearly a second for
#: the first chart, and would start over before anybody saw it.
GROWN, STAYS = 1.2, 1.2
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
    """Draw a live view: progress and a stop button, chart and table, then files.

    `gather(stopped)` requests the missing runs, unless stopped, and returns the finished ones.
    """
    stopped = STOPPED.get() == plan
    picture_runs: list[R] = []
    since = 0.0

    def so_far() -> bool:
        nonlocal picture_runs, since
        runs = gathered_soon(lambda: gather(stopped), 0 if stopped else SOON)
        status(plan, len(runs), sum(run.refusal is not None for run in runs), not stopped)
        now = time.monotonic()
        if stopped or is_outdated(len(picture_runs), len(runs), plan.total, now - since):
            picture_runs, since = runs, now
        draw(picture_runs)
        return len(runs) >= plan.total

    going = not stopped and len(gather(stopped)) < plan.total
    fragments.until_done(so_far, going)
    runs = gather(stopped)
    ready = stopped or len(runs) >= plan.total
    keep(data, files(runs), ready, command, plan.python(), marked=marked, shows=plan.shows)


def is_outdated(in_chart: int, done: int, total: int, age: float) -> bool:
    """Return whether a chart with `in_chart` runs, `age` seconds old, should be drawn anew."""
    if not in_chart or done >= total:
        return True
    return done >= GROWN * in_chart and age >= STAYS


def gathered_soon(gather: Callable[[], list[R]], seconds: float) -> list[R]:
    """The finished runs; the first ones are waited for a moment, so that a view opens with them."""
    end = time.monotonic() + seconds
    while not (runs := gather()) and time.monotonic() < end:
        time.sleep(BETWEEN)
    return runs


def sweep(
    plan: SweepPlan,
    draw: Callable[[list[Trial]], None],
    files: Callable[[list[Trial]], list[File]],
    at_once: int | None = None,
) -> None:
    """Draw a live view of a sweep, with all of its requests running or with a few at a time."""

    def trials(stopped: bool) -> list[Trial]:
        jobs = cached_work.swept(plan, 0 if stopped else plan.runs, url_keys.MOST_RUNS, at_once)
        batches = (
            gathered({request: job}, plan.runs_of(request.algorithm), refused)
            for request, job in jobs.items()
        )
        return plan.ordered(chain.from_iterable(batches))

    def refused(request: Request, number: int, why: str) -> Trial:
        return Trial.refused(request, number, plan.metrics, why)

    show(plan.data, plan, trials, draw, files, plan.command())


def show_kept(
    plan: SweepPlan,
    words: str,
    runs: list[R],
    draw: Callable[[list[R]], None],
    files: Callable[[list[R]], list[File]],
) -> None:
    """Draw runs that were made before and kept: words that say so and a button that makes them
    live, chart and table, then files."""
    column, button = st.columns([5, 1], vertical_alignment="center")
    column.caption(
        f":material/history: {words} Live runs with the same seeds give the same figures."
    )
    button.button(
        "Run live",
        icon=":material/play_arrow:",
        width="stretch",
        on_click=url_keys.RUN_LIVE.put,
        args=(True,),
    )
    fragments.redrawn(lambda: draw(runs), None)
    keep(plan.data, files(runs), True, plan.command(), plan.python(), shows=plan.shows)


def gathered(
    jobs: Mapping[K, Job[T]], of_each: int, refused: Callable[[K, int, str], T]
) -> list[T]:
    """The finished runs of all jobs. A job that failed has refused runs in place of the rest."""
    runs: list[T] = []
    for key, job in jobs.items():
        runs += job.results[:of_each]
        if job.failure:
            missing = range(len(job.results), of_each)
            runs += [refused(key, number, str(job.failure)) for number in missing]
    return runs


def status(plan: Plan, done: int, refused: int, live: bool) -> None:
    """Draw the progress, the time left, and a button to stop or continue."""
    total = plan.total
    if done >= total:
        st.caption(f"{total - refused:,} runs finished." + f" {refused:,} refused." * (refused > 0))
        return
    words, button = st.columns([5, 1], vertical_alignment="center")
    if live:
        words.progress(done / total, f"{done:,} of {total:,} runs{time_left(plan, done, total)}")
        if button.button("Stop", icon=":material/stop:", width="stretch"):
            STOPPED.put(plan)
            st.rerun()
    else:
        words.caption(f"Stopped after {done:,} of {total:,} runs.")
        if button.button("Go on", icon=":material/play_arrow:", width="stretch"):
            STOPPED.pop()
            st.rerun()


def time_left(plan: Plan, done: int, total: int) -> str:
    """Estimate the time left from the pace since this plan was first shown."""
    now = time.monotonic()
    seen, began, already = PACE.get() or (None, now, done)
    if seen != plan:
        PACE.put((plan, now, done))
        return ""
    if done == already:
        return ""
    seconds = (now - began) / (done - already) * (total - done)
    return (
        f", about {seconds / 60:.0f} min left" if seconds > 90 else f", about {seconds:.0f} s left"
    )


def warn(data: str, what: str, by: str) -> None:
    """Say which data are on screen. End the page here if they are raw and not switched on."""
    if not visibility.show(data, what, by):
        st.stop()


def explore(epsilon: float, algorithm: str, *changes: dict[str, str]) -> None:
    """Open Explore at this epsilon with this method."""
    level = explain.level_of(epsilon)
    at = url_keys.PRIVACY.at(level.name) if level else url_keys.EPSILON.at(epsilon)
    query = address.link(
        url_keys.ALGORITHM.at(algorithm),
        *changes,
        at,
        without=(url_keys.EPSILON, url_keys.PRIVACY),
    )
    st.switch_page("app.py", query_params=query)
