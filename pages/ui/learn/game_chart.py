"""The success of the best guesser known, over the bound that ε sets."""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from dpcore.classroom.guessing_game import CONTESTANTS, EPSILONS, GuesserScore
from dpcore.privacy.explain import attacker_certainty
from pages.ui import chart_style
from pages.ui.palette import Palette

HEIGHT, PRESENTED = 460, 480
#: Beside each other at one ε: how many times each is moved to the right.
ASIDE = {"sound": 0.965, "thin": 1.0, "published": 1.035}
LOW, HIGH = 0.08, 5.0
STEPS = 60


def figure(scores: Sequence[GuesserScore], colors: Palette, presented: bool) -> go.Figure:
    factor = (HIGH / LOW) ** (1 / STEPS)
    epsilons = [LOW * factor**i for i in range(STEPS + 1)]
    size = 22 if presented else 14
    axis = chart_style.axis(colors)
    bound = go.Scatter(
        x=epsilons,
        y=[100 * attacker_certainty(epsilon) for epsilon in epsilons],
        mode="lines",
        line={"color": colors.text, "width": 3, "dash": "dash"},
        fill="tozeroy",
        fillcolor=f"{colors.quiet}22",
        name="The bound: e^ε / (1 + e^ε)",
        hoverinfo="skip",
    )
    return go.Figure(
        [bound, *(points(key, scores, colors, size) for key in CONTESTANTS)],
        {
            **chart_style.layout(colors),
            "height": PRESENTED if presented else HEIGHT,
            "font": {"color": colors.text, "family": "Source Sans, sans-serif", "size": size},
            "margin": {"l": 70, "r": 20, "t": 20, "b": 60},
            "showlegend": True,
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
            "xaxis": {
                **axis,
                "type": "log",
                "title": "ε (smaller is stricter)",
                "tickvals": EPSILONS,
                "ticktext": [f"{epsilon:g}" for epsilon in EPSILONS],
            },
            "yaxis": {**axis, "title": "guesses that are right, %", "range": [45, 102]},
            "uirevision": "game",
        },
    )


def points(key: str, scores: Sequence[GuesserScore], colors: Palette, size: int) -> go.Scatter:
    own = [score for score in scores if score.contestant == key]
    color = {
        "sound": colors.private,
        "thin": colors.series[2],
        "published": colors.unproven,
    }[key]
    ends = [score.interval for score in own]
    return go.Scatter(
        x=[score.epsilon * ASIDE[key] for score in own],
        y=[100 * score.accuracy for score in own],
        error_y={
            "type": "data",
            "array": [100 * (high - s.accuracy) for (_, high), s in zip(ends, own, strict=True)],
            "arrayminus": [100 * (s.accuracy - low) for (low, _), s in zip(ends, own, strict=True)],
            "color": color,
            "thickness": 2,
            "width": 5,
        },
        mode="markers",
        marker=chart_style.marker(color, CONTESTANTS[key].sound, colors, size - 3),
        name=CONTESTANTS[key].title,
        customdata=[score.guesser for score in own],
        hovertemplate="%{y:.1f} % right<br>by %{customdata}<extra></extra>",
    )
