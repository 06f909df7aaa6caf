"""How much is published at every ε."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpcore.study import curves
from dpcore.study.curves import EPSILONS, Curve, Point
from dpcore.study.metrics import SIZE
from dpcore.study.sweep_plan import SweepPlan, across, as_csv
from pages.ui import (
    browser_state,
    chart_style,
    controls,
    curve_chart,
    fragments,
    live_runs,
    palette,
    url_keys,
)
from pages.ui.compare import method_picker
from pages.ui.controls import Choice
from pages.ui.curve_chart import Axes, title
from pages.ui.downloads import File, keep

USUAL = ("coreset", "coreset-faithful", "net-coreset", "eugkm")


def show() -> None:
    choice = controls.choose()
    st.caption(
        "What is published beside the centers: a coreset of weighted points, or counts of cells. "
        "With less ε there is more noise, so that fewer and larger parts can be told apart. Lines "
        "are means of many runs, bands hold the middle four in five. **Click on a point** to see "
        "it on Explore."
    )
    live_runs.warn(choice.data, "ε", "this curve")
    with st.sidebar:
        browser_state.watch_width()
        beside = method_picker.control(url_keys.CORESETS, choice.request.algorithm, USUAL)
        runs = controls.runs_control("Runs at each ε", url_keys.SIZE_RUNS)
    requests = controls.requests(choice, [choice.request.algorithm, *beside])
    plan = SweepPlan(choice.data, across(requests, EPSILONS), runs)
    stopped = live_runs.is_stopped(plan)
    going = not stopped and len(live_runs.gather(plan, stopped)) < plan.total
    pause = live_runs.PAUSE if going else None
    fragments.redrawn(sizes_so_far, pause, choice, plan, going)
    trials = live_runs.gather(plan, stopped)
    files = [File("CSV of every run", "sizes.csv", partial(as_csv, trials))]
    keep(choice.data, files, not going, plan.command(), plan.python())


def sizes_so_far(choice: Choice, plan: SweepPlan, going: bool) -> None:
    trials = live_runs.gather(plan, not going)
    found = [curves.curve(key, trials, SIZE) for key in plan.algorithms]
    live_runs.status(plan, len(trials), plan.total, live_runs.refused(trials), going)
    colors, shown = palette.current(), [without_nothing(each) for each in found]
    if narrow := browser_state.is_narrow():
        curve_chart.key(curve_chart.named(shown, (), colors))
    drawn = curve_chart.figure(
        shown,
        SIZE,
        (),
        plan.epsilons,
        choice.request.epsilon,
        Axes(),
        SIZE.title,
        colors,
        narrow,
    )
    alt = f"{SIZE.title} across ε on {choice.about.title}. The table below says the same."
    for point in chart_style.draw(drawn, "sizes", alt, plan.data)[:1]:
        live_runs.explore(float(point["x"]), point["customdata"][0])
    nothing = [title(c.algorithm) for c in found if c.points and not without_nothing(c).points]
    if nothing:
        st.caption(f"Centers and nothing else are published by {', '.join(nothing)}.")
    curve_chart.refusals(found)
    table(found, plan)
    if going and len(trials) >= plan.total:
        st.rerun()


def without_nothing(found: Curve) -> Curve:
    """The curve where something is published: a logarithm knows no zero."""
    points = tuple(point for point in found.points if point.mean > 0)
    return Curve(found.algorithm, points, found.refusals)


def table(found: list[Curve], plan: SweepPlan) -> None:
    """The curves in figures: what a screen reader gets."""
    rows = {}
    for each in found:
        points = {point.epsilon: point for point in each.points}
        rows[title(each.algorithm)] = [
            told(point)
            if (point := points.get(epsilon))
            else ("refused" if epsilon in each.refusals else "…")
            for epsilon in plan.epsilons
        ]
    index = pd.Index([f"{epsilon:g}" for epsilon in plan.epsilons], name="ε")
    st.table(pd.DataFrame(rows, index=index), border="horizontal")
    st.caption(f"{SIZE.title}: mean, and in brackets where the middle four in five runs lie.")


def told(point: Point) -> str:
    between = f" ({point.low:,.0f} to {point.high:,.0f})" if point.low < point.high else ""
    return f"{point.mean:,.0f}{between}"
