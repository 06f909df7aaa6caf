"""The figures of a finding as lines: a panel for each setting, and a line for each method."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from dpcore.papers import Row
from dpcore.papers.figure_row import part_name, part_words
from pages.ui import chart_style
from pages.ui.chart_frame import named
from pages.ui.chart_labels import round_ticks
from pages.ui.palette import Palette

#: Settings along which figures are drawn, the first one that leaves the fewest panels.
ALONG = ("epsilon", "power", "iterations", "n", "k", "d", "internal_k", "draw", "block_rows")
#: Settings that make no panels where they follow from the others, or from the axis and the others.
FOLLOWING = ("source", "d", "k", "n", "hybrid_takes")
FOLLOWING_THE_AXIS = ("level", "block_rows", "power")
#: An axis has at least so many places, a line so many figures on average, and a picture at most so
#: many panels.
FEWEST, LINE, MOST_PANELS = 3, 2, 36
#: An axis whose ends are this many times apart is logarithmic.
FAR_APART = 20.0
PANEL, COLUMNS = 250, 3
#: Pixels of a row of names, names in it in a wide and in a narrow window, and ticks of an axis.
KEY, WIDE_KEY, NARROW_KEY, MOST_TICKS = 32, 5, 2, 8
METHOD = "algorithm"
DASHES = ("solid", "dash", "dot")
EVEN_TICKS = {"nticks": MOST_TICKS, "exponentformat": "power"}
Setting = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class FindingPanels:
    """The panels in which the rows of a finding are drawn."""

    #: The setting along the horizontal axis.
    along: str
    panels: dict[Setting, list[Row]]

    @property
    def titles(self) -> list[str]:
        """The titles that tell the panels apart."""
        values = [dict(panel) for panel in self.panels]
        names = list(dict.fromkeys(name for each in values for name in each))
        apart = [name for name in names if len({each.get(name) for each in values}) > 1]
        return [
            ", ".join(part_words(name, each[name]) for name in apart if name in each)
            for each in values
        ]

    @property
    def has_lines(self) -> bool:
        lines = [
            (panel, row.setting.get(METHOD)) for panel, some in self.panels.items() for row in some
        ]
        return len(lines) >= LINE * len(set(lines))

    @property
    def methods(self) -> list[str]:
        rows = (row for some in self.panels.values() for row in some)
        return list(dict.fromkeys(str(row.setting.get(METHOD, "")) for row in rows))


def panels_of(rows: Sequence[Row]) -> FindingPanels | None:
    """The panels with the fewest charts; None where no setting makes a line."""
    measured = [row for row in rows if not math.isnan(row.figure)]
    candidates = [by(along, measured) for along in ALONG if is_axis(along, measured)]
    able = [each for each in candidates if len(each.panels) <= MOST_PANELS and each.has_lines]
    return min(able, key=lambda each: len(each.panels), default=None)


def is_axis(name: str, rows: Sequence[Row]) -> bool:
    values = {row.setting[name] for row in rows if name in row.setting}
    return len(values) >= FEWEST and all(isinstance(value, int | float) for value in values)


def by(along: str, rows: Sequence[Row]) -> FindingPanels:
    """The rows that have this setting, in panels by their other ones."""
    placed = [row for row in rows if along in row.setting]
    names = list(dict.fromkeys(name for row in placed for name in row.setting))
    # Generated sets are named after their sizes: along a size, each has another name.
    axis = ("data", *FOLLOWING_THE_AXIS) if along in ("k", "d", "n") else FOLLOWING_THE_AXIS
    for name in (*axis, *FOLLOWING):
        others = [each for each in names if each != name and (name in axis or each != along)]
        if name in names and name != along and follows(name, others, placed):
            names.remove(name)
    panels: dict[Setting, list[Row]] = {}
    for row in placed:
        setting = tuple(
            (name, row.setting[name])
            for name in names
            if name in row.setting and name not in (along, METHOD)
        )
        panels.setdefault(setting, []).append(row)
    return FindingPanels(along, panels)


def follows(name: str, others: Sequence[str], rows: Sequence[Row]) -> bool:
    """Whether the others tell the value of a setting."""
    values: dict[tuple[Any, ...], Any] = {}
    return all(
        values.setdefault(tuple(map(row.setting.get, others)), row.setting.get(name))
        == row.setting.get(name)
        for row in rows
    )


def figure(content: FindingPanels, colors: Palette, narrow: bool) -> go.Figure:
    """Dots with the standard errors of means; a hollow square is a number that the paper prints."""
    columns = 1 if narrow else min(COLUMNS, len(content.panels))
    rows = math.ceil(len(content.panels) / columns)
    chart = make_subplots(
        rows,
        columns,
        subplot_titles=content.titles,
        vertical_spacing=0.3 / rows,
        horizontal_spacing=0.08,
    )
    look = dict(zip(content.methods, looks(colors), strict=False))
    key = 30 + KEY * math.ceil(len(content.methods) / (NARROW_KEY if narrow else WIDE_KEY))
    for i, some in enumerate(content.panels.values()):
        at = {"row": i // columns + 1, "col": i % columns + 1}
        for method, style in look.items():
            own = [row for row in some if str(row.setting.get(METHOD, "")) == method]
            own.sort(key=lambda row: float(row.setting[content.along]))
            for trace in lines(own, content.along, method, style, colors):
                trace.showlegend = i == 0 and bool(method) and trace.name is not None
                chart.add_trace(trace, **at)
        axis = chart_style.axis(colors)
        across = [float(row.setting[content.along]) for row in some]
        up = [row.figure for row in some]
        chart.update_xaxes(**axis, **scale(across, sorted(set(across))), **at)
        chart.update_yaxes(**axis, **scale(up), **at)
    chart.update_xaxes(title={"text": part_name(content.along), "standoff": 6}, row=rows)
    chart.update_layout(
        chart_style.layout(colors)
        | {
            "height": PANEL * rows + 60 + key,
            "margin": {"l": 60, "r": 8, "t": 60, "b": 50 + key},
            "showlegend": True,
            "legend": {
                "orientation": "h",
                "yref": "container",
                "yanchor": "bottom",
                "y": 0,
                "itemclick": False,
                "itemdoubleclick": False,
            },
        }
    )
    return chart


def looks(colors: Palette) -> list[tuple[str, str]]:
    """A color and a dash for each of many lines."""
    return [(color, dash) for dash in DASHES for color in colors.series]


def lines(
    rows: Sequence[Row], along: str, method: str, style: tuple[str, str], colors: Palette
) -> list[go.Scatter]:
    """The figures of one method in one panel, and those that the paper prints."""
    color, dash = style
    printed = [(row, row.paper) for row in rows if row.paper is not None]
    name = method_name(method)
    ours = go.Scatter(
        x=[row.setting[along] for row in rows],
        y=[row.figure for row in rows],
        error_y={"array": [row.error or 0 for row in rows], "width": 2, "thickness": 1},
        name=name,
        legendgroup=method,
        mode="lines+markers",
        line={"color": color, "width": 2, "dash": dash},
        marker={"size": 6},
        text=[f"<b>{name}</b><br>here: {row.figure:.4g}" for row in rows],
        hoverinfo="text",
    )
    theirs = go.Scatter(
        x=[row.setting[along] for row, _ in printed],
        y=[paper for _, paper in printed],
        mode="markers",
        marker={"symbol": "square-open", "size": 9, "color": color, "line": {"width": 2}},
        text=[f"<b>{name}</b><br>the paper: {paper:.4g}" for _, paper in printed],
        hoverinfo="text",
    )
    return [each for each, some in ((ours, rows), (theirs, printed)) if some]


def scale(values: Sequence[float], ticks: Sequence[float] = ()) -> dict[str, Any]:
    """A logarithmic axis where values are far apart; few ticks stand where they are given."""
    low, high = min(values), max(values)
    kind = "log" if low > 0 and high > FAR_APART * low else "linear"
    if 0 < len(ticks) <= MOST_TICKS:
        texts = [f"{tick:,g}" for tick in ticks]
        return {"type": kind, "tickvals": ticks, "ticktext": texts, "tickangle": 0}
    return {"type": kind, **(round_ticks(low, high) if kind == "log" else EVEN_TICKS)}


def method_name(method: str) -> str:
    return named(method).title if method else "measured"
