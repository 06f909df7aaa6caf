"""The name of the data, typed, before any budget is used.

An address can open every step, and a stolen or careless click can press every button. Neither can
type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui.wording import means, plain


def is_typed(name: str, key: str) -> bool:
    """Ask for the name of the data, and return whether it stands there."""
    typed = st.text_input(
        f"To confirm, type the name of these data: {plain(name)}", key=key, autocomplete="off"
    )
    return bool(name) and means(typed, name)


def spending_button(
    label: str, name: str, key: str, act: Callable[..., None], *what: Any, **look: Any
) -> None:
    """A button that uses budget; it is live once the name of the data is typed."""
    is_meant = is_typed(name, f"confirm {key}")
    st.button(label, key=key, disabled=not is_meant, on_click=act, args=what, **look)
