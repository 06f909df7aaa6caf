"""The days on which budget was used, as a calendar: a square a day, a column a week."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import plotly.graph_objects as go

from dpcore.release.contribution_bound import PURPOSE as QUESTION
from dpcore.release.ledger import Entry
from dpcore.release.outside_charge import PURPOSE as OTHER_TOOL
from dpcore.release.plan import TWIN
from pages.ui.palette import Palette
from pages.ui.wording import plain_in_chart

#: Weeks that are shown, from the first entry on.
FEWEST, MOST = 20, 53
HEIGHT, GAP = 200, 3
#: What a line of the ledger is called that is no release.
KINDS = {TWIN: "Private twin", QUESTION: "Question", OTHER_TOOL: "Another tool"}
DAYS = ("Mon", "", "Wed", "", "Fri", "", "Sun")


def kind(entry: Entry) -> str:
    """The kind of a line of the ledger, in a word or two."""
    if entry.failure:
        return "Nothing came of it"
    return KINDS.get(entry.purpose, "Release")


def colors_of(colors: Palette) -> dict[str, str]:
    """The color of each kind; of several on one day the first kind here is shown."""
    return {
        "Release": colors.private,
        "Private twin": colors.series[1],
        "Question": colors.series[3],
        "Another tool": colors.series[2],
        "Nothing came of it": colors.quiet,
    }


def figure(entries: Sequence[Entry], today: date, colors: Palette) -> go.Figure:
    """The calendar up to today."""
    by_day: dict[date, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_day[date.fromisoformat(entry.time[:10])].append(entry)
    last = monday(max([today, *by_day]))
    first = monday(min([today, *by_day]))
    weeks = min(max((last - first).days // 7 + 1, FEWEST), MOST)
    start = last - timedelta(weeks=weeks - 1)
    days = [start + timedelta(days=n) for n in range(7 * weeks)]
    chart = go.Figure()
    empty = [day for day in days if day not in by_day]
    chart.add_trace(squares("", days, empty, {}, f"{colors.shore}55"))
    color_of = colors_of(colors)
    for name, color in color_of.items():
        own_days = [
            day
            for day in days
            if day in by_day and min(map(kind, by_day[day]), key=list(color_of).index) == name
        ]
        if own_days:
            chart.add_trace(squares(name, days, own_days, by_day, color))
    chart.update_layout(
        height=HEIGHT,
        margin={"l": 40, "r": 10, "t": 10, "b": 60},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"color": colors.text, "family": "Source Sans, sans-serif", "size": 13},
        hoverlabel={"bgcolor": colors.paper, "font": {"color": colors.text}, "align": "left"},
        legend={
            "orientation": "h",
            "x": 0,
            "y": -0.3,
            "itemclick": False,
            "itemdoubleclick": False,
        },
        dragmode=False,
        xaxis={
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "tickformat": "%b %Y",
            "dtick": "M1",
        },
        yaxis={
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
            "autorange": "reversed",
            "tickvals": list(range(7)),
            "ticktext": DAYS,
            "ticks": "",
        },
    )
    return chart


def monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def squares(
    name: str,
    days: Sequence[date],
    own_days: Sequence[date],
    by_day: Mapping[date, Sequence[Entry]],
    color: str,
) -> go.Heatmap:
    """The days that are shown in a color, on a calendar of all days: as wide as there is room."""
    tips = ["<br>".join([f"{day:%d %B %Y}", *map(line, by_day.get(day, []))]) for day in days]
    return go.Heatmap(
        x=[monday(day) for day in days],
        y=[day.weekday() for day in days],
        z=[1 if day in own_days else None for day in days],
        name=name,
        showlegend=bool(name),
        showscale=False,
        colorscale=[[0, color], [1, color]],
        xgap=GAP,
        ygap=GAP,
        hoverongaps=False,
        hoverinfo="text" if name else "skip",
        text=tips,
    )


def line(entry: Entry) -> str:
    note = f" ({entry.note.words()})" * bool(entry.note.words())
    words = f"{kind(entry)} {entry.number}, {entry.account}: {entry.charged}{note}"
    return plain_in_chart(words)
