"""Curves: a whole sweep, and how soon it shows its first points."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import sync_playwright

import dpcore
from benchmarks.algorithms import plain
from benchmarks.table import Row, seconds
from benchmarks.visitors import cpu_seconds
from dpcore.datasets.base import Dataset
from dpcore.study.usual_ranges import EPSILONS
from tests.browser.driver import DESK, FLAGS, LONG, serving

TITLE = "A sweep of the month: 12 epsilons × 20 runs of EUGkM, k = 5"
K, RUNS = 5, 20
#: More runs than can finish while somebody presses a button.
PAGE = "/curves?data=nyc-month&algorithm=eugkm&runs=200"
PRESSES = 7
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
    start = time.perf_counter()
    trials = dpcore.sweep(["eugkm"], data, K, EPSILONS, RUNS, reference=reference)
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
    """The curve of the method with which the page opens, beside scikit-learn on the same rows."""
    data = dpcore.datasets.load("nyc-taxi")
    reference = dpcore.baseline(data, K)

    def swept() -> None:
        list(dpcore.sweep(["adaptive"], data, K, EPSILONS, RUNS, reference=reference))

    ratio = seconds(swept, repeats=1) / seconds(lambda: plain(data))
    name = "CPU of the page's first curve (adaptive, nyc-taxi)"
    yield Row(f"{name} / KMeans(n_init=10) on the same rows", ratio, 8)


def opening() -> Iterator[Row]:
    """The waits of a person who opens the page: for the first point, and for all runs."""
    chromium = os.environ.get("DPCORE_CHROMIUM") or shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bare.py").write_text(BARE)
        with serving(main="bare.py", root=Path(folder)) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
            browser.new_page().goto(server.address)
            page = browser.new_page(viewport=DESK)
            page.goto(server.address)
            page.get_by_role("heading", name="What each level costs").wait_for(timeout=LONG)
            start = time.perf_counter()
            page.locator(".js-plotly-plot .point").first.wait_for(state="attached", timeout=LONG)
            floor = time.perf_counter() - start
            browser.close()
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        browser.new_page().goto(server.address + "/verdicts")  # so that the server is warm
        page = browser.new_page(viewport=DESK)
        page.goto(server.address + "/curves")
        page.get_by_role("heading", name="What each level costs").wait_for(timeout=LONG)
        start, spent = time.perf_counter(), cpu_seconds(server.pid)
        page.locator(".js-plotly-plot .point").first.wait_for(state="attached", timeout=LONG)
        first = time.perf_counter() - start
        yield Row("the page's first point after its title", first, 0.3, "s")
        yield Row("CPU of the server until then", cpu_seconds(server.pid) - spent, 0.3, "s")
        yield Row("… the same wait on a page with nothing but a chart", floor, unit="s")
        yield Row("… the first point / a page with nothing but a chart", first / floor)
        page.get_by_text("runs finished.").wait_for(timeout=10 * LONG)
        yield Row("all runs of all its curves after its title", time.perf_counter() - start, 3, "s")
        yield Row("CPU of the server meanwhile", cpu_seconds(server.pid) - spent, unit="s")
        browser.close()


def wall(data: Dataset) -> float:
    """Seconds of one fit. The middle one of several counts: its threads wait for each other when a
    core is busy with something else, and one fit in a few takes many times as long."""
    start = time.perf_counter()
    plain(data)
    return time.perf_counter() - start


def answer() -> float:
    """Seconds from a press to the new address, in the browser; the middle one of several."""
    chromium = os.environ.get("DPCORE_CHROMIUM") or shutil.which("chromium")
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport=DESK)
        page.goto(server.address + PAGE)
        page.locator(".js-plotly-plot .point").first.wait_for(state="attached", timeout=90_000)
        waits = []
        for seed in range(1, PRESSES + 1):
            page.wait_for_timeout(1000)
            start = time.perf_counter()
            page.get_by_role("button", name="Draw new noise").click()
            page.wait_for_url(f"**seed={seed}**", wait_until="commit", timeout=LONG)
            waits.append(time.perf_counter() - start)
        browser.close()
    return statistics.median(waits)
