"""The dashboard as it is served, with one address more: what the server holds in memory."""

from __future__ import annotations

import gc
from collections import Counter
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from streamlit.runtime import get_instance
from streamlit.runtime.app_session import AppSession
from streamlit.starlette import App

from dpcore.datasets.engines import IsolatedEngine
from dpcore.datasets.engines.process import ReadingProcess
from pages.server import download_files, session_cleanup, start, uploads
from pages.ui.own_data import SessionData
from pages.ui.publish.data_step import Opened

session_cleanup.EVERY, session_cleanup.GRACE = 0.5, 1.0
download_files.GRACE = 1.0
KINDS = {
    kind.__name__: kind
    for kind in (AppSession, IsolatedEngine, ReadingProcess, SessionData, Opened)
}


def held(request: Request) -> JSONResponse:
    gc.collect()
    found = Counter(
        type(each).__name__ for each in gc.get_objects() if type(each) in KINDS.values()
    )
    files = get_instance().uploaded_file_mgr.file_storage.values()  # type: ignore[attr-defined]
    found["uploads"] = sum(map(len, files))
    found["bytes"] = uploads.total()
    if request.query_params.get("why"):
        return JSONResponse(
            [referrers(each) for each in gc.get_objects() if type(each) is IsolatedEngine]
        )
    return JSONResponse(dict.fromkeys([*KINDS, "uploads", "bytes"], 0) | found)


def referrers(held: object) -> list[str]:
    """What keeps an object, for whoever looks into a failure: nearest first."""
    told: list[str] = []
    near, seen = [held], {id(held)}
    while near and len(told) < 60:
        each = near.pop(0)
        for other in gc.get_referrers(each):
            if id(other) in seen or type(other).__name__ in ("frame", "list_iterator"):
                continue
            if isinstance(other, list) and (other is near or other is told):
                continue
            seen.add(id(other))
            near.append(other)
            keys = list(other)[:6] if isinstance(other, dict) else getattr(other, "__name__", "")
            told.append(f"{type(each).__name__} <- {type(other).__name__} {keys!r:.150}")
    return told


options = start.options()
options.setdefault("routes", []).append(Route("/held", held))
app = App(Path(__file__).parents[2] / "app.py", **options)
