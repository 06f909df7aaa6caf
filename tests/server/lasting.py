"""The dashboard as it is served, but its files stay for an hour, however slow the machine is."""

from __future__ import annotations

from pathlib import Path

from streamlit.starlette import App

from pages.server import download_files, start

download_files.GRACE = 3600.0
app = App(Path(__file__).parents[2] / "app.py", **start.options())
