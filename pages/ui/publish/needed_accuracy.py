"""Step 4: how accurate a release at the chosen level is, and the level that a need asks for.

Nothing here looks at private rows. Figures come from the private twin where this visit holds one,
from the data themselves where they are public, else from public data with as many rows as somebody
typed, else from the error analysis of a method.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import streamlit as st

from dpcore.algorithms import get
from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.explain import LEVELS, Level
from dpcore.privacy.rounding import at_most
from dpcore.runs.request import Request
from dpcore.study.level_accuracy import LevelAccuracy
from dpcore.study.needs import CentersWithin, CountsWithin, Need, WorseBy
from dpcore.study.prediction import PREDICTED
from dpcore.study.recommendation import Recommendation, recommended, worked_out
from pages.ui import fragments, own_data, public_numbers, url_keys
from pages.ui.choice import Choice
from pages.ui.choose import level_jobs, need_controls
from pages.ui.choose.level_jobs import Ground
from pages.ui.publish import release_words
from pages.ui.publish.publish_source import Subject
from pages.ui.wording import plain

LABELS = {
    CentersWithin.key: "{part} centers move less than",
    CountsWithin.key: "{part} counts are off by less than",
    WorseBy.key: "Worse by less than, {often}",
}


def draw(subject: Subject, request: Request) -> None:
    """The figures at the level of a request, and a need in words that sets the level."""
    choice = Choice(measured_on(subject), request)
    about, d = choice.about, choice.box.d
    figures = st.container()
    st.markdown("**How accurate must it be?**")
    need = need_controls.draw(about.unit, about.geographic, d == 2)
    rows = public_numbers.rows(choice.data)
    with figures:
        draw_figures(subject, choice, need, rows)


def draw_figures(subject: Subject, choice: Choice, need: Need, rows: int | None) -> None:
    if rows is None:
        st.metric("How accurate the result will be", "?")
        st.caption(
            "Below, type roughly how many rows there are, as a number that anybody may know. "
            "Public data of that size then show what accuracy each level buys. Your rows are not "
            "looked at."
        )
        return
    ground = level_jobs.ground(choice, rows)
    if ground.stands_in and choice.box.d != 2:
        from_analysis(subject, ground, need)
        return
    epsilon = choice.request.epsilon
    jobs = [*level_jobs.jobs(ground, need), level_jobs.job(ground, need, epsilon)]
    going = not all(job.done for job in jobs)
    fragments.until_done(show, going, subject, ground, need)


def measured_on(subject: Subject) -> str:
    """The data that figures come from: a twin of the subject, if this visit holds one."""
    twins = [key for key, own in own_data.of_session().items() if own.twin_of == subject.key]
    return twins[-1] if twins else subject.key


def show(subject: Subject, ground: Ground, need: Need) -> bool:
    """Show the accuracy of the levels so far; True once all runs are finished."""
    request, about = ground.choice.request, ground.choice.about
    jobs: list[Any] = level_jobs.jobs(ground, need)
    # Asked for last, the chosen level gets its runs first.
    now = level_jobs.job(ground, need, request.epsilon)
    here = level_jobs.accuracy_so_far(need, level_here(request), now)
    advice = recommended(
        need,
        level_jobs.accuracies_so_far(need, jobs),
        ground.source,
        request,
        about.unit,
        about.geographic,
    )
    done = all(job.done for job in [*jobs, now])
    tell(advice, here, done)
    remember(subject, advice, here)
    return done


def from_analysis(subject: Subject, ground: Ground, need: Need) -> None:
    """Figures worked out without any data, where public data cannot stand in."""
    request, about, box = ground.choice.request, ground.choice.about, ground.choice.box
    method = request.algorithm if request.algorithm in PREDICTED else PREDICTED[0]
    if method != request.algorithm:
        st.caption(
            f"No public data with {box.d} columns stand in for yours, and nobody has worked out "
            f"the error of {plain(request.system.title)}. These figures are for a simpler method, "
            f"{plain(get(method).title)}. A private twin would show yours."
        )
    try:
        advice = worked_out(
            need,
            ground.rows,
            box,
            replace(request, algorithm=method, delta=0.0, settings=()),
            about.unit,
            ground.rows_of_each,
        )
    except DpcoreError as reason:
        st.info(plain(str(reason)), icon=":material/info:")
        return
    here = next((each for each in advice.accuracies if each.level == level_here(request)), None)
    tell(advice, here, True)
    remember(subject, advice, here)


def remember(subject: Subject, advice: Recommendation, here: LevelAccuracy | None) -> None:
    """Keep the figure at the chosen level for the certificate of this run."""
    sentences = release_words.known_accuracy()
    if here is not None and math.isfinite(here.reached):
        at = advice.request.at(here.level.epsilon).with_seed(0)
        sentences[subject.source, subject.unit, at] = f"{advice.accuracy(here)} {advice.source}"


def level_here(request: Request) -> Level:
    """The level of a request, with its epsilon for a name where it has none."""
    epsilon = request.epsilon
    return explain.level_of(epsilon) or Level(f"ε {at_most(epsilon)}", epsilon)


def tell(advice: Recommendation, here: LevelAccuracy | None, done: bool) -> None:
    """The figure at the chosen level, the level that meets the need, and where both are from."""
    left, right = st.columns([1, 1.3], gap="medium")
    with left:
        at_this_level(advice, here)
    with right:
        recommendation(advice, here, done)
    areas = " Areas with a level of their own are left out here." * bool(url_keys.AREAS.get())
    draws = here.draws if here is not None else 0
    runs = f" {draws} runs per level{' so far' * (not done)}." if draws else ""
    st.caption(plain(advice.source) + runs + areas)


def at_this_level(advice: Recommendation, here: LevelAccuracy | None) -> None:
    need = advice.need
    part = "Half of the" if need.part == "half" else need.part
    label = LABELS[need.key].format(part=part, often=need.times)
    if here is None:
        st.metric(label, "…")
        return
    if not math.isfinite(here.reached):
        st.metric(label, "no answer")
        st.caption(plain(here.refusal or ""))
        return
    counted = f" {explain.plural(advice.unit)}" * isinstance(need, CountsWithin)
    st.metric(label, need.error_words(here.reached, advice.in_meters) + counted)
    sentences = []
    if need.part != "half":
        sentences.append(
            f"Half of the time, less than {need.error_words(here.half, advice.in_meters)}{counted}."
        )
    if isinstance(need, CentersWithin) and here.worse is not None:
        sentences.append(f"The clustering is {explain.change(here.worse)} worse.")
    st.caption(" ".join(sentences))


def recommendation(advice: Recommendation, here: LevelAccuracy | None, done: bool) -> None:
    if advice.best is None:
        if len(advice.accuracies) < len(LEVELS):
            st.caption("Trying all levels …")
            return
        so_far = " so far" * (not done)
        st.markdown(f":material/close: **No level is accurate enough{so_far}.**")
        st.caption(plain(" ".join(advice.what_would())))
        return
    level = advice.best.level
    is_chosen = here is not None and here.level == level
    st.markdown(
        f":material/check: **{level.name}** is the strictest level that is accurate enough"
        + (", and the slider stands there." if is_chosen else ".")
    )
    if not is_chosen and st.button(
        f"Set the slider to {level.name}", key="needed-level", on_click=take, args=(level,)
    ):
        st.rerun()


def take(level: Level) -> None:
    url_keys.EPSILON.clear()
    url_keys.PRIVACY.put(level.name)
