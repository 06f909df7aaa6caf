"""Parts of a page that redraw themselves (Streamlit's fragments)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.ui.background import Job
from pages.ui.session_keys import SessionKey

T = TypeVar("T")
#: Seconds between redraws, and the seconds within which nobody needs a progress bar.
PAUSE, SOON = 0.5, 0.4


def is_redrawing() -> bool:
    """Whether a part of the page redraws itself, and the rest stands."""
    return bool(getattr(get_script_run_ctx(), "fragment_ids_this_run", None))


def redrawn(part: Callable[..., None], every: float | None, *what: Any) -> None:
    """Draw a part of the page now and every few seconds, in a container of its own.

    If the page is drawn while a part waits for its turn, that part is missing for a moment. Without
    a container, whatever follows would move up in the browser and be drawn over.
    """
    with st.container():
        st.fragment(part, run_every=every)(*what)


def until_done(
    part: Callable[..., bool], going: bool, *what: Any, every: float | None = PAUSE
) -> None:
    """Redraw a part of the page until it returns True; then draw the whole page once more."""
    redrawn(_until_done, every if going else None, part, going, *what)


def _until_done(part: Callable[..., bool], going: bool, *what: Any) -> None:
    if part(*what) and going:
        st.rerun()


def watch(job: Job[Any]) -> bool:
    """Return whether a job is done. If not, draw its progress, and the page again at the end."""
    job.wait(SOON)
    if not job.done:
        until_done(_bar, True, job)
    return job.done


def result_of(key: SessionKey[Job[T]], refuse: Callable[[Exception], None]) -> T | None:
    """The result of the job that the visit holds under this key, once: the job is then forgotten.

    None while there is no such job, while it runs, and where it failed, which `refuse` explains.
    """
    job = key.get()
    if job is None or not watch(job):
        return None
    key.pop()
    if job.failure:
        refuse(job.failure)
        return None
    return job.result


def _bar(job: Job[Any]) -> bool:
    doing, part = job.state()
    st.progress(min(max(part, 0.0), 1.0), f"{doing} …")
    if job.can_stop:
        st.button("Stop", icon=":material/stop:", key="stop", on_click=job.stop)
    return job.done
