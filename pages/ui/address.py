"""The address is the state: every control reads its value from the query string and writes it
there, so that a copied address opens the same picture anywhere, and going back goes back.

Streamlit's own `bind` writes the label of a choice into the address; ours writes its key, which
stays when a title is reworded, and keeps values that this page has no control for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

T = TypeVar("T")
REMEMBERED, LEFT, HERE = "address", "addresses-left", "page"
Parse = Callable[[str], Any]


def get(name: str, default: T, parse: Callable[[str], T]) -> T:
    """The value in the address; what cannot be read is taken out of it."""
    text = st.query_params.get(name)
    if text is None:
        return default
    try:
        return parse(text)
    except ValueError:
        del st.query_params[name]
        remember()
        return default


def put(name: str, value: Any, default: Any = None) -> None:
    """Write a value into the address, or take it out where it is the default."""
    restore()
    st.session_state.setdefault(LEFT, []).append(st.query_params.to_dict())
    if value == default or value is None:
        st.query_params.pop(name, None)
    elif isinstance(value, (list, tuple)):
        st.query_params[name] = ",".join(str(each) for each in value)
    else:
        st.query_params[name] = str(value).lower() if isinstance(value, bool) else str(value)
    remember()


def arrive(page: str) -> None:
    """Take the address that a page is asked for with, unless it was left in the meantime.

    A part of the page that redraws itself may take a press along before the page asks to be drawn
    for it, with the address from before: that would undo the press. Going back asks for a place
    that was left, too, and is to be heeded.
    """
    left, here = st.session_state.pop(LEFT, []), st.session_state.get(HERE)
    st.session_state[HERE] = page
    if page == here and st.query_params.to_dict() in left and not going_back():
        restore()
    else:
        remember()


def going_back() -> bool:
    """Whether somebody went through the history of the browser to be here."""
    return getattr(get_script_run_ctx(), "is_history_navigation", False)


def remember() -> None:
    """Keep the address that the browser was told last."""
    st.session_state[REMEMBERED] = st.query_params.to_dict()


def restore() -> None:
    """Undo what a part of the page that redraws itself brought along from before the last change:
    the browser asks for it with the address that it had then."""
    known = st.session_state.get(REMEMBERED)
    if known is not None and st.query_params.to_dict() != known:
        st.query_params.from_dict(known)


def link() -> dict[str, str]:
    """The whole state, for a link to another page."""
    return st.query_params.to_dict()


def control(
    widget: Callable[..., T],
    label: str,
    name: str,
    default: Any,
    parse: Parse,
    then: Callable[[Any], None] | None = None,
    **options: Any,
) -> T:
    """A Streamlit control whose value stands in the address under its name.

    `then` is told the new value when a person changes it, before the page is drawn again.
    """
    value = get(name, default, parse)
    key = current_key(name, value)

    def write() -> None:
        # While a part of the page redraws itself, the browser may still send the value of a
        # control that was replaced in the meantime.
        if key != latest_key(name):
            return
        put(name, st.session_state[key], default)
        if then:
            then(st.session_state[key])

    start = starting_at(widget, value, options)
    return widget(label, key=key, on_change=write, **options, **start)


def current_key(name: str, value: Any) -> str:
    """The key of a control, a new one where the address was changed by something else.

    Writing the value into the session instead would reach the browser too late when the page is
    drawn again at once: it would show a control at its default.
    """
    key = latest_key(name)
    if key in st.session_state and st.session_state[key] != value:
        st.session_state[replaced(name)] = st.session_state.get(replaced(name), 0) + 1
    return latest_key(name)


def latest_key(name: str) -> str:
    count = st.session_state.get(replaced(name), 0)
    return f"at-{name}" + f"-{count}" * bool(count)


def replaced(name: str) -> str:
    """Where the session keeps how often a control was replaced."""
    return f"times-{name}-was-replaced"


def starting_at(widget: Callable[..., Any], value: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The argument that each kind of control calls its first value."""
    known = inspect.signature(widget).parameters
    if "index" in known:
        return {"index": list(options["options"]).index(value)}
    return {"default" if "default" in known else "value": value}


def one_of(options: Collection[str]) -> Parse:
    def parse(text: str) -> str:
        if text not in options:
            raise ValueError(f"{text!r} is none of {', '.join(options)}.")
        return text

    return parse


def several(options: Collection[str]) -> Parse:
    """Some of the options, with commas between them."""
    each = one_of(options)

    def parse(text: str) -> list[str]:
        return list(dict.fromkeys(each(part) for part in text.split(",")))

    return parse


def number(
    kind: type[int] | type[float], low: float | None = None, high: float | None = None
) -> Parse:
    def parse(text: str) -> int | float:
        value = kind(text)
        if (low is not None and not value >= low) or (high is not None and not value <= high):
            raise ValueError(f"{value} is not from {low} to {high}.")
        return value

    return parse


def yes_or_no(text: str) -> bool:
    return {"true": True, "false": False}[one_of(("true", "false"))(text)]
