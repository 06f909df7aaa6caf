"""Many runs of algorithms across epsilon, each compared with the non-private reference."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from dpcore.datasets.own import AnyData, opened_data
from dpcore.errors import BadInput, Infeasible
from dpcore.privacy.accounting import Neighbors
from dpcore.results.non_private import NonPrivate, guarded
from dpcore.results.run_result import BaselineResult
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.metrics import Metric, Solution, named, usual
from dpcore.study.trial_seeds import trial_seed
from dpcore.study.trials import Trial


def sweep(
    algorithms: Iterable[str] | Iterable[Request],
    data: AnyData,
    k: int | None = None,
    epsilons: Sequence[float] = (),
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

    Parameters
    ----------
    algorithms : iterable of str or of Request
        Keys of `dpcore.ALGORITHMS`, or requests, which say all of their runs.
    data : Dataset or OwnData
        The data to cluster.
    k : int or None, default=None
        Number of centers.
    epsilons : sequence of float, default=()
        The budgets to try.
    runs : int, default=20
        Runs of each algorithm at each epsilon.
    seed : int, default=0
        Seed of all runs together.
    delta : float, default=0.0
        For algorithms that can use it.
    neighbors : {"add-remove", "replace-one"}, default="add-remove"
        Which two data sets an attacker must not be able to tell apart.
    parameters : mapping or None, default=None
        Settings, by the key of the algorithm.
    reference : BaselineResult or None, default=None
        The centers to compare with; `baseline(data, k, seed)` if None.
    metrics : sequence of str or None, default=None
        Keys of `dpcore.study.metrics`; all that cost little if None.
    first : int, default=0
        Number of the first run.

    Yields
    ------
    Trial or NonPrivate[Trial]
        Each run as it finishes.

    Raises
    ------
    ValueError
        If an argument is not valid.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("iris")
    >>> trials = list(dpcore.sweep(["dplloyd", "sulq"], data, 3, [0.5, 2.0], runs=1))
    >>> [(trial.algorithm, trial.epsilon) for trial in trials]
    [('dplloyd', 0.5), ('sulq', 0.5), ('dplloyd', 2.0), ('sulq', 2.0)]
    """
    keys = list(algorithms)
    requests = [key for key in keys if isinstance(key, Request)]
    if not requests:
        settings, k = parameters or {}, cast(int, k)  # A request refuses None.
        requests = [
            Request(str(key), k, epsilon, delta, neighbors, seed, settings.get(str(key), {}))
            for epsilon in epsilons
            for key in keys
        ]
    elif len(requests) < len(keys) or k is not None or epsilons or parameters:
        raise TypeError("Requests say all of their runs: give nothing else that describes one.")
    if runs < 1:
        raise BadInput(f"A sweep needs at least one run at each epsilon, not {runs}.")
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
    exact = opened_data(data)

    @cache
    def best(k: int, seed: int) -> Solution:
        return Solution(exact, np.asarray((reference or baseline(data, k, seed)).centers))

    for number in numbers:
        for request in requests:
            beside = best(request.k, request.seed or 0)
            seed = trial_seed(request.seed or 0, number)
            start = time.perf_counter()
            try:
                result = run(request.with_seed(seed), data)
            except Infeasible as refusal:
                yield Trial.refused(request, number, [m.key for m in metrics], str(refusal))
                continue
            seconds = time.perf_counter() - start
            published = 0 if result.synopsis is None else len(result.synopsis)
            solution = Solution(exact, np.asarray(result.centers), published)
            figures = {metric.key: metric.of(solution, beside) for metric in metrics}
            yield Trial(request, number, figures, seconds=seconds)
