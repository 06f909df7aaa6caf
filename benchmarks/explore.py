"""Explore through the browser: what a move of the slider costs, and ten people at once."""

from __future__ import annotations

import os
import shutil
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

import dpcore
from benchmarks.table import Row, seconds, unit
from dpcore.privacy.explain import LEVELS
from dpcore.study import run_view
from tests.browser.driver import DESK, FLAGS, serving, settled

TITLE = "Explore"
MONTH = "/?data=nyc-month"
PEOPLE = 10
SMALL = {"width": 320, "height": 240}
#: The map's own description names the level.
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
        page.goto(server.address + MONTH)
        settled(page)
        waits = moves(page)
        own = statistics.median(costs) * base
        yield Row(
            "slider release to new picture / server's own compute", statistics.median(waits) / own
        )
        yield Row(
            "memory of the server with nyc-month open", resident(server.pid) / 2**20, 1024, "MB"
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


def moves(page: Page) -> list[float]:
    """Seconds from each press of an arrow key to the new picture."""
    page.get_by_role("slider").focus()
    waits = []
    for key in ("ArrowRight",) * 3 + ("ArrowLeft",) * 6:
        page.evaluate(f"void (window.changed = ({CHANGED})())")
        page.keyboard.press(key)
        waits.append(page.evaluate("window.changed") / 1000)
        page.wait_for_timeout(300)
    return waits[:3] + waits[6:]  # the way back to the middle was computed before


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
