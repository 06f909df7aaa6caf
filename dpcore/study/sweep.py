"""Many runs of algorithms across epsilon, each compared with the non-private reference."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, overload

import numpy as np

from dpcore.datasets.own import AnyData
from dpcore.privacy.accounting import Infeasible, Neighbors
from dpcore.results.run_result import BaselineResult, NonPrivate, guarded, opened
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.metrics import Metric, Solution, named, usual


@dataclass(frozen=True)
class Trial:
    """One run of a sweep and its figures, which look at the true data: for your eyes only."""

    algorithm: str
    epsilon: float
    #: Its number in the sweep.
    run: int
    #: The seed of this run alone.
    seed: int
    #: By the key of the metric; NaN where there is no answer.
    figures: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    #: Why there is no answer, in words.
    refusal: str | None = None

    @classmethod
    def refused(cls, request: Request, run: int, metrics: Iterable[str], reason: str) -> Trial:
        """A run that has no answer."""
        seed = trial_seed(request.seed or 0, run)
        figures = dict.fromkeys(metrics, math.nan)
        return cls(request.algorithm, request.epsilon, run, seed, figures, refusal=reason)


def trial_seed(seed: int, run: int) -> int:
    """The seed of one run, the same for every algorithm and epsilon, in any order."""
    return int(np.random.SeedSequence([seed, run]).generate_state(1, np.uint64)[0] >> 1)


@overload
def sweep(
    algorithms: Iterable[Request],
    data: AnyData,
    *,
    runs: int = 20,
    metrics: Sequence[str] | None = None,
    reference: BaselineResult | None = None,
    first: int = 0,
) -> Iterator[Trial | NonPrivate[Trial]]: ...


@overload
def sweep(
    algorithms: Iterable[str],
    data: AnyData,
    k: int,
    epsilons: Sequence[float],
    runs: int = 20,
    seed: int = 0,
    delta: float = 0.0,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    metrics: Sequence[str] | None = None,
    reference: BaselineResult | None = None,
    first: int = 0,
) -> Iterator[Trial | NonPrivate[Trial]]: ...


def sweep(
    algorithms: Iterable[str] | Iterable[Request],
    data: AnyData,
    k: Any = None,
    epsilons: Any = (),
    runs: int = 20,
    seed: int = 0,
    delta: float = 0.0,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    *,
    metrics: Sequence[str] | None = None,
    reference: BaselineResult | None = None,
    first: int = 0,
) -> Iterator[Trial | NonPrivate[Trial]]:
    """Every algorithm at every epsilon, `runs` times, yielding each trial as it finishes.

    In place of algorithms and what describes their runs, requests may be given. Goes round by
    round, so that every curve has its first point early. A trial depends on its request and its
    number alone, never on what ran before it. Where an algorithm cannot answer, the trial says why
    and the others go on. To cancel, stop iterating.

    On data that are not public each trial comes as `NonPrivate`: its figures compare with the
    true data. `metrics` are keys of `dpcore.study.metrics`, by default all that cost little; they
    compare with the reference, by default `baseline(data, k, seed)`. To go on where another sweep
    ended, name the number of the first run.
    """
    keys = list(algorithms)
    requests = [key for key in keys if isinstance(key, Request)]
    if not requests:
        given = parameters or {}
        requests = [
            Request(str(key), k, epsilon, delta, neighbors, seed, given.get(str(key), {}))
            for epsilon in epsilons
            for key in keys
        ]
    elif len(requests) < len(keys) or k is not None or epsilons or parameters:
        raise TypeError("Requests say all of their runs: give nothing else that describes one.")
    if runs < 1:
        raise ValueError(f"A sweep needs at least one run at each epsilon, not {runs}.")
    measured = named(usual() if metrics is None else metrics)
    trials = _trials(requests, data, range(first, first + runs), measured, reference)
    return (guarded(trial, data.about.public) for trial in trials)


def _trials(
    requests: Sequence[Request],
    data: AnyData,
    numbers: Iterable[int],
    metrics: Sequence[Metric],
    reference: BaselineResult | None,
) -> Iterator[Trial]:
    exact = opened(data)

    @cache
    def best(k: int, seed: int) -> Solution:
        return Solution(exact, np.asarray((reference or baseline(data, k, seed)).centers))

    for number in numbers:
        for request in requests:
            beside = best(request.k, request.seed or 0)
            chance = trial_seed(request.seed or 0, number)
            start = time.perf_counter()
            try:
                result = run(request.with_seed(chance), data)
            except Infeasible as refusal:
                yield Trial.refused(request, number, [m.key for m in metrics], str(refusal))
                continue
            seconds = time.perf_counter() - start
            published = 0 if result.synopsis is None else len(result.synopsis)
            found = Solution(exact, np.asarray(result.centers), published)
            figures = {metric.key: metric.of(found, beside) for metric in metrics}
            yield Trial(request.algorithm, request.epsilon, number, chance, figures, seconds)
