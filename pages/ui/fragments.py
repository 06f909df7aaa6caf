"""Parts of a page that redraw themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui.background import Job

#: Seconds between looks at what is being made, and seconds within which nobody needs a bar.
PAUSE, SOON = 0.5, 0.4


def redrawn(part: Callable[..., None], every: float | None, *what: Any) -> None:
    """Draw a part of the page now, and again every so many seconds, in a place of its own.

    When a page is drawn while one of its parts waits to be, that part is left out for a moment.
    Without a place that stays, what follows it would move up in the browser and be drawn over.
    """
    with st.container():
        st.fragment(part, run_every=every)(*what)


def until_done(
    part: Callable[..., bool], going: bool, *what: Any, every: float | None = PAUSE
) -> None:
    """Draw a part of the page, and again while something is going on: the part says when that is
    over, and the whole page is drawn once more."""
    redrawn(_until_done, every if going else None, part, going, *what)


def _until_done(part: Callable[..., bool], going: bool, *what: Any) -> None:
    if part(*what) and going:
        st.rerun()


def watch(job: Job[Any]) -> bool:
    """Whether it is done; else a bar that moves, and the page is drawn again at the end."""
    job.wait(SOON)
    if not job.done:
        until_done(_bar, True, job)
    return job.done


def _bar(job: Job[Any]) -> bool:
    doing, part = job.state()
    st.progress(min(max(part, 0.0), 1.0), f"{doing} …")
    if job.can_stop:
        st.button("Stop", icon=":material/stop:", key="stop", on_click=job.stop)
    return job.done
