"""The need, picked in words: what must be accurate, how accurate, and how often."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dpcore.privacy import explain
from dpcore.study.needs import CentersWithin, CountsWithin, Need, WorseBy
from pages.ui import address, url_keys
from pages.ui.address import Key
from pages.ui.choose.need_choices import OFTEN

#: What can be needed, as the beginning of a sentence.
BEGINNINGS = {
    CentersWithin.key: "Centers within",
    WorseBy.key: "Clustering worse by at most",
    CountsWithin.key: "Neighborhood counts within",
}
ENDS = {
    CentersWithin.key: "of where they would be without privacy,",
    WorseBy.key: "than without privacy,",
    CountsWithin.key: "of the true number,",
}


def draw(unit: str, in_meters: bool, planar: bool) -> Need:
    """The sentence with its blanks, and the need that it says."""
    kinds = [key for key in BEGINNINGS if planar or key != CountsWithin.key]
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="need-sentence"
    ):
        kind = address.control(
            st.selectbox,
            "What must be accurate",
            url_keys.NEED,
            options=kinds,
            format_func=BEGINNINGS.__getitem__,
            label_visibility="collapsed",
            width=270,
        )
        limit = limit_control(kind, unit, in_meters)
        st.markdown(ENDS[kind], width="content")
        often = picked("How often", url_keys.OFTEN, OFTEN.__getitem__, 190)
    return {CentersWithin.key: CentersWithin, WorseBy.key: WorseBy, CountsWithin.key: CountsWithin}[
        kind
    ](limit, often)


def limit_control(kind: str, unit: str, in_meters: bool) -> float:
    if kind == WorseBy.key:
        return picked("How much worse", url_keys.WORSE_BY, lambda v: f"{v:g} %", 120)
    if kind == CountsWithin.key:
        many = explain.plural(unit)
        label = "How many rows"
        return picked(label, url_keys.COUNTS_WITHIN, lambda v: f"{v:,g} {many}", 160)
    if in_meters:
        return picked("How far", url_keys.WITHIN_METERS, meters, 120)
    return picked("How far", url_keys.WITHIN_PART, lambda v: f"{v:g} % of the width", 180)


def picked(label: str, key: Key[Any], words: Callable[[Any], str], width: int) -> Any:
    """A number from a list."""
    return address.control(
        st.selectbox, label, key, format_func=words, label_visibility="collapsed", width=width
    )


def meters(value: float) -> str:
    return f"{value:g} m" if value < 1000 else f"{value / 1000:g} km"
