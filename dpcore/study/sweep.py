"""Many runs across epsilon, streamed as they finish."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from dpcore.algorithms import get
from dpcore.datasets.own import AnyData
from dpcore.errors import BadInput
from dpcore.privacy.accounting import Budget, Infeasible, Neighbors
from dpcore.results.non_private import NonPrivate, guarded, opened
from dpcore.results.run_result import BaselineResult
from dpcore.runs.baseline import baseline
from dpcore.runs.run import run
from dpcore.study.metrics import center_shift, mean_distance, nicv, relative_error


@dataclass(frozen=True)
class Trial:
    """One run and how good it was. Its figures look at the true data: for your eyes only.

    Parameters
    ----------
    algorithm : str
        The key of the algorithm.
    epsilon : float
        The budget of the run.
    run : int
        The number of the run at this epsilon, from 0.
    seed : int
        The seed that repeats the run.
    nicv : float, default=nan
        Mean squared distance to the nearest center, in unit coordinates.
    relative_error : float, default=nan
        How much larger `nicv` is than that of the reference, as a part of it.
    shift : float, default=nan
        Median distance of the centers from those of the reference.
    points : int, default=0
        Number of points published beside the centers.
    seconds : float, default=0.0
        Run time.
    refusal : str or None, default=None
        Why there is no answer; None if there is one.
    mean_distance : float, default=nan
        Mean distance to the nearest center, if it was measured.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("iris")
    >>> trial = next(dpcore.sweep(["dplloyd"], data, 3, [1.0], runs=1))
    >>> trial.algorithm, trial.epsilon, trial.refusal
    ('dplloyd', 1.0, None)
    """

    algorithm: str
    epsilon: float
    run: int
    seed: int
    nicv: float = math.nan
    relative_error: float = math.nan
    #: Median over the centers: meters on a map, else unit coordinates.
    shift: float = math.nan
    #: Points published beside the centers.
    points: int = 0
    seconds: float = 0.0
    #: Why there is no answer, in words.
    refusal: str | None = None
    #: Only where it was asked for: it takes a pass over all rows.
    mean_distance: float = math.nan


def trial_seed(seed: int, run: int) -> int:
    """The seed of one run, the same for every algorithm and epsilon, in any order."""
    return int(np.random.SeedSequence([seed, run]).generate_state(1, np.uint64)[0] >> 1)


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
    reference: BaselineResult | None = None,
    unsquared: bool = False,
    first: int = 0,
) -> Iterator[Trial | NonPrivate[Trial]]:
    """Every algorithm at every epsilon, `runs` times, yielding each trial as it finishes.

    Goes round by round, so that every curve has its first point early. A trial depends on its
    algorithm, epsilon, settings, seed and number alone, never on what ran before it. Where an
    algorithm cannot answer, the trial says why and the others go on. To cancel, stop iterating.

    On data that are not public each trial comes as `NonPrivate`: its figures compare with the
    true data. Trials are compared with the reference, by default `baseline(data, k, seed)`.
    Unsquared adds the mean distance to the nearest center. To go on where another sweep ended, name
    the number of the first run.

    Parameters
    ----------
    algorithms : iterable of str
        Keys of `dpcore.ALGORITHMS`.
    data : Dataset or OwnData
        The data to cluster.
    k : int
        Number of centers.
    epsilons : sequence of float
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
    unsquared : bool, default=False
        Also measure the mean distance.
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
    keys, exact = list(algorithms), opened(data)
    given = parameters or {}
    settings = {key: get(key).settings(given.get(key, {})) for key in keys}
    for epsilon in epsilons:
        Budget(epsilon, delta)
    if runs < 1:
        raise BadInput(f"A sweep needs at least one run at each epsilon, not {runs}.")

    def trials() -> Iterator[Trial]:
        known = reference or baseline(data, k, seed)
        best = nicv(exact, known.centers)
        for index, epsilon, key in product(range(first, first + runs), epsilons, keys):
            luck = trial_seed(seed, index)
            start = time.perf_counter()
            try:
                result = run(key, data, k, epsilon, delta, neighbors, luck, **settings[key])
            except Infeasible as refusal:
                yield Trial(key, epsilon, index, luck, refusal=str(refusal))
                continue
            seconds = time.perf_counter() - start
            value = nicv(exact, result.centers)
            yield Trial(
                algorithm=key,
                epsilon=epsilon,
                run=index,
                seed=luck,
                nicv=value,
                relative_error=relative_error(value, best),
                shift=float(np.median(center_shift(exact, result.centers, known.centers))),
                points=len(result.synopsis) if result.synopsis is not None else 0,
                seconds=seconds,
                mean_distance=mean_distance(exact, result.centers) if unsquared else math.nan,
            )

    return (guarded(trial, data.about.public) for trial in trials())
