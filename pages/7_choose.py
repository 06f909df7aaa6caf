"""Choose a level: say how accurate the result must be, and see the strictest level that does it."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.privacy.explain import LEVELS
from dpcore.study.needs import Need
from dpcore.study.recommendation import Recommendation, recommend, recommended
from pages.ui import (
    address,
    browser_state,
    chart_style,
    controls,
    fragments,
    frame,
    palette,
    public_numbers,
    visibility,
)
from pages.ui.choice import Choice
from pages.ui.choose import accuracy_chart, level_card, level_jobs, need_controls
from pages.ui.choose.level_jobs import Ground
from pages.ui.visibility import Visibility
from pages.ui.wording import plain


def main() -> None:
    frame.frame("Choose a level")
    st.html(level_card.STYLE)
    choice = controls.choose()
    with st.sidebar:
        browser_state.watch_width()
    st.title("What do you need?")
    about, d = choice.about, choice.box.d
    need = need_controls.draw(about.unit, about.geographic, d == 2)
    rows = public_numbers.rows(choice.data)
    raw = visibility.of(choice.data) is Visibility.RAW
    if rows is None:
        without_rows(choice)
    elif raw and d != 2:
        worked_out(choice, need, rows)
    else:
        ground = level_jobs.ground(choice, rows)
        jobs = level_jobs.jobs(ground, need)
        fragments.until_done(show, not all(job.done for job in jobs), ground, need)
    notes(choice, rows)


def without_rows(choice: Choice) -> None:
    """The reason why nothing can be recommended yet, and what would help."""
    unit = plain(choice.about.unit)
    st.info(
        f"These are your own data, and they may not choose the level: looking at them would tell "
        f"something about one {unit}, and no level accounts for that. Above, type roughly how many "
        "rows there are, as a number that you can make public. The level then comes from public "
        "data of that size.",
        icon=":material/lock:",
    )
    st.page_link(
        visibility.PUBLISH,
        label="Or make a private twin, at a price, and choose on that",
        icon=":material/content_copy:",
        query_params=address.link(),
    )


def worked_out(choice: Choice, need: Need, rows: int) -> None:
    """Private rows that no public data stand in for: the error analysis, where there is one."""
    request = choice.request
    try:
        advice = recommend(
            need,
            k=request.k,
            algorithm=request.algorithm,
            n=rows,
            box=choice.box,
            neighbors=request.neighbors,
        )
    except DpcoreError as reason:
        st.info(plain(str(reason)), icon=":material/info:")
        return
    draw(choice, advice, True)


def show(ground: Ground, need: Need) -> bool:
    """Show the accuracy of the levels so far; True once all runs are finished."""
    jobs = level_jobs.jobs(ground, need)
    accuracies = level_jobs.accuracies_so_far(need, jobs)
    done = all(job.done for job in jobs)
    choice, about = ground.choice, ground.choice.about
    advice = recommended(
        need, accuracies, ground.source, choice.request, about.unit, about.geographic
    )
    draw(choice, advice, done)
    return done


def draw(choice: Choice, advice: Recommendation, done: bool) -> None:
    card, chart = st.columns([1, 2.2], gap="medium")
    with card:
        level_card.draw(advice, done)
    with chart, st.container(border=True):
        draws = max((each.draws for each in advice.accuracies), default=0)
        st.subheader(accuracy_chart.TITLES[advice.need.key], anchor=False)
        runs = f"; {draws} runs per level" + " so far" * (not done) if draws else ""
        st.caption(
            f"In {accuracy_chart.unit_of(advice)}, on a logarithmic scale{runs}. Solid: "
            f"{advice.need.part}. Dotted: half. Below each level: how sure an attacker can become."
        )
        if advice.accuracies:
            narrow = browser_state.is_narrow()
            chart_style.draw(
                accuracy_chart.figure(advice, palette.current(), narrow),
                "choose-a-level",
                "; ".join(advice.sentences()),
                choice.data,
            )
        else:
            st.progress(0.0, f"Trying {len(LEVELS)} levels …")
    if advice.accuracies:
        with st.expander("The same as a table", icon=":material/table:"):
            accuracy_chart.table(advice)


def notes(choice: Choice, rows: int | None) -> None:
    """Notes to keep in mind."""
    many, where, else_ = st.columns(3, gap="medium")
    with many:
        st.markdown("**Fewer rows, larger errors**")
        rows_words = f" These figures are for {rows:,}." if rows else ""
        st.caption(
            f"Ten times fewer rows cost as much accuracy as a level ten times stricter.{rows_words}"
        )
    with where:
        st.markdown("**These are estimates**")
        seen = visibility.of(choice.data)
        st.caption(
            {
                Visibility.PUBLIC: "Measured on these data, which are public. No budget is used.",
                Visibility.TWIN: "Measured on the private twin, which is paid for. No more "
                "budget is used.",
                Visibility.RAW: "Measured on public New York trips laid over your area, not on "
                "your rows. A private twin gives figures of your own, at a price.",
            }[seen]
        )
    with else_:
        st.markdown("**Need something else?**")
        st.caption(
            "Choose another sentence above: how far centers move, how much worse the clustering "
            "is, or how right counts are. On Explore you see any level on the map."
        )


main()
