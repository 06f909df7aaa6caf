"""Runs at each named level in the background, on data that everybody in this visit may look at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from dpcore.datasets.base import Dataset
from dpcore.datasets.stand_in import stand_in
from dpcore.privacy.explain import LEVELS, Level
from dpcore.runs.request import Request
from dpcore.study.count_errors import CountDraw
from dpcore.study.level_accuracy import (
    LevelAccuracy,
    accuracy_of,
    level_draws,
    protecting,
    refused_at,
)
from dpcore.study.needs import CountsWithin, Need
from dpcore.study.recommendation import PUBLIC, TWIN, stand_in_words
from dpcore.study.repeats import DRAWS, Draw
from pages.ui import cached_work, own_data, visibility, workers
from pages.ui.background import Job
from pages.ui.choice import Choice
from pages.ui.visibility import Visibility
from pages.ui.wording import plain

#: Runs at a level that are enough for a first figure.
ENOUGH = 3


@dataclass(frozen=True)
class Ground:
    """The data that levels are tried on."""

    choice: Choice
    #: Where the figures come from, in a sentence.
    source: str
    rows: int
    #: Whether public data stand in for rows that may not choose a level.
    stands_in: bool
    #: How many rows of one protected person count: each has a part of the level.
    rows_of_each: int = 1

    def at(self, epsilon: float) -> Choice:
        """The run on these data that protects as much at a level as a release would."""
        request = protecting(self.choice.request, epsilon, self.rows_of_each)
        return replace(self.choice, request=request.with_seed(0))

    def opener(self) -> Callable[[], Dataset]:
        """A function that opens the data in the thread of a worker, which knows no session."""
        about = self.choice.about
        if self.stands_in:
            return partial(stand_in, self.rows, self.choice.box, about.geographic, about.unit)
        data = cached_work.data(self.choice.data)
        return lambda: data


def ground(choice: Choice, rows: int) -> Ground:
    """The data themselves where they are public or a twin, else public ones of the same size."""
    seen, each = visibility.of(choice.data), rows_of_each(choice.data)
    if seen is Visibility.RAW:
        return Ground(choice, stand_in_words(rows, choice.about.unit), rows, True, each)
    return Ground(choice, TWIN if seen is Visibility.TWIN else PUBLIC, rows, False, each)


def rows_of_each(data: str) -> int:
    """The number of rows of one person that a release of these data counts; of a twin, a release of
    the data that it was drawn from."""
    data_of_keys = own_data.of_session()
    own = data_of_keys.get(data)
    if own is not None and own.twin_of is not None:
        own = data_of_keys.get(own.twin_of)
    return own.protects.rows if own is not None else 1


def jobs(ground: Ground, need: Need) -> list[Job[Any]]:
    """The runs at each level, loosest first. Needs about the same errors share them."""
    return [job(ground, need, level.epsilon) for level in LEVELS]


def job(ground: Ground, need: Need, epsilon: float) -> Job[Any]:
    """The runs at one level."""
    counts, open_data, at = isinstance(need, CountsWithin), ground.opener(), ground.at(epsilon)
    if not (counts or ground.stands_in):
        return cached_work.repeated(at)
    about, worker = at.about, workers.worker_of(at.data)
    key: Hashable = ("levels", counts, at.data, at.request)
    if ground.stands_in:
        worker = workers.worker()
        what = (ground.rows, at.box, about.geographic, about.unit)
        key = ("stand-in", counts, at.request, *what)
    return worker.job(key, partial(_draws, need, at.request, open_data))


def _draws(
    need: Need, request: Request, open_data: Callable[[], Dataset]
) -> Iterator[Draw] | Iterator[CountDraw]:
    return level_draws(need, request, open_data(), DRAWS)


def accuracies_so_far(need: Need, at_levels: list[Job[Any]]) -> list[LevelAccuracy]:
    """The accuracy of each level so far; levels with too few runs are left out."""
    accuracies = (
        accuracy_so_far(need, level, job) for level, job in zip(LEVELS, at_levels, strict=True)
    )
    return [each for each in accuracies if each is not None]


def accuracy_so_far(need: Need, level: Level, job: Job[Any]) -> LevelAccuracy | None:
    """The accuracy of one level so far; None after too few runs."""
    draws = list(job.results)
    if job.failure and not draws:
        return refused_at(level, plain(str(job.failure)))
    return accuracy_of(need, level, draws) if len(draws) >= min(ENOUGH, DRAWS) else None
