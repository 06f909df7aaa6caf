"""A button that forgets all data of a visit: files, tables, and everything computed from them."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime import caching, exists, get_instance
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.server import session_cleanup
from pages.server.download_files import DownloadFiles
from pages.ui import address, browser_state, own_data, session_keys, url_keys
from pages.ui.session_keys import SessionKey

#: Its number is part of the key of the upload: another key, another control, without a file.
TIMES = SessionKey[int]("times forgotten")
#: What stays of a visit: where it is, how wide its window is, and how often it forgot its data.
KEPT = (address.REMEMBERED, address.LEFT, address.HERE, browser_state.NARROW, TIMES)


def button() -> None:
    """In the menu, wherever this visit holds data."""
    if own_data.of_session() or own_data.OPENED.get() is not None:
        st.button(
            "Forget my data",
            key="forget",
            icon=":material/delete_forever:",
            width="content",
            on_click=forget,
            help="Drops your files and everything computed from them, now. Releases stay.",
        )


def forget() -> None:
    TIMES.put(times() + 1)
    session_keys.clear(but=KEPT)
    if own_data.is_own(url_keys.DATA.get()):
        url_keys.DATA.clear()
    url_keys.STEP.clear()
    context = get_script_run_ctx()
    if context is not None:
        caching.clear_session_data_cache(context.session_id)
        caching.clear_session_resource_cache(context.session_id)
        if exists():
            get_instance().uploaded_file_mgr.remove_session_files(context.session_id)
            made = get_instance().media_file_mgr
            if isinstance(made, DownloadFiles):
                made.forget_unused(context.session_id)
        # Streamlit keeps what each button was to be called with, long after it was drawn.
        context.session_state._state._new_widget_state.widget_metadata.clear()
    session_cleanup.let_go.set()


def times() -> int:
    return TIMES.get() or 0
