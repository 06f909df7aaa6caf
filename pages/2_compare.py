"""Compare: methods side by side, and the papers' findings measured again."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from pages.ui import address, frame
from pages.ui.compare import auto_map, heat, papers, rank, sizes, times

#: Views by their name in the address: what the tab says, and what draws it.
VIEWS: dict[str, tuple[str, Callable[[], None]]] = {
    "rank": ("Rank at one ε", rank.show),
    "map": ("Map over k and d", heat.show),
    "time": ("Run time", times.show),
    "size": ("Size of the coreset", sizes.show),
    "auto": ("What “auto” takes", auto_map.show),
    "papers": ("The papers' findings", papers.show),
}


def main() -> None:
    frame.frame("Compare")
    st.title("Methods side by side")
    chosen = address.control(
        st.segmented_control,
        "View",
        "compare",
        "rank",
        address.one_of(VIEWS),
        options=list(VIEWS),
        format_func=lambda view: VIEWS[view][0],
        required=True,
        label_visibility="collapsed",
    )
    VIEWS[chosen][1]()


main()
