"""Curves: what privacy costs at every level, drawn as runs finish."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.study import curves
from dpcore.study.curves import Curve, Point
from dpcore.study.metrics import Metric, usual
from dpcore.study.predicted_curves import ABSOLUTE, RELATIVE, PredictedCurve, predicted_curves
from dpcore.study.prediction import PARTING, PREDICTED
from dpcore.study.sweep import Trial
from dpcore.study.sweep_plan import SweepPlan, across, as_csv, as_json
from dpcore.study.usual_ranges import EPSILONS
from pages.ui import (
    address,
    browser_state,
    cached_work,
    chart_style,
    controls,
    curve_chart,
    curve_table,
    frame,
    live_runs,
    palette,
    public_numbers,
    too_few_rows,
    url_keys,
)
from pages.ui.address import Key
from pages.ui.choice import Choice
from pages.ui.compare import method_picker
from pages.ui.curve_chart import ChartAxes
from pages.ui.downloads import File
from pages.ui.own_data import known
from pages.ui.wording import measured


def main() -> None:
    frame.frame("Curves")
    choice = controls.choose()
    st.title("What each level costs")
    st.caption(
        "Each line is a method, run many times at each ε; the band holds the middle four in five "
        "of its runs. Above the dotted line a method does worse than an answer that looks at no "
        "data. "
        "**Click on a point** to see it on Explore."
    )
    live_runs.warn(choice.data, "ε", "this curve")
    metric = controls.metric_control(choice.data)
    with st.sidebar:
        browser_state.watch_width()
        plan = plan_controls(choice, metric)
        axes = axes_controls(metric)
        n = predicted_rows(plan, metric)
    live_runs.sweep(plan, partial(show, choice, plan, metric, axes, n), files)


def plan_controls(choice: Choice, metric: Metric) -> SweepPlan:
    beside = method_picker.control(url_keys.WITH, choice.request.algorithm)
    left, right = st.columns(2)
    with left:
        first = epsilon_control("ε from", url_keys.EPSILON_FROM)
    with right:
        last = epsilon_control("to", url_keys.EPSILON_TO)
    runs = controls.runs_control("Runs at each ε", url_keys.RUNS)
    epsilons = [each for each in EPSILONS if min(first, last) <= each <= max(first, last)]
    requests = across(controls.requests(choice, [choice.request.algorithm, *beside]), epsilons)
    return SweepPlan(choice.data, requests, runs, usual(metric.key))


def epsilon_control(label: str, key: Key[float]) -> float:
    return address.control(st.selectbox, label, key, format_func=lambda epsilon: f"{epsilon:g}")


def axes_controls(metric: Metric) -> ChartAxes:
    switch = partial(address.control, st.toggle)
    with st.expander("ChartAxes", icon=":material/straighten:"):
        return ChartAxes(
            switch("ε in equal factors (log)", url_keys.LOG_X),
            switch("Figures in equal factors (log)", url_keys.log_y(metric)),
            switch("Band", url_keys.BAND),
        )


def predicted_rows(plan: SweepPlan, metric: Metric) -> int | None:
    """How many rows predictions are made for, or None where there are none to make, or none
    wanted."""
    if metric.key not in (*ABSOLUTE, *RELATIVE) or not set(plan.algorithms) & set(PREDICTED):
        return None
    wanted = address.control(
        st.toggle,
        "Predicted error (dashed)",
        url_keys.PREDICTED,
        help="What public numbers alone predict, by the error analysis of Su et al. (2016).",
    )
    return public_numbers.rows(plan.data) if wanted else None


def predicted(plan: SweepPlan, metric: Metric, n: int | None, best: float) -> list[PredictedCurve]:
    if n is None:
        return []
    box = known(plan.data).box
    settings = {each.algorithm: each.changed for each in plan.of_each_algorithm}
    return predicted_curves(
        plan.algorithms,
        n,
        plan.k,
        box.d,
        plan.epsilons,
        plan.requests[0].neighbors,
        settings,
        metric.key,
        best,
    )


def tell_predictions(lines: list[PredictedCurve]) -> None:
    """Under the chart: which equations the dashed lines come from, and what they leave out."""
    if not lines:
        return
    said = "; ".join(f"{curve_chart.title(each.algorithm)} by {each.by}" for each in lines)
    upper = " The upper of two is with the most that coarse cells may add."
    st.caption(
        "Dashed: what Su et al. (2016) predict from public numbers, above k-means without "
        f"privacy. {said}."
        f"{upper * any(each.is_range for each in lines)} {PARTING}"
    )


def show(
    choice: Choice,
    plan: SweepPlan,
    metric: Metric,
    axes: ChartAxes,
    n: int | None,
    trials: list[Trial],
) -> None:
    found = [curves.curve(key, trials, metric) for key in plan.algorithms]
    chart(choice, plan, metric, axes, n, found)
    curve_chart.refusals(found)
    too_few_rows.offer(choice)
    table(choice, plan, metric, found)


def chart(
    choice: Choice,
    plan: SweepPlan,
    metric: Metric,
    axes: ChartAxes,
    n: int | None,
    found: list[Curve],
) -> None:
    colors = palette.current()
    lines = curve_chart.reference_lines(plan, metric)
    best = cached_work.limits(plan.data, plan.k, plan.seed, "nicv").value.non_private
    dashed = predicted(plan, metric, n, best)
    if narrow := browser_state.is_narrow():
        curve_chart.key(curve_chart.named(found, lines, colors))
    drawn = curve_chart.figure(
        found,
        metric,
        lines,
        plan.epsilons,
        choice.request.epsilon,
        axes,
        y_title(choice, metric),
        colors,
        narrow,
        dashed,
    )
    alt = f"{metric.title} across ε on {choice.about.title}. The table below says the same."
    for point in chart_style.draw(drawn, "curves", alt, plan.data)[:1]:
        live_runs.explore(float(point["x"]), point["customdata"][0])
    tell_predictions(dashed)


def y_title(choice: Choice, metric: Metric) -> str:
    meters = metric.is_length and choice.about.geographic
    return f"{metric.label} (meters)" if meters else metric.label


def table(choice: Choice, plan: SweepPlan, metric: Metric, found: list[Curve]) -> None:
    """The curves in figures, and a link to Explore for each ε: what a screen reader gets."""

    def say(point: Point) -> str:
        mean, low, high = (
            measured(value, metric, choice.about.geographic)
            for value in (point.mean, point.low, point.high)
        )
        return f"{mean} ({low} to {high})"

    curve_table.draw(found, plan.epsilons, metric, say)
    wanted = st.pills(
        "Open Explore at ε =", plan.epsilons, format_func=lambda e: f"{e:g}", key="open"
    )
    if wanted is not None:
        live_runs.explore(wanted, choice.request.algorithm)


def files(trials: list[Trial]) -> list[File]:
    """Files of every trial."""
    return [
        File(f"{kind} of every run", f"curves.{kind.lower()}", partial(make, trials))
        for kind, make in (("CSV", as_csv), ("JSON", as_json))
    ]


main()
