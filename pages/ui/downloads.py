"""Files to take along, and the lines that make them again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from dpcore._version import __version__
from dpcore.results.notebook_file import Code, Text, notebook_file
from pages.ui import chart_style, own_data, visibility

MIME = {
    "csv": "text/csv",
    "json": "application/json",
    "ipynb": "application/x-ipynb+json",
}


class File(NamedTuple):
    label: str
    #: With the kind of file as its ending.
    name: str
    make: Callable[[], str | bytes]

    def marked(self, words: str) -> str:
        """Its name, with what it is a file of before the ending."""
        stem, _, kind = self.name.rpartition(".")
        return f"{stem}-{words}.{kind}"


def notebook_cells(name: str, shell: str, python: str, shows: str) -> list[Text | Code]:
    """The cells of a notebook that repeats what a page shows, and prints it."""
    words = (
        f"# {name.replace('-', ' ').capitalize()}\n\nThis notebook makes the runs of a chart of "
        f"the dashboard again, with dpcore {__version__}: the same seeds give the same numbers. "
        "Only run times differ."
    )
    if shell:
        words += f"\n\nThe same in a shell:\n\n```sh\n{shell}\n```"
    return [Text(words), Code(python.rstrip()), *([Code(shows.rstrip())] if shows else [])]


def keep(
    data: str,
    files: Sequence[File],
    ready: bool,
    shell: str = "",
    python: str = "",
    *,
    marked: bool = True,
    chart: bool = True,
    shows: str = "",
) -> None:
    """Draw files once everything is there, a notebook, lines of code, and the camera's format where
    there is a chart.

    `shows` are lines that print what the Python program found, for the notebook. Of what a page
    shows of raw data that are not public, no file is made.
    """
    if not visibility.may_leave(data):
        return
    of = "private-twin" if visibility.of(data) is visibility.Visibility.TWIN else "not-private"
    # Data that somebody brought have no name by which anybody could load them again.
    repeatable = not own_data.is_own(data)
    if repeatable and python and files:
        stem = files[0].name.rpartition(".")[0]
        cells = notebook_cells(stem, shell, python, shows)
        files = [*files, File("Notebook", f"{stem}.ipynb", partial(notebook_file, cells))]
    if python and not shell:
        shell = f"python - <<'END'\n{python}END"
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
                # A notebook makes its runs itself.
                disabled=not ready and not file.name.endswith(".ipynb"),
            )
        if repeatable and (shell or python):
            # What colors the lines is large: a browser gets it when somebody opens them.
            with st.popover("Command and Python", icon=":material/terminal:"):
                for where, lines in (("a shell", shell), ("Python", python)):
                    if lines:
                        st.caption(f"In {where}")
                        st.code(lines, language=None, wrap_lines=True)
        if chart:
            chart_style.camera_control()
    if marked:
        st.markdown(visibility.mark(data))
