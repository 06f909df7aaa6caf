"""Messages of a page where a limit of the server is reached."""

from __future__ import annotations

import streamlit as st

from pages.server import gate, uploads


def busy() -> None:
    """In the menu: that this visit moves faster than the server lets it."""
    visit = st.context.headers.get(gate.VISIT_HEADER.decode(), "")
    throttle = gate.visits.get(visit)
    if throttle and throttle.is_busy:
        st.caption(
            ":material/hourglass_top: You are moving faster than the server allows one visitor, so "
            "updates take a little longer."
        )


def room_for_uploads() -> bool:
    """Whether another file may be uploaded, or why not, in words."""
    if uploads.is_full():
        st.info(uploads.FULL, icon=":material/memory:")
        return False
    return True
