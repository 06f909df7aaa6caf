"""What holds somebody's data: one session, memory only, nothing once it is over."""

from __future__ import annotations

import asyncio
import gc
import re
import threading
import time
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
from starlette.datastructures import UploadFile
from starlette.requests import Request

from dpcore.datasets.builtin import CITY
from dpcore.datasets.named_boxes import PLACES
from pages.ui import city_map, own_data, wording
from pages.ui.background import Job, Worker, begin
from tests.pages.publishing import brought, buttons, csv_text, elsewhere, trips, upload
from tests.pages.visits import maps as drawn_maps
from tests.pages.visits import press, words

#: Seconds that others on the machine may keep a thread from its end.
LONG = 60


def test_an_upload_larger_than_a_megabyte_stays_in_memory() -> None:
    """As Streamlit reads one: Starlette would move it to a temporary file by itself."""
    assert own_data.HELD
    edge = b"border"
    head = b'--border\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n'
    body = head + b"x" * 30_000_000 + b"\r\n--border--\r\n"

    async def parsed() -> UploadFile:
        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": body, "more_body": False}

        kind = b"multipart/form-data; boundary=" + edge
        scope = {"type": "http", "method": "PUT", "headers": [(b"content-type", kind)]}
        form = await Request(scope, receive).form()
        file = form["f"]
        assert isinstance(file, UploadFile)
        return file

    with asyncio.run(parsed()).file as file:
        assert not file._rolled  # type: ignore[attr-defined]
        assert file.name is None


def test_a_key_says_nothing_and_cannot_be_guessed() -> None:
    keys = {own_data.new_key() for _ in range(100)}
    assert len(keys) == 100
    assert all(own_data.is_own(key) and len(key) == 16 for key in keys)


def test_what_is_computed_of_own_data_is_in_no_shared_cache() -> None:
    import streamlit as st
    from streamlit.runtime.caching.cache_resource_api import _resource_caches

    st.cache_resource.clear()
    app = press(elsewhere(brought(), "app.py"), "show-raw")
    assert drawn_maps(app)
    shared = _resource_caches._function_caches.get(None, {})
    names = [cache.display_name for cache in shared.values() if len(cache._mem_cache)]
    assert not [name for name in names if name.rpartition(".")[2] in ("data", "run", "reference")]
    sessions = [key for key in _resource_caches._function_caches if key is not None]
    assert sessions
    _resource_caches.clear_session(sessions[0])
    assert not _resource_caches._function_caches.get(sessions[0])


def test_forgetting_leaves_the_visit_at_its_beginning() -> None:
    app = press(brought(privacy="Strict"), "forget")
    assert "1 · Data" in words(app)
    assert not app.session_state[own_data.HELD.name]
    assert not {"forget", "change-data"} & set(buttons(app))
    assert app.query_params["privacy"] in ("Strict", ["Strict"])
    assert "data" not in app.query_params
    again = upload(app, "other.csv", csv_text(trips(50)))
    assert "2 · Who is protected" in words(again)


def test_a_worker_that_is_stopped_forgets_and_ends() -> None:
    def endless() -> Iterator[int]:
        while True:
            time.sleep(0.001)
            yield 1

    before = set(threading.enumerate())
    worker = Worker()
    # Threads of pages that were visited before may begin another at any time.
    (thread,) = (each for each in {*threading.enumerate()} - before if each.name == "steps")
    worker.job("mine", endless)
    worker.stop()
    thread.join(LONG)
    assert not thread.is_alive()


class Rows:
    """Stands for somebody's data."""


def gone(watched: weakref.ref[Rows]) -> bool:
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        gc.collect()
        if watched() is None:
            return True
        time.sleep(0.01)
    return False


def test_a_finished_job_keeps_nothing_of_what_it_worked_on() -> None:
    rows = Rows()
    watched = weakref.ref(rows)
    job = begin(lambda rows=rows: id(rows), lambda: ("Working", 0.0))
    del rows
    job.wait(LONG)
    assert job.done
    assert gone(watched)


def test_a_failed_job_keeps_its_reason_and_no_rows() -> None:
    def work(rows: Rows) -> None:
        try:
            raise KeyError("inner")
        except KeyError as inner:
            raise ValueError("no luck") from inner

    rows = Rows()
    watched = weakref.ref(rows)
    job = begin(lambda rows=rows: work(rows), lambda: ("Working", 0.0))
    del rows
    job.wait(LONG)
    assert str(job.failure) == "no luck"
    assert gone(watched)


def test_a_call_is_begun_once_for_each_key() -> None:
    begun = []

    def make() -> Job[int]:
        begun.append(1)
        return begin(lambda: 7, lambda: ("Working", 0.0))

    worker = Worker()
    jobs = {worker.begin_once("ticket", make) for _ in range(5)}
    assert len(jobs) == len(begun) == 1
    assert worker.begun("another") is None


@pytest.mark.parametrize("name", ["Japan", "The world", "London", "Chile"])
def test_a_box_elsewhere_is_not_in_the_city(name: str) -> None:
    assert not city_map.in_new_york(PLACES[name])


def test_the_city_is_in_the_city() -> None:
    assert city_map.in_new_york(CITY)
    assert city_map.in_new_york(PLACES["New York, the five boroughs"])


def test_typed_words_are_shown_as_they_are() -> None:
    typed = "trips_2015 *new* [a](b) $x$ :red[y] <b>"
    shown = wording.plain(typed)
    assert shown.replace("\\", "") == typed
    assert all(mark not in shown.replace(f"\\{mark}", "") for mark in "_*[]$:<>")


@pytest.mark.parametrize(
    "name",
    [
        "http://evil.example/a",
        "www.evil.example",
        "a@evil.example",
        ":material/verified:",
        ":smile:",
        "a\n\n# heading",
        "&lt;b&gt;",
        "a\u202egpj",
    ],
)
def test_no_name_becomes_a_link_an_icon_or_another_line(name: str) -> None:
    shown = wording.plain(name)
    assert "://" not in shown
    assert "www." not in shown
    assert not [c for c in shown if not c.isprintable() and c != wording.JOINER]
    assert not re.search(r"@\w|:[\w+-]+\\?:|(?<!\\)&", shown)


def test_charts_show_names_as_they_are() -> None:
    assert wording.plain_in_chart("<img src=x>&") == "&lt;img src=x&gt;&amp;"


def test_boxes_of_places_are_public_constants() -> None:
    assert all(np.isfinite([*box.low, *box.high]).all() for box in PLACES.values())
