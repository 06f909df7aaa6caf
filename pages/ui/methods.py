"""Methods in three groups: recommended, from the papers, and broken. A list to choose one from."""

from __future__ import annotations

import inspect
from functools import cache

import streamlit as st

from dpcore.algorithms import ALGORITHMS, Algorithm
from dpcore.algorithms.references import short
from dpcore.privacy.accounting import Verdict
from pages.ui import url_keys
from pages.ui.own_data import data_set
from pages.ui.wording import plain

OURS = "ours"
#: A verdict's mark in a list, its badge, and what it means.
MARKS = {
    Verdict.PROVED: ("✓", "blue", "proof checked"),
    Verdict.REPAIRED: ("↻", "blue", "claim failed, repaired and proved"),
    Verdict.UNPROVEN: ("✗", "orange", "broken"),
}
RECOMMENDED, PUBLISHED, BROKEN = "Recommended", "From the papers", "Broken, for study only"
MEANINGS = {
    RECOMMENDED: "The most accurate ones. Their proofs were checked.",
    PUBLISHED: "As in the papers, repaired where a claim failed.",
    BROKEN: "As published, with a privacy claim that does not hold. Nothing is protected.",
}


def group_of(algorithm: Algorithm) -> str:
    if not algorithm.verdict.holds:
        return BROKEN
    return RECOMMENDED if algorithm.paper == OURS else PUBLISHED


def groups() -> dict[str, list[Algorithm]]:
    """Every method in its group, the usual ones first."""
    first = [url_keys.ALGORITHM.default, "auto"]
    algorithms = sorted(ALGORITHMS.values(), key=lambda each: each.key not in first)
    return {group: [each for each in algorithms if group_of(each) == group] for group in MEANINGS}


@cache
def labels() -> dict[str, str]:
    """All methods by their keys, group after group: each name with the mark of its verdict."""
    return {
        algorithm.key: f"{MARKS[algorithm.verdict][0]} {algorithm.title}"
        for algorithms in groups().values()
        for algorithm in algorithms
    }


def line(algorithm: Algorithm) -> str:
    """A method in one line."""
    return (inspect.getdoc(type(algorithm)) or "").splitlines()[0]


def button(data: str, k: int) -> None:
    """Draw the button that opens the list."""
    if st.button("All methods", type="tertiary", key="all-methods", icon=":material/list:"):
        choose(data, k)


@st.dialog("Choose a method", width="large")
def choose(data: str, k: int) -> None:
    current, d = url_keys.ALGORITHM.get(), data_set(data).box.d
    for group, algorithms in groups().items():
        st.subheader(group)
        st.caption(MEANINGS[group])
        with st.container(key=f"group-{group.split()[0].lower().strip(',')}", gap="small"):
            for algorithm in algorithms:
                entry(algorithm, algorithm.obstacle(d, None, k), algorithm.key == current)


def entry(algorithm: Algorithm, obstacle: str | None, is_current: bool) -> None:
    """One method: a button with its name, its verdict, and a line about it."""
    mark, color, meaning = MARKS[algorithm.verdict]
    left, right = st.columns([2, 5], vertical_alignment="center")
    with left:
        pressed = st.button(
            algorithm.title,
            key=f"method-{algorithm.key}",
            type="primary" if is_current else "secondary",
            width="stretch",
            disabled=obstacle is not None,
            on_click=url_keys.ALGORITHM.put,
            args=(algorithm.key,),
        )
    with right:
        paper = "" if algorithm.paper == OURS else f" {short(algorithm.paper)}."
        st.markdown(f":{color}-badge[{mark} {meaning}]{paper} {plain(line(algorithm))}")
        if obstacle:
            st.caption(f"Not on these data: {plain(obstacle)}")
    if pressed:
        st.rerun()  # the whole page: the list goes away
