"""Labels of a chart: the names at the ends of its lines, the key above it, and its ticks."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable
from typing import Any, NamedTuple

import streamlit as st

from dpcore.study.metrics import Metric
from pages.ui.wording import percent

#: A label's line takes this part of the plot's height, and holds so many letters.
LINE_HEIGHT, LABEL_WIDTH = 0.045, 16


class EndLabel(NamedTuple):
    """The label of a line: its name, where it ends, and its color."""

    text: str
    value: float
    color: str


def key(names: Iterable[tuple[str, float, str]]) -> None:
    """The names above a chart that is too narrow to have them at its lines' ends."""
    entries = (
        f'<span style="display:inline-block"><span style="color:{color}">━</span> {name}</span>'
        for name, _, color in names
    )
    st.markdown("&emsp; ".join(entries), unsafe_allow_html=True)


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


def placed(
    named: Iterable[tuple[str, float, str]], low: float, high: float, log: bool
) -> list[tuple[str, float, str]]:
    """Labels with their heights as parts of the plot, moved apart where they would overlap."""

    def part(value: float) -> float:
        if log:
            if value <= 0:
                return 0.0
            value, bottom, top = math.log(value), math.log(low), math.log(high)
        else:
            bottom, top = low, high
        return min(1.0, max(0.0, (value - bottom) / (top - bottom)))

    wrapped = [("<br>".join(textwrap.wrap(t, LABEL_WIDTH)), part(v), c) for t, v, c in named]
    wrapped.sort(key=lambda label: -label[1])
    at = [height for _, height, _ in wrapped]
    tall = [LINE_HEIGHT * (1.2 + text.count("<br>")) for text, _, _ in wrapped]
    if at:
        at[0] = min(at[0], 1 - tall[0] / 2)
    for i in range(1, len(at)):
        at[i] = min(at[i], at[i - 1] - (tall[i] + tall[i - 1]) / 2)
    # Those pushed below the plot push the others up again.
    if at and at[-1] < 0:
        at[-1] = 0.0
        for i in range(len(at) - 2, -1, -1):
            at[i] = max(at[i], at[i + 1] + (tall[i] + tall[i + 1]) / 2)
    return [(text, height, color) for height, (text, _, color) in zip(at, wrapped, strict=True)]


def round_ticks(low: float, high: float, metric: Metric | None = None) -> dict[str, list[Any]]:
    """1, 2 and 5 times the powers of ten in between; powers alone where these are many."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) <= 4 else (1,)
    ticks = [float(f"{step}e{power}") for power in powers for step in steps]
    say = percent if metric and metric.is_share else "{:,g}".format
    return {"tickvals": ticks, "ticktext": [say(tick) for tick in ticks]}


def even_ticks(metric: Metric) -> dict[str, str]:
    """The labels of the ticks of an axis in equal steps."""
    return {"tickformat": ",.4~%"} if metric.is_share else {}
