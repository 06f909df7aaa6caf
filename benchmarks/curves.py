"""Curves: a whole sweep, and how soon it shows its first points."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright
from threadpoolctl import threadpool_limits

import dpcore
from benchmarks.algorithms import plain
from benchmarks.table import Row, seconds
from benchmarks.visitors import cpu_seconds
from dpcore.datasets.base import Dataset
from dpcore.study.usual_ranges import EPSILONS
from tests.browser.driver import DESK, FLAGS, LONG, Server, serving

TITLE = "A sweep of the month: 12 epsilons × 20 runs of EUGkM, k = 5"
K, RUNS = 5, 20
#: More runs than can finish while somebody presses a button.
PAGE = "/curves?data=nyc-month&algorithm=eugkm&runs=200"
PRESSES = 7
#: The page as everybody meets it, with runs that are kept, and with noise that nobody drew before:
#: name, address, bar for the first point, and the words that are there with the last run.
OPENINGS = (
    ("kept runs", "/curves", 0.5, re.compile("runs were made on")),
    ("live runs", "/curves?seed=1", 0.5, re.compile("runs finished")),
)
#: Notes in the browser when the title and the first point are there.
WATCH = """
window.seen = {};
new MutationObserver(() => {
  const note = (name, what) => {
    if (document.querySelector(what)) seen[name] ??= performance.now();
  };
  note("title", "[data-testid=stMain] h1");
  note("point", ".js-plotly-plot .point");
}).observe(document, { childList: true, subtree: true });
"""
#: A page with nothing but a chart: what Streamlit, Plotly and the browser take by themselves.
BARE = """
import plotly.graph_objects as go
import streamlit as st

st.title("What each level costs")
st.plotly_chart(go.Figure(go.Scatter(x=[1, 2], y=[1, 2], mode="markers")))
"""


def rows() -> Iterator[Row]:
    data = dpcore.datasets.load("nyc-month")
    unit = statistics.median(wall(data) for _ in range(5))
    reference = dpcore.baseline(data, K)
    sweep = dpcore.sweep  # This loads its modules, which a page has done long before.
    start = time.perf_counter()
    trials = sweep(["eugkm"], data, K, EPSILONS, RUNS, reference=reference)
    first = next(trials)
    until_first = time.perf_counter() - start
    of_runs = [first.seconds, *(trial.seconds for trial in trials)]
    whole = time.perf_counter() - start
    yield Row("the first point / the mean run", until_first / statistics.mean(of_runs), 2)
    yield Row("the whole sweep / KMeans(n_init=10) on the same cells", whole / unit, 6)
    yield from usual_sweep()
    yield from opening()
    yield Row("a control of the page answers while a sweep runs", answer(), 2, "s")


def usual_sweep() -> Iterator[Row]:
    """The curve of the method with which the page opens, beside scikit-learn on the same rows.

    Both have one thread: with more, those of scikit-learn wait for each other and spend two to
    eight times the processor time.
    """
    data = dpcore.datasets.load("nyc-taxi")
    reference = dpcore.baseline(data, K)

    def swept() -> None:
        list(dpcore.sweep(["adaptive"], data, K, EPSILONS, RUNS, reference=reference))

    with threadpool_limits(1):
        ratio = seconds(swept, repeats=1) / seconds(lambda: plain(data))
    name = "CPU of the page's first curve (adaptive, nyc-taxi)"
    yield Row(f"{name} / KMeans(n_init=10) on the same rows", ratio, 8)


def opening() -> Iterator[Row]:
    """The waits of a person who opens the page, with kept runs and with live ones: for the first
    point, and for all runs. The same on a page with nothing but a chart is their floor."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bare.py").write_text(BARE)
        with serving(main="bare.py", root=Path(folder)) as server, chromium() as browser:
            visit(browser, server, "/").close()  # so that the server is warm
            floor = until_point(visit(browser, server, "/"))
    with serving() as server, chromium() as browser:
        page = browser.new_page()
        page.goto(server.address + "/verdicts")  # so that the server is warm
        page.get_by_text("How far attacks").first.wait_for(timeout=LONG)
        page.close()
        for name, path, bar, end in OPENINGS:
            spent = cpu_seconds(server.pid)
            page = visit(browser, server, path)
            first = until_point(page)
            cpu = cpu_seconds(server.pid) - spent
            yield Row(f"the first point after the title, {name}", first, bar, "s")
            yield Row(f"… / on a page with nothing but a chart, {name}", first / floor)
            page.get_by_text(end).wait_for(timeout=10 * LONG)
            yield Row(f"all runs of all curves after the title, {name}", since_title(page), 3, "s")
            yield Row(f"CPU of the server until the first point, {name}", cpu, unit="s")
            page.close()
        yield Row(
            "the first point after the title on a page with nothing but a chart", floor, unit="s"
        )


def visit(browser: Browser, server: Server, path: str) -> Page:
    """Open a page, and wait for its first point."""
    page = browser.new_page(viewport=DESK)
    page.add_init_script(WATCH)
    page.goto(server.address + path)
    page.wait_for_function("() => seen.point", timeout=LONG)
    return page


def until_point(page: Page) -> float:
    """Seconds from the title to the first point."""
    return page.evaluate("(seen.point - seen.title) / 1000")


def since_title(page: Page) -> float:
    return page.evaluate("(performance.now() - seen.title) / 1000")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    program = os.environ.get("DPCORE_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


def wall(data: Dataset) -> float:
    """Seconds of one fit. The middle one of several counts: its threads wait for each other when a
    core is busy with something else, and one fit in a few takes many times as long."""
    start = time.perf_counter()
    plain(data)
    return time.perf_counter() - start


def answer() -> float:
    """Seconds from a press to the new address, in the browser; the middle one of several."""
    with serving() as server, chromium() as browser:
        page = visit(browser, server, PAGE)
        waits = []
        for seed in range(1, PRESSES + 1):
            page.wait_for_timeout(1000)
            start = time.perf_counter()
            page.get_by_role("button", name="Draw new noise").click()
            page.wait_for_url(f"**seed={seed}**", wait_until="commit", timeout=LONG)
            waits.append(time.perf_counter() - start)
    return statistics.median(waits)
