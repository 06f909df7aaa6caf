"""Compare on the month: one run of each method, and how soon there is a true picture."""

from __future__ import annotations

import time
from collections.abc import Iterator

import dpcore
from benchmarks.table import Row
from dpcore.study.kept_standings import RUNS, kept_standings
from dpcore.study.standings import shortlist
from pages.ui.compare.ranking import FEW, SLOW

TITLE = "Every method at one epsilon, on the month"
K, EPSILON = 5, 0.5


def rows() -> Iterator[Row]:
    data = dpcore.datasets.load("nyc-month")
    reference = dpcore.baseline(data, K)
    costs: dict[str, float] = {}
    for key, algorithm in dpcore.ALGORITHMS.items():
        if algorithm.supports(data.d, None, K):
            start = time.process_time()
            list(dpcore.sweep([key], data, K, [EPSILON], 1, reference=reference))
            costs[key] = time.process_time() - start
    recommended = shortlist(data.d, K)
    first = sum(costs[key] for key in recommended)
    standings = kept_standings()
    slow = {
        key: cost
        for key, cost in costs.items()
        if key not in recommended and (standings.seconds("nyc-month", key) or 0) > SLOW
    }
    page = sum(cost * (FEW if key in slow else RUNS) for key, cost in costs.items())
    yield Row("CPU of a first run of each recommended method", first, 15, "s")
    yield Row(f"CPU of {RUNS} runs of each recommended method", RUNS * first, 60, "s")
    yield Row(f"CPU of the page: {RUNS} runs of every method, {FEW} of slow ones", page, 60, "s")
    yield Row(f"CPU of {RUNS} runs of every method", RUNS * sum(costs.values()), unit="s")
    for key in sorted(slow, key=lambda key: -slow[key]):
        yield Row(f"… of a run of {key}", slow[key], unit="s")
