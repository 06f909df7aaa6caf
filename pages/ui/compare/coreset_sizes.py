"""The size of the published coreset across ε."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.study import curves
from dpcore.study.curves import Curve, Point
from dpcore.study.metrics import SIZE
from dpcore.study.sweep_plan import SweepPlan, across, as_csv, as_json
from dpcore.study.trials import Trial
from dpcore.study.usual_ranges import EPSILONS
from pages.ui import (
    browser_state,
    chart_labels,
    chart_style,
    chart_zoom,
    controls,
    curve_chart,
    curve_table,
    live_runs,
    palette,
    refusal_lines,
    url_keys,
)
from pages.ui.chart_frame import ChartAxes, ChartFrame, title
from pages.ui.choice import Choice
from pages.ui.compare import method_picker
from pages.ui.downloads import File

USUAL = ("privtree", "eugkm", "coreset")


def show() -> None:
    choice = controls.choose()
    st.caption(
        "What is published beside the centers: a coreset of weighted points, or counts of cells. "
        "With less ε there is more noise, so that fewer and larger parts can be told apart. Lines "
        "are means of many runs, bands cover 80 % of them. **Click on a point** to see it on "
        "Explore."
    )
    live_runs.warn(choice.data, "ε", "this curve")
    browser_state.watch_width()
    with st.sidebar:
        beside = method_picker.control(url_keys.CORESETS, choice.request.algorithm, USUAL)
        runs = controls.runs_control("Runs at each ε", url_keys.SIZE_RUNS)
    requests = controls.requests(choice, [choice.request.algorithm, *beside])
    plan = SweepPlan(choice.data, across(requests, EPSILONS), runs)
    live_runs.sweep(plan, partial(draw, choice, plan), files)


def files(trials: list[Trial]) -> list[File]:
    return [
        File("CSV of every run", "sizes.csv", partial(as_csv, trials)),
        File("JSON of every run", "sizes.json", partial(as_json, trials)),
    ]


def draw(choice: Choice, plan: SweepPlan, trials: list[Trial]) -> None:
    all_curves = [curves.curve(key, trials, SIZE) for key in plan.algorithms]
    colors, visible_curves = palette.current(), [without_nothing(each) for each in all_curves]
    frame = ChartFrame(SIZE, SIZE.title, colors, narrow=browser_state.is_narrow())
    if frame.narrow:
        chart_labels.key(curve_chart.curve_labels(visible_curves, colors))
    chart = curve_chart.figure(
        visible_curves,
        (),
        plan.epsilons,
        choice.request.epsilon,
        ChartAxes(),
        frame,
        zoom=chart_zoom.current("sizes", plan.data),
    )
    alt = f"{SIZE.title} across ε on {choice.about.title}. The table below says the same."
    for point in chart_style.draw(chart, "sizes", alt, plan.data)[:1]:
        live_runs.explore(float(point["x"]), point["customdata"][0])
    chart_zoom.watch("sizes", plan.data, colors.text)
    nothing = [title(c.algorithm) for c in all_curves if c.points and not without_nothing(c).points]
    if nothing:
        st.caption(f"Centers and nothing else are published by {', '.join(nothing)}.")
    refusal_lines.draw(refusal_lines.of_curves(all_curves))
    curve_table.draw(all_curves, plan.epsilons, SIZE, size_words)


def without_nothing(curve: Curve) -> Curve:
    """The curve without its zeros, which a logarithmic axis cannot show."""
    points = tuple(point for point in curve.points if point.mean > 0)
    return Curve(curve.algorithm, points, curve.refusals)


def size_words(point: Point) -> str:
    between = f" ({point.low:,.0f} to {point.high:,.0f})" if point.low < point.high else ""
    return f"{point.mean:,.0f}{between}"
