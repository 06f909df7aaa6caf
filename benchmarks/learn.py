"""Learn: what telling a run costs beside the run, a round of the game, and how a map keeps up."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

from playwright.sync_api import Page, sync_playwright

import dpcore
from benchmarks.table import Row, seconds
from dpcore.classroom import guessing_game, steps
from tests.browser.driver import DESK, FLAGS, idle, picture, place, serving

TITLE = "Learn"
METHODS = ("dplloyd", "adaptive", "coreset", "eugkm", "hybrid")
#: Seconds to tell a run: of any of these methods, and of gkm, which has many blocks to tell.
TELLING = {"nyc-taxi": (0.012, 0.038), "nyc-month": (0.09, 2)}
#: Frames drawn in so many milliseconds.
FRAMES = """
(milliseconds) => new Promise(resolve => {
  let frames = 0;
  const start = performance.now();
  const count = now => {
    frames += 1;
    if (now - start < milliseconds) requestAnimationFrame(count);
    else resolve(1000 * frames / (now - start));
  };
  requestAnimationFrame(count);
})
"""
#: From the press of a key to the new title.
CHANGED = """
() => new Promise(resolve => {
  const title = () => document.querySelector('[data-testid="stHeading"] h3')?.innerText;
  const before = title(), start = performance.now();
  const look = () => {
    if (title() !== before) requestAnimationFrame(() => resolve(performance.now() - start));
    else requestAnimationFrame(look);
  };
  look();
})
"""


def rows() -> Iterator[Row]:
    for key, (most, most_of_gkm) in TELLING.items():
        slowest = max(METHODS, key=lambda method: telling(method, key))
        yield Row(f"telling a run of {slowest} on {key}", telling(slowest, key), most, "s")
        yield Row(f"telling a run of gkm on {key}", telling("gkm", key), most_of_gkm, "s")
    for contestant in guessing_game.CONTESTANTS.values():
        numbers = iter(range(10_000))
        cost = seconds(lambda c=contestant, n=numbers: guessing_game.play(c, 1.0, next(n)), 50)  # type: ignore[misc]
        yield Row(f"a round of the game: {contestant.title}", 1000 * cost, 0.7, "ms")

    chromium = os.environ.get("DPCORE_CHROMIUM") or shutil.which("chromium")
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport=DESK)
        page.goto(f"{server.address}/learn?part=steps&frame=2")
        page.get_by_role("button", name="Next").wait_for(timeout=60_000)
        idle(page)
        yield Row(
            "frames a second while 1,000 trips are dragged",
            frame_rate(page),
            22,
            "/s",
            at_least=True,
        )
        waits = []
        for _ in range(6):
            page.evaluate(f"void (window.changed = ({CHANGED})())")
            page.keyboard.press("ArrowRight")
            waits.append(page.evaluate("window.changed") / 1000)
            idle(page)
        yield Row("from a key to the next step, in the browser", sorted(waits)[3], unit="s")
        browser.close()


def telling(method: str, key: str) -> float:
    """Seconds that it takes to tell a run step by step."""
    data = dpcore.datasets.load(key)
    result = dpcore.run(method, data, 5, 0.2, seed=0, keep_journal=True)
    reference = dpcore.baseline(data, 5)
    return seconds(lambda: steps.frames(result, data, reference), 3)


def frame_rate(page: Page) -> float:
    """Frames a second while the map is dragged about: the best of some seconds, since others may
    be at work on this machine."""
    box = place(picture(page))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    rates = []
    for _ in range(4):
        page.evaluate(f"void (window.rate = ({FRAMES})(1000))")
        for i in range(10):
            page.mouse.move(x + 3 * i, y - 2 * i)
        rates.append(page.evaluate("window.rate"))
    page.mouse.up()
    return max(rates)
