"""A map over k and d: how well a method does, or which of two does better."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.privacy.explain import plural
from dpcore.study import k_by_d_sweep
from dpcore.study.k_by_d_sweep import Cell, Family
from dpcore.study.metrics import Metric, usual
from dpcore.study.standings import Standing
from dpcore.study.trials import Trial
from dpcore.study.usual_ranges import SIDES
from pages.ui import address, chart_style, controls, live_runs, palette, refusal_lines, url_keys
from pages.ui.address import Key
from pages.ui.chart_frame import title
from pages.ui.choice import Choice
from pages.ui.compare import shared_jobs
from pages.ui.downloads import File
from pages.ui.palette import Palette
from pages.ui.refusal_lines import RefusalLine
from pages.ui.url_keys import NONE
from pages.ui.url_parsers import OneOf

#: A member of the family, for what is said of all of them.
DATA = "gaussians-k5-d4"
#: Pixels a row, and beside all rows.
ROW, REST = 46, 96
#: A method that does this many times better has the full color.
CLEAR = 4.0
#: From this part of the scale on, letters have the color of the ground.
FILLED = 0.48
#: A mean of nothing has no logarithm.
LEAST = 1e-6
#: The method with which the map opens: one that runs for every k and d.
FIRST = "auto"
#: Refusals under the map: places at which each holds.
MOST_PLACES = 9
#: By k and d; the methods by their keys.
StandingsOfMethods = dict[str, dict[tuple[int, int], Standing]]


def show() -> None:
    choice = controls.choose(DATA, centers=False, first=FIRST)
    st.caption(
        "10,000 simulated points in k well separated clusters, in d dimensions: the family of "
        "figures 2 and 6 of Su et al. (2016). Few clusters or many, few dimensions or many: "
        "which method is best for which? **Click on a cell** to see it on Explore."
    )
    controls.labelled_slider(choice)
    with st.sidebar:
        others = [key for key in ALGORITHMS if key != choice.request.algorithm]
        against = address.control(
            st.selectbox,
            "Against",
            url_keys.AGAINST.narrowed(OneOf((NONE, *others))),
            format_func=lambda key: "No other: its own figures" if key == NONE else title(key),
        )
        left, right = st.columns(2)
        with left:
            ks = sides_control("k up to", url_keys.K_TO)
        with right:
            ds = sides_control("d up to", url_keys.D_TO)
        runs = controls.runs_control("Runs of each cell", url_keys.CELL_RUNS)
    # A ratio of figures that can be zero or less would say nothing.
    metric = controls.metric_control(DATA, ratios=against != NONE, first="nicv")
    keys = (choice.request.algorithm, *([] if against == NONE else [against]))
    family = Family(controls.requests(choice, keys), runs, usual(metric.key), ks, ds)
    live_runs.show(
        DATA,
        family,
        partial(gather, family),
        partial(draw, choice, family, metric),
        partial(files, family, metric),
        family.command(),
    )


def sides_control(label: str, key: Key[int]) -> tuple[int, ...]:
    """Draw a control for the last k or d, and return the whole range."""
    return tuple(range(SIDES[0], address.control(st.number_input, label, key) + 1))


def gather(family: Family, stopped: bool) -> list[Cell]:
    """Request the missing cells, unless stopped, and return the finished ones."""
    requests = {each.algorithm: each for each in family.requests}
    places = list(product(range(family.runs), family.ds, family.ks))

    def refused(key: str, number: int, why: str) -> Cell:
        run, d, k = places[number]
        return Cell(k, d, Trial.refused(requests[key].on(k), run, family.metrics, why))

    jobs = shared_jobs.cells(family, stopped, url_keys.MOST_CELL_RUNS)
    return live_runs.gathered(jobs, len(places), refused)


def files(family: Family, metric: Metric, cells: list[Cell]) -> list[File]:
    return [
        File("CSV of this map", "map.csv", partial(map_csv, family, cells, metric)),
        File("CSV of every run", "map-runs.csv", partial(k_by_d_sweep.as_csv, cells)),
        File("JSON of every run", "map-runs.json", partial(k_by_d_sweep.as_json, cells)),
    ]


def draw(choice: Choice, family: Family, metric: Metric, cells: list[Cell]) -> None:
    all_standings = standings(family, cells, metric)
    st.markdown(legend(family, metric), unsafe_allow_html=True)
    chart = figure(all_standings, family, metric)
    alt = f"{metric.title} over k and d. The table below says the same."
    for point in chart_style.draw(chart, "map", alt, DATA)[:1]:
        k, d = point["customdata"]
        live_runs.explore(
            choice.request.epsilon,
            choice.request.algorithm,
            url_keys.DATA.at(f"gaussians-k{k}-d{d}"),
            url_keys.CENTERS.at(k),
        )
    refusals(all_standings)
    table(all_standings, family, metric)


def standings(family: Family, cells: list[Cell], metric: Metric) -> StandingsOfMethods:
    return {
        key: k_by_d_sweep.standings(
            [cell for cell in cells if cell.trial.algorithm == key], key, metric
        )
        for key in family.algorithms
    }


def square(color: str) -> str:
    return f'<span style="color:{color}">■</span>'


def legend(family: Family, metric: Metric) -> str:
    colors = palette.current()
    one, *other = family.algorithms
    if not other:
        return f"**{title(one)}**: {metric.title}, the darker the worse."
    (two,) = other
    return (
        f"{square(colors.series[0])} **{title(one)}** does better, {square(colors.series[3])} "
        f"**{title(two)}** does better: the figure says how many times. From {CLEAR:g} on the "
        "color is full."
    )


def figure(all_standings: StandingsOfMethods, family: Family, metric: Metric) -> go.Figure:
    colors = palette.current()
    one, *other = family.algorithms
    rows = [[cell(all_standings, one, other, (k, d)) for k in family.ks] for d in family.ds]
    values = [value for row in rows for value, _ in row if value is not None]
    if other:
        scale, limits = [colors.series[3], colors.paper, colors.series[0]], (-1.0, 1.0)
    else:
        scale, limits = list(colors.scale), (min(values, default=0), max(values, default=1))
    places = [(k, d) for d in family.ds for k in family.ks]
    inks = [ink(value, limits, bool(other), colors) for row in rows for value, _ in row]
    return go.Figure(
        [
            go.Heatmap(
                x=family.ks,
                y=family.ds,
                z=[[value for value, _ in row] for row in rows],
                colorscale=scale,
                zmin=limits[0],
                zmax=limits[1],
                showscale=False,
                hoverinfo="skip",
                xgap=2,
                ygap=2,
            ),
            # A heat map cannot be clicked; squares that nobody sees can.
            go.Scatter(
                x=[k for k, _ in places],
                y=[d for _, d in places],
                mode="markers+text",
                text=[text for row in rows for _, text in row],
                textfont={"color": inks, "size": 13},
                marker={"symbol": "square", "size": ROW - 8, "opacity": 0},
                selected={"marker": {"opacity": 0}},
                unselected={"marker": {"opacity": 0}},
                customdata=[list(at) for at in places],
                hovertext=[hover(all_standings, at, metric) for at in places],
                hoverinfo="text",
            ),
        ],
        {
            **chart_style.layout(colors),
            "plot_bgcolor": f"{colors.shore}33",
            "height": ROW * len(family.ds) + REST,
            "margin": {"l": 45, "r": 8, "t": 36, "b": 50},
            "xaxis": side_axis("k, clusters", family.ks, 8),
            "yaxis": side_axis("d, dimensions", family.ds, 4),
        },
    )


def side_axis(title: str, side: Sequence[int], standoff: int) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": standoff},
        "range": [side[0] - 0.5, side[-1] + 0.5],
        "tickvals": side,
        "showgrid": False,
        "zeroline": False,
    }


def cell(
    all_standings: StandingsOfMethods, one: str, other: list[str], at: tuple[int, int]
) -> tuple[float | None, str]:
    """The position of a cell on the color scale, and its text; a dash if a method cannot run."""
    standings = [all_standings[key].get(at) for key in (one, *other)]
    if any(each and each.refusal for each in standings):
        return None, "–"
    if not other:
        point = standings[0] and standings[0].point
        return (math.log10(max(point.mean, LEAST)), short(point.mean)) if point else (None, "")
    times = k_by_d_sweep.advantage(*standings)
    if times is None:
        return None, ""
    return max(-1.0, min(1.0, math.log(times, CLEAR))), short(max(times, 1 / times))


def ink(value: float | None, limits: tuple[float, float], diverging: bool, colors: Palette) -> str:
    """A text color that is readable on a cell."""
    if value is None:
        return colors.quiet
    low, high = limits
    strength = abs(value) if diverging else (value - low) / (high - low or 1)
    return colors.paper if strength > FILLED else colors.text


def short(value: float) -> str:
    """Format a number with two digits in as few characters as possible."""
    if abs(value) >= 1e4 or 0 < abs(value) < 1e-3:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    text = f"{value:.2g}" if abs(value) < 100 else f"{value:.0f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and value else text


def hover(all_standings: StandingsOfMethods, at: tuple[int, int], metric: Metric) -> str:
    k, d = at
    lines = [f"<b>k = {k}, d = {d}</b>"]
    for key, by_place in all_standings.items():
        own = by_place.get(at)
        if own and own.point:
            runs = f"{own.point.runs} {plural('run') if own.point.runs > 1 else 'run'}"
            lines.append(f"{title(key)}: {metric.title} {own.point.mean:.4g} ({runs})")
        else:
            lines.append(f"{title(key)}: {own.refusal if own and own.refusal else '…'}")
    return "<br>".join(lines)


def refusals(all_standings: StandingsOfMethods) -> None:
    """Draw where each method cannot run, and why in most of these cells."""
    for key, by_place in all_standings.items():
        reasons: dict[str, list[tuple[int, int]]] = {}
        for at, own in by_place.items():
            if own.refusal:
                reasons.setdefault(own.refusal, []).append(at)
        if reasons:
            # One line a method: the reason that holds for most cells.
            reason, places = max(reasons.items(), key=lambda item: len(item[1]))
            where = ", ".join(f"({k}, {d})" for k, d in sorted(places)[:MOST_PLACES])
            more = f" and {len(places) - MOST_PLACES} more cells" * (len(places) > MOST_PLACES)
            refusal_lines.draw([RefusalLine(title(key), f"at (k, d) = {where}{more}", reason)])


def table(all_standings: StandingsOfMethods, family: Family, metric: Metric) -> None:
    """Draw the map as a table, for screen readers too."""
    for key, by_place in all_standings.items():
        with st.expander(f"{title(key)}: {metric.title} in figures", icon=":material/table:"):
            rows = {
                f"k = {k}": [
                    f"{own.point.mean:.4g}"
                    if (own := by_place.get((k, d))) and own.point
                    else "–"
                    if own and own.refusal
                    else "…"
                    for d in family.ds
                ]
                for k in family.ks
            }
            index = pd.Index([f"d = {d}" for d in family.ds])
            st.table(pd.DataFrame(rows, index=index), border="horizontal")


def map_csv(family: Family, cells: list[Cell], metric: Metric) -> str:
    return k_by_d_sweep.means_csv(standings(family, cells, metric), metric)
