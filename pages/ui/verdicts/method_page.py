"""The page of one method: idea, settings, privacy, attacks, theorems, findings, code, citation."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpcore.algorithms import Algorithm
from dpcore.algorithms.references import REFERENCES, bibtex, short
from dpcore.audit import Findings
from dpcore.papers import REPRODUCTIONS, Conclusion, in_order, kept_outcomes
from dpcore.privacy.explain import MIDDLE
from dpcore.runs.request import Request
from dpcore.study.guarantees import THEOREMS, guarantee
from pages.ui import (
    address,
    browser_state,
    chart_style,
    controls,
    own_data,
    palette,
    public_numbers,
    url_keys,
)
from pages.ui.verdicts import attack_chart, method_facts, typeset
from pages.ui.wording import plain

#: The paragraphs of a specification that argue for privacy, and what they are called.
ARGUMENT = {
    "Unit": "What is protected",
    "Relation": "Neighboring data sets",
    "Private": "Why it is private",
    "Flaw": "The flaw",
    "Repair": "The repair",
    "Reconstructed": "What no source states",
}
FINDINGS = {
    Conclusion.REPRODUCED: ":green-badge[reproduced]",
    Conclusion.NOT_REPRODUCED: ":violet-badge[not reproduced]",
    Conclusion.CANNOT_RUN: ":gray-badge[cannot run]",
}


#: Formulas as large as the words around them.
STYLE = "<style>.katex { font-size: 1.05em !important; }</style>"


def show(algorithm: Algorithm, audit: Findings | None) -> None:
    """Draw the page."""
    st.html(STYLE)
    st.button(
        "All methods",
        icon=":material/arrow_back:",
        type="tertiary",
        on_click=url_keys.METHOD_PAGE.clear,
    )
    st.title(f"{plain(algorithm.title)} {method_facts.badge(algorithm.verdict)}")
    st.markdown(f"{method_facts.MEANINGS[algorithm.verdict]} {plain(short(algorithm.paper))}.")
    at_a_glance(algorithm)
    links(algorithm)
    st.markdown("### The idea")
    st.markdown(typeset.markdown(algorithm.idea))
    settings(algorithm)
    st.markdown("### Is it private?")
    st.markdown(typeset.markdown(in_short(algorithm)))
    argument(algorithm)
    attacks(algorithm, audit)
    theorems(algorithm)
    findings(algorithm)
    code(algorithm)
    if audit is not None and audit.of(algorithm.key):
        attack_chart.keep(audit, [algorithm.key], chosen_data())


def at_a_glance(algorithm: Algorithm) -> None:
    kept_here = method_facts.kept_standing(algorithm)
    facts = {
        "Safe to publish?": method_facts.SAFE[algorithm.verdict],
        "Guarantee": method_facts.guarantee_words(algorithm),
        f"Worse than without privacy (New York, ε = {MIDDLE.epsilon:g})": method_facts.error_words(
            kept_here
        ),
        "Time of a run there": method_facts.time_words(kept_here),
    }
    table = pd.DataFrame({"": facts.values()}, index=pd.Index(facts, name="At a glance"))
    st.table(table, border="horizontal")


def chosen_data() -> str:
    """The data in the address if they are here, else those with which the pages open."""
    data = url_keys.DATA.get()
    try:
        return own_data.data_set(data).about.key
    except ValueError:
        return controls.DATA


def links(algorithm: Algorithm) -> None:
    query = address.link(url_keys.ALGORITHM.at(algorithm.key), without=[url_keys.METHOD_PAGE])
    with st.container(horizontal=True):
        for file, label, icon in (
            ("app.py", "See it on Explore", ":material/map:"),
            ("pages/1_curves.py", "Its curve", ":material/show_chart:"),
            ("pages/2_compare.py", "Compare it", ":material/bar_chart:"),
        ):
            st.page_link(file, label=label, icon=icon, query_params=query)


def settings(algorithm: Algorithm) -> None:
    if not algorithm.parameters:
        st.caption("It has no settings.")
        return
    st.markdown("### Settings")
    rows = {
        each.name: {
            "Meaning": plain(each.meaning),
            "Default": str(each.default),
            "Allowed": ", ".join(each.choices) if each.choices else between(each.low, each.high),
        }
        for each in algorithm.parameters
    }
    st.table(pd.DataFrame.from_dict(rows, orient="index"), border="horizontal")


def between(low: float | None, high: float | None) -> str:
    if low is None and high is None:
        return "yes or no"
    return f"{'' if low is None else f'{low:g}'} to {'' if high is None else f'{high:g}'}".strip()


def in_short(algorithm: Algorithm) -> str:
    """The first sentences of the argument: what breaks, what repairs it, or why it holds."""
    labels = ("Private",) if "Private" in algorithm.specification else ("Flaw", "Repair")
    return "\n\n".join(
        " ".join(method_facts.SENTENCE.split(algorithm.specification[label])[:2])
        for label in labels
        if label in algorithm.specification
    )


def argument(algorithm: Algorithm) -> None:
    """The whole argument with the works it comes from, folded away."""
    with st.expander("For reviewers: the whole argument", icon=":material/function:"):
        for label, title in ARGUMENT.items():
            if text := algorithm.specification.get(label):
                st.markdown(f"**{title}.** {typeset.markdown(text)}")
        works = [REFERENCES[key].full for key in algorithm.works if key in REFERENCES]
        if works:
            st.markdown("\n".join(["**Sources.**", "", *(f"- {plain(work)}." for work in works)]))


def attacks(algorithm: Algorithm, audit: Findings | None) -> None:
    st.markdown("### How far attacks came")
    reached = method_facts.attacked(algorithm.key, audit)
    if audit is None or reached is None:
        st.caption("Not audited yet.")
        return
    st.markdown(plain(reached.words))
    st.caption(
        f"An audit of {audit.date}: each bar is a pair of data sets that differ in one row, with "
        f"{audit.runs:,} runs or more on each, fewer where a run is only compared with its replay. "
        "A bar left of the line means that no attack succeeded; a bar beyond it breaks the claim."
    )
    bars = attack_chart.bars_of(algorithm.key, audit)
    chart_style.draw(
        attack_chart.figure(bars, palette.current(), browser_state.is_narrow()),
        "attacks",
        f"Attacks on {algorithm.title}. {reached.words}",
        controls.DATA,
    )


def theorems(algorithm: Algorithm) -> None:
    """The theorems on its results, evaluated for the choice in the address."""
    st.markdown("### How good results are, by theorem")
    if not any(algorithm.key in theorem.algorithms for theorem in THEOREMS):
        st.caption("No theorem promises how good its results are.")
        return
    data = chosen_data()
    source = own_data.data_set(data)
    if (n := public_numbers.rows(data)) is None:
        st.caption(f"The theorems need a public number of rows of “{plain(source.about.title)}”.")
        return
    k, d = url_keys.CENTERS.get(), source.box.d
    epsilon, delta = controls.epsilon_in_address(), url_keys.DELTA.get()
    st.caption(
        f"With constants taken for 1, evaluated for {n:,} rows of {d} coordinates "
        f"({plain(source.about.title)}), {k} centers, ε = {epsilon:g} and δ = {delta:g}."
    )
    for each in guarantee(algorithm.key, n, k, d, epsilon, delta):
        theorem = each.theorem
        st.markdown(f"**{plain(theorem.citation)}.** {plain(each.bound.words)}")
        with st.expander("For reviewers: the theorem", icon=":material/function:"):
            st.markdown(typeset.markdown(f"{theorem.statement} {theorem.caution}".strip()))


def findings(algorithm: Algorithm) -> None:
    """The papers' figures and tables that measure this method, and how they came out here."""
    touched = [each for each in in_order(REPRODUCTIONS) if algorithm.key in each.algorithms]
    if not touched:
        return
    st.markdown("### Findings of the papers that measure it")
    outcomes = kept_outcomes()
    for each in touched:
        outcome = outcomes.get(each.name)
        mark = FINDINGS[outcome.check.finding] if outcome else ":gray-badge[not measured]"
        words, link = st.columns([5, 1], vertical_alignment="center")
        words.markdown(f"{mark} {plain(each.source)}. {plain(each.title)}")
        query = address.link(
            url_keys.COMPARE_VIEW.at("papers"),
            url_keys.PAPER.at(each.paper),
            url_keys.FINDING.at(each.name),
            without=[url_keys.METHOD_PAGE],
        )
        link.page_link("pages/2_compare.py", label="Figures", query_params=query)


def code(algorithm: Algorithm) -> None:
    k = 1 if algorithm.obstacle(2, None, controls.CENTERS) and algorithm.supports(2, None, 1) else 5
    relation = algorithm.relations[0]
    request = Request(algorithm.key, k, MIDDLE.epsilon, neighbors=relation, seed=0)
    st.markdown("### Run it")
    st.code(request.command(controls.DATA), language="bash", wrap_lines=True)
    st.code(request.python(controls.DATA), language="python", wrap_lines=True)
    st.markdown("### Cite it")
    st.code(bibtex(*algorithm.works), language="bibtex")
