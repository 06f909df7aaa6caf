"""Verdicts: which privacy claims hold, why, and how far an attacker came."""

from __future__ import annotations

from collections import Counter

import streamlit as st

from dpcore.algorithms import ALGORITHMS, Algorithm
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.explain import MIDDLE
from dpcore.study.kept_standings import kept_standings
from pages.ui import (
    address,
    browser_state,
    chart_style,
    controls,
    frame,
    palette,
    url_keys,
)
from pages.ui.verdicts import attack_chart, method_facts, method_page, verdict_table
from pages.ui.verdicts.attack_chart import AttackBar


def main() -> None:
    frame.frame("Verdicts")
    browser_state.watch_width()
    audit = method_facts.audited()
    if (key := url_keys.METHOD_PAGE.get()) is not None:
        method_page.show(ALGORITHMS[key], audit)
        return
    st.title("Which claims hold")
    st.markdown(
        "Every method here promises to hide each single row. Is the promise true, and can you "
        "publish with it? **Click on a method** for its idea, its proof or flaw, and its code."
    )
    methods = chosen_methods()
    counts = Counter(each.verdict for each in methods)
    words = ", ".join(f"{counts[v]} {v.lower()}" for v in Verdict if counts[v])
    st.caption(f"{words}." if words else "No method matches.")
    verdict_table.draw(methods, audit)
    legend()
    attacks([each.key for each in methods])


def chosen_methods() -> list[Algorithm]:
    """The methods that the search, the verdicts and the paper leave."""
    search, verdicts, paper = st.columns([3, 3, 4], vertical_alignment="bottom")
    with search:
        text = address.control(
            st.text_input,
            "Search",
            url_keys.SEARCH,
            placeholder="such as grid, quartiles or Balcan",
        )
    with verdicts:
        verdict = address.control(
            st.pills,
            "Verdict",
            url_keys.WITH_VERDICT,
            selection_mode="multi",
            format_func=str.capitalize,
        )
    with paper:
        of = controls.paper_control()
    return method_facts.methods(None if of == url_keys.ALL else of, verdict, text)


def legend() -> None:
    """The meaning of the columns."""
    lines = [
        f"{method_facts.badge(verdict)} {meaning}"
        for verdict, meaning in method_facts.MEANINGS.items()
    ]
    lines.append(
        "**Guarantee**: for a row added, removed or replaced, unless the table names the change."
    )
    if date := kept_standings().date:
        lines.append(
            "**Worse by**: mean squared distance above k-means without privacy, on New York's "
            f"50,000 trips with 5 centers at ε = {MIDDLE.epsilon:g}. Measured on {date}, like the "
            "time of a run."
        )
    st.caption("  \n".join(lines))


def attacks(keys: list[str]) -> None:
    """The success of the attacks on each method, on one axis."""
    audit = method_facts.audited()
    if audit is None:
        st.caption("The audit's figures are not here yet: `dpcore audit` measures them.")
        return
    reached = {key: method_facts.attacked(key, audit) for key in keys}
    bars = sorted(
        (
            AttackBar(
                ALGORITHMS[key].title,
                each.part,
                each.refuted,
                "claim broken" if each.refuted else method_facts.attack_words(each),
            )
            for key, each in reached.items()
            if each is not None
        ),
        key=lambda bar: -bar.part,
    )
    if not bars:
        return
    st.markdown("### How far attacks came")
    st.caption(
        f"An audit of {audit.date}, with {audit.runs:,} runs or more on each of two neighboring "
        "data sets, fewer where a run is only compared with its replay. A bar left of the line "
        "means that no attack succeeded, which proves nothing; a bar beyond it breaks the claim."
    )
    chart_style.draw(
        attack_chart.figure(bars, palette.current(), browser_state.is_narrow()),
        "attacks",
        "How far attacks on each method came, as a part of its claim. The table says the same.",
        controls.DATA,
    )
    attack_chart.keep(
        audit, [key for key, each in reached.items() if each], method_page.chosen_data()
    )


main()
