"""Run times of algorithms with more and more rows, on simulated clusters."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from scipy.stats import linregress
from scipy.stats import t as student

from dpcore.datasets.base import Dataset
from dpcore.datasets.generated import gaussians
from dpcore.datasets.rows import from_array
from dpcore.errors import Infeasible
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.sweep_plan import plain, table_csv
from dpcore.study.trial_seeds import trial_seed
from dpcore.study.trials import NumberedRun
from dpcore.study.usual_ranges import SIZES

#: Seconds: where a run would take longer, it is left out.
LONGEST = 10.0
#: The columns of the files.
COLUMNS = ("algorithm", "n", "run", "seconds", "refusal")


@dataclass(frozen=True)
class Timing(NumberedRun):
    """One run with its time, or the reason why there was none."""

    n: int
    seconds: float = field(default=math.nan, kw_only=True)


@dataclass(frozen=True)
class Timetable:
    """Requests to be timed with more and more rows."""

    #: Of each algorithm one.
    requests: tuple[Request, ...]
    runs: int
    d: int = 2
    sizes: tuple[int, ...] = SIZES

    @property
    def algorithms(self) -> tuple[str, ...]:
        return tuple(each.algorithm for each in self.requests)

    @property
    def total(self) -> int:
        """The number of timings."""
        return len(self.requests) * len(self.sizes) * self.runs

    def alone(self, algorithm: str) -> Timetable:
        """The part of one algorithm."""
        return replace(self, requests=tuple(r for r in self.requests if r.algorithm == algorithm))

    def timings(self) -> Iterator[Timing]:
        """Every run as it finishes, one algorithm after the other, from few rows to many."""
        for request in self.requests:
            pace = 0.0
            for n in self.sizes:
                if pace * n > LONGEST:
                    refusal = f"With {n:,} rows a run would take more than {LONGEST:g} seconds."
                    yield from (Timing(request, i, n, refusal=refusal) for i in range(self.runs))
                    continue
                least = math.inf
                for index in range(self.runs):
                    timing = self._timing(request, n, index)
                    yield timing
                    least = min(least, timing.seconds)
                pace = least / n if least < math.inf else pace

    def _timing(self, request: Request, n: int, index: int) -> Timing:
        data = _rows(n, self.d, request.k)
        numbered = request.with_seed(trial_seed(request.seed or 0, index))
        start = time.perf_counter()
        try:
            run(numbered, data)
        except Infeasible as refusal:
            reason = str(refusal).removeprefix(f"{request.algorithm}: ")
            return Timing(request, index, n, refusal=reason)
        return Timing(request, index, n, seconds=time.perf_counter() - start)

    @property
    def shows(self) -> str:
        """Nothing: the program prints what it finds."""
        return ""

    def python(self) -> str:
        """A program that repeats the timing."""
        requests = "".join(f"    {each.expression()},\n" for each in self.requests)
        return f"""\
import time

import dpcore
from dpcore.datasets.generated import gaussians

requests = [
{requests}]
for n in {list(self.sizes)}:
    data = dpcore.datasets.from_array(gaussians({self.requests[0].k}, {self.d}, n), box=(-1, 1))
    for request in requests:
        try:
            seconds = []
            for run in range({self.runs}):
                start = time.perf_counter()
                dpcore.run(request.with_seed(run), data)
                seconds.append(time.perf_counter() - start)
            print(request.algorithm, n, min(seconds))
        except dpcore.DpcoreError as refusal:
            print(request.algorithm, n, refusal)
"""


# One data set, since that of ten million rows is large.
@lru_cache(maxsize=1)
def _rows(n: int, d: int, k: int) -> Dataset:
    return from_array(gaussians(k, d, n), (-1, 1))


@dataclass(frozen=True)
class Pace:
    """The growth of an algorithm's time. The fastest of several runs counts."""

    algorithm: str
    seconds: Mapping[int, float]
    refusals: Mapping[int, str]

    @property
    def slope(self) -> Slope | None:
        """The slope of the straight line on two logarithmic axes: 1 where time grows as rows do."""
        if len(self.seconds) < 2:
            return None
        sizes, times = (list(map(math.log, each)) for each in (self.seconds, self.seconds.values()))
        fit = linregress(sizes, times)
        free = len(sizes) - 2
        return Slope(fit.slope, fit.stderr * student.ppf(0.975, free) if free else None)


@dataclass(frozen=True)
class Slope:
    """The slope of a line on two logarithmic axes, and how far the true one may be from it."""

    value: float
    #: Half of the interval that holds the true slope with 95 % confidence, by Student's
    #: distribution; None with two points, through which every line goes.
    uncertainty: float | None


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


def as_json(timings: Iterable[Timing]) -> str:
    return json.dumps([plain(timing, COLUMNS) for timing in timings], indent=1)


def as_csv(timings: Iterable[Timing]) -> str:
    return table_csv(COLUMNS, (plain(timing, COLUMNS) for timing in timings))
