"""A button that forgets all that a visit brought: files, tables, and what was computed of them."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime import caching, exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server import sweep
from pages.ui import address, own_data

#: What a page remembers of data that were brought, by its name in the session.
NAMES = (
    own_data.HELD,
    "opened files",
    "opening files",
    "counting rows",
    "counted rows",
    "remembered",
    "raw data shown",
    "tickets",
    "requests",
)
#: Its number is part of the key of the upload: another key, another control, without a file.
TIMES = "times forgotten"


def button() -> None:
    """In the menu, wherever this visit holds data."""
    if any(st.session_state.get(name) for name in NAMES[:5]):
        st.button(
            "Forget my data",
            key="forget",
            icon=":material/delete_forever:",
            width="stretch",
            on_click=forget,
            help="Drops your files and everything computed from them, now. Releases stay.",
        )


def forget() -> None:
    for name in NAMES:
        st.session_state.pop(name, None)
    for key in [key for key in st.session_state if str(key).startswith("remembered-")]:
        del st.session_state[key]
    st.session_state[TIMES] = times() + 1
    if own_data.is_own(address.link().get("data", "")):
        address.put("data", None)
    address.put("step", None)
    context = get_script_run_ctx()
    if context is not None:
        caching.clear_session_data_cache(context.session_id)
        caching.clear_session_resource_cache(context.session_id)
        if exists():
            get_instance().uploaded_file_mgr.remove_session_files(context.session_id)
        # Streamlit keeps what each button was to be called with, long after it was drawn.
        context.session_state._state._new_widget_state.widget_metadata.clear()
    sweep.let_go.set()


def times() -> int:
    found: int = st.session_state.get(TIMES, 0)
    return found
