"""The table of all methods: verdict, idea in short, and whether it is safe to publish with."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from textwrap import shorten
from typing import Any, NamedTuple
from urllib.parse import urlencode

import streamlit as st

from dpcore.algorithms import Algorithm
from dpcore.algorithms.references import short
from dpcore.audit import Findings
from dpcore.privacy.accounting import Verdict
from pages.ui import address, session_keys, url_keys
from pages.ui.verdicts import method_facts
from pages.ui.verdicts.method_facts import Attacked

#: A click on a name opens its page without a new visit, which would forget data of one's own; the
#: address stays a link that can be copied. A click on a heading sorts.
SCRIPT = """
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".verdicts") ?? parentElement.appendChild(
    Object.assign(document.createElement("div"), { className: "verdicts" }));
  root.innerHTML = data.html;
  root.onclick = (event) => {
    const link = event.target.closest("a[data-method]"), head = event.target.closest("[data-sort]");
    if (head) setTriggerValue("sorted", head.dataset.sort);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    setTriggerValue("opened", link.dataset.method);
  };
}
"""
STYLE = """
.verdicts { overflow-x: auto; font-family: var(--st-font); color: var(--st-text-color); }
.verdicts table { border-collapse: collapse; width: 100%; font-size: .875rem; }
.verdicts :is(th, td) {
  text-align: left; vertical-align: top; padding: .5rem .6rem;
  border-bottom: 1px solid var(--st-border-color);
}
.verdicts th { font-weight: 600; }
.verdicts .wide { width: 34%; }
.verdicts th button {
  all: unset; cursor: pointer; text-decoration: underline dotted; text-underline-offset: .2em;
}
.verdicts th button:focus-visible, .verdicts a:focus-visible {
  outline: 2px solid var(--st-primary-color); outline-offset: 2px;
}
.verdicts a { color: var(--st-link-color); font-weight: 600; }
.verdicts small { display: block; opacity: .85; }
.verdicts .verdict { font-weight: 600; white-space: nowrap; }
.verdicts .holds { color: var(--st-blue-text-color); }
.verdicts .fails { color: var(--st-orange-text-color); }
.verdicts .number { white-space: nowrap; font-variant-numeric: tabular-nums; }
@media (max-width: 640px) {
  .verdicts thead { position: absolute; clip-path: inset(50%); }
  .verdicts :is(table, tbody, tr, td, th) { display: block; white-space: normal; }
  .verdicts tr { padding: .6rem 0; border-bottom: 1px solid var(--st-border-color); }
  .verdicts tbody :is(td, th) { border: 0; padding: .1rem 0; }
  .verdicts td::before { content: attr(data-label) " "; font-weight: 600; }
}
"""
_component = st.components.v2.component("verdict-table", css=STYLE, js=SCRIPT)


#: Letters of a sentence that the table has room for; the method's page has all of them.
LONGEST = 150


class VerdictRow(NamedTuple):
    """A method as the table shows it."""

    algorithm: Algorithm
    error: str
    time: str
    attack: Attacked | None
    #: Figures to sort by.
    error_figure: float
    seconds: float


#: What the table is sorted by, by the key in the address: the heading, and the order.
ORDER: dict[str, tuple[str, Callable[[VerdictRow], Any]]] = {
    "method": ("Method", lambda row: row.algorithm.title.lower()),
    "verdict": (
        "Verdict",
        lambda row: (list(Verdict).index(row.algorithm.verdict), row.error_figure),
    ),
    "error": ("Worse by", lambda row: row.error_figure),
    "time": ("Time of a run", lambda row: row.seconds),
    "attack": ("Attacks", lambda row: -(row.attack.part if row.attack else -1.0)),
}


def row(algorithm: Algorithm, audit: Findings | None) -> VerdictRow:
    standing = method_facts.kept_standing(algorithm)
    point = standing.point if standing else None
    return VerdictRow(
        algorithm,
        method_facts.error_words(standing),
        method_facts.time_words(standing),
        method_facts.attacked(algorithm.key, audit),
        point.mean if point else math.inf,
        standing.seconds if standing and point else math.inf,
    )


def draw(methods: Sequence[Algorithm], audit: Findings | None) -> None:
    """Draw the table in the order of the address."""
    order = url_keys.SORT.get()
    rows = sorted((row(each, audit) for each in methods), key=ORDER[order][1])

    def opened() -> None:
        url_keys.METHOD_PAGE.put(session_keys.of_widget("verdict-table").opened)

    def sorted_by() -> None:
        url_keys.SORT.put(session_keys.of_widget("verdict-table").sorted)

    _component(
        key="verdict-table",
        data={"html": table_html(rows, order)},
        on_opened_change=opened,
        on_sorted_change=sorted_by,
    )


def table_html(rows: Sequence[VerdictRow], order: str) -> str:
    heads = [
        _head("method", order),
        _head("verdict", order),
        "<th scope=col class=wide>In short</th>",
        "<th scope=col>Safe to publish?</th>",
        "<th scope=col>Guarantee</th>",
        _head("error", order),
        _head("time", order),
        _head("attack", order),
    ]
    body = "".join(_row_html(each) for each in rows)
    return (
        f"<table><caption hidden>Methods and their verdicts</caption><thead><tr>{''.join(heads)}"
        f"</tr></thead><tbody>{body}</tbody></table>"
    )


def _head(key: str, order: str) -> str:
    mark = " aria-sort=ascending" * (key == order)
    arrow = " ↓" * (key == order)
    return f"<th scope=col{mark}><button data-sort={key}>{ORDER[key][0]}{arrow}</button></th>"


def _row_html(each: VerdictRow) -> str:
    system = each.algorithm
    query = urlencode(address.link(url_keys.METHOD_PAGE.at(system.key)))
    holds = "holds" if system.verdict.holds else "fails"
    escape = html.escape
    cells = (
        ("Verdict", f"<span class='verdict {holds}'>{system.verdict.capitalize()}</span>", ""),
        (
            "In short",
            escape(shorten(method_facts.in_short(system), LONGEST, placeholder=" …")),
            "",
        ),
        ("Safe to publish?", method_facts.SAFE[system.verdict], ""),
        ("Guarantee", method_facts.guarantee_short(system), ""),
        ("Worse by", each.error, "number"),
        ("Time of a run", each.time, "number"),
        ("Attacks", method_facts.attack_words(each.attack), ""),
    )
    cells_html = "".join(
        f"<td data-label='{label}{':' * (label[-1] != '?')}' class='{kind}'>{text}</td>"
        for label, text, kind in cells
    )
    return (
        f"<tr><th scope=row><a href='?{escape(query, quote=True)}' data-method={system.key}>"
        f"{escape(system.title)}</a><small>{escape(short(system.paper))}</small></th>{cells_html}</tr>"
    )
