"""One method against another on the same data: who wins where, and whether by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import product

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from plotly.subplots import make_subplots

from dpcore.algorithms import ALGORITHMS
from dpcore.study import duels
from dpcore.study.duels import Bout, CellOutcome, MethodDuel, Setting
from dpcore.study.usual_ranges import RIVALS
from pages.ui import (
    address,
    browser_state,
    chart_style,
    controls,
    live_runs,
    palette,
    refusal_lines,
    url_keys,
)
from pages.ui.chart_frame import title
from pages.ui.compare import shared_jobs
from pages.ui.downloads import File
from pages.ui.palette import Palette
from pages.ui.refusal_lines import RefusalLine
from pages.ui.url_parsers import OneOf

#: Simulated data of the kind that the duel draws, for the controls alone.
DATA = "gaussians-k5-d4"
#: The method with which it opens: one that runs everywhere.
FIRST = "auto"
#: A method that does this many times better has the full color; chance has this part of it.
CLEAR, PALE = 4.0, 0.3
HEIGHT = 560
#: Of each small map, where they stand one below the other.
NARROW_ROW = 140


def show() -> None:
    choice = controls.choose(DATA, centers=False, first=FIRST)
    st.caption(
        "Two methods cluster the same simulated rows, in every cell of privacy, clusters, rows and "
        "dimensions. Each run draws new rows, so a win is a win on equal terms. A figure in "
        "brackets could be chance: it fails a sign test at 5 %, corrected for the many cells."
    )
    with st.sidebar:
        others = [key for key in ALGORITHMS if key != choice.request.algorithm]
        rival = next(key for key in RIVALS if key in others)
        against = address.control(
            st.selectbox,
            "Against",
            url_keys.AGAINST.narrowed(OneOf(others), rival),
            format_func=title,
        )
        runs = controls.runs_control("Runs of each cell", url_keys.DUEL_RUNS)
    one, other = controls.requests(choice, (choice.request.algorithm, against))
    duel = MethodDuel(one, other, runs)
    browser_state.watch_width()
    live_runs.show(
        DATA, duel, partial(gather, duel), partial(draw, duel), partial(files, duel), marked=False
    )


def gather(duel: MethodDuel, stopped: bool) -> list[Bout]:
    """Request the missing bouts, unless stopped, and return the finished ones."""
    whole = [(setting, number) for number in range(duel.runs) for setting in duel.settings]

    def refused(_: str, number: int, why: str) -> Bout:
        return duel.bout(*whole[number], why)

    job = shared_jobs.bouts(duel, stopped, url_keys.MOST_CELL_RUNS)
    return live_runs.gathered({"duel": job}, duel.total, refused)


def files(duel: MethodDuel, bouts: list[Bout]) -> list[File]:
    return [
        File("CSV of the cells", "duel.csv", lambda: duels.cells_csv(duels.outcomes(bouts))),
        File("CSV of every run", "duel-runs.csv", partial(duels.as_csv, bouts)),
        File("JSON of every run", "duel-runs.json", partial(duels.as_json, bouts)),
    ]


def draw(duel: MethodDuel, bouts: list[Bout]) -> None:
    outcomes = duels.outcomes(bouts)
    st.markdown(summary(duel, outcomes))
    if warning := too_few_runs(duel, outcomes):
        st.markdown(f":material/info: {warning}")
    st.markdown(legend(duel), unsafe_allow_html=True)
    alt = "Who wins in which cell. The table below says the same."
    chart = figure(duel, outcomes, palette.current(), browser_state.is_narrow())
    chart_style.draw(chart, "duel", alt, DATA)
    reasons = dict.fromkeys(each.refusal for each in outcomes if each.refusal)
    for reason in reasons:
        cells = [each.setting for each in outcomes if each.refusal == reason]
        where = f"in {len(cells)} of {len(duel.settings)} cells"
        refusal_lines.draw([RefusalLine("One of the two", where, str(reason))])
    table(duel, outcomes)


def summary(duel: MethodDuel, outcomes: Sequence[CellOutcome]) -> str:
    """The number of cells that each method wins, and of those that it wins not by chance."""
    able = [each for each in outcomes if each.refusal is None]
    won = [
        [each for each in able if each.wins > each.losses],
        [each for each in able if each.losses > each.wins],
    ]
    sentences = [
        f"**{title(request.algorithm)}** wins {len(cells)} of {len(able)} cells"
        + f", {sum(each.is_significant for each in cells)} of them beyond chance"
        * (duel.runs >= duels.fewest_runs(1))
        for request, cells in zip((duel.one, duel.other), won, strict=True)
    ]
    rest = len(able) - len(won[0]) - len(won[1])
    return "; ".join(sentences) + (f"; {rest} are even." if rest else ".")


def too_few_runs(duel: MethodDuel, outcomes: Sequence[CellOutcome]) -> str:
    """A warning about what so few runs cannot show, however they end; empty where there are
    enough."""
    able = sum(each.refusal is None for each in outcomes)
    least, alone = duels.fewest_runs(1), duels.fewest_runs(max(able, 1))
    if duel.runs < least:
        return (
            f"**{duel.runs} runs of each cell are too few to tell a win from chance:** by chance "
            f"alone, one of the two wins them all in 1 of {2 ** (duel.runs - 1):,} cells. Choose "
            f"at least {least} runs, or {alone} for a win in one cell alone."
        )
    if duel.runs < alone:
        return (
            f"With {duel.runs} runs of each cell, a win counts only where a method wins all or "
            f"nearly all runs of many cells. Choose at least {alone} runs for a win in one cell "
            "alone."
        )
    return ""


def legend(duel: MethodDuel) -> str:
    colors = palette.current()
    return (
        f'<span style="color:{colors.series[0]}">■</span> {title(duel.one.algorithm)} does better, '
        f'<span style="color:{colors.series[3]}">■</span> {title(duel.other.algorithm)} does '
        f"better: the figure says how many times. From {CLEAR:g} on the color is full."
    )


def figure(
    duel: MethodDuel, outcomes: Sequence[CellOutcome], colors: Palette, narrow: bool = False
) -> go.Figure:
    """A small map over ε and n for each k and d; one below the other in a narrow window."""
    by_setting = {each.setting: each for each in outcomes}
    maps = list(product(duel.ds, duel.ks))
    columns = 1 if narrow else len(duel.ks)
    rows = len(maps) // columns
    chart = make_subplots(
        rows=rows,
        cols=columns,
        shared_xaxes=True,
        shared_yaxes=True,
        horizontal_spacing=0.03,
        vertical_spacing=(0.25 if narrow else 0.18) / rows,
        subplot_titles=[f"k = {k}, d = {d}" for d, k in maps],
    )
    for i, (d, k) in enumerate(maps):
        cells = [
            [by_setting.get(Setting(epsilon, k, n, d)) for epsilon in duel.epsilons]
            for n in duel.ns
        ]
        chart.add_trace(heat(duel, cells, colors), row=i // columns + 1, col=i % columns + 1)
    chart.update_layout(
        **chart_style.layout(colors),
        height=NARROW_ROW * rows if narrow else HEIGHT,
        margin={"l": 60, "r": 8, "t": 56, "b": 50},
    )
    for update, names in (
        (chart.update_xaxes, [f"{epsilon:g}" for epsilon in duel.epsilons]),
        (chart.update_yaxes, [f"{n:,}" for n in duel.ns]),
    ):
        # Without its categories and range, a map that is still empty would have no ticks.
        ends = [-0.5, len(names) - 0.5]
        update(type="category", categoryarray=names, range=ends, showgrid=False, ticks="")
    chart.update_xaxes(title="ε", row=rows, title_standoff=6)
    chart.update_yaxes(title="rows", col=1, title_standoff=4)
    return chart


def heat(
    duel: MethodDuel, cells: Sequence[Sequence[CellOutcome | None]], colors: Palette
) -> go.Heatmap:
    return go.Heatmap(
        x=[f"{epsilon:g}" for epsilon in duel.epsilons],
        y=[f"{n:,}" for n in duel.ns],
        z=[[strength(each) for each in row] for row in cells],
        zmin=-1,
        zmax=1,
        colorscale=[colors.series[3], colors.paper, colors.series[0]],
        showscale=False,
        text=[[label(each) for each in row] for row in cells],
        texttemplate="%{text}",
        textfont={"size": 13},
        hovertext=[[hover(duel, each) for each in row] for row in cells],
        hoverinfo="text",
        xgap=2,
        ygap=2,
    )


def strength(each: CellOutcome | None) -> float | None:
    """The place on the scale of colors; pale where chance could have done it."""
    if each is None or each.refusal is not None:
        return None
    full = max(-1.0, min(1.0, math.log(each.times, CLEAR)))
    return full if each.is_significant else PALE * full


def label(each: CellOutcome | None) -> str:
    if each is None:
        return ""
    if each.refusal is not None:
        return "–"
    times = max(each.times, 1 / each.times)
    words = f"{times:.2g}" if times < 100 else f"{times:.0f}"
    return words if each.is_significant else f"({words})"


def hover(duel: MethodDuel, each: CellOutcome | None) -> str:
    if each is None:
        return "…"
    if each.refusal is not None:
        return refusal_lines.brief(each.refusal)
    return (
        f"{title(duel.one.algorithm)} won {each.wins} of {each.runs} runs, "
        f"{title(duel.other.algorithm)} {each.losses}<br>sign test: p = {each.p:.2g}"
    )


def table(duel: MethodDuel, outcomes: Sequence[CellOutcome]) -> None:
    """Draw all cells as a table, for screen readers too."""
    with st.expander("All cells in figures", icon=":material/table:"):
        rows = [
            {
                "ε": f"{each.setting.epsilon:g}",
                "k": each.setting.k,
                "rows": f"{each.setting.n:,}",
                "d": each.setting.d,
                f"{title(duel.one.algorithm)} won": each.wins,
                f"{title(duel.other.algorithm)} won": each.losses,
                "p": f"{each.p:.2g}",
                "beyond chance": "yes" if each.is_significant else "no",
            }
            for each in outcomes
            if each.refusal is None
        ]
        st.table(pd.DataFrame(rows), border="horizontal")
