"""Controls of the classroom: public map data, and the methods that can be shown step by step."""

from __future__ import annotations

import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.classroom.playable_methods import playable
from dpcore.datasets.builtin import BUILTIN
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.request import Request
from pages.ui import address, controls, url_keys
from pages.ui.address import Key
from pages.ui.choice import Choice
from pages.ui.learn import presenter
from pages.ui.url_parsers import InRange, OneOf

METHOD = "dplloyd"
#: In the order of the classroom; the others follow.
FIRST = ("dplloyd", "adaptive", "coreset", "eugkm", "hybrid", "gkm")
#: Ships with the product, lies on a map.
MAPS = tuple(key for key, each in BUILTIN.items() if each.about.geographic and each.box.d == 2)


def methods() -> list[str]:
    able = [key for key in playable() if ALGORITHMS[key].relations != (Neighbors.REPLACE_ONE,)]
    return [*(key for key in FIRST if key in able), *(key for key in able if key not in FIRST)]


def on_a_map(text: str) -> str:
    """Parse the key of map data; other data are replaced by the first map."""
    return key if (key := url_keys.DATA.parse(text)) in MAPS else MAPS[0]


#: Data, and numbers of centers, that suit a class.
DATA = url_keys.DATA.narrowed(on_a_map)
CENTERS = url_keys.CENTERS.narrowed(InRange(int, 1, url_keys.MOST_IN_CLASS))


def method(default: str) -> Key[str]:
    return url_keys.ALGORITHM.narrowed(OneOf(methods()), default)


def in_address(default: str = METHOD) -> Choice:
    """The run in the address."""
    epsilon, seed = controls.epsilon_in_address(), url_keys.SEED.get()
    return Choice(DATA.get(), Request(method(default).get(), CENTERS.get(), epsilon, seed=seed))


def sidebar(default: str = METHOD, method_too: bool = True, level: bool = True) -> None:
    """Draw the controls for level, data, method and number of centers.

    A presenter has no sidebar: links set what a lesson needs.
    """
    if presenter.presenting():
        return
    with st.sidebar:
        if level:
            controls.labelled_slider(in_address(default))
        address.control(
            st.selectbox,
            "Data",
            DATA,
            options=MAPS,
            format_func=lambda key: BUILTIN[key].about.title,
        )
        if method_too:
            method_control(method(default))
        address.control(st.number_input, "Centers", CENTERS)


def method_control(key: address.Key[str]) -> None:
    address.control(st.selectbox, "Method", key, format_func=lambda name: ALGORITHMS[name].title)
    st.caption(ALGORITHMS[key.get()].idea)


def draw_again() -> None:
    st.button(
        "Draw again",
        icon=":material/casino:",
        key="draw-again",
        shortcut="L",
        on_click=controls.new_noise,
    )
