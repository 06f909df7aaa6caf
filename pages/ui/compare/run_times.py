"""Run time of methods against the number of rows."""

from __future__ import annotations

import math
from functools import partial

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.study import timing
from dpcore.study.timing import Pace, Timetable, Timing
from dpcore.study.usual_ranges import SIZES
from pages.ui import (
    address,
    browser_state,
    chart_labels,
    chart_style,
    controls,
    live_runs,
    palette,
    refusal_lines,
    url_keys,
)
from pages.ui.address import Key
from pages.ui.chart_frame import title
from pages.ui.chart_labels import end_notes, placed, round_ticks
from pages.ui.choice import Choice
from pages.ui.compare import method_picker, shared_jobs
from pages.ui.downloads import File
from pages.ui.refusal_lines import RefusalLine

USUAL = ("eugkm", "dplloyd", "coreset")
HEIGHT = 480


def show() -> None:
    choice = controls.choose("gaussians-k5-d4")
    st.caption(
        "Simulated points in k clusters, held in memory row by row. Both axes are logarithmic, so "
        "time that grows in proportion to the rows is a line of slope 1, like the dotted one; ± is "
        "a 95 % interval. Runs are timed only while this server computes nothing else, and of "
        "several the fastest counts."
    )
    controls.labelled_slider(choice)
    browser_state.watch_width()
    with st.sidebar:
        beside = method_picker.control(url_keys.TIMED, choice.request.algorithm, USUAL)
        d = number_control("Dimensions", url_keys.DIMENSIONS)
        most = number_control("Rows up to", url_keys.ROWS_TO)
        runs = controls.runs_control("Runs at each size", url_keys.TIME_RUNS)
    requests = controls.requests(choice, [choice.request.algorithm, *beside])
    plan = Timetable(requests, runs, d, tuple(n for n in SIZES if n <= most))
    live_runs.show(
        choice.data, plan, partial(gather, plan), partial(draw, choice, plan), files, marked=False
    )


def number_control(label: str, key: Key[int]) -> int:
    return address.control(st.selectbox, label, key, format_func=lambda number: f"{number:,}")


def gather(plan: Timetable, stopped: bool) -> list[Timing]:
    requests = {each.algorithm: each for each in plan.requests}

    def refused(key: str, number: int, why: str) -> Timing:
        size, run = divmod(number, plan.runs)
        return Timing(requests[key], run, plan.sizes[size], refusal=why)

    jobs = shared_jobs.timings(plan, stopped)
    return live_runs.gathered(jobs, plan.total // len(plan.algorithms), refused)


def files(timings: list[Timing]) -> list[File]:
    return [
        File("CSV of every run", "run-times.csv", partial(timing.as_csv, timings)),
        File("JSON of every run", "run-times.json", partial(timing.as_json, timings)),
    ]


def draw(choice: Choice, plan: Timetable, timings: list[Timing]) -> None:
    paces = [timing.pace(key, timings) for key in plan.algorithms]
    alt = "Run time against the number of rows. The table below says the same."
    if narrow := browser_state.is_narrow():
        chart_labels.key(named(paces))
    for point in chart_style.draw(figure(paces, plan, narrow), "run-times", alt, choice.data)[:1]:
        live_runs.explore(choice.request.epsilon, point["customdata"][0])
    refusal_lines.draw(
        RefusalLine(
            title(each.algorithm),
            f"with {', '.join(f'{n:,}' for n in each.refusals)} rows",
            next(iter(each.refusals.values())),
        )
        for each in paces
        if each.refusals
    )
    table(paces, plan)


def named(paces: list[Pace]) -> list[tuple[str, float, str]]:
    """The label, end point and color of each line."""
    return [
        (f"{title(each.algorithm)}{slope(each)}", each.seconds[max(each.seconds)], color)
        for each, color in zip(paces, palette.current().series, strict=False)
        if each.seconds
    ]


def figure(paces: list[Pace], plan: Timetable, narrow: bool) -> go.Figure:
    colors = palette.current()
    times = [seconds for each in paces for seconds in each.seconds.values()] or [0.001, 1.0]
    low, high = min(times) / 1.5, max(times) * 1.5
    colored = list(zip(paces, colors.series, strict=False))
    style = chart_style.axis(colors)
    first, last = plan.sizes[0], plan.sizes[-1]
    return go.Figure(
        [
            go.Scatter(
                x=[first, last],
                y=[low * 1.2, low * 1.2 * last / first],
                mode="lines",
                line={"color": colors.quiet, "dash": "dot", "width": 1.5},
                hoverinfo="skip",
            ),
            *(line(each, color) for each, color in colored),
        ],
        {
            **chart_style.layout(colors),
            "height": HEIGHT,
            "margin": chart_style.margin(narrow),
            "annotations": [] if narrow else end_notes(placed(named(paces), low, high, log=True)),
            "xaxis": {
                **style,
                "title": {"text": "rows", "standoff": 12},
                "type": "log",
                "tickvals": plan.sizes,
                "ticktext": [count(n) for n in plan.sizes],
            },
            "yaxis": {
                **style,
                "title": "seconds per run",
                "type": "log",
                "range": [math.log10(low), math.log10(high)],
                **round_ticks(low, high),
            },
        },
    )


def line(each: Pace, color: str) -> go.Scatter:
    holds = ALGORITHMS[each.algorithm].verdict.holds
    return go.Scatter(
        x=list(each.seconds),
        y=list(each.seconds.values()),
        mode="lines+markers",
        name=each.algorithm,
        line={"color": color, "width": 2.5, "dash": "solid" if holds else "dash"},
        marker=chart_style.marker(color, holds, palette.current()),
        unselected={"marker": {"opacity": 1}},
        customdata=[[each.algorithm]] * len(each.seconds),
        text=[
            f"<b>{title(each.algorithm)}</b><br>{n:,} rows: {seconds:.3g} s"
            for n, seconds in each.seconds.items()
        ],
        hoverinfo="text",
        cliponaxis=False,
    )


def slope(each: Pace) -> str:
    """The slope of a line with its uncertainty, after a comma."""
    return "" if each.slope is None else f", slope {slope_words(each)}"


def slope_words(each: Pace) -> str:
    if each.slope is None:
        return "–"
    unsure = each.slope.uncertainty
    return f"{each.slope.value:.2f}" + ("" if unsure is None else f" ± {unsure:.2f}")


def count(n: int) -> str:
    return f"{n // 1_000_000}M" if n >= 1_000_000 else f"{n // 1000}k"


def table(paces: list[Pace], plan: Timetable) -> None:
    """Draw the times as a table, for screen readers too."""
    rows = {
        title(each.algorithm): [
            *(
                f"{each.seconds[n]:.3g} s"
                if n in each.seconds
                else "left out"
                if n in each.refusals
                else "…"
                for n in plan.sizes
            ),
            slope_words(each),
        ]
        for each in paces
    }
    index = pd.Index([*(f"{n:,}" for n in plan.sizes), "slope"], name="rows")
    st.table(pd.DataFrame(rows, index=index), border="horizontal")
