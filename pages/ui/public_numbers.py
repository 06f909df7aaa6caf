"""Numbers that may be shown to anybody: how many rows there are, where that is no secret."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets.builtin import builtin_set
from dpcore.results.non_private import opened
from pages.ui import address, cached_work, own_data, url_keys, visibility
from pages.ui.visibility import Visibility


def rows(data: str) -> int | None:
    """The number of rows of public data and of a twin. For data of one's own, a typed number:
    theirs is private."""
    if not own_data.is_own(data):
        return builtin_set(data).rows
    if visibility.of(data) is not Visibility.RAW:
        return int(opened(cached_work.data(data).n))
    return address.control(
        st.number_input,
        "Roughly how many rows are there? Type a public number",
        url_keys.PUBLIC_ROWS,
        step=None,
        placeholder="such as 50000",
        width=420,
        help="The true number of your rows is private, so it is not used here. Type one that "
        "anybody may know, such as a census gives.",
    )
