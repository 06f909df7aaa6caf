"""Parts of a page that redraw themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st


def redrawn(part: Callable[..., None], every: float | None, *what: Any) -> None:
    """Draw a part of the page now, and again every so many seconds, in a place of its own.

    When a page is drawn while one of its parts waits to be, that part is left out for a moment.
    Without a place that stays, what follows it would move up in the browser and be drawn over.
    """
    with st.container():
        st.fragment(part, run_every=every)(*what)
