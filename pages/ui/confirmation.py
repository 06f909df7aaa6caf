"""The name of the data, typed, before any budget is used.

An address can open every step, and a stolen or careless click can press every button. Neither can
type.
"""

from __future__ import annotations

import streamlit as st

from pages.ui.wording import means, plain


def is_typed(name: str, key: str) -> bool:
    """Ask for the name of the data, and return whether it stands there."""
    typed = st.text_input(
        f"To confirm, type the name of these data: {plain(name)}", key=key, autocomplete="off"
    )
    return bool(name) and means(typed, name)
