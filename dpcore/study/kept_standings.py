"""Kept standings: how every method did on the data that ship, measured once and kept in a file.

Runs repeat by their seeds, so the figures are those that anybody gets who runs the same again; only
the run times depend on the machine. All data here are public.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import load
from dpcore.datasets.base import Dataset
from dpcore.datasets.data_folder import data_file
from dpcore.privacy.explain import LEVELS, MIDDLE
from dpcore.results.non_private import opened
from dpcore.results.run_result import BaselineResult
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.study.curves import Point, curve
from dpcore.study.metrics import METRICS, nicv
from dpcore.study.standings import Standing
from dpcore.study.sweep import sweep
from dpcore.study.usual_ranges import SEED, K

FILE = "comparison.json"
#: Runs of each method at each level.
RUNS = 10
#: Where runs take longer than the first number of seconds, fewer are made; longer than the second,
#: one alone, at the level where the pages open.
SLOW, TOO_SLOW, FEW = 1.5, 8.0, 3
#: The digits of a figure that are kept.
DIGITS = 4
RELATIVE, GAP, SHIFT, NICV = "relative-error", "cost-gap", "shift", "nicv"
#: What is written; NICV follows from the relative error and the reference.
MEASURED = (RELATIVE, GAP, SHIFT)
#: A mean, and the ends of the band.
Three = tuple[float, float, float]


@dataclass(frozen=True)
class KeptCell:
    """One method on one data set at one level: figures, or the reason why there are none."""

    runs: int = 0
    seconds: float = math.nan
    #: By the key of the metric.
    figures: Mapping[str, Three] = field(default_factory=dict)
    refusal: str | None = None

    def standing(self, algorithm: str, epsilon: float, metric: str) -> Standing | None:
        """As a ranking shows it; None where the metric was not kept."""
        if self.refusal is not None:
            return Standing(algorithm, refusal=self.refusal)
        if metric not in self.figures:
            return None
        return Standing(
            algorithm, Point(epsilon, self.runs, *self.figures[metric]), seconds=self.seconds
        )


@dataclass(frozen=True)
class KeptStandings:
    """The content of the file: its date, and a cell for each data set, method and level."""

    date: str
    #: By data set, method and epsilon.
    cells: Mapping[tuple[str, str, float], KeptCell]
    #: Of data that are too large to be measured, the seconds of a run of each method.
    times: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def of(self, data: str, request: Request) -> KeptCell | None:
        """The cell of a request, if exactly that request was measured."""
        if request != Request(request.algorithm, K, request.epsilon, seed=SEED):
            return None
        return self.cells.get((data, request.algorithm, request.epsilon))

    def seconds(self, data: str, algorithm: str) -> float | None:
        """The time of a run on these data, the middle of all levels, if there is one."""
        if data in self.times:
            return self.times[data].get(algorithm)
        times = [
            cell.seconds
            for (key, method, _), cell in self.cells.items()
            if (key, method) == (data, algorithm) and cell.refusal is None
        ]
        return statistics.median(times) if times else None


@lru_cache(maxsize=1)
def kept_standings() -> KeptStandings:
    """The kept standings; empty where the file is not there."""
    try:
        return from_json(data_file(FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return KeptStandings("", {})


def measure(
    data: str, algorithms: Iterable[str] = tuple(ALGORITHMS), tell: Callable[[str], None] = print
) -> dict[str, Any]:
    """Every method on one data set at every level, as the file holds it."""
    source = load(data)
    reference = baseline(source, K, SEED)
    methods = {}
    for algorithm in algorithms:
        first = measured_cell(source, algorithm, MIDDLE.epsilon, 1, reference)
        if first.seconds > TOO_SLOW:
            cells = [first if level is MIDDLE else None for level in LEVELS]
        else:
            runs = FEW if first.seconds > SLOW else RUNS
            cells = [
                measured_cell(source, algorithm, level.epsilon, runs, reference) for level in LEVELS
            ]
        methods[algorithm] = [cell and _written(cell) for cell in cells]
        tell(f"{data}: {algorithm}, {first.seconds:.2f} s per run")
    return {"best": nicv(source, reference.centers), "methods": methods}


def run_times(data: str, tell: Callable[[str], None] = print) -> dict[str, float]:
    """The seconds of one run of each method that can answer, at the level where pages open."""
    source = load(data)
    reference = baseline(source, K, SEED)
    seconds = {}
    for algorithm in ALGORITHMS:
        cell = measured_cell(source, algorithm, MIDDLE.epsilon, 1, reference)
        if cell.refusal is None:
            seconds[algorithm] = _short(cell.seconds, 2)
        tell(f"{data}: {algorithm}, {cell.seconds:.2f} s per run")
    return seconds


def measured_cell(
    source: Dataset, algorithm: str, epsilon: float, runs: int, reference: BaselineResult
) -> KeptCell:
    """Runs of one method at one level, measured as a sweep measures them."""
    request = Request(algorithm, K, epsilon, seed=SEED)
    trials = [
        opened(trial)
        for trial in sweep(
            [request], source, runs=runs, metrics=(*MEASURED, NICV), reference=reference
        )
    ]
    refusal = next((trial.refusal for trial in trials if trial.refusal is not None), None)
    if refusal is not None:
        return KeptCell(refusal=refusal.removeprefix(f"{algorithm}: "))
    figures = {}
    for key in (*MEASURED, NICV):
        (point,) = curve(algorithm, trials, METRICS[key]).points
        figures[key] = (point.mean, point.low, point.high)
    return KeptCell(len(trials), statistics.median(t.seconds for t in trials), figures)


def _written(cell: KeptCell) -> list[Any] | str:
    """A cell as the file holds it: a reason, or its runs, seconds and figures."""
    if cell.refusal is not None:
        return cell.refusal
    figures: list[Any] = []
    for key in MEASURED:
        same = key == GAP and cell.figures[GAP] == cell.figures[RELATIVE]
        figures.append(None if same else [_short(value) for value in cell.figures[key]])
    return [cell.runs, _short(cell.seconds, 2), *figures]


def _read(written: list[Any] | str, best: float) -> KeptCell:
    if isinstance(written, str):
        return KeptCell(refusal=written)
    runs, seconds, relative, gap, shift = written
    above = tuple(best * (1 + each) for each in relative)
    figures = {RELATIVE: relative, GAP: gap or relative, SHIFT: shift, NICV: above}
    return KeptCell(runs, seconds, {key: (a, b, c) for key, (a, b, c) in figures.items()})


def _short(value: float, digits: int = DIGITS) -> float:
    return float(f"{value:.{digits}g}")


def to_json(
    date: str,
    sets: Mapping[str, Mapping[str, Any]],
    times: Mapping[str, Mapping[str, float]],
) -> str:
    """One line for each method on each data set, so that two measurements can be compared."""
    parts = []
    for data, of_set in sets.items():
        methods = ",\n".join(
            f"   {json.dumps(key)}: {json.dumps(cells, separators=(',', ':'))}"
            for key, cells in of_set["methods"].items()
        )
        parts.append(
            f'  {json.dumps(data)}: {{\n  "best": {of_set["best"]!r},\n'
            f'  "methods": {{\n{methods}\n  }}}}'
        )
    head = {
        "date": date,
        "k": K,
        "seed": SEED,
        "levels": [level.epsilon for level in LEVELS],
        "times": times,
    }
    fields = "".join(f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items())
    return "{\n" + fields + ' "sets": {\n' + ",\n".join(parts) + "\n }\n}\n"


def from_json(text: str) -> KeptStandings:
    """The standings that `to_json` wrote; of methods that exist no more there are none."""
    content = json.loads(text)
    return KeptStandings(
        content["date"],
        {
            (data, algorithm, epsilon): _read(cell, of_set["best"])
            for data, of_set in content["sets"].items()
            for algorithm, cells in of_set["methods"].items()
            if algorithm in ALGORITHMS
            for epsilon, cell in zip(content["levels"], cells, strict=True)
            if cell is not None
        },
        content["times"],
    )
