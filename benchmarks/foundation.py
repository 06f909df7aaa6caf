"""The first two algorithms on the month, and what importing costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
from sklearn.cluster import KMeans

import dpcore
from benchmarks.table import Row, seconds, unit
from dpcore.study.metrics import nicv

TITLE = "Foundation"
NEEDED = "import numpy, scipy, scipy.optimize, sklearn.cluster, sklearn.utils, pandas"


def import_seconds(statement: str) -> float:
    """The least time of a fresh interpreter to run a statement."""
    code = f"import time; s = time.process_time(); {statement}; print(time.process_time() - s)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    return min(float(run.stdout) for run in runs)


def rows() -> Iterator[Row]:
    month = dpcore.datasets.load("nyc-month")
    month.histogram(dpcore.Grid(month.box, 64))
    base = unit()

    time = seconds(lambda: dpcore.run("eugkm", month, 5, 0.5, seed=0))
    yield Row("eugkm on nyc-month, k=5, ε=0.5 / bincount of 1e7", time / base, 5)

    positions, counts = month.positions()
    unit_points = positions / 2**21
    plain = KMeans(5, n_init=10, random_state=0).fit(unit_points, sample_weight=counts)
    best = nicv(month, month.box.from_unit(plain.cluster_centers_))
    values = [nicv(month, dpcore.run("eugkm", month, 5, 0.5, seed=s).centers) for s in range(20)]
    yield Row("its NICV / that of scikit-learn's KMeans(n_init=10)", np.mean(values) / best, 1.01)

    time = seconds(lambda: dpcore.run("dplloyd", month, 5, 0.5, seed=0))
    yield Row("dplloyd on the same", 1000 * time, 30, "ms")

    ratio = import_seconds("import dpcore") / import_seconds(NEEDED)
    yield Row("import dpcore / import of what it needs", ratio, 1.5)
