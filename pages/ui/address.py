"""The state of a page in its address (URL).

Every control reads its value from the query string and writes it back. A copied address therefore
opens the same picture anywhere, and the browser's back button works. `url_keys` declares every key.

Streamlit's own `bind` writes the label of a choice into the address. We write a short key instead:
it stays the same when a title is reworded. We also keep values that the current page does not use.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui import session_keys
from pages.ui.session_keys import SessionKey
from pages.ui.url_parsers import Parse, plain_text

T = TypeVar("T")
REMEMBERED = SessionKey[dict[str, str]]("address")
LEFT = SessionKey[list[dict[str, str]]]("addresses-left")
HERE = SessionKey[str]("page")
#: Stands for "keep the declared default".
SAME: Any = object()


@dataclass(frozen=True)
class Key(Generic[T]):
    """A query parameter: its name, how to read and write its text, its default, and its pages."""

    name: str
    parse: Parse[T]
    default: T
    pages: tuple[str, ...]
    #: An earlier name, which old addresses of its pages still use.
    former: str = ""
    render: Callable[[T], str] = plain_text
    #: The declared key, if this one is narrowed.
    whole: Key[Any] | None = None

    def narrowed(self, parse: Parse[T], default: T = SAME) -> Key[T]:
        """The same key for a page that accepts fewer values or has another default."""
        first = self.default if default is SAME else default
        return replace(self, parse=parse, default=first, whole=self.whole or self)

    def by_default(self, default: Any) -> Key[Any]:
        """The same key for a page that has another default."""
        return self.narrowed(self.parse, default)

    def reads(self, text: str) -> bool:
        try:
            self.parse(text)
        except ValueError:
            return False
        return True

    def get(self) -> T:
        """Return the value in the address, or the default.

        Text that no page can read is removed. Text that only this page cannot read stays in the
        address for the other pages.
        """
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
        """Write a value into the address; the default is left out."""
        restore()
        LEFT.start([]).append(st.query_params.to_dict())
        if value == self.default or value is None:
            st.query_params.pop(self.name, None)
        else:
            st.query_params[self.name] = self.render(value)
        remember()

    def clear(self) -> None:
        """Remove the key from the address."""
        self.put(self.default)

    def at(self, value: T) -> dict[str, str]:
        """The query that sets this key in a link."""
        return {self.name: self.render(value)}


def arrive(page: str, renamed: Iterable[Key[Any]] = ()) -> None:
    """Accept the address of the request, and rename keys that it has under earlier names.

    A fragment that redraws itself may handle a click before the page asks to be drawn for that
    click. The page then asks with the address from before the click, and accepting it would undo
    the click. So an address that this page has just left is not accepted, unless the person went
    back in the browser. A link to another page may be older than the click, too: it has the address
    with which the whole page was last drawn.
    """
    left_addresses, here = LEFT.pop() or [], HERE.get()
    HERE.put(page)
    old = left_addresses if page == here else left_addresses[:1]
    if st.query_params.to_dict() in old and not going_back():
        restore()
    for key in renamed:
        if page in key.pages:
            _rename(key)
    remember()


def _rename(key: Key[Any]) -> None:
    query = st.query_params
    if key.name not in query and key.former in query and key.reads(query[key.former]):
        query[key.name] = query.pop(key.former)


def going_back() -> bool:
    """Whether the browser's back or forward button led here."""
    return getattr(get_script_run_ctx(), "is_history_navigation", False)


def remember() -> None:
    """Remember the address that was last sent to the browser."""
    REMEMBERED.put(st.query_params.to_dict())


def restore() -> None:
    """Go back to the remembered address: a fragment may redraw with the address from before the
    last change."""
    query = REMEMBERED.get()
    if query is not None and st.query_params.to_dict() != query:
        st.query_params.from_dict(query)


def link(*changes: dict[str, str], without: Iterable[Key[Any]] = ()) -> dict[str, str]:
    """The whole state with some changes, as the query of a link."""
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
    """Draw a Streamlit control whose value is kept in the address, within the limits of its key.

    `then` is called with the new value when a person changes it, before the page is drawn again.
    """
    value = key.get()
    state = current_key(key.name, value)

    def write() -> None:
        # While a part of the page redraws itself, the browser may still send the value of a
        # control that was replaced in the meantime.
        if state != latest_key(key.name):
            return
        key.put(session_keys.of_widget(state))
        if then:
            then(session_keys.of_widget(state))

    options = getattr(key.parse, "limits", {}) | options
    start = starting_at(widget, value, options)
    return widget(label, key=state, on_change=write, **options, **start)


def tabs(label: str, key: Key[str], titles: Mapping[str, str]) -> str:
    """Draw a row of views and return the open one. The label is for screen readers."""
    return control(
        st.segmented_control,
        label,
        key,
        options=list(titles),
        format_func=titles.__getitem__,
        required=True,
        label_visibility="collapsed",
    )


def current_key(name: str, value: Any) -> str:
    """The widget key of a control; a new one after something else changed the address.

    Writing the value into the session state would reach the browser too late when the page is
    drawn again at once: the control would show its default.
    """
    key = latest_key(name)
    if session_keys.is_drawn(key) and session_keys.of_widget(key) != value:
        replaced(name).put((replaced(name).get() or 0) + 1)
    return latest_key(name)


def latest_key(name: str) -> str:
    count = replaced(name).get() or 0
    return f"at-{name}" + f"-{count}" * bool(count)


def replaced(name: str) -> SessionKey[int]:
    """The number of times that a control was replaced."""
    return SessionKey(f"times-{name}-was-replaced")


def starting_at(widget: Callable[..., Any], value: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The argument by which this kind of control takes its first value."""
    names = parameters(widget)
    if "index" in names:
        return {"index": list(options["options"]).index(value)}
    return {"default" if "default" in names else "value": value}


@cache
def parameters(widget: Callable[..., Any]) -> frozenset[str]:
    """The names of the parameters that a kind of control takes."""
    return frozenset(inspect.signature(widget).parameters)
