"""The chart of errors by level, with the need as a line, and the same as a table."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.privacy import explain
from dpcore.privacy.explain import LEVELS, Level
from dpcore.study.level_accuracy import LevelAccuracy, limit_of
from dpcore.study.needs import CentersWithin, CountsWithin, WorseBy
from dpcore.study.recommendation import Recommendation
from pages.ui import chart_style
from pages.ui.palette import Palette

HEIGHT = 420
TITLES = {
    CentersWithin.key: "How far centers move, by level",
    WorseBy.key: "How much worse the clustering gets, by level",
    CountsWithin.key: "How wrong counts are, by level",
}


def scaled(advice: Recommendation, error: float) -> float:
    """An error in the unit of the chart."""
    if isinstance(advice.need, WorseBy):
        return 100 * error
    if isinstance(advice.need, CentersWithin) and not advice.in_meters:
        return 50 * error
    return error


def unit_of(advice: Recommendation) -> str:
    if isinstance(advice.need, CountsWithin):
        return explain.plural(advice.unit)
    if isinstance(advice.need, WorseBy):
        return "percent"
    return "meters" if advice.in_meters else "percent of the width"


def figure(advice: Recommendation, colors: Palette, narrow: bool) -> go.Figure:
    """Errors at the named levels: the limit that the need is about, and that of half the cases."""
    answers = [each for each in advice.accuracies if math.isfinite(each.reached)]
    limit = scaled(advice, limit_of(advice.need, advice.in_meters))
    floor = min([limit, *(scaled(advice, each.half) for each in answers if each.half > 0)]) / 2
    most = max([limit, *(scaled(advice, each.reached) for each in answers)]) * 2
    names = [level.name for level in LEVELS]
    place = {name: i for i, name in enumerate(names)}
    style = chart_style.axis(colors)
    need = advice.need.error_words(limit_of(advice.need, advice.in_meters), advice.in_meters)
    best = advice.best
    traces = [
        line(advice, answers, "half", colors, floor),
        line(advice, answers, "reached", colors, floor),
    ]
    shapes: list[dict[str, Any]] = [
        {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": floor, "y1": limit,
         "fillcolor": colors.series[1], "opacity": 0.1, "line": {"width": 0}, "layer": "below"},
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": limit, "y1": limit,
         "line": {"color": colors.series[1], "width": 2, "dash": "dash"}},
    ]  # fmt: skip
    notes = [
        {"xref": "paper", "x": 0.01 if best else 0.99, "y": math.log10(limit),
         "text": f"<b>your need: {need}</b>", "showarrow": False,
         "xanchor": "left" if best else "right", "yanchor": "bottom",
         "font": {"color": colors.series[1]}},
    ]  # fmt: skip
    if best is not None:
        at = scaled(advice, best.reached)
        shapes.append(
            {"type": "line", "x0": place[best.level.name], "x1": place[best.level.name],
             "y0": floor, "y1": max(at, floor), "line": {"color": colors.private, "width": 1.5}}
        )  # fmt: skip
        notes.append(
            {"x": place[best.level.name], "y": math.log10(max(at, floor)), "xshift": 10,
             "text": f"<b>{advice.need.error_words(best.reached, advice.in_meters)}</b>",
             "showarrow": False, "xanchor": "left", "yanchor": "top", "bgcolor": colors.paper,
             "font": {"color": colors.private, "size": 16}}
        )  # fmt: skip
        traces.append(
            go.Scatter(
                x=[best.level.name],
                y=[max(at, floor)],
                mode="markers",
                marker={
                    "size": 18,
                    "color": colors.private,
                    "line": {"color": colors.paper, "width": 2},
                },
                hoverinfo="skip",
            )
        )
    best_level = best.level if best else None
    ticks = [tick(level, level == best_level) for level in LEVELS]
    return go.Figure(
        traces,
        {
            **chart_style.layout(colors),
            "height": HEIGHT,
            "margin": {"l": 60, "r": 12, "t": 12, "b": 60},
            "shapes": shapes,
            "annotations": notes,
            "xaxis": {
                **style,
                "showgrid": False,
                "categoryorder": "array",
                "categoryarray": names,
                "range": [-0.4, len(names) - 0.4],
                "tickvals": names,
                "ticktext": ticks,
                "tickfont": {"size": 10 if narrow else 13},
                "fixedrange": True,
            },
            "yaxis": {
                **style,
                "type": "log",
                "range": [math.log10(floor), math.log10(most)],
                "dtick": "D2",
                "tickformat": ",~r",
                "fixedrange": True,
            },
        },
    )


def tick(level: Level, is_chosen: bool) -> str:
    """The name of a level, and below it how sure an attacker can become."""
    name = f"<b>{level.name}</b>" if is_chosen else level.name
    return f"{name}<br>≤ {explain.certainty(level.epsilon)}"


def line(
    advice: Recommendation, answers: list[LevelAccuracy], which: str, colors: Palette, floor: float
) -> go.Scatter:
    """One line: the limit in all but few cases, solid, or the middle one, dotted."""
    solid = which == "reached"
    values = [scaled(advice, getattr(each, which)) for each in answers]
    name = advice.need.part if solid else "half"
    return go.Scatter(
        x=[each.level.name for each in answers],
        y=[max(value, floor) for value in values],
        mode="lines+markers" if solid else "lines",
        line={
            "color": colors.private,
            "width": 3 if solid else 2,
            "dash": None if solid else "dot",
        },
        marker={"size": 10, "color": colors.paper, "line": {"color": colors.private, "width": 2.5}},
        name=name,
        customdata=[
            [advice.need.error_words(getattr(each, which), advice.in_meters)] for each in answers
        ],
        hovertemplate="%{x}: " + name + " within %{customdata[0]}<extra></extra>",
    )


def table(advice: Recommendation) -> None:
    """Draw the accuracy at each level as a table."""
    best = advice.level
    rows = []
    for each in advice.accuracies:
        answered = math.isfinite(each.reached)
        rows.append(
            {
                "Level": f"**{each.level.name}**" if each.level == best else each.level.name,
                "An attacker becomes at most": f"{explain.certainty(each.level.epsilon)} sure",
                f"{advice.need.part.capitalize()} within": advice.need.error_words(
                    each.reached, advice.in_meters
                )
                if answered
                else "no answer",
                "Half within": advice.need.error_words(each.half, advice.in_meters)
                if answered
                else "",
                "Meets your need": "yes" if each.meets(advice.need, advice.in_meters) else "no",
            }
        )
    st.table(pd.DataFrame(rows), border="horizontal", hide_index=True)
