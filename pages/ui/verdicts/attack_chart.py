"""Attacks as bars on an axis: which part of the claimed ε each attack proves to have leaked."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import plotly.graph_objects as go

from dpcore.audit import AuditFinding, Findings
from dpcore.privacy.rounding import at_least, at_most
from dpcore.study.sweep_plan import table_csv
from pages.ui import chart_style, downloads
from pages.ui.downloads import File
from pages.ui.palette import Palette

#: Pixels a bar, and around all; where the axis ends, as a part of the claim.
ROW, AROUND, MOST = 26, 110, 1.6
#: Letters of a line of the axis's title in a narrow window.
NARROW_TITLE = 22
AXIS = "part of the claimed ε that the attack proves to leak (95 % confidence)"


class AttackBar(NamedTuple):
    """A bar: its name, the part of the claim that it reaches, and in words what it shows."""

    name: str
    part: float
    refuted: bool
    words: str


#: What the files of attacks hold.
COLUMNS = ("algorithm", "pair", "neighbors", "epsilon", "delta", "lower_bound", "cost", "refutes")


def rows(audit: Findings, keys: Iterable[str]) -> list[dict[str, Any]]:
    """Every attack on these methods, as rows of a table. A cost without limit is null."""
    return [
        {
            **{name: getattr(each, name) for name in COLUMNS[:-2]},
            "cost": None if each.cost is None or math.isinf(each.cost) else each.cost,
            "refutes": each.refutes(audit.family_confidence),
        }
        for key in keys
        for each in audit.of(key)
    ]


def keep(audit: Findings, keys: Sequence[str], data: str) -> None:
    """Files of the attacks, and the lines that read them.

    They hold nothing of the chosen data, but while raw data are chosen no page hands out files.
    """
    attacks = rows(audit, keys)
    program = (
        "from dpcore import audit\n\n"
        "found = audit.findings()\n"
        f"for key in {list(keys)!r}:\n"
        "    for each in found.of(key):\n"
        "        print(key, each.pair, each.neighbors, each.epsilon, each.lower_bound)\n"
    )
    downloads.keep(
        data,
        [
            File("CSV of these attacks", "attacks.csv", partial(table_csv, COLUMNS, attacks)),
            File("JSON of these attacks", "attacks.json", partial(json.dumps, attacks, indent=1)),
        ],
        True,
        f"dpcore audit {keys[0]}" if len(keys) == 1 else "dpcore audit",
        program,
        marked=False,
    )


def bars_of(key: str, audit: Findings, most: int = 12) -> list[AttackBar]:
    """The attacks on one method that came farthest, one for each pair of data sets and claim."""
    best: dict[str, AttackBar] = {}
    for each in audit.of(key):
        refuted = each.refutes(audit.family_confidence)
        name = f"{each.pair}, ε = {at_most(each.epsilon)}"
        bar = AttackBar(name, _part(each, refuted), refuted, _words(each, refuted))
        if name not in best or bar.part > best[name].part:
            best[name] = bar
    return sorted(best.values(), key=lambda bar: -bar.part)[:most]


def _part(each: AuditFinding, refuted: bool) -> float:
    reached = max(each.lower_bound, (each.cost or 0.0) if refuted else 0.0)
    return math.inf if refuted and reached <= each.epsilon else reached / each.epsilon


def _words(each: AuditFinding, refuted: bool) -> str:
    words = f"ε ≥ {at_least(each.lower_bound, 2)} of {at_most(each.epsilon)} claimed"
    return f"{words}: claim broken" if refuted else words


def figure(bars: Sequence[AttackBar], colors: Palette, narrow: bool) -> go.Figure:
    """The bars from top to bottom, with the claim as a line at 100 %. A narrow window has room for
    a word beside each."""
    rows = list(range(len(bars)))
    short = [" broken" if bar.refuted else f" {bar.part:.0%}" for bar in bars]
    title = "<br>".join(textwrap.wrap(AXIS, NARROW_TITLE)) if narrow else AXIS
    return go.Figure(
        [
            go.Bar(
                x=[min(bar.part, MOST) for bar in bars],
                y=rows,
                orientation="h",
                marker={
                    "color": [colors.unproven if bar.refuted else colors.private for bar in bars]
                },
                text=short if narrow else [f" {bar.words}" for bar in bars],
                textposition=["inside" if bar.part > 0.8 else "outside" for bar in bars],
                insidetextanchor="start",
                textfont={"size": 12},
                constraintext="none",
                insidetextfont={"color": colors.paper},
                outsidetextfont={"color": colors.text},
                hovertext=[f"<b>{bar.name}</b><br>{bar.words}" for bar in bars],
                hoverinfo="text",
            )
        ],
        {
            **chart_style.layout(colors),
            "height": ROW * len(bars) + AROUND + 60 * narrow,
            "margin": {"l": 10, "r": 12, "t": 36, "b": 50 + 60 * narrow},
            "bargap": 0.3,
            "shapes": [
                {
                    "type": "line",
                    "x0": 1,
                    "x1": 1,
                    "y0": 0,
                    "y1": 1,
                    "yref": "paper",
                    "line": {"color": colors.text, "width": 2, "dash": "dash"},
                }
            ],
            "annotations": [
                {
                    "x": 1,
                    "y": 1,
                    "yref": "paper",
                    "yanchor": "bottom",
                    "text": "the claim",
                    "showarrow": False,
                    "font": {"color": colors.text, "size": 13},
                }
            ],
            "xaxis": {
                **chart_style.axis(colors),
                "title": {"text": title, "standoff": 8, "font": {"size": 13}},
                "range": [0, MOST],
                "tickvals": [0, 0.5, 1, 1.5] if narrow else [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5],
                "tickangle": 0,
                "tickformat": ".0%",
            },
            "yaxis": {
                "tickvals": rows,
                "ticktext": [bar.name for bar in bars],
                "range": [len(bars) - 0.4, -0.6],
                "automargin": True,
                "showgrid": False,
            },
        },
    )
