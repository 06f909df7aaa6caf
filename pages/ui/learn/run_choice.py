"""The controls of the classroom: public data on a map, and any method that can be told on one."""

from __future__ import annotations

import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.classroom import steps
from dpcore.datasets.builtin import BUILTIN
from dpcore.privacy.accounting import MAX_EPSILON, MIN_EPSILON, Neighbors
from dpcore.privacy.explain import LEVELS
from dpcore.runs.request import Request
from pages.ui import address, controls, own_data
from pages.ui.controls import Choice
from pages.ui.learn import presenter

METHOD = "dplloyd"
#: In the order of the classroom; the others follow.
FIRST = ("dplloyd", "adaptive", "coreset", "eugkm", "hybrid", "gkm")
#: Ships with the product, lies on a map.
MAPS = tuple(key for key, each in BUILTIN.items() if each.about.geographic and each.box.d == 2)
MOST_CENTERS = 20


def methods() -> list[str]:
    able = [
        key for key in steps.playable() if ALGORITHMS[key].relations != (Neighbors.REPLACE_ONE,)
    ]
    return [*(key for key in FIRST if key in able), *(key for key in able if key not in FIRST)]


def on_a_map(text: str) -> str:
    """Other data that pages show stay in the address, for when somebody goes back to them."""
    if text in MAPS:
        return text
    if text not in BUILTIN and not own_data.is_own(text):
        raise ValueError(f"No data are called {text!r}.")
    return MAPS[0]


def data() -> str:
    return address.get("data", MAPS[0], on_a_map)


def method(default: str = METHOD) -> str:
    return address.get("algorithm", default, address.one_of(methods()))


def centers() -> int:
    return address.get("k", controls.CENTERS, address.number(int, 1, MOST_CENTERS))


def epsilon() -> float:
    """The typed one, or that of the named level."""
    exact = address.get("epsilon", None, address.number(float, MIN_EPSILON, MAX_EPSILON))
    level = LEVELS[controls.LEVEL_NAMES.index(controls.level_name())]
    return exact or level.epsilon


def seed() -> int:
    return address.get("seed", 0, address.number(int, 0, controls.MAX_SEED))


def chosen(default: str = METHOD) -> Choice:
    """The run that the address names."""
    return Choice(data(), Request(method(default), centers(), epsilon(), seed=seed()))


def sidebar(default: str = METHOD, method_too: bool = True, level: bool = True) -> None:
    """Level, data, method and number of centers.

    A presenter has no sidebar: links bring what a lesson needs.
    """
    if presenter.presenting():
        return
    with st.sidebar:
        if level:
            controls.labelled_slider(chosen(default))
        address.control(
            st.selectbox,
            "Data",
            "data",
            MAPS[0],
            on_a_map,
            options=MAPS,
            format_func=lambda key: BUILTIN[key].about.title,
        )
        if method_too:
            method_control(default)
        address.control(
            st.number_input,
            "Centers",
            "k",
            controls.CENTERS,
            address.number(int, 1, MOST_CENTERS),
            min_value=1,
            max_value=MOST_CENTERS,
        )


def method_control(default: str) -> None:
    address.control(
        st.selectbox,
        "Method",
        "algorithm",
        default,
        address.one_of(methods()),
        options=methods(),
        format_func=lambda key: ALGORITHMS[key].title,
    )
    st.caption(ALGORITHMS[method(default)].idea)


def other_luck() -> None:
    st.button(
        "Other luck",
        icon=":material/casino:",
        key="luck",
        shortcut="L",
        on_click=controls.new_noise,
    )
