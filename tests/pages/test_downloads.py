"""Every file of every page, searched for canaries: what may never leave is in none of them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.datasets.named_boxes import PLACES
from dpcore.datasets.rows import from_array
from pages.ui.frame import PAGES, ROOT
from tests.leaks import in_each
from tests.pages.publishing import (
    CITY,
    brought,
    csv_text,
    elsewhere,
    page,
    released,
    settled,
    trips,
    twin_asked,
    until,
)
from tests.pages.visits import checked, maps, press, words

#: Rows in the box: a number that no file has another reason to hold.
ROWS = 20_731
#: One row far from all others, and one beyond the box.
LONELY, BEYOND = (-73.912345678, 40.887654321), (-73.512345678, 40.512345678)
#: Digits after the point by which one coordinate is known, and those a pair needs at least. With
#: fewer, some published point would agree by chance; so each pair is compared as a file rounds it.
ALONE, PAIRED = 9, 5
#: One number agrees by chance in at most a tenth of all visits; in ten, once in ten billion runs.
VISITS = 10
PUBLIC_PAGES = [file for file, _, _ in PAGES if (ROOT / file).exists()]

Files = dict[str, bytes]


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """What every download button of every page drawn from now on would hand out."""
    caught: Files = {}
    real = st.download_button

    def button(
        label: str, data: object, file_name: str = "", *rest: object, **named: object
    ) -> bool:
        made = data() if callable(data) else data
        content = made.encode() if isinstance(made, str) else made
        assert isinstance(content, bytes), f"{label} hands out {type(made).__name__}"
        caught[file_name] = content
        return bool(real(label, content, file_name, *rest, **named))  # type: ignore[arg-type]

    monkeypatch.setattr(st, "download_button", button)
    return caught


def texts(files: Files) -> Iterator[tuple[str, str]]:
    """All files as text, archives and tables unpacked."""
    for name, content in files.items():
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                yield from texts(
                    {f"{name}/{each}": archive.read(each) for each in archive.namelist()}
                )
        elif name.endswith(".parquet"):
            table = pq.read_table(io.BytesIO(content))
            yield name, f"{table.schema}\n{table.to_pandas().to_csv()}\n{content!r}"
        else:
            yield name, content.decode()


@dataclass(frozen=True)
class Forbidden:
    """Places that no file may tell, and how many rows there are."""

    places: np.ndarray
    counts: tuple[int, ...]


#: What somebody does, and what no file that it brought may tell.
Visit = Callable[[], Forbidden]


def as_exactly(x: str, y: str) -> tuple[str, str]:
    """A place to as many digits as the file gives it, if it gives enough to be known by."""
    digits = max(len(n.partition(".")[2]) for n in (x, y))
    digits = min(max(digits, PAIRED), ALONE)
    return f"{float(x):.{digits}f}", f"{float(y):.{digits}f}"


def told(files: Files, forbidden: Forbidden) -> set[tuple[object, str]]:
    """The forbidden places, and exact counts however they are written, each with its file."""
    told: set[tuple[object, str]] = set()
    alone = {f"{value:.{ALONE}f}" for value in forbidden.places.ravel().tolist()}
    pairs = {
        (f"{x:.{digits}f}", f"{y:.{digits}f}")
        for digits in range(PAIRED, ALONE + 1)
        for x, y in forbidden.places.tolist()
    }
    for name, text in texts(files):
        written = re.findall(r"-?\d+(?:\.\d+)?", text)
        found: set[object] = {float(n) for n in written} & set(map(float, forbidden.counts))
        found |= alone & {f"{float(n):.{ALONE}f}" for n in written}
        found |= pairs & {as_exactly(*pair) for pair in pairwise(written)}
        found |= {n for n in forbidden.counts if f"{n:,}" in text}
        told |= {(what, name) for what in found}
    return told


@pytest.fixture
def never_told(
    files: Files, ledger_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Visit], None]:
    """Fails on what the files of every visit tell. Each has a ledger in which nothing is spent."""

    def visits(visit: Visit) -> Iterator[set[tuple[object, str]]]:
        for number in range(VISITS):
            monkeypatch.setenv("DPCORE_LEDGER", str(ledger_folder / f"{number}"))
            files.clear()
            forbidden = visit()
            yield told(files, forbidden)

    def check(visit: Visit) -> None:
        found = in_each(visits(visit))
        assert not found, found

    return check


def secret_trips() -> np.ndarray:
    return np.vstack([trips(ROWS - 1), LONELY, BEYOND])


def canaries(*more: np.ndarray) -> Forbidden:
    """Rows, and the centers that k-means finds by looking at them."""
    points = secret_trips()
    data = from_array(points, PLACES[CITY])
    assert data.n == ROWS
    red = [np.asarray(dpcore.baseline(data, 5, seed).centers) for seed in (0, 1)]
    some = points[:: len(points) // 500]
    return Forbidden(np.vstack([some, [LONELY, BEYOND], *red, *more]), (ROWS, ROWS + 1))


def red_centers(app: AppTest) -> np.ndarray:
    """The centers that are red on this visit's map."""
    return np.array([ring["at"] for ring in maps(app)[0]["partners"]])


def visited(app: AppTest, files: Files) -> None:
    """Every page there is, with what is on screen now, once there is something to save."""
    for file in PUBLIC_PAGES:
        if "publish" in file:
            continue
        elsewhere(app, file)
        for key in [b.key for b in app.button if b.key == "show-raw"]:
            press(app, key)
        if ("curves" in file or "compare" in file) and "and kept" not in words(app):
            until(app, "runs finished")


def test_the_search_finds_what_it_looks_for() -> None:
    forbidden = canaries()
    assert told({"a.csv": f"x\n{LONELY[0]}\n".encode()}, forbidden)
    for digits in range(PAIRED, 12):
        rounded = f"[{LONELY[0]:.{digits}f}, {LONELY[1]:.{digits}f}]".encode()
        assert told({"map.html": rounded}, forbidden)
    beside = f"[{LONELY[0]:.5f}12, {LONELY[1]:.5f}]".encode()
    assert not told({"map.html": beside}, forbidden)
    assert told({"a.html": b"of 20,731 trips"}, forbidden) == {(ROWS, "a.html")}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("n.json", f'{{"n": {ROWS}}}')
    assert told({"a.zip": packed.getvalue()}, forbidden) == {(ROWS, "a.zip/n.json")}
    assert not told({"a.csv": b"x\n-73.9\n40.8\n"}, forbidden)


def test_a_leak_in_every_visit_is_found(files: Files, never_told: Callable[[Visit], None]) -> None:
    def visit() -> Forbidden:
        files["a.csv"] = f"{ROWS}".encode()
        return canaries()

    with pytest.raises(AssertionError, match=r"a\.csv"):
        never_told(visit)


def test_no_file_of_a_release_or_of_any_page_holds_what_is_not_private(
    files: Files, never_told: Callable[[Visit], None]
) -> None:
    def visit() -> Forbidden:
        app = brought(csv_text(secret_trips()), runs=1, privacy="Strict")
        app = elsewhere(app, "app.py")
        red = red_centers(press(app, "show-raw"))
        assert red.shape == (5, 2)
        visited(app, files)
        shown = [name for name in files if not name.startswith("attacks")]  # the audit is public
        assert not shown, "raw data on screen, and something to download"
        app = elsewhere(app, "pages/4_publish.py")
        app = until(press(released(app), "to-history"), "never comes back")
        app.toggle(key="files-1").set_value(True)
        checked(app)
        assert {"certificate.json", "centers.csv", "points.parquet"} <= set(files)
        return canaries(red)

    never_told(visit)


def test_no_file_made_of_a_twin_holds_what_is_not_private(
    files: Files, never_told: Callable[[Visit], None]
) -> None:
    def visit() -> Forbidden:
        app = brought(csv_text(secret_trips()), runs=1, to=0.02)
        app = until(twin_asked(settled(app)), "is here")
        held = app.session_state["own data"]
        app.query_params["data"] = next(key for key, own in held.items() if own.is_twin)
        visited(app, files)
        assert {"curves-private-twin.csv", "ranking-private-twin.csv"} <= set(files)
        assert all(files.values())
        return canaries()

    never_told(visit)


def test_files_of_public_data_hold_no_red_center_and_no_row(
    files: Files, never_told: Callable[[Visit], None]
) -> None:
    raw = dpcore.datasets.load("nyc-taxi")
    rows = raw.box.from_unit(dpcore.geometry.domain.from_ticks(raw.positions()[0][:500]))

    def visit() -> Forbidden:
        app = page("app.py", data="nyc-taxi", runs=1, to=0.02)
        red = red_centers(app)
        visited(app, files)
        app = page(data="nyc-taxi", step="level")
        released(app)
        # How many rows a built-in set has is public, and refusals say it.
        return Forbidden(np.vstack([red, rows]), ())

    never_told(visit)
