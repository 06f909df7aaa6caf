"""Compare on the month: one run of each method, and how soon there is a true picture."""

from __future__ import annotations

import time
from collections.abc import Iterator

import dpcore
from benchmarks.table import Row
from dpcore.study.kept_standings import RUNS
from dpcore.study.standings import shortlist

TITLE = "Every method at one epsilon, on the month"
K, EPSILON = 5, 0.5
#: Methods are named if a run takes longer, in seconds.
SLOW = 1.0


def rows() -> Iterator[Row]:
    data = dpcore.datasets.load("nyc-month")
    reference = dpcore.baseline(data, K)
    costs: dict[str, float] = {}
    for key, algorithm in dpcore.ALGORITHMS.items():
        if algorithm.supports(data.d, None, K):
            start = time.process_time()
            list(dpcore.sweep([key], data, K, [EPSILON], 1, reference=reference))
            costs[key] = time.process_time() - start
    first = sum(costs[key] for key in shortlist(data.d, K))
    yield Row("CPU of a first run of each recommended method", first, 15, "s")
    yield Row(f"CPU of {RUNS} runs of each recommended method", RUNS * first, 60, "s")
    yield Row(f"CPU of {RUNS} runs of every method", RUNS * sum(costs.values()), 60, "s")
    slow = {key: cost for key, cost in costs.items() if cost > SLOW}
    for key in sorted(slow, key=lambda key: -slow[key]):
        yield Row(f"… of a run of {key}", slow[key], unit="s")
