"""Curves: what privacy costs at every level, drawn as runs finish."""

from __future__ import annotations

from functools import partial

import pandas as pd
import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.study import curves
from dpcore.study.curves import EPSILONS, Curve, Metric
from dpcore.study.predicted_curves import ABSOLUTE, RELATIVE, PredictedCurve, predicted_curves
from dpcore.study.prediction import PARTING, PREDICTED
from dpcore.study.sweep_plan import Plan, as_csv, as_json
from pages.ui import (
    address,
    browser_state,
    cached_work,
    chart_style,
    controls,
    curve_chart,
    fragments,
    frame,
    live_runs,
    palette,
    public_numbers,
    too_few_rows,
)
from pages.ui.controls import Choice
from pages.ui.curve_chart import LINEAR, Axes, Line
from pages.ui.downloads import File, keep
from pages.ui.own_data import facts
from pages.ui.wording import measured

RUNS = 20
MOST_BESIDE = 6


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
    stopped = live_runs.is_stopped(plan)
    going = not stopped and len(live_runs.gather(plan, stopped)) < plan.total
    pause = live_runs.PAUSE if going else None
    fragments.redrawn(show, pause, choice, plan, metric, axes, n, going)
    repeat(plan)


def plan_controls(choice: Choice, metric: Metric) -> Plan:
    others = [key for key in ALGORITHMS if key != choice.algorithm]
    beside = address.control(
        st.multiselect,
        "Compare with",
        "with",
        [],
        lambda text: [key for key in address.several(ALGORITHMS)(text) if key in others][
            :MOST_BESIDE
        ],
        options=others,
        format_func=curve_chart.title,
        max_selections=MOST_BESIDE,
        placeholder="No other method",
    )
    left, right = st.columns(2)
    with left:
        first = epsilon_control("ε from", "from", EPSILONS[0])
    with right:
        last = epsilon_control("to", "to", EPSILONS[-1])
    runs = controls.runs_control("Runs at each ε", "runs", RUNS, live_runs.MOST_RUNS)
    return Plan(
        choice.data,
        (choice.algorithm, *beside),
        choice.k,
        tuple(epsilon for epsilon in EPSILONS if min(first, last) <= epsilon <= max(first, last)),
        runs,
        choice.seed,
        choice.delta,
        choice.neighbors,
        ((choice.algorithm, choice.settings),),
        metric.unsquared,
    )


def epsilon_control(label: str, name: str, default: float) -> float:
    def parse(text: str) -> float:
        if float(text) not in EPSILONS:
            raise ValueError(f"{text} is none of {EPSILONS}.")
        return float(text)

    return address.control(
        st.selectbox,
        label,
        name,
        default,
        parse,
        options=EPSILONS,
        format_func=lambda epsilon: f"{epsilon:g}",
    )


def axes_controls(metric: Metric) -> Axes:
    def switch(label: str, name: str, default: bool) -> bool:
        return address.control(st.toggle, label, name, default, address.yes_or_no)

    with st.expander("Axes", icon=":material/straighten:"):
        return Axes(
            switch("ε in equal factors (log)", "log_x", True),
            switch(
                "Figures in equal factors (log)", f"log_y.{metric.key}", metric.key not in LINEAR
            ),
            switch("Band", "band", True),
        )


def predicted_rows(plan: Plan, metric: Metric) -> int | None:
    """How many rows predictions are made for, or None where there are none to make, or none
    wanted."""
    if metric.key not in (*ABSOLUTE, *RELATIVE) or not set(plan.algorithms) & set(PREDICTED):
        return None
    wanted = address.control(
        st.toggle,
        "Predicted error (dashed)",
        "predicted",
        True,
        address.yes_or_no,
        help="What public numbers alone predict, by the error analysis of Su et al. (2016).",
    )
    return public_numbers.rows(plan.data) if wanted else None


def predicted(plan: Plan, metric: Metric, n: int | None, best: float) -> list[PredictedCurve]:
    if n is None:
        return []
    box, settings = facts(plan.data).box, {key: plan.changed(key) for key in plan.algorithms}
    return predicted_curves(
        plan.algorithms,
        n,
        plan.k,
        box.d,
        plan.epsilons,
        plan.neighbors,
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
    choice: Choice, plan: Plan, metric: Metric, axes: Axes, n: int | None, going: bool
) -> None:
    trials = live_runs.gather(plan, not going)
    found = [curves.curve(key, trials, metric) for key in plan.algorithms]
    live_runs.status(plan, len(trials), plan.total, live_runs.refused(trials), going)
    chart(choice, plan, metric, axes, n, found)
    curve_chart.refusals(found)
    too_few_rows.offer(choice)
    table(choice, plan, metric, found)
    if going and len(trials) >= plan.total:
        st.rerun()


def chart(
    choice: Choice, plan: Plan, metric: Metric, axes: Axes, n: int | None, found: list[Curve]
) -> None:
    colors = palette.current()
    limits = cached_work.limits(plan.data, plan.k, plan.seed).value
    blind = "center of the box" if limits.blind_is_center else "points spread in the box"
    lines = [
        Line("No privacy", metric.of(limits.non_private), colors.non_private, "dash"),
        Line(f"No data: {blind}", metric.of(limits.blind), colors.quiet, "dot"),
    ]
    dashed = predicted(plan, metric, n, limits.non_private.nicv)
    if narrow := browser_state.is_narrow():
        curve_chart.key(curve_chart.named(found, lines, colors))
    drawn = curve_chart.figure(
        found,
        metric,
        lines,
        plan.epsilons,
        choice.epsilon,
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
    meters = metric.key == "shift" and choice.about.geographic
    short = "NICV, not squared" if metric.unsquared else metric.title
    return f"{short} (meters)" if meters else short


def table(choice: Choice, plan: Plan, metric: Metric, found: list[Curve]) -> None:
    """The curves in figures, and a link to Explore for each ε: what a screen reader gets."""

    def say(value: float) -> str:
        return measured(value, metric, choice.about.geographic)

    rows = {}
    for curve in found:
        points = {point.epsilon: point for point in curve.points}
        rows[curve_chart.title(curve.algorithm)] = [
            f"{say(p.mean)} ({say(p.low)} to {say(p.high)})"
            if (p := points.get(epsilon))
            else ("refused" if epsilon in curve.refusals else "…")
            for epsilon in plan.epsilons
        ]
    st.table(
        pd.DataFrame(rows, index=pd.Index([f"{e:g}" for e in plan.epsilons], name="ε")),
        border="horizontal",
    )
    st.caption(f"{metric.title}: mean, and in brackets where the middle four in five runs lie.")
    wanted = st.pills(
        "Open Explore at ε =", plan.epsilons, format_func=lambda e: f"{e:g}", key="open"
    )
    if wanted is not None:
        live_runs.explore(wanted, choice.algorithm)


def repeat(plan: Plan) -> None:
    """Files of every trial, and the lines that make them again."""
    stopped = live_runs.is_stopped(plan)
    trials = live_runs.gather(plan, stopped)
    files = [
        File(f"{kind} of every run", f"curves.{kind.lower()}", partial(make, trials))
        for kind, make in (("CSV", as_csv), ("JSON", as_json))
    ]
    keep(plan.data, files, stopped or len(trials) >= plan.total, plan.command(), plan.python())


main()
