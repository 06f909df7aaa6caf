"""Curves: what privacy costs at every level, drawn as runs finish."""

from __future__ import annotations

import time

import pandas as pd
import streamlit as st

from dpcore import curves, explain
from dpcore.algorithms import ALGORITHMS
from dpcore.curves import EPSILONS, METRICS, Curve, Metric
from dpcore.plan import Plan, as_csv, as_json
from dpcore.sweep import Trial
from pages.ui import address, controls, curve_chart, frame, palette, work
from pages.ui.controls import Choice
from pages.ui.curve_chart import Axes, Line
from pages.ui.wording import NOT_PRIVATE

#: Seconds between looks at the runs that are still being made.
PAUSE = 0.5
RUNS, MOST_RUNS = 20, 200
MOST_BESIDE = 6
#: Of what is zero for the best, a logarithm shows too little.
LINEAR = ("relative-error", "cost-gap", "shift")
PICTURES = ("PNG", "SVG")


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
    st.markdown(NOT_PRIVATE)
    warn(choice)
    metric = metric_control()
    with st.sidebar:
        plan = plan_controls(choice, metric)
        axes = axes_controls(metric)
    stopped = st.session_state.get("stopped") == plan
    live = not stopped and len(gather(plan, stopped)) < plan.total
    st.fragment(show, run_every=PAUSE if live else None)(choice, plan, metric, axes, live)
    repeat(plan)


def warn(choice: Choice) -> None:
    """Choosing by what the data say tells something about them."""
    if work.data(choice.data).about.public:
        st.caption(
            "These data are public, so anybody may choose ε by this curve. With data that are "
            "not, choosing by their own curve would leak."
        )
    else:
        st.warning(
            "**These data are not public: choosing ε by looking at this curve leaks.** The "
            "choice would depend on every row, and no ε accounts for that. Choose ε by what an "
            "attacker may gain, or by the curve of public or simulated data of the same size and "
            "kind."
        )


def metric_control() -> Metric:
    chosen = address.control(
        st.selectbox,
        "What is measured",
        "metric",
        "nicv",
        address.one_of(METRICS),
        options=list(METRICS),
        format_func=lambda key: METRICS[key].title,
    )
    st.caption(METRICS[chosen].meaning)
    return METRICS[chosen]


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
    runs = address.control(
        st.number_input,
        "Runs at each ε",
        "runs",
        RUNS,
        address.number(int, 1, MOST_RUNS),
        min_value=1,
        max_value=MOST_RUNS,
        help="Finished runs are kept when you ask for more.",
    )
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


def gather(plan: Plan, stopped: bool) -> list[Trial]:
    """The trials so far. What fails altogether says so in place of its trials."""
    trials = []
    for (key, epsilon), job in work.swept(plan, 0 if stopped else plan.runs, MOST_RUNS).items():
        trials += job.results[: plan.runs]
        if job.failure:
            failed = range(len(job.results), plan.runs)
            trials += [Trial(key, epsilon, i, 0, refusal=str(job.failure)) for i in failed]
    return plan.ordered(trials)


def show(choice: Choice, plan: Plan, metric: Metric, axes: Axes, live: bool) -> None:
    trials = gather(plan, not live)
    found = [curves.curve(key, trials, metric) for key in plan.algorithms]
    status(plan, trials, live)
    chart(choice, plan, metric, axes, found, live)
    refusals(found)
    table(choice, plan, metric, found)
    if live and len(trials) >= plan.total:
        st.rerun()


def status(plan: Plan, trials: list[Trial], live: bool) -> None:
    """How far it is, how long it will take, and a way to stop it or to go on."""
    done, total = len(trials), plan.total
    if done >= total:
        refused = sum(trial.refusal is not None for trial in trials)
        st.caption(f"{total - refused:,} runs finished." + f" {refused:,} refused." * (refused > 0))
        return
    words, button = st.columns([5, 1], vertical_alignment="center")
    if live:
        words.progress(done / total, f"{done:,} of {total:,} runs{time_left(plan, done)}")
        if button.button("Stop", icon=":material/stop:", width="stretch"):
            st.session_state["stopped"] = plan
            st.rerun()
    else:
        words.caption(f"Stopped after {done:,} of {total:,} runs.")
        if button.button("Go on", icon=":material/play_arrow:", width="stretch"):
            del st.session_state["stopped"]
            st.rerun()


def time_left(plan: Plan, done: int) -> str:
    """Judged by the pace since this plan was first seen."""
    now = time.monotonic()
    seen, began, already = st.session_state.get("pace", (None, now, done))
    if seen != plan:
        st.session_state["pace"] = (plan, now, done)
        return ""
    if done == already:
        return ""
    seconds = (now - began) / (done - already) * (plan.total - done)
    return (
        f", about {seconds / 60:.0f} min left" if seconds > 90 else f", about {seconds:.0f} s left"
    )


def chart(
    choice: Choice, plan: Plan, metric: Metric, axes: Axes, found: list[Curve], live: bool
) -> None:
    colors = palette.current()
    limits = work.limits(plan.data, plan.k, plan.seed).value
    blind = "center of the box" if limits.blind_is_center else "points spread in the box"
    lines = [
        Line("No privacy", metric.of(limits.non_private), colors.non_private, "dash"),
        Line(f"No data: {blind}", metric.of(limits.blind), colors.quiet, "dot"),
    ]
    drawn = curve_chart.figure(
        found,
        metric,
        lines,
        plan.epsilons,
        choice.epsilon,
        axes,
        y_title(choice, metric),
        colors,
    )
    kind = address.get("picture", PICTURES[0], address.one_of(PICTURES))
    event = st.plotly_chart(
        drawn,
        key="curves",
        theme=None,
        on_select="rerun",
        selection_mode="points",
        config={
            "displaylogo": False,
            "displayModeBar": True,
            "modeBarButtons": [["toImage"]],
            "toImageButtonOptions": {"format": kind.lower(), "filename": "curves", "scale": 2},
        },
        alt=f"{metric.title} across ε on {choice.about.title}. The table below says the same.",
    )
    if clicked := event.selection.points:
        point = clicked[0]
        explore(float(point["x"]), point["customdata"][0])


def y_title(choice: Choice, metric: Metric) -> str:
    meters = metric.key == "shift" and choice.about.geographic
    short = "NICV, not squared" if metric.unsquared else metric.title
    return f"{short} (meters)" if meters else short


def explore(epsilon: float, algorithm: str) -> None:
    """Go to Explore with this level and method."""
    query = address.link() | {"algorithm": algorithm}
    query.pop("epsilon", None)
    query.pop("privacy", None)
    if level := explain.level_of(epsilon):
        query["privacy"] = level.name
    else:
        query["epsilon"] = f"{epsilon:g}"
    st.switch_page("app.py", query_params=query)


def refusals(found: list[Curve]) -> None:
    for curve in found:
        for reason in dict.fromkeys(curve.refusals.values()):
            at = [f"{e:g}" for e, said in sorted(curve.refusals.items()) if said == reason]
            st.warning(f"**{curve_chart.title(curve.algorithm)}** at ε = {', '.join(at)}: {reason}")


def table(choice: Choice, plan: Plan, metric: Metric, found: list[Curve]) -> None:
    """The curves in figures, and a link to Explore for each ε: what a screen reader gets."""

    def say(value: float) -> str:
        if metric.key == "shift":
            return explain.distance(value, choice.about.geographic)
        return f"{value:.4g}"

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
        explore(wanted, choice.algorithm)


def repeat(plan: Plan) -> None:
    """Files of every trial, and the lines that make them again."""
    st.subheader("Take it with you")
    stopped = st.session_state.get("stopped") == plan
    trials = gather(plan, stopped)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        ready = stopped or len(trials) >= plan.total
        for name, mime, make in (
            ("CSV", "text/csv", as_csv),
            ("JSON", "application/json", as_json),
        ):
            st.download_button(
                f"{name} of every run",
                make(trials) if ready else "",
                f"curves-not-private.{name.lower()}",
                mime,
                icon=":material/download:",
                on_click="ignore",
                disabled=not ready,
            )
        address.control(
            st.segmented_control,
            "The camera above the chart saves",
            "picture",
            PICTURES[0],
            address.one_of(PICTURES),
            options=PICTURES,
            required=True,
        )
    st.markdown(f"{NOT_PRIVATE} In a shell:")
    st.code(plan.command(), language="bash", wrap_lines=True)
    st.markdown("In Python:")
    st.code(plan.python(), language="python", wrap_lines=True)


main()
