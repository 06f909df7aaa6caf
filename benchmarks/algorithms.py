"""Time and memory of every algorithm as multiples of one scikit-learn KMeans on the same data."""

from __future__ import annotations

import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

import dpcore
from benchmarks.table import Row
from dpcore.datasets.base import Dataset
from dpcore.datasets.rows import from_array
from dpcore.errors import Infeasible

TITLE = "Every algorithm once, as multiples of one KMeans(n_init=10)"
K, EPSILON, DELTA = 5, 1.0, 1e-6
BAR = 20
#: These search long by design, and say so.
WITHOUT_BAR = ("pgkm", "highdim")


def rows(keys: tuple[str, ...] = ()) -> Iterator[Row]:
    """Largest first: on a month of pickups and on 100,000 rows of 10 numbers, where it runs."""
    figures: list[Row] = []
    sets = {"the month": dpcore.datasets.load("nyc-month"), "100,000 × 10": ten_dimensions()}
    for where, data in sets.items():
        units = spent(lambda data=data: plain(data))
        for key in keys or dpcore.ALGORITHMS:
            if not dpcore.ALGORITHMS[key].supports(data.d, None, K):
                continue
            times_or_reason = measured(key, data)
            if isinstance(times_or_reason, str):
                yield Row(f"{key} on {where} refuses", 1, unit="", note=times_or_reason)
                continue
            bar = None if key.startswith(WITHOUT_BAR) else BAR
            for what, figure, unit in zip(("time", "memory"), times_or_reason, units, strict=True):
                figures.append(Row(f"{what} of {key} on {where}", figure / unit, bar))
    yield from sorted(figures, key=lambda row: -row.figure)


def ten_dimensions() -> Dataset:
    rng = np.random.default_rng(0)
    middles = rng.uniform(-0.7, 0.7, (K, 10))
    values = middles[rng.integers(K, size=100_000)] + 0.1 * rng.standard_normal((100_000, 10))
    return from_array(values, (-1, 1), outside="clip")


def plain(data: Dataset) -> KMeans:
    """scikit-learn on the same rows; those at one place count as one, with their number."""
    positions, weights = data.positions()
    return KMeans(K, n_init=10, random_state=0).fit(positions / 2**21, sample_weight=weights)


def measured(key: str, data: Dataset) -> tuple[float, float] | str:
    """Seconds and peak bytes of a run, under the first relation it allows; or why there is none."""
    system = dpcore.ALGORITHMS[key]
    delta = DELTA if system.uses_delta else 0.0
    relation = system.relations[0]
    try:
        return spent(lambda: dpcore.run(key, data, K, EPSILON, delta, relation, seed=0))
    except Infeasible as refusal:
        return str(refusal)


def spent(call: Callable[[], Any]) -> tuple[float, float]:
    """Processor time of a call, and the most memory that a second one held at once."""
    start = time.process_time()
    call()
    seconds = time.process_time() - start
    tracemalloc.start()
    try:
        call()
        return seconds, float(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


if __name__ == "__main__":
    from benchmarks.table import show

    raise SystemExit(not show(TITLE, rows(tuple(sys.argv[1:]))))
