"""The key of the room that this screen leads. It stays out of the address, which a class can read.

The visit holds it, and the browser's tab keeps it for a page that is loaded again.
"""

from __future__ import annotations

import streamlit as st

from dpcore.classroom import class_rooms
from dpcore.errors import DpcoreError
from pages.ui import session_keys
from pages.ui.session_keys import SessionKey

#: The room that this visit leads, and its key; a room without a key has none in this tab.
LED = SessionKey[tuple[str, str]]("led room")
WATCHER = "room-key"
KEEPER = """
export default function ({ data, setTriggerValue }) {
  const name = `room ${data.code}`;
  try {
    if (data.key) sessionStorage.setItem(name, data.key);
    else if (data.ask) setTriggerValue("kept", sessionStorage.getItem(name) ?? "none");
  } catch {
    if (data.ask) setTriggerValue("kept", "none");
  }
}
"""
_keeper = st.components.v2.component("room-key-keeper", js=KEEPER)


def hold(code: str, key: str) -> None:
    LED.put((code, key))


def room_and_key() -> tuple[str, str]:
    """Return the room that this visit leads, and its key; or two empty texts."""
    return LED.get() or ("", "")


def drop() -> None:
    LED.pop()


def of(code: str) -> str | None:
    """Return the key of a room; None until the browser has said whether its tab has one.

    A tab without the key answers with an empty text.
    """
    own_room, key = room_and_key()

    def remember_key() -> None:
        try:
            hold(code, class_rooms.host_key(session_keys.of_widget(WATCHER).kept))
        except DpcoreError:
            hold(code, "")

    is_known = own_room == code
    data = {"code": code, "key": key if is_known else "", "ask": not is_known}
    _keeper(key=WATCHER, data=data, on_kept_change=remember_key)
    return key if is_known else None
