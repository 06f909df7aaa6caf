"""The address is the state: every control reads its value from the query string and writes it
there, so that a copied address opens the same picture anywhere, and going back goes back.

Streamlit's own `bind` writes the label of a choice into the address; ours writes its key, which
stays when a title is reworded, and keeps values that this page has no control for. `url_keys`
declares every key.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui.url_parsers import Parse, plain_text

T = TypeVar("T")
REMEMBERED, LEFT, HERE = "address", "addresses-left", "page"
#: In place of a default that stays as it was declared.
SAME: Any = object()


@dataclass(frozen=True)
class Key(Generic[T]):
    """A name in the address with one meaning: how its text is read and written, what it is where
    the address does not say, and the pages that it belongs to."""

    name: str
    parse: Parse[T]
    default: T
    pages: tuple[str, ...]
    #: An earlier name, under which addresses of its pages may still have it.
    former: str = ""
    render: Callable[[T], str] = plain_text
    #: What was declared, where this reads less.
    whole: Key[Any] | None = None

    def narrowed(self, parse: Parse[T], default: T = SAME) -> Key[T]:
        """The same key where less can be shown, or where another default is usual."""
        first = self.default if default is SAME else default
        return replace(self, parse=parse, default=first, whole=self.whole or self)

    def by_default(self, default: Any) -> Key[Any]:
        """The same key where another default is usual."""
        return self.narrowed(self.parse, default)

    def reads(self, text: str) -> bool:
        try:
            self.parse(text)
        except ValueError:
            return False
        return True

    def get(self) -> T:
        """The value in the address. A text that none of its pages can read is taken out; one that
        only this page cannot read stays for the others."""
        text = st.query_params.get(self.name)
        if text is None:
            return self.default
        try:
            return self.parse(text)
        except ValueError:
            whole = self.whole or self
            if len(self.pages) == 1 or not whole.reads(text):
                del st.query_params[self.name]
                remember()
            return self.default

    def put(self, value: T) -> None:
        """Write a value into the address, or take it out where it is the default."""
        restore()
        st.session_state.setdefault(LEFT, []).append(st.query_params.to_dict())
        if value == self.default or value is None:
            st.query_params.pop(self.name, None)
        else:
            st.query_params[self.name] = self.render(value)
        remember()

    def clear(self) -> None:
        """Take it out of the address."""
        self.put(self.default)

    def at(self, value: T) -> dict[str, str]:
        """The part of a link that sets it to a value."""
        return {self.name: self.render(value)}


def arrive(page: str, keys: Iterable[Key[Any]] = ()) -> None:
    """Take the address that a page is asked for with, unless it was left in the meantime. What it
    has under earlier names of the page's keys goes by their names of today.

    A part of the page that redraws itself may take a press along before the page asks to be drawn
    for it, with the address from before: that would undo the press. Going back asks for a place
    that was left, too, and is to be heeded.
    """
    left, here = st.session_state.pop(LEFT, []), st.session_state.get(HERE)
    st.session_state[HERE] = page
    if page == here and st.query_params.to_dict() in left and not going_back():
        restore()
    for key in keys:
        if key.former and page in key.pages:
            _rename(key)
    remember()


def _rename(key: Key[Any]) -> None:
    known = st.query_params
    if key.name not in known and key.former in known and key.reads(known[key.former]):
        known[key.name] = known.pop(key.former)


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


def link(*changes: dict[str, str], without: Iterable[Key[Any]] = ()) -> dict[str, str]:
    """The whole state with some changes, for a link to another page."""
    query = st.query_params.to_dict()
    for key in without:
        query.pop(key.name, None)
    for change in changes:
        query |= change
    return query


def replace_all(query: dict[str, str]) -> None:
    """Open the page with exactly this in its address."""
    st.query_params.from_dict(query)


def control(
    widget: Callable[..., T],
    label: str,
    key: Key[T],
    then: Callable[[T], None] | None = None,
    **options: Any,
) -> T:
    """A Streamlit control whose value stands in the address, with the limits of its key.

    `then` is told the new value when a person changes it, before the page is drawn again.
    """
    value = key.get()
    state = current_key(key.name, value)

    def write() -> None:
        # While a part of the page redraws itself, the browser may still send the value of a
        # control that was replaced in the meantime.
        if state != latest_key(key.name):
            return
        key.put(st.session_state[state])
        if then:
            then(st.session_state[state])

    options = getattr(key.parse, "limits", {}) | options
    start = starting_at(widget, value, options)
    return widget(label, key=state, on_change=write, **options, **start)


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
