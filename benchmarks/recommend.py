"""How long it takes to recommend a level, on the month that ships as a grid."""

from __future__ import annotations

import time
from collections.abc import Iterator

import dpcore
from benchmarks.table import Row

TITLE = "Recommending a level"

NEEDS = (
    "centers within 200 m, 9 times in 10",
    "clustering at most 1 % worse",
    "neighborhood counts within 100 trips",
)
#: Seconds on the month of 11.8 million rows, the data being loaded.
BAR = 1.5


def rows() -> Iterator[Row]:
    data = dpcore.datasets.load("nyc-month")
    for need in NEEDS:
        began = time.process_time()
        advice = dpcore.recommend(need, data)
        duration = time.process_time() - began
        name = advice.level.name if advice.level else "no level"
        yield Row(f"{need}: {name}", duration, BAR, "s of CPU time")
