"""Kept curves: every run of the curves with which Curves opens on small sets that ship.

Runs repeat by their seeds, so the figures are those that anybody gets who makes the same runs; only
the run times depend on the machine. All data here are public.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import load
from dpcore.datasets.data_folder import data_file
from dpcore.errors import BadInput
from dpcore.results.non_private import opened
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.study.curves import CurveLimits, limits
from dpcore.study.metrics import METRICS, cost_gap, relative_error, usual
from dpcore.study.sweep import sweep
from dpcore.study.sweep_plan import SweepPlan, across
from dpcore.study.trials import Trial
from dpcore.study.usual_ranges import EPSILONS, RIVALS, SEED, K

FILE = "curves.json"
NICV = "nicv"
#: Runs of each method at each epsilon, as many as Curves makes.
RUNS = 20
#: The digits of a figure that are kept.
DIGITS = 8
#: Figures that follow from the NICV of a run and of the reference.
FOLLOWING = {"relative-error": relative_error, "cost-gap": cost_gap}


@dataclass(frozen=True)
class KeptCurves:
    """The content of the file: its date, trials, and the figures that curves lie between."""

    date: str
    #: By data set, method and epsilon, in the order of their numbers.
    trials: Mapping[tuple[str, str, float], tuple[Trial, ...]]
    #: By data set and metric.
    limits: Mapping[tuple[str, str], CurveLimits] = field(default_factory=dict)

    def of(self, plan: SweepPlan) -> list[Trial]:
        """The trials of a plan, if exactly these were kept; else none."""
        cells = [self._cell(plan.data, each) for each in plan.requests]
        if plan.runs > RUNS or plan.metrics != usual() or not all(cells):
            return []
        trials = list(chain.from_iterable(cell[: plan.runs] for cell in cells))
        complete = all(tuple(trial.figures) == plan.metrics for trial in trials)
        return plan.ordered(trials) if complete else []

    def _cell(self, data: str, request: Request) -> tuple[Trial, ...]:
        if request != Request(request.algorithm, K, request.epsilon, seed=SEED):
            return ()
        return self.trials.get((data, request.algorithm, request.epsilon), ())

    def limits_of(self, data: str, k: int, seed: int, metric: str) -> CurveLimits | None:
        """The figures that the curves of a metric lie between, if they were kept."""
        return self.limits.get((data, metric)) if (k, seed) == (K, SEED) else None


@lru_cache(maxsize=1)
def kept_curves() -> KeptCurves:
    """The kept curves; empty where the file is not there."""
    try:
        return from_json(data_file(FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return KeptCurves("", {})


def measure(data: str, tell: Callable[[str], None] = print) -> dict[str, Any]:
    """All runs of the methods that others are measured against, as the file holds them."""
    source = load(data)
    reference = baseline(source, K, SEED)
    between = {key: limits(source, K, reference, METRICS[key], SEED) for key in METRICS}
    methods = {}
    for key in RIVALS:
        if ALGORITHMS[key].supports(source.d, None, K):
            requests = across([Request(key, K, EPSILONS[0], seed=SEED)], EPSILONS)
            packed_trials = sweep(requests, source, runs=RUNS, reference=reference)
            trials = [opened(each) for each in packed_trials]
            methods[key] = [
                _written([trial for trial in trials if trial.epsilon == epsilon])
                for epsilon in EPSILONS
            ]
            tell(f"{data}: {key}")
    return {
        "best": between[NICV].non_private,
        "blind_is_center": between[NICV].blind_is_center,
        "limits": {key: [each.non_private, each.blind] for key, each in between.items()},
        "methods": methods,
    }


def _written(trials: list[Trial]) -> list[Any] | str:
    """The trials of a method at one epsilon as the file holds them: a reason why there are none,
    or lists of their figures and seconds."""
    refusals = {trial.refusal for trial in trials}
    if refusals == {None}:
        figures = [[_short(t.figures[key]) for t in trials] for key in measured()]
        return [*figures, [_short(trial.seconds, 2) for trial in trials]]
    if len(refusals) > 1:
        raise BadInput(f"{trials[0].algorithm} refuses some of its runs, and not others.")
    return str(trials[0].refusal)


def measured() -> list[str]:
    """The metrics that are written; the others follow from them."""
    return [key for key in usual() if key not in FOLLOWING]


def _short(value: float, digits: int = DIGITS) -> float:
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short


def _read(
    written: list[Any] | str, keys: Iterable[str], algorithm: str, epsilon: float, best: float
) -> tuple[Trial, ...]:
    request = Request(algorithm, K, epsilon, seed=SEED)
    if isinstance(written, str):
        return tuple(Trial.refused(request, run, usual(), written) for run in range(RUNS))
    *figures, seconds = written
    trials = []
    for run in range(RUNS):
        of_run = {key: each[run] for key, each in zip(keys, figures, strict=True)}
        of_run |= {key: of(of_run[NICV], best) for key, of in FOLLOWING.items()}
        ordered = {key: of_run[key] for key in usual() if key in of_run}
        trials.append(Trial(request, run, ordered, seconds=seconds[run]))
    return tuple(trials)


def to_json(date: str, sets: Mapping[str, Mapping[str, Any]]) -> str:
    """One line for each method at each epsilon, so that two measurements can be compared."""
    head = {"date": date, "k": K, "seed": SEED, "epsilons": EPSILONS, "figures": measured()}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    parts = []
    for data, of_set in sets.items():
        methods = ",\n".join(
            f"   {json.dumps(key)}: [\n"
            + ",\n".join(f"    {json.dumps(cell, separators=(',', ':'))}" for cell in cells)
            + "\n   ]"
            for key, cells in of_set["methods"].items()
        )
        first = "".join(
            f"  {json.dumps(name)}: {json.dumps(of_set[name])},\n"
            for name in ("best", "blind_is_center", "limits")
        )
        parts.append(f'  {json.dumps(data)}: {{\n{first}  "methods": {{\n{methods}\n  }}}}')
    return "{\n" + "\n".join(lines) + '\n "sets": {\n' + ",\n".join(parts) + "\n }\n}\n"


def from_json(text: str) -> KeptCurves:
    """The curves that `to_json` wrote; of methods that exist no more there are none."""
    content = json.loads(text)
    return KeptCurves(
        content["date"],
        {
            (data, key, epsilon): _read(cell, content["figures"], key, epsilon, of_set["best"])
            for data, of_set in content["sets"].items()
            for key, cells in of_set["methods"].items()
            if key in ALGORITHMS
            for epsilon, cell in zip(content["epsilons"], cells, strict=True)
        },
        {
            (data, metric): CurveLimits(non_private, blind, of_set["blind_is_center"])
            for data, of_set in content["sets"].items()
            for metric, (non_private, blind) in of_set["limits"].items()
        },
    )
