"""The answer of the class: two buttons, then the truth and the way to the next round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from pages.ui import url_keys
from pages.ui.learn.class_score import ClassScore

SAID = {"in": "It is in", "out": "It is not"}


def answer_buttons(labels: Mapping[str, str], there: bool, truth: str, score: ClassScore) -> None:
    """Draw a button for "in" and one for "out"; after an answer, the truth and "Next round"."""
    if not score.answer:
        row = st.container(horizontal=True, gap="small")
        for (key, label), shortcut in zip(labels.items(), ("I", "O"), strict=True):
            right = (key == "in") == there
            row.button(
                label,
                key=f"say-{key}",
                shortcut=shortcut,
                width="stretch",
                on_click=url_keys.TALLY.put,
                args=(replace(score, answer=key, right=score.right + right),),
            )
        return
    right = (score.answer == "in") == there
    st.html(f'<p class="verdict" role="status">{"Right" if right else "Wrong"}. {truth}</p>')
    st.button(
        "Next round",
        key="next-round",
        icon=":material/arrow_forward:",
        type="primary",
        shortcut="N",
        width="stretch",
        on_click=url_keys.TALLY.put,
        args=(replace(score, number=score.number + 1, answer=""),),
    )
