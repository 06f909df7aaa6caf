"""The history of the ledger: every charge with its purpose and its result."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime

import plotly.graph_objects as go
import streamlit as st

from dpcore.errors import DpcoreError
from dpcore.privacy import explain
from dpcore.privacy.accounting import MAX_DELTA, MAX_EPSILON
from dpcore.release.amounts import Amount
from dpcore.release.contribution_bound import PURPOSE as QUESTION
from dpcore.release.ledger import Account, Actors, Entry, Ledger
from dpcore.release.outside_charge import LONGEST_TOOL, record_outside_charge
from dpcore.release.outside_charge import PURPOSE as OTHER_TOOL
from dpcore.release.plan import FORMULAS
from dpcore.release.publish import reopened
from pages.ui import access, palette
from pages.ui.access import Action
from pages.ui.confirmation import is_typed
from pages.ui.palette import Palette
from pages.ui.publish import (
    calendar_chart,
    ledger_choice,
    lifetime_budget,
    released_step,
    series_history,
)
from pages.ui.publish.calendar_chart import colors_of, kind
from pages.ui.publish.ledger_words import when
from pages.ui.wording import plain, plain_in_chart

ROW_HEIGHT, MARGIN = 54, 60
#: Parts of a budget at the axis, few enough for a phone.
TICKS = (0, 0.25, 0.5, 0.75, 1)
WITHOUT_FILES = (OTHER_TOOL, QUESTION)
COLUMNS = (
    "number", "time", "data set", "what", "epsilon", "delta", "asked by", "approved by", "who",
    "why", "result",
)  # fmt: skip


def draw() -> None:
    ledger_choice.folder_control()
    ledger = ledger_choice.ledger()
    if ledger is None:
        return
    entries = ledger.entries()
    accounts = ledger.accounts()  # those of all entries, as they are read later
    if not accounts:
        st.info("Nothing was published with this ledger yet.", icon=":material/history:")
        return
    st.caption("Used budget never comes back, whatever becomes of the files. Downloading is free.")
    colors = palette.current()
    days, parts = st.columns(2, gap="large")
    days.markdown("**When budget was used**")
    days.plotly_chart(
        calendar_chart.figure(entries, datetime.now(UTC).date(), colors),
        key="calendar",
        theme=None,
        config={"displayModeBar": False},
        alt="The days on which budget was used; the lists below say the same.",
    )
    parts.markdown("**How much of each budget is used**")
    parts.plotly_chart(
        figure(accounts, entries, colors),
        key="history",
        theme=None,
        config={"displayModeBar": False},
        alt="Budget used by each release of each data set; the lists below say the same.",
    )
    st.download_button(
        "History as CSV",
        as_csv(entries),
        "history.csv",
        "text/csv",
        key="history-csv",
        icon=":material/download:",
        on_click="ignore",
    )
    series_history.draw(ledger, entries)
    for account in accounts:
        draw_account(account, [e for e in entries if e.account == account.name], ledger)


def as_csv(entries: Sequence[Entry]) -> str:
    """Every line of the ledger. What a spreadsheet would take for a formula begins with a quote."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        by = entry.actors
        charged = (float(entry.charged.epsilon), float(entry.charged.delta))
        texts = (entry.account, kind(entry))
        noted = (entry.note.who, entry.note.why, result(entry))
        people = (by.asked_by or "", by.approved_by or "", *noted)
        writer.writerow(
            [entry.number, entry.time, *map(no_formula, texts), *charged, *map(no_formula, people)]
        )
    return file.getvalue()


def no_formula(text: str) -> str:
    return f"'{text}" if text.strip().startswith(FORMULAS) else text


def result(entry: Entry) -> str:
    """The thing that a charge was for, or the reason why nothing came of it."""
    return str(entry.failure or entry.description)


def figure(accounts: list[Account], entries: list[Entry], colors: Palette) -> go.Figure:
    """A bar for each data set, as long as its total: what each release took of it, and the rest."""
    chart = go.Figure()
    names = [account.name for account in accounts]
    for entry in entries:
        total = accounts[names.index(entry.account)].allowed.epsilon
        bar(
            chart,
            entry.account,
            float(entry.charged.epsilon / total),
            colors_of(colors)[kind(entry)],
            f"{kind(entry)} {entry.number}, {when(entry)}: {entry.charged}",
            colors,
        )
    for account in accounts:
        part = float(account.left.epsilon / account.allowed.epsilon)
        bar(chart, account.name, part, colors.land, f"left: {account.left}", colors)
    chart.update_layout(
        barmode="stack",
        showlegend=False,
        height=MARGIN + ROW_HEIGHT * len(accounts),
        margin={"l": 10, "r": 30, "t": 10, "b": 30},
        paper_bgcolor=colors.paper,
        plot_bgcolor=colors.paper,
        font={"color": colors.text, "family": "Source Sans, sans-serif", "size": 14},
        hoverlabel={"bgcolor": colors.paper, "font": {"color": colors.text}, "align": "left"},
        dragmode=False,
        xaxis={
            "tickvals": TICKS,
            "ticktext": [f"{100 * tick:.0f} %" for tick in TICKS],
            "tickangle": 0,
            "range": [0, 1],
            "gridcolor": f"{colors.shore}66",
            "fixedrange": True,
        },
        yaxis={"automargin": True, "autorange": "reversed", "fixedrange": True},
    )
    return chart


def bar(chart: go.Figure, name: str, part: float, color: str, words: str, colors: Palette) -> None:
    chart.add_trace(
        go.Bar(
            x=[part],
            y=[plain_in_chart(short(name))],
            orientation="h",
            marker={"color": color, "line": {"color": colors.paper, "width": 2}},
            text=[words],
            textposition="none",
            hoverinfo="text",
            hovertext=[words],
        )
    )


def short(name: str, most: int = 48) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def draw_account(account: Account, entries: list[Entry], ledger: Ledger) -> None:
    with st.container(border=True, key=f"account-{entries[0].number}"):
        st.markdown(f"#### {plain(account.name)}")
        lifetime_budget.meter(account)
        st.caption(f"This protects {explain.scope(plain(account.unit))}.")
        if account.caution:
            st.warning(account.caution, icon=":material/warning:")
        for entry in reversed(entries):
            draw_entry(entry, ledger)
        enter(account, ledger)


def draw_entry(entry: Entry, ledger: Ledger) -> None:
    with st.expander(f"{kind(entry)} {entry.number} · {when(entry)} · {entry.charged}"):
        st.caption(
            f"{plain(entry.description).rstrip('.')}, {entry.planned_amount}."
            + (f" It ended early and was charged {entry.charged}." if entry.failure else "")
        )
        if by := entry.actors.words():
            st.caption(plain(by[:1].upper() + by[1:]))
        if note := entry.note.words():
            st.caption(f":material/edit_note: {plain(note)}")
        if entry.purpose not in WITHOUT_FILES and st.toggle(
            "Show the files", key=f"files-{entry.number}"
        ):
            released_step.downloads(reopened(ledger, entry.number))


def enter(account: Account, ledger: Ledger) -> None:
    """A form for what another tool published of the same data, confirmed by the name of the data.

    Where a second publisher approves each use of a budget, nobody enters one here alone.
    """
    if not access.may(Action.SPEND) or access.needs_approval():
        return
    with (
        st.popover("Enter a charge of another tool", icon=":material/edit_note:"),
        st.form(f"outside-{account.name}", border=False, clear_on_submit=True),
    ):
        st.caption(
            "If another tool published results of these data with differential privacy, it used "
            f"budget too. Enter what it cost for one {plain(account.unit)}. It cannot be undone."
        )
        left, right = st.columns(2)
        epsilon = left.number_input("ε", 0.0, MAX_EPSILON, None, format="%g", step=None)
        delta = right.number_input("δ", 0.0, MAX_DELTA, 0.0, format="%g", step=None)
        words = st.text_input("Which tool published what, and why", max_chars=LONGEST_TOOL)
        is_meant = is_typed(account.name, f"confirm outside {account.name}")
        if st.form_submit_button("Enter it for good", type="primary"):
            if not is_meant:
                st.error("Nothing was entered: that is not the name of these data.")
                return
            user = access.user() if access.is_shared() else None
            try:
                amount = Amount.of(epsilon or 0.0, delta)
                record_outside_charge(ledger, account.name, amount, words, actors=Actors(user))
            except DpcoreError as problem:
                st.error(plain(str(problem)))
                return
            st.rerun()
