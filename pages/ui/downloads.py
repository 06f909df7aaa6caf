"""Files to take along, and the lines that make them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from pages.ui import chart_style, own_data, visibility

MIME = {"csv": "text/csv", "json": "application/json"}


class File(NamedTuple):
    label: str
    #: With the kind of file as its ending.
    name: str
    make: Callable[[], str]

    def marked(self, words: str) -> str:
        """Its name, with what it is a file of before the ending."""
        stem, _, kind = self.name.rpartition(".")
        return f"{stem}-{words}.{kind}"


def keep(
    data: str,
    files: Sequence[File],
    ready: bool,
    shell: str = "",
    python: str = "",
    marked: bool = True,
    chart: bool = True,
) -> None:
    """Files once everything is there, the camera's format where there is a chart, and lines of
    code.

    Of what a page shows of raw data that are not public, no file is made.
    """
    if not visibility.may_leave(data):
        return
    of = "private-twin" if visibility.of(data) is visibility.Visibility.TWIN else "not-private"
    st.subheader("Take it with you")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for file in files:
            # Made when somebody asks: a file made while runs come in would be gone by then.
            st.download_button(
                file.label,
                file.make,
                file.marked(of) if marked else file.name,
                MIME[file.name.rpartition(".")[2]],
                icon=":material/download:",
                on_click="ignore",
                disabled=not ready,
            )
        if chart:
            chart_style.camera_control()
    if marked:
        st.markdown(visibility.mark(data))
    # Data that somebody brought have no name by which anybody could load them again.
    repeatable = not own_data.is_own(data)
    for where, lines, language in (("a shell", shell, "bash"), ("Python", python, "python")):
        if lines and repeatable:
            st.markdown(f"In {where}:")
            st.code(lines, language=language, wrap_lines=True)
