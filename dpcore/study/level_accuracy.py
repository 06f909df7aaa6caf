"""The accuracy of a method at a privacy level: what errors a need is about, in repeated runs.

Every figure looks at the data: they are public, or a private twin.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.errors import Infeasible
from dpcore.privacy.accounting import Budget
from dpcore.privacy.explain import Level
from dpcore.privacy.groups import of_one_row
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.study.count_errors import CountDraw, count_draws
from dpcore.study.needs import CentersWithin, CountsWithin, Need, WorseBy
from dpcore.study.repeats import DRAWS, Draw, draws

#: Draws that show where a level is far from the need; and how many are made of very many rows.
FIRST_DRAWS, DRAWS_OF_MANY, MANY_ROWS = 4, 5, 1_000_000
#: An error this many times below or above the limit is far from it.
FAR = 2.0


@dataclass(frozen=True)
class LevelAccuracy:
    """The accuracy of a method at one level.

    Parameters
    ----------
    level : Level
        The level.
    reached : float
        The error that stays below in as many cases as the need says; infinite where the method
        gives no answer.
    half : float
        The error that half of the cases stay below.
    draws : int
        How many runs were made; 0 where the figures are worked out.
    worse : float or None, default=None
        How much more the centers cost than without privacy, in the median run.
    refusal : str or None, default=None
        Why the method gives no answer.

    Examples
    --------
    >>> from dpcore.privacy.explain import LEVELS
    >>> from dpcore.study.level_accuracy import LevelAccuracy
    >>> LevelAccuracy(LEVELS[4], 166.0, 74.0, 20).level.name
    'Strict'
    """

    level: Level
    reached: float
    half: float
    draws: int
    worse: float | None = None
    refusal: str | None = None

    def meets(self, need: Need, in_meters: bool) -> bool:
        """Whether the error stays below the limit of a need."""
        return self.reached <= limit_of(need, in_meters)


def limit_of(need: Need, in_meters: bool) -> float:
    """The limit of a need in the units of errors."""
    if isinstance(need, CentersWithin):
        return need.in_errors(in_meters)
    return need.limit / 100 if isinstance(need, WorseBy) else need.limit


def accuracy_of(need: Need, level: Level, sample: Sequence[Draw | CountDraw]) -> LevelAccuracy:
    """The accuracy of some runs at one level."""
    if isinstance(need, CountsWithin):
        errors = [e for each in sample if isinstance(each, CountDraw) for e in each.errors]
        return LevelAccuracy(level, need.reached(errors), float(np.median(errors)), len(sample))
    runs = [each for each in sample if isinstance(each, Draw)]
    worse = float(np.median([each.worse for each in runs]))
    if isinstance(need, WorseBy):
        costs = [each.worse for each in runs]
        return LevelAccuracy(level, need.reached(costs), worse, len(runs), worse)
    shifts = [shift for each in runs for shift in each.shifts]
    return LevelAccuracy(level, need.reached(shifts), float(np.median(shifts)), len(runs), worse)


def refused_at(level: Level, reason: str) -> LevelAccuracy:
    """A level at which a method gives no answer."""
    return LevelAccuracy(level, math.inf, math.inf, 0, refusal=reason)


def protecting(request: Request, epsilon: float, rows_of_each: int = 1) -> Request:
    """The run that protects a person with several rows at a level: each row has a part of it."""
    row = of_one_row(Budget(epsilon, request.delta), rows_of_each)
    return replace(request, epsilon=row.epsilon, delta=row.delta)


def level_draws(
    need: Need, request: Request, data: Dataset, count: int
) -> Iterator[Draw] | Iterator[CountDraw]:
    """Runs at the level of a request, with the errors that a need is about."""
    if isinstance(need, CountsWithin):
        return count_draws(request, data, count)
    return draws(request, data, baseline(data, request.k, request.seed or 0), count)


def level_accuracy(
    need: Need, level: Level, data: Dataset, request: Request, rows_of_each: int = 1
) -> LevelAccuracy:
    """The accuracy at a level: from few runs where it is far from the limit, else from more."""
    most = DRAWS if data.n < MANY_ROWS else DRAWS_OF_MANY
    limit = limit_of(need, data.about.geographic)
    at_level = protecting(request, level.epsilon, rows_of_each)
    results: list[Any] = []
    try:
        runs = iter(level_draws(need, at_level, data, most))
        for part in (FIRST_DRAWS, most - FIRST_DRAWS):
            results += islice(runs, part)
            accuracy = accuracy_of(need, level, results)
            if not limit / FAR < accuracy.reached < limit * FAR:
                break
    except Infeasible as refusal:
        return refused_at(level, str(refusal))
    return accuracy
