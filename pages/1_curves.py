"""Curves: what privacy costs at every level, drawn as runs finish."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpcore.privacy.explain import level_of
from dpcore.study import curves
from dpcore.study.curves import Curve, Point
from dpcore.study.kept_curves import kept_curves
from dpcore.study.metrics import Metric, usual
from dpcore.study.predicted_curves import ABSOLUTE, RELATIVE, PredictedCurve, predicted_curves
from dpcore.study.prediction import PARTING, PREDICTED
from dpcore.study.sweep_plan import SweepPlan, across, as_csv, as_json
from dpcore.study.trials import Trial
from dpcore.study.usual_ranges import EPSILONS
from pages.ui import (
    address,
    browser_state,
    chart_labels,
    chart_style,
    chart_zoom,
    controls,
    curve_chart,
    curve_table,
    frame,
    live_runs,
    palette,
    public_numbers,
    refusal_lines,
    too_few_rows,
    url_keys,
)
from pages.ui.address import Key
from pages.ui.chart_frame import ChartAxes, ChartFrame, title
from pages.ui.choice import Choice
from pages.ui.compare import method_picker
from pages.ui.downloads import File
from pages.ui.own_data import data_set
from pages.ui.reference_lines import limits, reference_lines
from pages.ui.url_parsers import NumberOrNone
from pages.ui.wording import measured


def main() -> None:
    frame.frame("Curves")
    choice = controls.choose()
    st.title("What each level costs")
    live_runs.warn(choice.data, "ε", "this curve")
    metric, place = controls.beside_metric(choice.data)
    with place:
        target = target_control(choice, metric)
    browser_state.watch_width()
    with st.sidebar:
        plan = plan_controls(choice, metric)
        axes = axes_controls(metric)
        n = predicted_rows(plan, metric)
    view = View(choice, plan, metric, axes, n, target)
    draw = partial(show, view)
    if kept_runs := [] if url_keys.RUN_LIVE.get() else kept_curves().of(plan):
        words = f"These {plan.total:,} runs were made on {kept_curves().date} and kept."
        live_runs.show_kept(plan, words, kept_runs, draw, files)
    else:
        live_runs.sweep(plan, draw, files)


@dataclass(frozen=True)
class View:
    """The content of the page: a sweep, in a figure, on axes, with a target."""

    choice: Choice
    plan: SweepPlan
    metric: Metric
    axes: ChartAxes
    #: How many rows predictions are made for; None for no predictions.
    n: int | None
    target: float | None

    def say(self, value: float) -> str:
        return measured(value, self.metric, self.choice.about.geographic)


def plan_controls(choice: Choice, metric: Metric) -> SweepPlan:
    method = choice.request.algorithm
    beside = method_picker.control(url_keys.WITH, method, method_picker.rivals(choice))
    left, right = st.columns(2)
    with left:
        first = epsilon_control("ε from", url_keys.EPSILON_FROM)
    with right:
        last = epsilon_control("to", url_keys.EPSILON_TO)
    runs = controls.runs_control("Runs at each ε", url_keys.RUNS)
    epsilons = [each for each in EPSILONS if min(first, last) <= each <= max(first, last)]
    requests = across(controls.requests(choice, [method, *beside]), epsilons)
    return SweepPlan(choice.data, requests, runs, usual(metric.key))


def epsilon_control(label: str, key: Key[float]) -> float:
    return address.control(st.selectbox, label, key, format_func=lambda epsilon: f"{epsilon:g}")


def axes_controls(metric: Metric) -> ChartAxes:
    switch = partial(address.control, st.toggle)
    with st.expander("Axes", icon=":material/straighten:"):
        return ChartAxes(
            switch("Logarithmic ε", url_keys.LOG_X),
            switch("Logarithmic figures", url_keys.log_y(metric)),
            switch("Band", url_keys.BAND),
        )


def target_control(choice: Choice, metric: Metric) -> float | None:
    """The figure that should not be exceeded, on a slider; None where there is no target."""
    low, high = target_range(choice, metric)
    options = [each for each in url_keys.TARGETS if low <= each <= high]
    return address.control(
        st.select_slider,
        "Target",
        url_keys.target(metric).narrowed(NumberOrNone(options)),
        format_func=lambda value: (
            "no target" if value is None else measured(value, metric, choice.about.geographic)
        ),
        help="Drag it to read off below the chart the smallest ε that meets it.",
    )


def target_range(choice: Choice, metric: Metric) -> tuple[float, float]:
    """The smallest and largest target that anybody would want."""
    if metric.is_share:
        return 0.0005, 10
    return (5, 7000) if metric.is_length and choice.about.geographic else (0.0001, 10)


def predicted_rows(plan: SweepPlan, metric: Metric) -> int | None:
    """The number of rows that predictions are made for; None where none can be made or none are
    wanted."""
    if metric.key not in (*ABSOLUTE, *RELATIVE) or not set(plan.algorithms) & set(PREDICTED):
        return None
    is_shown = address.control(
        st.toggle,
        "Predicted error (dashed)",
        url_keys.PREDICTED,
        help="What public numbers alone predict, by the error analysis of Su et al. (2016).",
    )
    return public_numbers.rows(plan.data) if is_shown else None


def predicted(view: View) -> list[PredictedCurve]:
    if view.n is None:
        return []
    plan = view.plan
    best = limits(plan, "nicv").non_private
    return predicted_curves(
        plan.of_each_algorithm,
        view.n,
        data_set(plan.data).box.d,
        plan.epsilons,
        view.metric.key,
        best,
    )


def tell_predictions(lines: list[PredictedCurve]) -> None:
    """Draw below the chart which equations the dashed lines come from, and what they leave out."""
    if not lines:
        return
    words = "; ".join(f"{title(each.algorithm)} by {each.by}" for each in lines)
    upper = " Where a method has two, the upper one includes the most that coarse cells can add."
    st.caption(
        "Dashed: what Su et al. (2016) predict from public numbers, above k-means without "
        f"privacy. {words}."
        f"{upper * any(each.is_range for each in lines)} {PARTING}"
    )


def show(view: View, trials: list[Trial]) -> None:
    all_curves = [curves.curve(key, trials, view.metric) for key in view.plan.algorithms]
    chart(view, all_curves)
    tell_target(view, all_curves)
    refusal_lines.draw(refusal_lines.of_curves(all_curves))
    too_few_rows.offer(view.choice)
    table(view, all_curves)


def chart(view: View, all_curves: list[Curve]) -> None:
    colors, about = palette.current(), view.choice.about
    lines = reference_lines(view.plan, view.metric)
    dashed = predicted(view)
    frame = ChartFrame(
        view.metric, y_title(view), colors, about.geographic, browser_state.is_narrow()
    )
    if frame.narrow:
        names = curve_chart.curve_labels(all_curves, colors)
        low, high = curve_chart.y_range(all_curves, lines, view.axes, view.target)
        chart_labels.key([*names, *curve_chart.limit_labels(lines, all_curves, low, high, frame)])
    scale = f"{view.plan.data} {view.metric.key} {view.axes}"
    figure = curve_chart.figure(
        all_curves,
        lines,
        view.plan.epsilons,
        view.choice.request.epsilon,
        view.axes,
        frame,
        predicted=dashed,
        target=view.target,
        zoom=chart_zoom.current("curves", scale),
    )
    alt = f"{view.metric.title} across ε on {about.title}. The table below says the same."
    for point in chart_style.draw(figure, "curves", alt, view.plan.data)[:1]:
        live_runs.explore(float(point["x"]), point["customdata"][0])
    chart_zoom.watch("curves", scale, colors.text)
    zoom = (
        " **Drag** over a part of the chart to zoom; without a mouse, choose the ends of ε in the "
        "sidebar."
    )
    st.caption(
        "A line is the mean of many runs of one method; the band covers 80 % of them. **Click on "
        "a point** to see it on Explore." + zoom * (not frame.narrow)
    )
    tell_predictions(dashed)


def y_title(view: View) -> str:
    meters = view.metric.is_length and view.choice.about.geographic
    return f"{view.metric.label} (meters)" if meters else view.metric.label


def tell_target(view: View, all_curves: list[Curve]) -> None:
    """Draw below the chart from which ε on each method meets the target."""
    if view.target is None:
        return
    lines = [f"**{view.metric.title}: at most {view.say(view.target)}**"]
    for each in all_curves:
        if each.points:
            enough = curves.enough_epsilon(each, view.target)
            mean = at_level(enough.on_average)
            most = f", nine runs in ten from {at_level(enough.nine_in_ten)}"
            words = f"on average from {mean} on{most * (enough.nine_in_ten is not None)}"
            never = f"at no ε up to {view.plan.epsilons[-1]:g}"
            lines.append(f"{title(each.algorithm)}: {words if enough.on_average else never}")
    st.markdown("\n".join([lines[0], "", *(f"- {line}" for line in lines[1:])]))


def at_level(epsilon: float | None) -> str:
    """An ε with the name of its level."""
    if epsilon is None:
        return ""
    level = level_of(epsilon)
    return f"ε = {epsilon:g}" + (f" ({level.name})" if level else "")


def table(view: View, all_curves: list[Curve]) -> None:
    """The curves in figures, and a link to Explore for each ε: what a screen reader gets."""

    def say(point: Point) -> str:
        return f"{view.say(point.mean)} ({view.say(point.low)} to {view.say(point.high)})"

    curve_table.draw(all_curves, view.plan.epsilons, view.metric, say)
    epsilon = st.pills(
        "Open Explore at ε =", view.plan.epsilons, format_func=lambda e: f"{e:g}", key="open"
    )
    if epsilon is not None:
        live_runs.explore(epsilon, view.choice.request.algorithm)


def files(trials: list[Trial]) -> list[File]:
    """Files of every trial."""
    return [
        File(f"{kind} of every run", f"curves.{kind.lower()}", partial(make, trials))
        for kind, make in (("CSV", as_csv), ("JSON", as_json))
    ]


main()
