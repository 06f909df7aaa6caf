"""Keys of the session state: what a visit remembers from one drawing of a page to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import streamlit as st

T = TypeVar("T")


@dataclass(frozen=True)
class SessionKey(Generic[T]):
    """A name in the session state, with the type of the value that it holds.

    The module that the value belongs to declares the key, once.
    """

    name: str

    def get(self) -> T | None:
        """Return the value, or None where there is none."""
        return cast("T | None", st.session_state.get(self.name))

    def put(self, value: T) -> None:
        """Remember a value."""
        st.session_state[self.name] = value

    def start(self, value: T) -> T:
        """Return the value; where there is none, remember this one first."""
        return cast("T", st.session_state.setdefault(self.name, value))

    def pop(self) -> T | None:
        """Return the value, if any, and forget it."""
        return cast("T | None", st.session_state.pop(self.name, None))


def of_widget(key: str) -> Any:
    """The value of a control or component by its own key; None while there is no such control."""
    return st.session_state.get(key)


def is_drawn(key: str) -> bool:
    """Whether there is a control with this key."""
    return key in st.session_state


def forget_widget(key: str) -> None:
    """Let a control start again."""
    st.session_state.pop(key, None)


def clear(but: tuple[SessionKey[Any], ...]) -> None:
    """Forget everything but the values of some keys."""
    values = {key: key.get() for key in but if key.name in st.session_state}
    st.session_state.clear()
    for key, value in values.items():
        key.put(value)
