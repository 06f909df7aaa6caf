"""The steps in order: which one is open, what the others say in a line, and how to go back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from pages.ui import address, palette, session_keys, url_keys
from pages.ui.publish.publish_step import PublishStep
from pages.ui.session_keys import SessionKey

REMEMBERED = SessionKey[dict[str, Any]]("remembered")
PUT = SessionKey[dict[str, int]]("times put")


TITLES = {
    PublishStep.DATA: "Data",
    PublishStep.PROTECT: "Who is protected",
    PublishStep.PLACE: "Columns and area",
    PublishStep.LEVEL: "Level and budget",
    PublishStep.CONFIRM: "Confirm",
    PublishStep.RELEASED: "Released",
}
#: The foot of a step stays in sight, however long the step is.
STYLE = """
<style>
[data-testid="stLayoutWrapper"]:has(> [class*="st-key-foot-"]) {
  position: sticky; bottom: 0; z-index: 3; background: PAPER;
  border-top: 1px solid rgba(128, 144, 160, .35); padding: .6rem 0;
}
[class*="st-key-done-"] { gap: .75rem; margin-bottom: -.6rem; }
[class*="st-key-done-"] p { font-size: .9rem; }
[class*="st-key-done-"] button { min-height: 1.5rem; padding: 0 .25rem; }
[class*="st-key-step-"] h4 { padding-top: 0; }
</style>
"""
#: Another step begins at its top: pressing a button at the foot of a long step would otherwise
#: open the next one in its middle.
FROM_TOP = """
export default function ({ data }) {
  const before = window.openStep;
  window.openStep = data.step;
  if (before === undefined || before === data.step) return;
  const main = document.querySelector('[data-testid="stMain"]');
  const box = document.querySelector(".st-key-step-" + data.step);
  const top = box ? box.getBoundingClientRect().top + main.scrollTop : 0;
  main.scrollTop = top < 0.4 * innerHeight ? 0 : top - 70;
}
"""
_top = st.components.v2.component("step-from-top", js=FROM_TOP)


def from_top() -> None:
    """Have the browser begin at the top of a step that was just opened; drawn last."""
    _top(key="step-from-top", data={"step": str(current())})


def style() -> None:
    """The look of the steps; drawn once a page."""
    st.html(STYLE.replace("PAPER", palette.current().paper))


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
        horizontal=True, vertical_alignment="center", key=f"done-{step}", gap="small"
    ):
        st.markdown(
            f":material/check: **{step.number} · {TITLES[step]}**&ensp; {words}", width="content"
        )
        if change:
            st.button("Change", key=f"change-{step}", type="tertiary", on_click=go, args=(step,))


def ahead(*steps: PublishStep) -> None:
    """Steps that are still to come, in a line."""
    st.caption("Next: " + " · ".join(f"{step.number}&nbsp;{TITLES[step]}" for step in steps))


def footer(key: str, step: PublishStep, words: str = "", missing: str = "") -> None:
    """The foot of a step: what was settled, or what is missing, and the way on."""
    with foot(key):
        st.markdown(f":material/info: {missing}" if missing else words, width="stretch")
        st.button(
            "Continue",
            type="primary",
            key=key,
            disabled=bool(missing),
            on_click=go,
            args=(step,),
        )


def foot(key: str) -> Any:
    """A place for words and buttons that stays in sight at the end of a step."""
    return st.container(
        horizontal=True, vertical_alignment="center", key=f"foot-{key}", gap="medium"
    )


def remembered(
    widget: Callable[..., Any], label: str, name: str, default: Any, **options: Any
) -> Any:
    """A control whose value this visit remembers while it is not drawn, but no address tells."""
    values = memory()
    first = values.get(name, default)
    nothing = first is None and "options" in options
    start = {"index": None} if nothing else address.starting_at(widget, first, options)
    values[name] = value = widget(label, key=latest_key(name), **options, **start)
    return value


def latest_key(name: str) -> str:
    """The key of a control; another one after `put`, since the browser keeps what it showed."""
    times = PUT.start({}).get(name, 0)
    return f"remembered-{name}" + f"-{times}" * bool(times)


def memory() -> dict[str, Any]:
    return REMEMBERED.start({})


def put(name: str, value: Any) -> None:
    """Set what a control shows when it is drawn next."""
    forget(name)
    memory()[name] = value
    times = PUT.start({})
    times[name] = times.get(name, 0) + 1


def forget(*names: str) -> None:
    """Let controls start again."""
    for name in names:
        memory().pop(name, None)
        session_keys.forget_widget(latest_key(name))
