"""The papers' figures and tables, measured again: stored results and live runs."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial

import pandas as pd
import streamlit as st

from dpcore.algorithms import PAPERS
from dpcore.algorithms.references import paper_key
from dpcore.datasets.paper_sets import EXTRA
from dpcore.papers import (
    REPRODUCTIONS,
    Check,
    Conclusion,
    Reproduction,
    ReproductionRun,
    Row,
    current_name,
    figure_table,
    in_order,
    kept_outcomes,
)
from dpcore.papers.figure_row import setting_words
from dpcore.privacy.explain import NO_BREAK
from pages.ui import (
    browser_state,
    chart_style,
    controls,
    fragments,
    palette,
    url_keys,
)
from pages.ui.compare import finding_chart, shared_jobs
from pages.ui.downloads import File, keep
from pages.ui.url_parsers import words

#: A finding's color and sign on the screen.
BADGES = {
    Conclusion.REPRODUCED: ("green", "check"),
    Conclusion.NOT_REPRODUCED: ("violet", "close"),
    Conclusion.CANNOT_RUN: ("gray", "skip_next"),
}


def show() -> None:
    st.caption(
        "Every figure and table with results in the five papers, measured again. The headline "
        "claim decides the badge; the paper's other claims follow, each with its own outcome. "
        "**Run it live** takes the quick form with few runs, which shows the shape but may "
        "disagree where figures lie close together."
    )
    paper = controls.paper_control()
    chart_style.camera_control()
    reproductions = [
        each for each in in_order(REPRODUCTIONS) if paper in (url_keys.ALL, paper_key(each.paper))
    ]
    measured = {name: outcome for name, outcome in kept_outcomes().items() if name in REPRODUCTIONS}
    summary(
        [measured[each.name] for each in reproductions if each.name in measured], len(reproductions)
    )
    opened = url_keys.FINDING.narrowed(finding_name).get()
    browser_state.watch_width()
    for key in dict.fromkeys(each.paper for each in reproductions):
        st.markdown(f"#### {controls.paper_title(key)}")
        for each in reproductions:
            if each.paper == key:
                card(each, measured.get(each.name), each.name == opened)
    if not reproductions:
        st.caption(f"{PAPERS[paper]} has no claim of its own here.")


def summary(outcomes: list[ReproductionRun], of: int) -> None:
    """Draw how many claims were reproduced."""
    counts = Counter(outcome.check.finding for outcome in outcomes)
    phrases = [
        f"{badge(finding)}{NO_BREAK}{counts[finding]}" for finding in Conclusion if counts[finding]
    ]
    if of > len(outcomes):
        phrases.append(f"not measured in full yet: {of - len(outcomes)}")
    if phrases:
        st.markdown(" &emsp; ".join(phrases))


def badge(finding: Conclusion) -> str:
    color, sign = BADGES[finding]
    return f":{color}-badge[:material/{sign}: {finding}]"


def card(each: Reproduction, outcome: ReproductionRun | None, opened: bool) -> None:
    running = each.name in live_names()
    with st.container(border=True, key=f"finding-{each.name}"):
        mark = badge(outcome.check.finding) if outcome else ""
        st.markdown(f"**{each.source}. {each.title}** {mark}")
        st.markdown(f"*Claim:* {plain(each.claim)}")
        if each.setting:
            st.markdown(f"*In the paper:* {plain(each.setting)}")
        if outcome:
            tell(outcome.check, f"Measured {outcome.date}")
            compared(each.compared(outcome.rows))
        if each.differs:
            st.caption(f"What differs here: {each.differs.strip()}")
        buttons(each, running, outcome is not None, opened)
        if running:
            fragments.until_done(live_run, not shared_jobs.reproduced(each.name).done, each)
        elif outcome and opened:
            figures(outcome, is_quick=False)


def tell(check: Check, when: str) -> None:
    """Draw the outcome of the headline claim and of each side claim."""
    lines = [f"*{when}:* {plain(check.words)}", ""]
    lines += [f"- {badge(side.finding)} {plain(side.words)}" for side in check.sides]
    lines += [f"- {plain(note)}" for note in check.notes]
    st.markdown("\n".join(lines))


def compared(rows: list[Row]) -> None:
    """Draw the numbers that the paper prints beside ours."""
    if not rows:
        return
    lines = ["| Setting | The paper | Here |", "|---|---:|---:|"]
    for row in rows:
        setting = setting_words(row.setting)
        here = "not measured" if math.isnan(row.figure) else number(row.figure)
        lines.append(f"| {plain(setting)} | {number(row.paper)} | {here} |")
    st.markdown("\n".join(lines))


def number(value: float | None) -> str:
    """Four digits, and all of them before the point."""
    if value is None:
        return ""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.4g}"


def finding_name(text: str) -> str:
    """Parse the name of a finding, which may be an earlier one."""
    name = current_name(text)
    if name is None:
        raise ValueError(f"There is no finding {text!r}.")
    return name


def live_names() -> list[str]:
    """The findings in the address that run live."""

    def parse(text: str) -> list[str]:
        return list(dict.fromkeys(map(finding_name, words(text))))

    return url_keys.LIVE_FINDINGS.narrowed(parse).get()


def plain(text: str) -> str:
    """Escape text for Markdown."""
    for sign in "\\*_[]:~$|":
        text = text.replace(sign, f"\\{sign}")
    return text


def buttons(each: Reproduction, running: bool, is_kept: bool, opened: bool) -> None:
    """Draw buttons for the live run and for the stored figures; the address keeps both."""
    with st.container(horizontal=True, vertical_alignment="center"):
        going = running and not shared_jobs.reproduced(each.name).done
        st.button(
            "Stop" if going else "Close" if running else "Run it live",
            key=f"live-{each.name}",
            icon=f":material/{'stop' if going else 'close' if running else 'play_arrow'}:",
            on_click=switch_live,
            args=(each.name, not running),
        )
        if is_kept and not running:
            st.button(
                "Hide the figures" if opened else "Figures",
                key=f"figures-{each.name}",
                icon=":material/table:",
                on_click=url_keys.FINDING.put,
                args=(None if opened else each.name,),
            )
        absent = [EXTRA[key].title for key in each.data if key in EXTRA]
        folder = " --data FOLDER" if absent else ""
        note = f" With {', '.join(absent)}, which do not ship, in the folder." if absent else ""
        st.caption(f"In full: `dpcore reproduce {each.name}{folder}`.{note}")


def switch_live(name: str, on: bool) -> None:
    others = [each for each in live_names() if each != name]
    url_keys.LIVE_FINDINGS.put([*others, *([name] if on else [])])


def live_run(each: Reproduction) -> bool:
    """Draw what the quick form has measured so far and, once done, its outcome."""
    job = shared_jobs.reproduced(each.name)
    done = job.done
    rows = job.result.rows if job.results else []
    if job.failure:
        st.warning(f"The live run failed: {job.failure}")
    elif not done:
        st.markdown(f":material/hourglass_top: **{len(rows)}** figures so far{latest(rows)}")
    else:
        outcome = job.result
        st.markdown(f"**Live, in quick form:** {badge(outcome.check.finding)}")
        tell(outcome.check, "Measured just now")
        compared(each.compared(outcome.rows))
        figures(outcome, is_quick=True)
    return done


def latest(rows: list[Row]) -> str:
    """The last figure with its setting, in words."""
    if not rows:
        return "."
    row = rows[-1]
    return f". The last: {plain(setting_words(row.setting))}: {number(row.figure)}"


def picture(outcome: ReproductionRun) -> None:
    """Draw the figures as lines, with a camera, or say why there are none."""
    panels = finding_chart.panels_of(outcome.rows)
    if panels is None:
        st.caption(
            "These are single figures in unlike settings, so there is no picture of them: only a "
            "table and its files."
        )
        return
    colors, source = palette.current(), outcome.reproduction.source
    chart_style.draw(
        finding_chart.figure(panels, colors, browser_state.is_narrow()),
        outcome.reproduction.name,
        f"{source}, measured again. The table below says the same.",
        controls.DATA,
    )


def figures(outcome: ReproductionRun, is_quick: bool) -> None:
    """Draw the measured figures beside the paper's as lines and as a table, with files and the
    lines that repeat them.

    They hold nothing of the chosen data, so they are offered whatever data are chosen.
    """
    table = figure_table.figure_table(outcome)
    if not table:
        return
    picture(outcome)
    frame = pd.DataFrame(table, columns=figure_table.columns_of(table))
    st.dataframe(frame, hide_index=True, width="stretch")
    name = outcome.reproduction.name
    stem = f"{name}-quick" if is_quick else name
    files = [
        File("CSV of these figures", f"{stem}.csv", partial(figure_table.figures_csv, outcome)),
        File("JSON of these figures", f"{stem}.json", partial(figure_table.figures_json, outcome)),
    ]
    keep(
        controls.DATA,
        files,
        True,
        figure_table.command(outcome, is_quick),
        figure_table.program(outcome, is_quick),
        marked=False,
        chart=False,
    )
