"""Runs at each named level in the background, on data that everybody in this visit may look at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from dpcore.datasets.base import Dataset
from dpcore.datasets.stand_in import stand_in
from dpcore.privacy.explain import LEVELS
from dpcore.runs.request import Request
from dpcore.study.count_errors import CountDraw
from dpcore.study.level_accuracy import LevelAccuracy, accuracy_of, level_draws, refused_at
from dpcore.study.needs import CountsWithin, Need
from dpcore.study.recommendation import PUBLIC, TWIN, stand_in_words
from dpcore.study.repeats import DRAWS, Draw
from pages.ui import cached_work, visibility, workers
from pages.ui.background import Job
from pages.ui.choice import Choice
from pages.ui.visibility import Visibility
from pages.ui.wording import plain

#: So many runs at a level are enough for a first figure.
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

    def opener(self) -> Callable[[], Dataset]:
        """What opens the data in the thread of a worker, which knows no session."""
        about = self.choice.about
        if self.stands_in:
            return partial(stand_in, self.rows, self.choice.box, about.geographic, about.unit)
        data = cached_work.data(self.choice.data)
        return lambda: data


def ground(choice: Choice, rows: int) -> Ground:
    """The data themselves where they are public or a twin, else public ones of the same size."""
    seen = visibility.of(choice.data)
    if seen is Visibility.RAW:
        return Ground(choice, stand_in_words(rows, choice.about.unit), rows, True)
    return Ground(choice, TWIN if seen is Visibility.TWIN else PUBLIC, rows, False)


def jobs(ground: Ground, need: Need) -> list[Job[Any]]:
    """The runs at each level, loosest first. Needs about the same errors share them."""
    counts, open_data = isinstance(need, CountsWithin), ground.opener()
    found: list[Job[Any]] = []
    for level in LEVELS:
        at = ground.choice.at(level.epsilon).with_seed(0)
        if not (counts or ground.stands_in):
            found.append(cached_work.repeated(at))
            continue
        worker = workers.worker() if ground.stands_in else workers.worker_of(at.data)
        about = at.about
        key: Hashable = ("levels", counts, at.data, at.request)
        if ground.stands_in:
            key = (
                "stand-in",
                counts,
                at.request,
                ground.rows,
                at.box,
                about.geographic,
                about.unit,
            )
        found.append(worker.job(key, partial(_draws, need, at.request, open_data)))
    return found


def _draws(
    need: Need, request: Request, open_data: Callable[[], Dataset]
) -> Iterator[Draw] | Iterator[CountDraw]:
    return level_draws(need, request, open_data(), DRAWS)


def known(need: Need, at_levels: list[Job[Any]]) -> list[LevelAccuracy]:
    """What is known of each level so far; levels with too few runs are left out."""
    found = []
    for level, job in zip(LEVELS, at_levels, strict=True):
        drawn = list(job.results)
        if job.failure and not drawn:
            found.append(refused_at(level, plain(str(job.failure))))
        elif len(drawn) >= min(ENOUGH, DRAWS):
            found.append(accuracy_of(need, level, drawn))
    return found
