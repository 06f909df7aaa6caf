"""Curves across epsilon, drawn with Plotly: means, bands, limits, and a name at each line's end."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import plotly.graph_objects as go

from dpcore.algorithms import ALGORITHMS
from dpcore.privacy.explain import NO_BREAK, plural
from dpcore.study.curves import Curve, Point
from dpcore.study.predicted_curves import PredictedCurve
from pages.ui import chart_style
from pages.ui.chart_frame import ChartAxes, ChartFrame, Line, title
from pages.ui.chart_labels import LINE_HEIGHT, EndLabel, end_notes, even_ticks, placed, round_ticks
from pages.ui.chart_marks import epsilon_ticks, here_line, here_note, target_line, target_note
from pages.ui.chart_zoom import ChartZoom
from pages.ui.palette import Palette

HEIGHT = 420
#: A logarithmic axis over less than this has its own ticks: hardly any would be a round number.
WIDE = 5.0
#: A level that needs no run is drawn where it is at most this many times beyond the curves.
NEAR = 2.0


def figure(
    curves: Sequence[Curve],
    lines: Sequence[Line],
    epsilons: Sequence[float],
    here: float,
    axes: ChartAxes,
    frame: ChartFrame,
    *,
    predicted: Sequence[PredictedCurve] = (),
    target: float | None = None,
    zoom: ChartZoom | None = None,
) -> go.Figure:
    colors = frame.colors
    low, high = y_range(curves, lines, axes, target)
    bottom, top = unit_range(zoom.y, axes.y_log) if zoom else (low, high)
    colored = list(zip(curves, colors.series, strict=False))
    near = [line for line in lines if low <= line.value <= high]
    named = [
        *limit_labels(lines, curves, bottom, top, frame),
        *curve_labels(curves, colors, unit_range(zoom.x, axes.x_log)[1] if zoom else math.inf),
    ]
    ends = () if frame.narrow else placed(named, bottom, top, axes.y_log)
    silent = [(c, color) for c, color in colored if c.refusals and not c.points]
    # An axis that is dragged would jump back when the next runs come in: `chart_zoom` zooms.
    style = {**chart_style.axis(colors), "fixedrange": True}
    end = {True: math.log10, False: float}
    # Traces and notes are handed over together: added one by one, Plotly checks all each time.
    return go.Figure(
        [
            *(
                band(curve, color, low, high)
                for curve, color in colored
                if axes.band and len(curve.points) > 1
            ),
            *(level(line, epsilons) for line in near),
            *predictions(predicted, colored, frame),
            *(means(curve, color, low, frame) for curve, color in colored),
        ],
        {
            **chart_style.layout(colors),
            "height": HEIGHT,
            "margin": chart_style.margin(frame.narrow),
            "annotations": [
                *end_notes(ends),
                *(absence(i, *each, colors) for i, each in enumerate(silent)),
                *here_note(here, epsilons, axes, colors),
                *target_note(target, bottom, top, axes, frame),
            ],
            "shapes": [
                *([here_line(here, colors)] if epsilons[0] <= here <= epsilons[-1] else []),
                *([target_line(target, colors)] if target is not None else []),
            ],
            "xaxis": {
                **style,
                "title": {"text": "ε: less is more private", "standoff": 8},
                "automargin": True,
                "type": "log" if axes.x_log else "linear",
                **epsilon_ticks(here, axes, frame.narrow),
                **({"range": zoom.x} if zoom else {}),
            },
            "yaxis": {
                **style,
                "title": frame.y_title,
                "type": "log" if axes.y_log else "linear",
                "range": [end[axes.y_log](bottom), end[axes.y_log](top)],
                **(
                    round_ticks(bottom, top, frame.metric)
                    if axes.y_log and top > WIDE * bottom
                    else even_ticks(frame.metric)
                ),
            },
        },
    )


def unit_range(ends: tuple[float, float], log: bool) -> tuple[float, float]:
    """The ends of an axis in the unit of what it shows."""
    return (10 ** ends[0], 10 ** ends[1]) if log else ends


def curve_labels(
    curves: Iterable[Curve], colors: Palette, most: float = math.inf
) -> list[EndLabel]:
    """The name of each curve at its last point that the axis shows."""
    colored = zip(curves, colors.series, strict=False)
    return [
        EndLabel(title(c.algorithm), points[-1].mean, color)
        for c, color in colored
        if (points := [point for point in c.points if point.epsilon <= most])
    ]


def limit_labels(
    lines: Iterable[Line], curves: Iterable[Curve], low: float, high: float, frame: ChartFrame
) -> list[EndLabel]:
    """The names of the levels that need no run; of those off the chart how far away they are."""
    worst = max((point.mean for curve in curves for point in curve.points), default=0.0)

    def label(line: Line) -> str:
        if low <= line.value <= high:
            return line.label
        if line.value < low:
            return f"{line.label}: {frame.say(line.value)}{NO_BREAK}↓"
        times = f", {line.value / worst:,.2g} times the highest point" if worst > 0 else ""
        return f"{line.label}: {frame.say(line.value)}{times}{NO_BREAK}↑"

    return [EndLabel(label(line), line.value, line.color) for line in lines]


def level(line: Line, epsilons: Sequence[float]) -> go.Scatter:
    return go.Scatter(
        x=[epsilons[0], epsilons[-1]],
        y=[line.value] * 2,
        mode="lines",
        line={"color": line.color, "dash": line.dash, "width": 2},
        hoverinfo="skip",
    )


def predictions(
    predicted: Sequence[PredictedCurve], colored: Sequence[tuple[Curve, str]], frame: ChartFrame
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
                f"predicted{' at most' * (end == 'high')}: {frame.say(getattr(point, end))}<br>"
                f"by {each.by}"
                for point in each.points
            ],
            hoverinfo="text",
        )
        for each in predicted
        for end in (("low", "high") if each.is_range else ("low",))
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


def y_range(
    curves: Iterable[Curve], lines: Iterable[Line], axes: ChartAxes, target: float | None = None
) -> tuple[float, float]:
    """The range of the axis: all means and bands, and lines that are not far from them.

    Before there is a curve, it shows the lines.
    """
    points = [point for curve in curves for point in curve.points]
    values = [figure for point in points for figure in figures(point, axes)]
    if axes.y_log:
        values = [value for value in values if value > 0]
    values = values or [line.value for line in lines if line.value > 0 or not axes.y_log]
    values = values or [0.1, 1.0]
    low, high = min(values), max(values)
    room = (high - low) / 2
    reach = (low / NEAR, high * NEAR) if axes.y_log else (low - room, high + room)
    values += [line.value for line in lines if reach[0] <= line.value <= reach[1]]
    if target is not None:
        values.append(target)
    low, high = min(values), max(values)
    if axes.y_log:
        return low / 1.15, high * 1.15
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def figures(point: Point, axes: ChartAxes) -> tuple[float, ...]:
    """The values of a point that the axis must show.

    On a logarithmic axis the lower end of a band may be nearly zero, and is cut off.
    """
    if not axes.band:
        return (point.mean,)
    return (point.mean, point.high) if axes.y_log else (point.mean, point.low, point.high)


def band(curve: Curve, color: str, low: float, high: float) -> go.Scatter:
    lows, highs = (
        [min(max(getattr(p, end), low), high) for p in curve.points] for end in ("low", "high")
    )
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


def means(curve: Curve, color: str, low: float, frame: ChartFrame) -> go.Scatter:
    """Solid discs; hollow, on a dashed line, where the privacy claim does not hold.

    A mean below what a logarithmic axis can show, such as one that beats the reference, is a
    triangle at its foot.
    """
    holds = ALGORITHMS[curve.algorithm].verdict.holds
    marker = chart_style.marker(color, holds, frame.colors)
    return go.Scatter(
        x=[p.epsilon for p in curve.points],
        y=[max(p.mean, low) for p in curve.points],
        customdata=[[curve.algorithm] for _ in curve.points],
        text=[
            f"<b>{title(curve.algorithm)}</b>, ε{NO_BREAK}={NO_BREAK}{p.epsilon:g}<br>"
            f"{frame.metric.title}: {frame.say(p.mean)}<br>nine in ten below {frame.say(p.high)}, "
            f"one in ten below {frame.say(p.low)}<br>"
            f"{p.runs} {plural('run') if p.runs > 1 else 'run'}: click to see it on Explore"
            for p in curve.points
        ],
        mode="lines+markers",
        name=curve.algorithm,
        line={"color": color, "width": 2.5, "dash": "solid" if holds else "dash"},
        marker={
            **marker,
            "symbol": ["triangle-down" if p.mean < low else "circle" for p in curve.points],
        },
        unselected={"marker": {"opacity": 1}},
        hoverinfo="text",
        cliponaxis=False,
    )
