"""The steps in order: which one is open, what the others say in a line, and how to go back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from pages.ui import address, url_keys
from pages.ui.publish.publish_step import PublishStep

REMEMBERED = "remembered"


TITLES = {
    PublishStep.DATA: "Data",
    PublishStep.PROTECT: "What is protected",
    PublishStep.LEVEL: "Level, and what an attacker gains",
    PublishStep.CONFIRM: "Confirm",
    PublishStep.RELEASED: "Released",
}


def current() -> PublishStep:
    return url_keys.STEP.get()


def go(step: PublishStep) -> None:
    """Open a step. It stands in the address, so that going back goes back."""
    url_keys.STEP.put(step)


@contextmanager
def opened(step: PublishStep) -> Iterator[None]:
    """The frame of the step that is open."""
    with st.container(border=True, key=f"step-{step}"):
        st.markdown(f"#### {step.number} · {TITLES[step]}")
        yield


def finished(step: PublishStep, words: str, change: bool = True) -> None:
    """A step that is behind, in a line."""
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"step-{step}", gap="small"
    ):
        st.markdown(
            f":material/check: **{step.number} · {TITLES[step]}**&ensp; {words}", width="content"
        )
        if change:
            st.button("Change", key=f"change-{step}", type="tertiary", on_click=go, args=(step,))


def ahead(step: PublishStep) -> None:
    """A step that is still to come."""
    st.caption(f"&emsp;{step.number} · {TITLES[step]}")


def remembered(
    widget: Callable[..., Any], label: str, name: str, default: Any, **options: Any
) -> Any:
    """A control whose value this visit remembers while it is not drawn, but no address tells."""
    values = memory()
    first = values.get(name, default)
    nothing = first is None and "options" in options
    start = {"index": None} if nothing else address.starting_at(widget, first, options)
    values[name] = value = widget(label, key=f"remembered-{name}", **options, **start)
    return value


def memory() -> dict[str, Any]:
    found: dict[str, Any] = st.session_state.setdefault(REMEMBERED, {})
    return found


def forget(*names: str) -> None:
    """Let controls start again."""
    for name in names:
        memory().pop(name, None)
        st.session_state.pop(f"remembered-{name}", None)
