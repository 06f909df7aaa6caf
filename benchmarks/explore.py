"""Explore through the browser: what a move of the slider costs, beside a plain Streamlit page with
the same map, and ten people at once."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

import dpcore
from benchmarks.table import Row, seconds, unit
from dpcore.privacy.explain import LEVELS
from dpcore.study import run_view
from tests.browser.driver import DESK, FLAGS, ROOT, Server, idle, serving, settled

TITLE = "Explore"
MONTH = "/?data=nyc-month"
PEOPLE = 10
SMALL = {"width": 320, "height": 240}
#: The map's own description names the level.
PLAIN = """
import streamlit as st

from dpcore.privacy.explain import LEVELS, MIDDLE
from dpcore.runs.request import Request
from pages.ui import cached_work, city_map, run_map, run_picture
from pages.ui.choice import Choice
from pages.ui.legend import Layers

epsilons = {level.name: level.epsilon for level in LEVELS}
level = st.select_slider("Level", list(epsilons), MIDDLE.name)
choice = Choice(st.query_params["data"], Request("adaptive", 5, epsilons[level], seed=0))
picture = cached_work.picture(choice, (0, 1))
centers = run_picture.centers(picture, choice)
canvas = run_map.canvas_of(picture, choice, centers, Layers(), f"The map at level {level}")
city_map.show(canvas, "picture")
"""
SETS = ("nyc-taxi", "nyc-month")
#: From the middle to one end, back, and to the other end: two moves of three are to new levels.
ROUNDS = (("ArrowRight",) * 3, ("ArrowLeft",) * 3, ("ArrowLeft",) * 3)
CHANGED = """
() => new Promise(resolve => {
  const text = () => document.querySelector('[role="figure"]')?.getAttribute('aria-label');
  const before = text(), start = performance.now();
  const look = () => {
    const now = text();
    if (now && now !== before) requestAnimationFrame(() => resolve(performance.now() - start));
    else requestAnimationFrame(look);
  };
  look();
})
"""


def rows() -> Iterator[Row]:
    base = unit()
    costs = [server_seconds(level.epsilon) / base for level in LEVELS]
    name = "server compute per move on nyc-month / bincount of 1e7"
    yield Row(f"{name}, median of the levels", statistics.median(costs), 10)
    yield Row(f"{name}, dearest", max(costs), note=LEVELS[costs.index(max(costs))].name)

    chromium = os.environ.get("DPCORE_CHROMIUM") or shutil.which("chromium")
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        start = time.perf_counter()
        page = browser.new_page(viewport=DESK)
        page.goto(server.address)
        page.get_by_role("table").wait_for(timeout=60_000)
        yield Row(
            "first picture of a cold server, in the browser", time.perf_counter() - start, unit="s"
        )
        settled(page)
        with plain() as other:
            addresses = {"here": server.address, "plain": other.address}
            pages: dict[tuple[str, str], Page] = {}
            received: dict[tuple[str, str], list[int]] = {}
            for data, name in itertools.product(SETS, addresses):
                page = pages[data, name] = browser.new_page(viewport=DESK)
                to = received[data, name] = []
                page.on("websocket", lambda socket, to=to: count_bytes(socket, to))
                page.goto(f"{addresses[name]}/?data={data}")
                (settled if name == "here" else map_shown)(page)
                to[:] = [0]
            seconds_of: dict[tuple[str, str], list[float]] = {each: [] for each in pages}
            for keys in ROUNDS:  # in turn, since others may be at work on this machine
                for each, page in pages.items():
                    page.bring_to_front()
                    seconds_of[each] += moves(page, keys)
                    (settled if each[1] == "here" else idle)(page)
            waits = {each: statistics.median(seconds) for each, seconds in seconds_of.items()}
        for data in SETS:
            most = max(received[data, "here"]) / 1000
            yield Row(f"received for a move, {data}", most, 150, "kB")
            here = waits[data, "here"]
            yield Row(f"slider release to new picture, {data}", here, 0.7, "s")
            yield Row("the same / a plain page with the same map", here / waits[data, "plain"], 1.5)
        yield Row("nyc-month / nyc-taxi", waits[SETS[1], "here"] / waits[SETS[0], "here"], 1.2)
        own = statistics.median(costs) * base
        yield Row("wait on nyc-month / server's own compute", waits[SETS[1], "here"] / own)
        yield Row(
            "memory of the server with nyc-month open", resident(server.pid) / 2**20, 450, "MB"
        )
        browser.close()

        # Without WebGL, and small: ten windows painted here would be all that is measured.
        browser = playwright.chromium.launch(
            executable_path=chromium, args=[*FLAGS, "--disable-3d-apis"]
        )
        alone, failures = together(browser, server.address, 1)
        crowd, more = together(browser, server.address, PEOPLE)
        yield Row("errors while ten people move sliders at once", failures + more, 0, "")
        yield Row("their median wait / one person's", crowd / alone, 12)
        browser.close()


@contextlib.contextmanager
def plain() -> Iterator[Server]:
    """A Streamlit page with a slider and the map, and nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("pages", "static", ".streamlit"):
            (Path(folder) / name).symlink_to(ROOT / name)
        (Path(folder) / "plain.py").write_text(PLAIN)
        with serving(root=Path(folder), main="plain.py") as server:
            yield server


def map_shown(page: Page) -> None:
    page.locator(".city-map[data-shown]").wait_for(timeout=60_000)
    idle(page)


def count_bytes(socket: WebSocket, received: list[int]) -> None:
    """Add up what comes in between two moves; what is sent marks the next one."""
    received.append(0)

    def add(frame: str | bytes) -> None:
        received[-1] += len(frame)

    socket.on("framereceived", add)
    socket.on("framesent", lambda _: received.append(0))


def server_seconds(epsilon: float) -> float:
    """What the server computes for one new level: run, picture, truth."""
    month = dpcore.datasets.load("nyc-month")
    reference = dpcore.baseline(month, 5)

    def move() -> None:
        result = dpcore.run("adaptive", month, 5, epsilon, seed=0)
        assert result.synopsis is not None
        run_view.marks(result.synopsis)
        run_view.published_density(result.synopsis)
        run_view.centers_table(result, geographic=True)
        run_view.truth(month, result, reference)

    return seconds(move, repeats=3)


def moves(page: Page, keys: Sequence[str]) -> list[float]:
    """Seconds from each press of an arrow key to the new picture."""
    page.get_by_role("slider").focus()
    waits = []
    for key in keys:
        page.evaluate(f"void (window.changed = ({CHANGED})())")
        page.keyboard.press(key)
        waits.append(page.evaluate("window.changed") / 1000)
        page.wait_for_timeout(300)
    return waits


def together(browser: Browser, address: str, people: int) -> tuple[float, int]:
    """Median wait, and how many errors were seen, when so many move their sliders at once.

    Everybody looks at noise of their own, which nobody drew before.
    """
    errors: list[str] = []
    pages = []
    for number in range(people):
        page = browser.new_page(viewport=SMALL, reduced_motion="reduce")
        pages.append(page)
        page.on(
            "pageerror", lambda error: None if "WebGL" in str(error) else errors.append(str(error))
        )
        page.goto(f"{address}{MONTH}&seed={100 * people + number}")
        settled(page)
        page.get_by_role("slider").focus()
    waits: list[float] = []
    for key in ("ArrowRight", "ArrowRight", "ArrowRight"):
        for page in pages:
            page.evaluate(f"void (window.changed = ({CHANGED})())")
        for page in pages:
            page.keyboard.press(key)
        waits += [page.evaluate("window.changed") / 1000 for page in pages]
    refused = sum(page.get_by_test_id("stAlert").count() for page in pages)
    for page in pages:
        page.close()
    return statistics.median(waits), len(errors) + refused


def resident(pid: int) -> float:
    """Bytes of memory that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
