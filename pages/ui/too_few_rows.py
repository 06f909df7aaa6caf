"""A method that has too few rows: said before it runs, with one click to where it can answer."""

from __future__ import annotations

import streamlit as st

from dpcore.datasets.builtin import BuiltinSet, builtin_set
from dpcore.errors import Infeasible
from dpcore.privacy.explain import LEVELS, Level
from dpcore.runs.refusals import answers_on_larger, refusal_of_builtin
from pages.ui import url_keys
from pages.ui.choice import Choice
from pages.ui.own_data import data_set


def problem(choice: Choice) -> Infeasible | None:
    """The reason why the method cannot answer on a built-in set. The size of other data is
    private."""
    if not isinstance(data_set(choice.data), BuiltinSet):
        return None
    return refusal_of_builtin(
        choice.request.system,
        choice.data,
        choice.request.k,
        choice.request.epsilon,
        choice.request.neighbors,
    )


def strictest_level(least: float) -> Level | None:
    """The named level with the least epsilon that is large enough."""
    able = [level for level in LEVELS if level.epsilon >= least]
    return able[-1] if able else None


def offer(choice: Choice) -> bool:
    """Draw buttons for the strictest level at which the method answers, and for larger data on
    which it does. Returns whether one was pressed."""
    shortage, pressed = problem(choice), False
    if shortage is None:
        return False
    level = strictest_level(shortage.smallest_epsilon) if shortage.smallest_epsilon else None
    if level is None:
        st.caption("No level of the slider is enough on these data.")
    else:
        pressed |= st.button(
            f"Use the level “{level.name}” (ε {level.epsilon:g}), the strictest that works here",
            key="level that works",
            icon=":material/tune:",
            on_click=_take_level,
            args=(level,),
        )
    larger = answers_on_larger(
        choice.request.system,
        choice.data,
        choice.request.k,
        choice.request.epsilon,
        choice.request.neighbors,
    )
    if larger is not None:
        pressed |= st.button(
            f"Use the month of trips ({builtin_set(larger).rows:,} rows)",
            key="larger data",
            icon=":material/calendar_month:",
            on_click=url_keys.DATA.put,
            args=(larger,),
        )
    return pressed


def _take_level(level: Level) -> None:
    url_keys.EPSILON.clear()
    url_keys.PRIVACY.put(level.name)
