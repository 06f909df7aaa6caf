"""Runs that are watched while they are made: how far they are, how to stop them, where to look
closer."""

from __future__ import annotations

import time
from collections.abc import Hashable

import streamlit as st

from dpcore.privacy import explain
from dpcore.study.sweep import Trial
from dpcore.study.sweep_plan import SweepPlan
from pages.ui import address, cached_work, url_keys, visibility

#: Seconds between looks at the runs that are still being made.
PAUSE = 0.5


def is_stopped(plan: Hashable) -> bool:
    """Whether this person told it to stop."""
    return st.session_state.get("stopped") == plan


def gather(plan: SweepPlan, stopped: bool) -> list[Trial]:
    """The trials so far. What fails altogether says so in place of its trials."""
    trials = []
    jobs = cached_work.swept(plan, 0 if stopped else plan.runs, url_keys.MOST_RUNS)
    for request, job in jobs.items():
        trials += job.results[: plan.runs]
        if job.failure:
            trials += [
                Trial.refused(request, number, plan.metrics, str(job.failure))
                for number in range(len(job.results), plan.runs)
            ]
    return plan.ordered(trials)


def status(plan: Hashable, done: int, total: int, refused: int, live: bool) -> None:
    """How far it is, how long it will take, and a way to stop it or to go on."""
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


def time_left(plan: Hashable, done: int, total: int) -> str:
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


def refused(trials: list[Trial]) -> int:
    return sum(trial.refusal is not None for trial in trials)


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
