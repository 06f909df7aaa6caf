"""Verdicts: which privacy claims hold, why, and how far an attacker came."""

from __future__ import annotations

import html
import math
import re
from collections import Counter
from typing import Any

import streamlit as st

from dpcore import audit
from dpcore.algorithms import ALGORITHMS, Algorithm
from dpcore.algorithms.references import bibtex, short
from dpcore.audit import AuditFinding, Findings
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.rounding import at_least, at_most
from dpcore.study.guarantees import guarantee
from pages.ui import address, controls, frame, own_data, palette, public_numbers, url_keys
from pages.ui.wording import plain

#: A verdict's color on the screen, and what it says.
MEANINGS = {
    Verdict.PROVED: ("blue", "the claim has a proof, which we checked"),
    Verdict.REPAIRED: (
        "blue",
        "the published claim fails; we mended the method, and that is proved",
    ),
    Verdict.UNPROVEN: ("orange", "the claim does not hold; the method is here for study only"),
}
RELATIONS = {
    Neighbors.ADD_REMOVE: "one row added or removed",
    Neighbors.REPLACE_ONE: "one row replaced",
}
CODE = re.compile("`([^`]+)`")
#: The claim stands at this part of a bar, so that there is room beyond it.
CLAIM_AT = 0.6
STYLE = """
<style>
.argument {
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden;
}
.bar {
  position: relative; margin-top: 22px; height: 14px; border-radius: 4px;
  background: rgba(128,144,160,.25);
}
.bar > div { position: absolute; top: 0; bottom: 0; border-radius: 4px; }
.bar > span {
  position: absolute; top: -24px; transform: translateX(-50%); font-size: .75rem; opacity: .7;
}
.bar > .claim { top: -4px; bottom: -4px; width: 3px; border-radius: 0; }
</style>
"""


def main() -> None:
    frame.frame("Verdicts")
    st.html(STYLE)
    st.title("Which claims hold")
    for verdict, (_, meaning) in MEANINGS.items():
        st.markdown(f"{badge(verdict)} {meaning}.")
    found = audited()
    paper = controls.paper_control()
    shown = [a for a in ALGORITHMS.values() if paper in (url_keys.ALL, a.paper)]
    numbers = numbers_at_hand()
    counts = Counter(algorithm.verdict for algorithm in shown)
    st.caption(", ".join(f"{counts[v]} {v.lower()}" for v in Verdict if counts[v]) + ".")
    for algorithm in shown:
        card(algorithm, found, numbers)


def numbers_at_hand() -> dict[str, Any] | None:
    """What theorems are evaluated for: the choice in the address, where its rows are public."""
    data = url_keys.DATA.get()
    try:
        source = own_data.known(data)
    except ValueError:
        data, source = controls.DATA, own_data.known(controls.DATA)
    epsilon = controls.epsilon_in_address()
    delta, k = url_keys.DELTA.get(), url_keys.CENTERS.get()
    if (n := public_numbers.rows(data)) is None:
        st.caption("Theorems on how good results are need a public number of rows.")
        return None
    st.caption(
        f"Theorems on how good results are, with constants taken for 1, are evaluated for "
        f"{n:,} rows of {source.box.d} coordinates ({plain(source.about.title)}), {k} centers, "
        f"ε = {epsilon:g} and δ = {delta:g}."
    )
    return {"n": n, "k": k, "d": source.box.d, "epsilon": epsilon, "delta": delta}


def badge(verdict: Verdict) -> str:
    return f":{MEANINGS[verdict][0]}-badge[{verdict}]"


def audited() -> Findings | None:
    """What the last audit found, with a word on how to read it."""
    try:
        found = audit.findings()
    except FileNotFoundError:
        st.caption("The audit's figures are not here yet: `dpcore audit` measures them.")
        return None
    st.caption(
        f"The bars show an audit of {found.date}, with {found.runs:,} runs or more on each of two "
        "neighboring data sets, fewer where a run is only compared with its replay. It bounds ε "
        "from below with 95 % confidence. A bound under the claim proves nothing; one beyond it "
        "refutes the claim."
    )
    return found


def card(algorithm: Algorithm, found: Findings | None, numbers: dict[str, Any] | None) -> None:
    with st.container(border=True, key=f"verdict-{algorithm.key}"):
        words, bar = st.columns([3, 2], gap="small")
        with words:
            st.markdown(f"#### {algorithm.title} {badge(algorithm.verdict)}")
            relations = ", or ".join(RELATIONS[relation] for relation in algorithm.relations)
            st.caption(f"{short(algorithm.paper)}. For {relations}.")
        with bar:
            audit_bar(algorithm, found)
        for label in ("Private", "Flaw", "Repair"):
            if text := algorithm.specification.get(label):
                st.html(f'<div class="argument">{paragraph(label, text)}</div>')
        promised = guarantee(algorithm.key, **numbers) if numbers else ()
        for each in promised:
            st.html(
                f"<p>{paragraph('How good', f'{each.theorem.citation}. {each.bound.words}')}</p>"
            )
        chosen = url_keys.ALGORITHM.by_default(None).get()
        with st.expander("Specification", expanded=algorithm.key == chosen):
            for label, text in algorithm.specification.items():
                st.html(f"<p>{paragraph(label, text)}</p>")
            for each in promised:
                theorem = f"{each.theorem.statement} {each.theorem.caution}".strip()
                st.html(f"<p>{paragraph(each.theorem.citation, theorem)}</p>")
            st.markdown("**To cite it:**")
            st.code(bibtex(*algorithm.works), language="bibtex")
            st.page_link(
                "app.py",
                label=f"See {algorithm.title} on Explore",
                icon=":material/map:",
                query_params=address.link(url_keys.ALGORITHM.at(algorithm.key)),
            )


def paragraph(label: str, text: str) -> str:
    """With names in the code set as such."""
    return f"<b>{label}.</b> " + CODE.sub(r"<code>\1</code>", html.escape(text))


def audit_bar(algorithm: Algorithm, found: Findings | None) -> None:
    """The audit's lower bound, as a bar that ends before the claim or beyond it."""
    strongest = found.strongest(algorithm.key) if found else None
    if found is None or strongest is None:
        st.caption("Not audited yet.")
        return
    refuted = [f for f in found.of(algorithm.key) if f.refutes(found.family_confidence)]
    words, reached = told(strongest, refuted)
    colors = palette.current()
    share = min(reached / strongest.epsilon * CLAIM_AT, 1.0)
    color = colors.unproven if refuted else colors.private
    st.html(
        f'<div class="bar" role="img" aria-label="{html.escape(words, quote=True)}">'
        f'<div style="left: 0; width: {share:.1%}; background: {color}"></div>'
        f'<div class="claim" style="left: {CLAIM_AT:.0%}; background: {colors.text}"></div>'
        f'<span style="left: {CLAIM_AT:.0%}">claim</span></div>'
    )
    st.caption(words)


def told(strongest: AuditFinding, refuted: list[AuditFinding]) -> tuple[str, float]:
    """What the strongest attack showed, what refutes the claim, and the epsilon it comes to."""
    least = at_least(strongest.lower_bound, 2)
    words = f"Claimed: ε = {at_most(strongest.epsilon)}. Audit: at least {least}"
    if not refuted:
        return f"{words}, on the pair “{strongest.pair}”.", strongest.lower_bound
    if strongest.lower_bound > strongest.epsilon:
        return f"{words}. The claim is refuted.", strongest.lower_bound
    dearest = max(refuted, key=lambda f: (f.cost or 0) / f.epsilon)
    cost = (dearest.cost or 0) / dearest.epsilon * strongest.epsilon
    why = (
        "something gets out without noise"
        if math.isinf(cost)
        else f"its noise is worth ε = {at_least(cost, 2)}"
    )
    return f"{words}. The claim is refuted: on the pair “{dearest.pair}” {why}.", cost


main()
