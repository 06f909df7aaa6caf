"""The first two algorithms on the month, and what importing costs."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
from sklearn.cluster import KMeans

import dpcore
from benchmarks.own_process import compiled
from benchmarks.table import Row, seconds, unit
from dpcore.study.metrics import nicv

TITLE = "Foundation"
USED = "import dpcore; dpcore.run, dpcore.sweep, dpcore.datasets"
NEEDED = "import numpy, scipy.optimize, pandas"


def cpu_seconds(*arguments: str) -> float:
    """The least CPU time of a fresh interpreter with these arguments, from start to end."""
    return min(_once(arguments) for _ in range(7))


def _once(arguments: tuple[str, ...]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=compiled())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rows() -> Iterator[Row]:
    month = dpcore.datasets.load("nyc-month")
    month.histogram(dpcore.Grid(month.box, 64))
    base = unit()

    time = seconds(lambda: dpcore.run("eugkm", month, 5, 0.5, seed=0))
    yield Row("eugkm on nyc-month, k=5, ε=0.5 / bincount of 1e7", time / base, 3.5)

    positions, counts = month.positions()
    unit_points = positions / 2**21
    plain = KMeans(5, n_init=10, random_state=0).fit(unit_points, sample_weight=counts)
    best = nicv(month, month.box.from_unit(plain.cluster_centers_))
    values = [nicv(month, dpcore.run("eugkm", month, 5, 0.5, seed=s).centers) for s in range(20)]
    yield Row("its NICV / that of scikit-learn's KMeans(n_init=10)", np.mean(values) / best, 1.01)

    time = seconds(lambda: dpcore.run("dplloyd", month, 5, 0.5, seed=0))
    yield Row("dplloyd on the same", 1000 * time, 10, "ms")

    numpy = cpu_seconds("-c", "import numpy")
    for name, most, arguments in (
        ("import dpcore", 0.04, ("-c", "import dpcore")),
        ("dpcore --help", 0.09, ("-m", "dpcore", "--help")),
    ):
        time = cpu_seconds(*arguments)
        yield Row(f"{name}, CPU of the whole process", time, most, "s")
        yield Row(f"{name} / import numpy", time / numpy, most / 0.09)
    ratio = cpu_seconds("-c", USED) / cpu_seconds("-c", NEEDED)
    yield Row("import of run, sweep and datasets / import of what they need", ratio, 1.5)
