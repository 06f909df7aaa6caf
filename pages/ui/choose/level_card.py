"""The recommended level: its name, what it gives, what an attacker gains, and where to go on."""

from __future__ import annotations

import html

import streamlit as st

from dpcore.privacy import explain
from dpcore.study.needs import CentersWithin
from dpcore.study.recommendation import Recommendation
from pages.ui import address, url_keys

STYLE = """
<style>
.st-key-level-card { background: light-dark(#005ADC, #163A6B); border-radius: .75rem;
  padding: 1.5rem; }
.level-card, .level-card * { color: #fff; }
.level-card .name { font-size: 2.6rem; font-weight: 700; line-height: 1.15; margin: .1rem 0 .6rem; }
.level-card p { margin: 0 0 .7rem; line-height: 1.4; }
.level-card hr { border: 0; border-top: 1px solid #ffffff66; margin: .9rem 0; }
.level-card .gain { display: grid; grid-template-columns: auto 1fr auto; gap: .3rem .7rem;
  align-items: center; }
.level-card .bar { height: .6rem; border-radius: .3rem; background: #ffffff4d; }
.level-card .bar div { height: 100%; border-radius: .3rem; background: #fff; }
.st-key-level-card [data-testid="stPageLink"] a { background: #fff; justify-content: center;
  border-radius: .5rem; }
.st-key-level-card [data-testid="stPageLink"] a * { color: #00398C; font-weight: 600; }
.st-key-level-card [data-testid="stPageLink"] a:hover { background: #DCE8FA; }
.st-key-need-sentence { margin-top: .5rem; }
.st-key-need-sentence p { font-size: 1.15rem; }
.st-key-level-card { gap: .8rem; }
</style>
"""


def draw(advice: Recommendation, complete: bool) -> None:
    """The card, also while runs still come in."""
    with st.container(key="level-card"):
        if advice.best is None:
            name = "No level meets your need" if complete else "Trying the levels …"
            st.html(_card(name, nothing(advice, complete), ""))
            return
        level = advice.best.level
        sentences = [advice.accuracy(advice.best)]
        if isinstance(advice.need, CentersWithin) and advice.best.worse is not None:
            sentences.append(f"The clustering is {explain.change(advice.best.worse)} worse.")
        st.html('<div class="level-card">Recommended level</div>')
        st.html(
            _card(level.name, sentences, _gain(advice, level.epsilon) + _step(advice, complete))
        )
        change = url_keys.PRIVACY.at(level.name)
        query = address.link(change, without=(url_keys.EPSILON,))
        st.page_link(
            "pages/4_publish.py",
            label="Publish with this level",
            icon=":material/publish:",
            width="stretch",
            query_params=query,
        )
        st.page_link(
            "app.py",
            label="Explore this level",
            icon=":material/map:",
            width="stretch",
            query_params=query,
        )


def nothing(advice: Recommendation, complete: bool) -> list[str]:
    """The reason why there is no level, and what would help."""
    if not complete:
        return []
    loosest = advice.loosest
    return [f"At {loosest.level.name}: {advice.accuracy(loosest)}", *advice.what_would()]


def _step(advice: Recommendation, complete: bool) -> str:
    stricter = advice.stricter
    if stricter is None:
        words = "It is the strictest of the seven levels." if complete else "Trying stricter ones …"
        return f"<hr><p>{words}</p>"
    accuracy = html.escape(advice.accuracy(stricter))
    return (
        f"<hr><p>It is the strictest level that meets your need. One step stricter: {accuracy}</p>"
    )


def _gain(advice: Recommendation, epsilon: float) -> str:
    reached = 100 * explain.attacker_certainty(epsilon)
    unit = html.escape(advice.unit)
    rows = ""
    for label, width, words in (
        ("before", 50.0, "50 %"),
        ("after", reached, f"at most {explain.certainty(epsilon)}"),
    ):
        bar = f'<div class="bar"><div style="width:{width:.1f}%"></div></div>'
        rows += f"<span>{label}</span>{bar}<b>{words}</b>"
    head = f"<p><b>What an attacker gains about one {unit}</b></p>"
    return f'<hr>{head}<div class="gain">{rows}</div>'


def _card(name: str, sentences: list[str], rest: str) -> str:
    text = "".join(f"<p>{html.escape(each)}</p>" for each in sentences)
    head = f'<div class="name">{html.escape(name)}</div>'
    return f'<div class="level-card">{head}{text}{rest}</div>'
