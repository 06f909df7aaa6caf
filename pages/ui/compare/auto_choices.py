"""A map of the rule of `auto`: the method it chooses for each number of rows and coordinates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.auto import AutoChoice as Taken
from dpcore.algorithms.auto import choose
from dpcore.privacy.accounting import Neighbors
from dpcore.runs import source_text
from dpcore.study.sweep_plan import table_csv
from pages.ui import chart_style, controls, palette
from pages.ui.choice import Choice
from pages.ui.downloads import File, keep

AUTO, DATA = "auto", "gaussians-k5-d4"
ROWS = tuple(part * 10**power for power in range(2, 8) for part in (1, 3))
DIMENSIONS = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100)
ROW, REST = 34, 96
COLUMNS = ("n", "d", "algorithm", "way", "sentence")
#: By rows and coordinates.
Rule = Mapping[tuple[int, int], Taken]


def show() -> None:
    choice = controls.choose(DATA, method=AUTO)
    st.caption(
        "**Best for this data** looks at public numbers alone: how many coordinates and centers "
        "there are, ε, δ, and what an attacker may know; and, on a map, at a noisy number of rows. "
        "Nothing is run here: the map shows its rule, which anybody can repeat."
    )
    controls.labelled_slider(choice)
    choices = rule(
        choice.request.k, choice.request.epsilon, choice.request.delta, choice.request.neighbors
    )
    ways = list(dict.fromkeys((each.algorithm, each.way) for each in choices.values()))
    legend(ways)
    chart_style.draw(
        figure(choices, ways),
        "auto",
        "What “auto” chooses for n rows of d coordinates. The file below says the same.",
        DATA,
    )
    rows = [{"n": n, "d": d, **asdict(each)} for (n, d), each in choices.items()]
    files = [
        File("CSV of this map", "auto.csv", partial(table_csv, COLUMNS, rows)),
        File("JSON of this map", "auto.json", partial(json.dumps, rows, indent=1)),
    ]
    keep(DATA, files, True, python=python(choice), marked=False)


@st.cache_data(show_spinner=False, max_entries=64)
def rule(k: int, epsilon: float, delta: float, neighbors: Neighbors) -> Rule:
    return {(n, d): choose(n, d, k, epsilon, delta, neighbors) for d in DIMENSIONS for n in ROWS}


def legend(ways: list[tuple[str, str]]) -> None:
    """Draw the legend: the number and color of each choice."""
    colors = palette.current()
    st.markdown(
        "&emsp; ".join(
            f'<span style="color:{color}">■</span> **{number}** {ALGORITHMS[key].title}: {way}'
            for number, ((key, way), color) in enumerate(
                zip(ways, colors.series, strict=False), start=1
            )
        ),
        unsafe_allow_html=True,
    )


def figure(choices: Rule, ways: list[tuple[str, str]]) -> go.Figure:
    colors = palette.current()
    number = {way: i for i, way in enumerate(ways, start=1)}
    cells = [[number[choices[n, d].algorithm, choices[n, d].way] for n in ROWS] for d in DIMENSIONS]
    steps = len(ways)
    scale = [
        (edge / steps, color)
        for i, color in zip(range(steps), colors.series, strict=False)
        for edge in (i, i + 1)
    ]
    return go.Figure(
        [
            go.Heatmap(
                x=[count(n) for n in ROWS],
                y=[str(d) for d in DIMENSIONS],
                z=cells,
                zmin=0.5,
                zmax=steps + 0.5,
                colorscale=scale,
                showscale=False,
                text=[[str(each) for each in row] for row in cells],
                texttemplate="%{text}",
                textfont={"color": colors.paper, "size": 13},
                hovertext=[[choices[n, d].sentence for n in ROWS] for d in DIMENSIONS],
                hovertemplate="%{x} rows, %{y} coordinates<br>%{hovertext}<extra></extra>",
                xgap=2,
                ygap=2,
            )
        ],
        {
            **chart_style.layout(colors),
            "height": ROW * len(DIMENSIONS) + REST,
            "margin": {"l": 45, "r": 8, "t": 36, "b": 50},
            "xaxis": {
                "type": "category",
                "title": {"text": "n, rows", "standoff": 8},
                "tickvals": [count(n) for n in ROWS[::2]],
            },
            "yaxis": {"type": "category", "title": {"text": "d, coordinates", "standoff": 4}},
        },
    )


def count(n: int) -> str:
    if n >= 1_000_000:
        return f"{n // 1_000_000}M"
    return f"{n // 1000}k" if n >= 1000 else str(n)


def python(choice: Choice) -> str:
    """A program that prints the same map."""
    request = choice.request
    values = (request.k, request.epsilon, request.delta, request.neighbors)
    rest = ", ".join(map(source_text.literal, values))
    return f"""\
from dpcore.algorithms.auto import choose

for d in {list(DIMENSIONS)}:
    for n in {list(ROWS)}:
        print(n, d, choose(n, d, {rest}).way)
"""
