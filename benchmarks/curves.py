"""Curves: a whole sweep, and how soon it shows its first points."""

from __future__ import annotations

import time
from collections.abc import Iterator

import dpcore
from benchmarks.algorithms import plain
from benchmarks.table import Row
from dpcore.curves import EPSILONS

TITLE = "A sweep of the month: 12 epsilons × 20 runs of EUGkM, k = 5"
K, RUNS = 5, 20


def rows() -> Iterator[Row]:
    data = dpcore.datasets.load("nyc-month")
    start = time.perf_counter()
    plain(data)
    unit = time.perf_counter() - start
    reference = dpcore.baseline(data, K)
    start = time.perf_counter()
    trials = dpcore.sweep(["eugkm"], data, K, EPSILONS, RUNS, reference=reference)
    first = next(trials)
    until_first = time.perf_counter() - start
    seconds = [first.seconds, *(trial.seconds for trial in trials)]
    whole = time.perf_counter() - start
    yield Row("the first point / the mean run", until_first / (sum(seconds) / len(seconds)), 2)
    yield Row("the whole sweep / KMeans(n_init=10) on the same cells", whole / unit, 6)
