"""How long algorithms take with more and more rows, on simulated clusters held row by row."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from dpcore.datasets.base import Dataset
from dpcore.datasets.generated import gaussians
from dpcore.datasets.rows import from_array
from dpcore.privacy.accounting import Infeasible, Neighbors
from dpcore.runs.run import run
from dpcore.study.sweep import trial_seed
from dpcore.study.sweep_plan import Plan, plain, table_csv

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
#: Seconds: where a run would take longer, it is left out.
LONGEST = 10.0


@dataclass(frozen=True)
class Timing:
    """One run and how long it took, or why there was none."""

    algorithm: str
    n: int
    run: int
    seconds: float = math.nan
    refusal: str | None = None


@dataclass(frozen=True)
class Timetable:
    """Runs of a plan, at its first epsilon, with more and more rows in place of its data."""

    plan: Plan
    d: int = 2
    sizes: tuple[int, ...] = SIZES

    @property
    def total(self) -> int:
        return len(self.plan.algorithms) * len(self.sizes) * self.plan.runs

    def alone(self, algorithm: str) -> Timetable:
        """The part of it that one algorithm has."""
        return replace(self, plan=self.plan.alone(algorithm))

    def timings(self) -> Iterator[Timing]:
        """Every run as it finishes, one algorithm after the other, from few rows to many."""
        for key in self.plan.algorithms:
            pace = 0.0
            for n in self.sizes:
                if pace * n > LONGEST:
                    refusal = f"With {n:,} rows a run would take more than {LONGEST:g} seconds."
                    yield from (Timing(key, n, i, refusal=refusal) for i in range(self.plan.runs))
                    continue
                least = math.inf
                for index in range(self.plan.runs):
                    timing = self._timing(key, n, index)
                    yield timing
                    least = min(least, timing.seconds)
                pace = least / n if least < math.inf else pace

    def _timing(self, key: str, n: int, index: int) -> Timing:
        asked = self.plan
        data, luck = _rows(n, self.d, asked.k), trial_seed(asked.seed, index)
        (epsilon,), settings = asked.epsilons, asked.changed(key)
        start = time.perf_counter()
        try:
            run(key, data, asked.k, epsilon, asked.delta, asked.neighbors, luck, **settings)
        except Infeasible as refusal:
            return Timing(key, n, index, refusal=str(refusal).removeprefix(f"{key}: "))
        return Timing(key, n, index, time.perf_counter() - start)

    def python(self) -> str:
        """A program that makes it again."""
        asked = self.plan
        (epsilon,) = asked.epsilons
        call = [f"k={asked.k}", f"epsilon={epsilon!r}", f"seed={asked.seed}"]
        if asked.delta:
            call.append(f"delta={asked.delta!r}")
        if asked.neighbors is not Neighbors.ADD_REMOVE:
            call.append(f"neighbors={str(asked.neighbors)!r}")
        own = {key: asked.changed(key) for key in asked.algorithms}
        return f"""\
import time

import dpcore
from dpcore.datasets.generated import gaussians

algorithms = {own!r}
for n in {list(self.sizes)}:
    data = dpcore.datasets.from_array(gaussians({asked.k}, {self.d}, n), box=(-1, 1))
    for key, settings in algorithms.items():
        try:
            seconds = []
            for run in range({asked.runs}):
                start = time.perf_counter()
                dpcore.run(key, data, {", ".join(call)}, **settings)
                seconds.append(time.perf_counter() - start)
            print(key, n, min(seconds))
        except dpcore.DpcoreError as refusal:
            print(key, n, refusal)
"""


# One data set, since that of ten million rows is large.
@lru_cache(maxsize=1)
def _rows(n: int, d: int, k: int) -> Dataset:
    return from_array(gaussians(k, d, n), (-1, 1))


@dataclass(frozen=True)
class Pace:
    """How an algorithm's time grows. Of several runs the least counts: what disturbs one only
    adds to it."""

    algorithm: str
    seconds: Mapping[int, float]
    refusals: Mapping[int, str]

    @property
    def slope(self) -> float | None:
        """Of the straight line on two logarithmic axes: 1 where time grows as rows do."""
        if len(self.seconds) < 2:
            return None
        sizes, times = (list(map(math.log, each)) for each in (self.seconds, self.seconds.values()))
        return statistics.linear_regression(sizes, times).slope


def pace(algorithm: str, timings: Iterable[Timing]) -> Pace:
    """The least time at every size at which there is one, in order."""
    seconds: dict[int, float] = {}
    refusals: dict[int, str] = {}
    for timing in sorted(timings, key=lambda each: each.n):
        if timing.algorithm != algorithm:
            continue
        if timing.refusal is not None:
            refusals[timing.n] = timing.refusal
        else:
            seconds[timing.n] = min(timing.seconds, seconds.get(timing.n, math.inf))
    return Pace(algorithm, seconds, refusals)


def as_csv(timings: Iterable[Timing]) -> str:
    return table_csv([field.name for field in fields(Timing)], map(plain, timings))
