"""The history of the ledger: every charge with its purpose and its result."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from dpcore.privacy import explain
from dpcore.release.ledger import Account, Entry, Ledger
from dpcore.release.outside_charge import PURPOSE as OTHER_TOOL
from dpcore.release.plan import TWIN
from dpcore.release.publish import reopened
from pages.ui import palette
from pages.ui.palette import Palette
from pages.ui.publish import ledger_choice, released_step
from pages.ui.publish.ledger_words import when
from pages.ui.wording import plain, plain_in_chart

ROW_HEIGHT, MARGIN = 54, 70


def draw() -> None:
    ledger_choice.folder_control()
    ledger = ledger_choice.ledger()
    if ledger is None:
        return
    accounts = ledger.accounts()
    if not accounts:
        st.info("Nothing was published with this ledger yet.", icon=":material/history:")
        return
    st.caption("Used budget never comes back, whatever becomes of the files. Downloading is free.")
    entries = ledger.entries()
    st.plotly_chart(
        figure(accounts, entries, palette.current()),
        key="history",
        theme=None,
        config={"displayModeBar": False},
        alt="Budget used by each release of each data set; the lists below say the same.",
    )
    for account in accounts:
        draw_account(account, [e for e in entries if e.account == account.name], ledger)


def figure(accounts: list[Account], entries: list[Entry], colors: Palette) -> go.Figure:
    """A bar for each data set, as long as its total: what each release took of it, and the rest."""
    drawn = go.Figure()
    names = [account.name for account in accounts]
    for entry in entries:
        total = accounts[names.index(entry.account)].allowed.epsilon
        bar(
            drawn,
            entry.account,
            float(entry.charged.epsilon / total),
            colors.quiet if entry.purpose == TWIN else colors.private,
            f"{kind(entry)} {entry.number}, {when(entry)}: {entry.charged}",
            colors,
        )
    for account in accounts:
        left = float(account.left.epsilon / account.allowed.epsilon)
        bar(drawn, account.name, left, colors.land, f"left: {account.left}", colors)
    drawn.update_layout(
        barmode="stack",
        showlegend=False,
        height=MARGIN + ROW_HEIGHT * len(accounts),
        margin={"l": 10, "r": 10, "t": 10, "b": 40},
        paper_bgcolor=colors.paper,
        plot_bgcolor=colors.paper,
        font={"color": colors.text, "family": "Source Sans, sans-serif", "size": 14},
        hoverlabel={"bgcolor": colors.paper, "font": {"color": colors.text}, "align": "left"},
        dragmode=False,
        xaxis={
            "tickformat": ".0%",
            "range": [0, 1.02],
            "title": {"text": "Part of the budget that is used", "font": {"size": 14}},
            "gridcolor": f"{colors.shore}66",
            "fixedrange": True,
        },
        yaxis={"automargin": True, "autorange": "reversed", "fixedrange": True},
    )
    return drawn


def bar(drawn: go.Figure, name: str, part: float, color: str, words: str, colors: Palette) -> None:
    drawn.add_trace(
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


def short(name: str, most: int = 24) -> str:
    return name if len(name) <= most else f"{name[: most - 1]}…"


def kind(entry: Entry) -> str:
    return {TWIN: "Twin", OTHER_TOOL: "Charge for another tool"}.get(entry.purpose, "Release")


def draw_account(account: Account, entries: list[Entry], ledger: Ledger) -> None:
    with st.container(border=True, key=f"account-{entries[0].number}"):
        st.markdown(f"#### {plain(account.name)}")
        st.markdown(
            f"Budget {account.allowed}: {account.used} used, **{account.left} left**. "
            f"Protected is {explain.scope(plain(account.unit))}."
        )
        if account.caution:
            st.warning(account.caution, icon=":material/warning:")
        for entry in reversed(entries):
            draw_entry(entry, ledger)


def draw_entry(entry: Entry, ledger: Ledger) -> None:
    came = "nothing came of it" if entry.failure else ""
    title = f"{kind(entry)} {entry.number} · {when(entry)} · {entry.charged}"
    with st.expander(f"{title} · {came}" if came else title):
        st.caption(
            f"{plain(entry.description).rstrip('.')}, {entry.asked}."
            + (f" It ended early and was charged {entry.charged}." if entry.failure else "")
        )
        if by := entry.actors.words():
            st.caption(plain(by[:1].upper() + by[1:]))
        if entry.purpose != OTHER_TOOL and st.toggle("Show the files", key=f"files-{entry.number}"):
            released_step.downloads(reopened(ledger, entry.number))
