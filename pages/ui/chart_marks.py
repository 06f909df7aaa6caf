"""Marks on a chart across epsilon: the levels at its axis, the present one, and a target."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dpcore.privacy.explain import LEVELS, MIDDLE, NO_BREAK, level_of
from pages.ui.chart_frame import ChartAxes, ChartFrame
from pages.ui.palette import Palette

#: What stands at the axis: every level with its name, and round numbers beyond them.
TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 4)


def epsilon_ticks(here: float, axes: ChartAxes, narrow: bool) -> dict[str, Any]:
    """ε with the names of the levels below it; on a phone only as many names as there is room."""
    if not axes.x_log:
        return {}
    levels = (LEVELS[0], level_of(here) or MIDDLE, LEVELS[-1])

    def text(epsilon: float) -> str:
        level = level_of(epsilon)
        if level is None or (narrow and level not in levels):
            return f"{epsilon:g}"
        name = f"<b>{level.name}</b>" if math.isclose(epsilon, here) else level.name
        return f"{epsilon:g}<br>{name}"

    ticks = {"tickvals": TICKS, "ticktext": [text(tick) for tick in TICKS]}
    return ticks | ({"tickangle": 0, "tickfont": {"size": 12}} if narrow else {})


def here_line(here: float, colors: Palette) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": here,
        "x1": here,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": {"color": colors.quiet, "width": 1.5, "dash": "dot"},
        "layer": "below",
    }


def here_note(
    here: float, epsilons: Sequence[float], axes: ChartAxes, colors: Palette
) -> list[dict[str, Any]]:
    """Above the plot, which level the dotted line marks."""
    if not epsilons[0] <= here <= epsilons[-1]:
        return []
    level = level_of(here)
    name = f"{level.name} (ε{NO_BREAK}{here:g})" if level else f"ε{NO_BREAK}{here:g}"
    return [
        {
            "x": math.log10(here) if axes.x_log else here,
            "y": 1,
            "yref": "paper",
            "yanchor": "bottom",
            "text": f"your level: {name}",
            "font": {"color": colors.quiet, "size": 13},
            "showarrow": False,
        }
    ]


def target_line(target: float, colors: Palette) -> dict[str, Any]:
    return {
        "type": "line",
        "x0": 0,
        "x1": 1,
        "xref": "paper",
        "y0": target,
        "y1": target,
        "line": {"color": colors.text, "width": 1.5, "dash": "longdash"},
        "layer": "below",
    }


def target_note(
    target: float | None, low: float, high: float, axes: ChartAxes, frame: ChartFrame
) -> list[dict[str, Any]]:
    if target is None or not low <= target <= high:
        return []
    return [
        {
            "x": 0.995,
            "xref": "paper",
            "xanchor": "right",
            "y": math.log10(target) if axes.y_log else target,
            "yanchor": "bottom",
            "text": f"target: {frame.say(target)}",
            "font": {"color": frame.colors.text, "size": 13},
            "showarrow": False,
        }
    ]
