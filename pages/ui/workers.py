"""The background workers of this server: one for everybody, and one for the data of a session."""

from __future__ import annotations

import streamlit as st

from pages.ui import own_data
from pages.ui.background import PictureQueue, Worker


@st.cache_resource
def turns() -> PictureQueue:
    """The order in which pictures are computed."""
    return PictureQueue()


@st.cache_resource
def worker() -> Worker:
    """The worker for public data; everybody sees its results."""
    return Worker(turns())


@st.cache_resource(scope="session", on_release=Worker.stop)
def own_worker() -> Worker:
    """The worker for a session's own data; its results disappear with the session."""
    return Worker(turns())


def worker_of(key: str) -> Worker:
    """The worker for the data with this key."""
    return own_worker() if own_data.is_own(key) else worker()
