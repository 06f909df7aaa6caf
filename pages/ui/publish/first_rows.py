"""The first rows of a file, behind a button: not private, for their owner."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets import engines
from pages.ui.publish.data_step import Opened, refuse
from pages.ui.wording import NOT_PRIVATE, plain

MOST, COLUMNS = 5, 30
SHOWN = "first rows"


def draw(opened: Opened) -> None:
    """A switch, and the rows while it is on."""
    on = st.toggle(
        "Show the first rows",
        key=f"{SHOWN}-{opened.mark}",
        help="To see what the columns hold. They are not private: do not choose the area by them.",
    )
    if not on:
        return
    try:
        rows = opened.engine.first_rows(opened.source, MOST)
    except engines.DataFileError as problem:
        refuse(problem)
        return
    st.markdown(NOT_PRIVATE)
    names = list(opened.source.schema)[:COLUMNS]
    if not rows:
        st.caption("There is no row below the header.")
        return
    table = [dict(zip(map(plain, names), map(plain, row), strict=False)) for row in rows]
    with st.container(key="first-rows"):
        st.table(table, border="horizontal", hide_index=True)
