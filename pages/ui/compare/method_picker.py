"""The control for methods to compare with the chosen one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore.algorithms import ALGORITHMS
from dpcore.study.usual_ranges import RIVALS
from pages.ui import address
from pages.ui.address import Key
from pages.ui.chart_frame import title
from pages.ui.choice import Choice
from pages.ui.url_parsers import SomeOf

#: As many as there are colors, and the chosen method.
MOST = 6
#: How many rivals open beside a method.
BESIDE = 2


def rivals(choice: Choice) -> list[str]:
    """The natural rivals of the chosen method that can run on such data."""
    d, k = choice.box.d, choice.request.k
    able = [key for key in RIVALS if ALGORITHMS[key].supports(d, None, k)]
    return [key for key in able if key != choice.request.algorithm][:BESIDE]


def control(key: Key[list[str]], first: str, usual: Sequence[str] = ()) -> list[str]:
    others = [key for key in ALGORITHMS if key != first]

    def parse(text: str) -> list[str]:
        """Keep the methods that still make sense if the address was made for another method."""
        return [key for key in SomeOf(ALGORITHMS)(text) if key in others][:MOST]

    return address.control(
        st.multiselect,
        "Compare with",
        key.narrowed(parse, [key for key in usual if key in others]),
        options=others,
        format_func=title,
        max_selections=MOST,
        placeholder="No other method",
    )
