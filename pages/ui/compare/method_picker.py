"""The methods beside the chosen one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.algorithms import ALGORITHMS
from pages.ui import address
from pages.ui.curve_chart import title

#: As many as there are colors, and the chosen method.
MOST = 6


def control(name: str, chosen: str, usual: Sequence[str]) -> list[str]:
    others = [key for key in ALGORITHMS if key != chosen]

    def parse(text: str) -> list[str]:
        """Of an address that was made for another method, what still makes sense."""
        named = address.several(ALGORITHMS)(text) if text else []
        return [key for key in named if key in others][:MOST]

    found: list[str] = address.control(
        st.multiselect,
        "Compare with",
        name,
        [key for key in usual if key in others],
        parse,
        options=others,
        format_func=title,
        max_selections=MOST,
        placeholder="No other method",
    )
    return found
