"""Curves across epsilon, drawn with Plotly: means, bands, limits, and a name at each line's end."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.privacy.explain import NO_BREAK, plural
from dpcore.study.curves import Curve
from dpcore.study.metrics import Metric
from dpcore.study.predicted_curves import PredictedCurve
from dpcore.study.sweep_plan import SweepPlan
from pages.ui import cached_work, chart_style, palette
from pages.ui.palette import Palette

HEIGHT = 520
#: A label's line takes this part of the plot's height, and holds so many letters.
LINE_HEIGHT, LABEL_WIDTH = 0.04, 16
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4)


@dataclass(frozen=True)
class ChartAxes:
    """How the plane is divided: in equal steps, or in equal factors."""

    x_log: bool = True
    y_log: bool = True
    band: bool = True


@dataclass(frozen=True)
class Line:
    """A level that needs no run."""

    label: str
    value: float
    color: str
    dash: str


def reference_lines(plan: SweepPlan, metric: Metric) -> list[Line]:
    """Lines for the answer without privacy and the best answer that looks at no data."""
    colors = palette.current()
    known = cached_work.limits(plan.data, plan.k, plan.seed, metric.key).value
    blind = "center of the box" if known.blind_is_center else "points spread in the box"
    return [
        Line("No privacy", known.non_private, colors.non_private, "dash"),
        Line(f"No data: {blind}", known.blind, colors.quiet, "dot"),
    ]


def title(algorithm: str) -> str:
    system = ALGORITHMS[algorithm]
    return system.title if system.verdict.holds else f"{system.title} (unproven)"


def figure(
    curves: Sequence[Curve],
    metric: Metric,
    lines: Sequence[Line],
    epsilons: Sequence[float],
    here: float,
    axes: ChartAxes,
    y_title: str,
    colors: Palette,
    narrow: bool = False,
    predicted: Sequence[PredictedCurve] = (),
) -> go.Figure:
    low, high = y_range(curves, lines, axes)
    colored = list(zip(curves, colors.series, strict=False))
    ends = () if narrow else placed(named(curves, lines, colors), low, high, axes)
    silent = [(c, color) for c, color in colored if c.refusals and not c.points]
    style = chart_style.axis(colors)
    end = {True: math.log10, False: float}
    # Traces and notes are handed over together: added one by one, Plotly checks all each time.
    return go.Figure(
        [
            *(
                band(curve, color, axes, low)
                for curve, color in colored
                if axes.band and len(curve.points) > 1
            ),
            *(level(line, epsilons, axes) for line in lines),
            *predictions(predicted, colored),
            *(means(curve, color, metric, colors) for curve, color in colored),
        ],
        {
            **chart_style.layout(colors),
            "height": HEIGHT,
            "margin": chart_style.margin(narrow),
            "annotations": [
                *end_notes(ends),
                *(absence(i, *each, colors) for i, each in enumerate(silent)),
            ],
            "shapes": [here_line(here, colors)] if epsilons[0] <= here <= epsilons[-1] else [],
            "xaxis": {
                **style,
                "title": {"text": "ε (smaller is stricter)", "standoff": 12},
                "automargin": True,
                "type": "log" if axes.x_log else "linear",
                **(
                    {"tickvals": TICKS, "ticktext": [f"{t:g}" for t in TICKS]} if axes.x_log else {}
                ),
            },
            "yaxis": {
                **style,
                "title": y_title,
                "type": "log" if axes.y_log else "linear",
                "range": [end[axes.y_log](low), end[axes.y_log](high)],
                **(round_ticks(low, high) if axes.y_log else {}),
            },
        },
    )


def named(
    curves: Iterable[Curve], lines: Iterable[Line], colors: Palette
) -> list[tuple[str, float, str]]:
    """What each line is called, where it ends, and its color."""
    colored = zip(curves, colors.series, strict=False)
    return [
        *((line.label, line.value, line.color) for line in lines),
        *((title(c.algorithm), c.points[-1].mean, color) for c, color in colored if c.points),
    ]


def key(names: Iterable[tuple[str, float, str]]) -> None:
    """The names above a chart that is too narrow to have them at its lines' ends."""
    entries = (
        f'<span style="display:inline-block"><span style="color:{color}">━</span> {name}</span>'
        for name, _, color in names
    )
    st.markdown("&emsp; ".join(entries), unsafe_allow_html=True)


def level(line: Line, epsilons: Sequence[float], axes: ChartAxes) -> go.Scatter:
    return go.Scatter(
        x=[epsilons[0], epsilons[-1]],
        y=[line.value] * 2 if line.value > 0 or not axes.y_log else [None] * 2,
        mode="lines",
        line={"color": line.color, "dash": line.dash, "width": 2},
        hoverinfo="skip",
    )


def predictions(
    predicted: Sequence[PredictedCurve], colored: Sequence[tuple[Curve, str]]
) -> list[go.Scatter]:
    """Dashed lines in their methods' colors: with noise alone, and with the most that coarse cells
    add where that is left open."""
    color_of = {curve.algorithm: color for curve, color in colored}
    return [
        go.Scatter(
            x=[point.epsilon for point in each.points],
            y=[getattr(point, end) for point in each.points],
            customdata=[[each.algorithm] for _ in each.points],
            mode="lines",
            line={"color": color_of[each.algorithm], "dash": "dash", "width": 1.5},
            opacity=0.8,
            text=[
                f"<b>{title(each.algorithm)}</b>, ε{NO_BREAK}={NO_BREAK}{point.epsilon:g}<br>"
                f"predicted{' at most' * (end == 'high')}: {getattr(point, end):.4g}<br>"
                f"by {each.by}"
                for point in each.points
            ],
            hoverinfo="text",
        )
        for each in predicted
        for end in (("low", "high") if each.is_range else ("low",))
    ]


def end_notes(ends: Iterable[tuple[str, float, str]]) -> list[dict[str, Any]]:
    """The names at the lines' ends, right of the plot."""
    return [
        {
            "x": 1.015,
            "y": at,
            "xref": "paper",
            "yref": "paper",
            "text": text,
            "font": {"color": color, "size": 13},
            "align": "left",
            "xanchor": "left",
            "yanchor": "middle",
            "showarrow": False,
        }
        for text, at, color in ends
    ]


def absence(i: int, curve: Curve, color: str, colors: Palette) -> dict[str, Any]:
    """In place of a curve, that there is none."""
    return {
        "x": 0.5,
        "y": 0.98 - 1.6 * LINE_HEIGHT * i,
        "yanchor": "top",
        "bgcolor": colors.paper,
        "xref": "paper",
        "yref": "paper",
        "text": f"{title(curve.algorithm)} cannot run here: see below",
        "font": {"color": color, "size": 14},
        "showarrow": False,
    }


def here_line(here: float, colors: Palette) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": here,
        "x1": here,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": colors.quiet, "width": 1, "dash": "dot"},
        "layer": "below",
    }


def y_range(curves: Iterable[Curve], lines: Iterable[Line], axes: ChartAxes) -> tuple[float, float]:
    """What the axis shows: all means, bands and lines, and a little more."""
    values = [line.value for line in lines]
    for curve in curves:
        for point in curve.points:
            values += [point.mean, point.low, point.high] if axes.band else [point.mean]
    if axes.y_log:
        values = [value for value in values if value > 0] or [0.1, 1]
        return min(values) / 1.15, max(values) * 1.15
    room = 0.05 * (max(values) - min(values)) or 1.0
    return min(values) - room, max(values) + room


def band(curve: Curve, color: str, axes: ChartAxes, least: float) -> go.Scatter:
    lows = [max(p.low, least) if axes.y_log else p.low for p in curve.points]
    highs = [max(p.high, least) if axes.y_log else p.high for p in curve.points]
    across = [p.epsilon for p in curve.points]
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return go.Scatter(
        x=across + across[::-1],
        y=highs + lows[::-1],
        fill="toself",
        fillcolor=f"rgba({red},{green},{blue},0.16)",
        mode="none",
        hoverinfo="skip",
    )


def means(curve: Curve, color: str, metric: Metric, colors: Palette) -> go.Scatter:
    """Solid discs; hollow, on a dashed line, where the privacy claim does not hold."""
    holds = ALGORITHMS[curve.algorithm].verdict.holds
    return go.Scatter(
        x=[p.epsilon for p in curve.points],
        y=[p.mean for p in curve.points],
        customdata=[[curve.algorithm] for _ in curve.points],
        text=[
            f"<b>{title(curve.algorithm)}</b>, ε{NO_BREAK}={NO_BREAK}{p.epsilon:g}<br>"
            f"{metric.title}: {p.mean:.4g}<br>nine in ten below {p.high:.4g}, "
            f"one in ten below {p.low:.4g}<br>{p.runs} {plural('run')}: click to see it on Explore"
            for p in curve.points
        ],
        mode="lines+markers",
        name=curve.algorithm,
        line={"color": color, "width": 2.5, "dash": "solid" if holds else "dash"},
        marker=chart_style.marker(color, holds, colors),
        unselected={"marker": {"opacity": 1}},
        hoverinfo="text",
        cliponaxis=False,
    )


def placed(
    named: Iterable[tuple[str, float, str]], low: float, high: float, axes: ChartAxes
) -> list[tuple[str, float, str]]:
    """Labels with their heights as parts of the plot, moved apart where they would overlap."""

    def part(value: float) -> float:
        if axes.y_log:
            if value <= 0:
                return 0.0
            value, bottom, top = math.log(value), math.log(low), math.log(high)
        else:
            bottom, top = low, high
        return (value - bottom) / (top - bottom)

    wrapped = [("<br>".join(textwrap.wrap(t, LABEL_WIDTH)), part(v), c) for t, v, c in named]
    wrapped.sort(key=lambda label: -label[1])
    at = [height for _, height, _ in wrapped]
    tall = [LINE_HEIGHT * (1.2 + text.count("<br>")) for text, _, _ in wrapped]
    for i in range(1, len(at)):
        at[i] = min(at[i], at[i - 1] - (tall[i] + tall[i - 1]) / 2)
    # Those pushed below the plot push the others up again.
    if at and at[-1] < 0:
        at[-1] = 0.0
        for i in range(len(at) - 2, -1, -1):
            at[i] = max(at[i], at[i + 1] + (tall[i] + tall[i + 1]) / 2)
    return [(text, height, color) for height, (text, _, color) in zip(at, wrapped, strict=True)]


def round_ticks(low: float, high: float) -> dict[str, list[Any]]:
    """1, 2 and 5 times the powers of ten in between; powers alone where these are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 4 else (1,)
    ticks = [float(f"{step}e{power}") for power in powers for step in steps]
    return {"tickvals": ticks, "ticktext": [f"{tick:,g}" for tick in ticks]}


def refusals(found: Iterable[Curve]) -> None:
    """Under the chart: who has no answer where, and why there at the largest ε."""
    for curve in found:
        if curve.refusals:
            *others, last = sorted(curve.refusals)
            at = ", ".join(f"{epsilon:g}" for epsilon in (*others, last))
            st.warning(f"**{title(curve.algorithm)}** at ε = {at}: {curve.refusals[last]}")
