"""The chart of a ranking: a row for each method, with a dot where it has a figure."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import plotly.graph_objects as go

from dpcore.privacy.explain import plural
from dpcore.study.metrics import Metric
from dpcore.study.standings import Standing
from pages.ui import chart_style, palette
from pages.ui.chart_frame import Line, named
from pages.ui.chart_labels import even_ticks, round_ticks
from pages.ui.choice import Choice
from pages.ui.palette import Palette
from pages.ui.refusal_lines import brief
from pages.ui.wording import measured

#: Pixels a row, and above the first one.
ROW, HEAD = 40, 116
#: A dot lies under its name, so far below the middle of its row.
BELOW = 0.25


def figure(
    ranked: Sequence[Standing],
    choice: Choice,
    metric: Metric,
    lines: list[Line],
    log: bool,
    runs: int,
) -> go.Figure:
    """A row for each standing; one of fewer runs than were wanted says how many."""
    colors = palette.current()
    lines = [line for line in lines if line.value > 0 or not log]
    values = [line.value for line in lines]
    for each in ranked:
        if each.point:
            values += [each.point.mean, each.point.low, each.point.high]
    low, high = spanned(values, log)
    end = math.log10 if log else float
    notes = [
        note for row, each in enumerate(ranked) for note in words(row, each, choice, colors, runs)
    ]
    notes += [name_of(line, height, end, low, high) for height, line in enumerate(lines)]
    return go.Figure(
        [*bands(ranked, colors), dots(ranked, choice, metric, colors)],
        {
            **chart_style.layout(colors),
            "height": HEAD + ROW * len(ranked) + 10,
            "margin": {"l": 8, "r": 24, "t": HEAD, "b": 10},
            "annotations": notes,
            "shapes": [rule(line) for line in lines],
            "xaxis": {
                **chart_style.axis(colors),
                "side": "top",
                "title": {"text": f"{short_title(choice, metric)} (less is better)", "standoff": 8},
                "type": "log" if log else "linear",
                "range": [end(low), end(high)],
                **(round_ticks(low, high, metric) if log else {"nticks": 6, **even_ticks(metric)}),
            },
            "yaxis": {
                "range": [len(ranked) - 0.45, -0.55],
                "showticklabels": False,
                "showgrid": False,
                "zeroline": False,
            },
        },
    )


def spanned(values: list[float], log: bool) -> tuple[float, float]:
    """The range of the axis: all values and a margin."""
    if log:
        values = [value for value in values if value > 0] or [0.1, 1]
        room = (max(values) / min(values)) ** 0.02 * 1.01
        return min(values) / room, max(values) * room
    room = 0.02 * (max(values, default=1) - min(values, default=0)) or 1.0
    return min(values, default=0) - room, max(values, default=1) + room


def short_title(choice: Choice, metric: Metric) -> str:
    meters = metric.is_length and choice.about.geographic
    return f"{metric.label} in meters" if meters else metric.label


def rule(line: Line) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": line.value,
        "x1": line.value,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": line.color, "dash": line.dash, "width": 2},
        "layer": "below",
    }


def name_of(
    line: Line, height: int, end: Callable[[float], float], low: float, high: float
) -> dict[str, Any]:
    """The label of a reference line above the plot, each higher than the last to avoid overlap."""
    part = (end(line.value) - end(low)) / (end(high) - end(low))
    return {
        "x": end(line.value),
        "y": 1,
        "yref": "paper",
        "yshift": 46 + 18 * height,
        "text": line.label,
        "font": {"color": line.color, "size": 13},
        "xanchor": "left" if part < 0.3 else "right" if part > 0.7 else "center",
        "yanchor": "bottom",
        "showarrow": False,
    }


def bands(ranked: Sequence[Standing], colors: Palette) -> list[go.Scatter]:
    """The middle 80 % of the runs of each method, as one trace for each color."""
    across: dict[str, tuple[list[float | None], list[float | None]]] = {}
    for row, each in enumerate(ranked):
        if each.point:
            x, y = across.setdefault(color_of(each, colors), ([], []))
            x += [each.point.low, each.point.high, None]
            y += [row + BELOW, row + BELOW, None]
    return [
        go.Scatter(
            x=x,
            y=y,
            mode="lines",
            line={"color": f"{color}66", "width": 8},
            hoverinfo="skip",
        )
        for color, (x, y) in across.items()
    ]


def dots(ranked: Sequence[Standing], choice: Choice, metric: Metric, colors: Palette) -> go.Scatter:
    rows = [(row, each, each.point) for row, each in enumerate(ranked) if each.point]
    marks = [
        chart_style.marker(color_of(each, colors), named(each.algorithm).holds, colors)
        for _, each, _ in rows
    ]
    say = partial(measured, metric=metric, geographic=choice.about.geographic)
    return go.Scatter(
        x=[point.mean for *_, point in rows],
        y=[row + BELOW for row, *_ in rows],
        mode="markers",
        marker={
            "size": 13,
            "color": [mark["color"] for mark in marks],
            "line": {
                "color": [mark["line"]["color"] for mark in marks],
                "width": [mark["line"]["width"] for mark in marks],
            },
            "opacity": 1,
        },
        unselected={"marker": {"opacity": 1}},
        customdata=[[each.algorithm] for _, each, _ in rows],
        text=[
            f"<b>{named(each.algorithm).title}</b><br>{metric.title}: {say(point.mean)}<br>"
            f"nine in ten below {say(point.high)}, one in ten below {say(point.low)}<br>"
            f"{point.runs} {plural('run')}: click to see it on Explore"
            for _, each, point in rows
        ],
        hoverinfo="text",
        cliponaxis=False,
    )


def color_of(each: Standing, colors: Palette) -> str:
    return colors.private if named(each.algorithm).holds else colors.unproven


def words(
    row: int, each: Standing, choice: Choice, colors: Palette, runs: int
) -> list[dict[str, Any]]:
    """The label of a row with its verdict and, below, the reason if it has no dot."""
    system = named(each.algorithm)
    name = f"<b>{system.title}</b>" if each.algorithm == choice.request.algorithm else system.title
    color = colors.quiet if system.holds else colors.unproven
    place = f"{row + 1}. " if each.point else ""
    lines = [f'{place}{name} · <span style="color:{color}">{system.claim}</span>']
    if each.point and each.point.runs < runs:
        made = f"{each.point.runs} {plural('run') if each.point.runs > 1 else 'run'}"
        lines[0] += f' · <span style="color:{colors.quiet}">{made}</span>'
    if each.refusal:
        why = f"Cannot run: {brief(each.refusal)}"
        lines.append(f'<span style="color:{colors.quiet}">{why}</span>')
    elif not each.point:
        lines.append(f'<span style="color:{colors.quiet}">…</span>')
    return [
        {
            "x": 0,
            "y": row,
            "xref": "paper",
            "text": text,
            "align": "left",
            "xanchor": "left",
            "yanchor": "middle",
            "yshift": shift,
            "showarrow": False,
            "bgcolor": colors.paper,
            "borderpad": 0,
        }
        for text, shift in zip(lines, (9, -9), strict=False)
    ]
