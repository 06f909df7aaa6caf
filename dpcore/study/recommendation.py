"""The strictest privacy level that meets a need, and where that is known from.

Nothing here looks at private rows. A level that was chosen by looking at them would tell something
about them, and no epsilon accounts for that. So errors are measured on public data or on a private
twin, which is paid for; else on public data of the same public size; else they come from the error
analysis of a method (Su et al. 2016).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from scipy.stats import chi2

from dpcore.algorithms import get
from dpcore.datasets.base import Dataset
from dpcore.datasets.own import AnyData, OwnData
from dpcore.datasets.stand_in import stand_in
from dpcore.errors import BadInput, Infeasible
from dpcore.geometry.domain import Box
from dpcore.geometry.positions import looks_geographic
from dpcore.privacy import explain
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.explain import LEVELS, Level
from dpcore.runs.request import Request
from dpcore.study.level_accuracy import (
    LevelAccuracy,
    level_accuracy,
    limit_of,
    protecting,
    refused_at,
)
from dpcore.study.needs import CentersWithin, CountsWithin, Need, parsed_need
from dpcore.study.prediction import PREDICTED, predict

TWIN = "Measured on the private twin of these data: what it cost is paid already."
PUBLIC = "Measured on these data, which are public."
ANALYSIS = (
    "Worked out from the error analysis of Su et al. (2016), without any data: a rough guide."
)


@dataclass(frozen=True)
class Recommendation:
    """The strictest level that meets a need, and how accurate the levels are that were looked at.

    Parameters
    ----------
    need : Need
        The need.
    level : Level or None
        The strictest level that meets it; None if none does.
    accuracies : tuple of LevelAccuracy
        The levels that were looked at, loosest first.
    source : str
        Where the figures come from, in a sentence.
    request : Request
        The run that is meant, at that level or at the loosest.
    unit : str
        What one row is.
    in_meters : bool
        Whether distances are in meters.

    Examples
    --------
    >>> import dpcore
    >>> advice = dpcore.recommend("clustering at most 1 % worse", dpcore.datasets.load("s1-like"))
    >>> advice.level.name
    'Loose'
    """

    need: Need
    level: Level | None
    accuracies: tuple[LevelAccuracy, ...]
    source: str
    request: Request
    unit: str
    in_meters: bool

    @property
    def best(self) -> LevelAccuracy | None:
        """The accuracy of the level that meets the need."""
        return next((each for each in self.accuracies if each.level == self.level), None)

    @property
    def stricter(self) -> LevelAccuracy | None:
        """The accuracy of the next stricter level, which does not meet the need."""
        later = [each for each in self.accuracies if self.best and self.level_before(each)]
        return min(later, key=lambda each: -each.level.epsilon, default=None)

    def level_before(self, other: LevelAccuracy) -> bool:
        """Whether another level is stricter than this one."""
        return self.level is not None and other.level.epsilon < self.level.epsilon

    @property
    def loosest(self) -> LevelAccuracy:
        """The accuracy of the loosest level that was looked at."""
        return self.accuracies[0]

    def sentences(self) -> list[str]:
        """The recommendation in words."""
        strictest, need = self.best, self.need
        if strictest is None:
            return [self._nothing(), *self.what_would(), self.source]
        lines = [
            f"{strictest.level.name} (ε {strictest.level.epsilon:g}) is the strictest level that "
            f"meets your need: {need.words(self.in_meters, self.unit)}.",
            self.accuracy(strictest),
        ]
        if (next_one := self.stricter) is not None:
            lines.append(f"One step stricter: {self.accuracy(next_one)}")
        lines.append(explain.attack(strictest.level.epsilon, self.unit, self.request.neighbors))
        return [*lines, self.source]

    def accuracy(self, answer: LevelAccuracy) -> str:
        """The accuracy of a level, in a sentence."""
        if answer.refusal:
            return f"{self.request.system.title} gives no answer: {answer.refusal}"
        need = self.need
        reached, half = (
            need.error_words(each, self.in_meters) for each in (answer.reached, answer.half)
        )
        runs = f", in {answer.draws} runs" if answer.draws else ""
        sentence = need.sentence(reached, half, self.unit)
        return f"{sentence[0].upper()}{sentence[1:]}{runs}."

    def _nothing(self) -> str:
        loosest = self.loosest
        return (
            f"No level meets your need: {self.need.words(self.in_meters, self.unit)}. At the "
            f"loosest one, {loosest.level.name}: {self.accuracy(loosest)}"
        )

    def what_would(self) -> list[str]:
        """The changes that would meet the need, where no level does."""
        loosest, need = self.loosest, self.need
        if loosest.refusal:
            return ["More rows, fewer centers or another method may."]
        times = loosest.reached / limit_of(need, self.in_meters)
        weaker = need.error_words(loosest.reached, self.in_meters)
        lines = [f"A need of about {weaker} in place of yours would be met."]
        if isinstance(need, CountsWithin):
            lines.append("More rows would not help: noise is as large among many as among few.")
        else:
            lines.append(f"So would about {math.ceil(10 * times) / 10:g} times as many rows.")
        return lines

    def as_dict(self) -> dict[str, Any]:
        """The recommendation as plain data."""
        return {
            "need": self.need.words(self.in_meters, self.unit),
            "level": None if self.level is None else self.level.name,
            "epsilon": None if self.level is None else self.level.epsilon,
            "algorithm": self.request.algorithm,
            "k": self.request.k,
            "source": self.source,
            "levels": [
                {
                    "level": each.level.name,
                    "epsilon": each.level.epsilon,
                    "reached": each.reached if math.isfinite(each.reached) else None,
                    "half": each.half if math.isfinite(each.half) else None,
                    "draws": each.draws,
                    "refusal": each.refusal,
                }
                for each in self.accuracies
            ],
            "in words": self.sentences(),
        }

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def recommended(
    need: Need,
    accuracies: Sequence[LevelAccuracy],
    source: str,
    request: Request,
    unit: str,
    in_meters: bool,
) -> Recommendation:
    """The strictest of some levels that meets a need. Levels that were not looked at lie between
    looser ones that meet it, or stricter ones that do not."""
    ordered = tuple(sorted(accuracies, key=lambda each: -each.level.epsilon))
    met = [each for each in ordered if each.meets(need, in_meters)]
    level = met[-1].level if met else None
    at = request.at(level.epsilon if level else LEVELS[0].epsilon)
    return Recommendation(need, level, ordered, source, at, unit, in_meters)


def recommend(
    need: str | Need,
    data: AnyData | None = None,
    k: int = 5,
    algorithm: str | None = None,
    *,
    n: int | None = None,
    box: Box | None = None,
    delta: float = 0.0,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    seed: int = 0,
    every_level: bool = False,
    rows_of_each: int = 1,
) -> Recommendation:
    """The strictest named level that meets a need, without a look at private rows.

    Levels are looked at by halving: the one found meets the need, and the next stricter one does
    not. With `every_level` all seven are.

    Parameters
    ----------
    need : str or Need
        Such as "centers within 200 m, 9 times in 10", "clustering at most 1 % worse" or
        "neighborhood counts within 100 trips".
    data : Dataset, OwnData or None, default=None
        Public data or a private twin, on which errors are measured. Of data of your own only the
        box is used.
    k : int, default=5
        How many centers.
    algorithm : str or None, default=None
        The method; by default `adaptive` on two coordinates and `auto` on others.
    n : int or None, default=None
        How many rows, a public number; needed with data of your own, or without data.
    box : Box or None, default=None
        The public box; needed without data.
    delta : float, default=0.0
        For methods that can use it.
    neighbors : Neighbors or str, default="add-remove"
        Which data sets an attacker must not be able to tell apart.
    seed : int, default=0
        The seed of the simulated noise.
    every_level : bool, default=False
        Look at all seven levels.
    rows_of_each : int, default=1
        How many rows of one person count at most, where the level protects a person and not a row.
        Each row then has a part of the level, and the noise is so many times as large.

    Returns
    -------
    Recommendation

    Raises
    ------
    ValueError
        If the need is none, or nothing public tells how accurate the method is.

    Examples
    --------
    >>> import dpcore
    >>> advice = dpcore.recommend(
    ...     "centers within 2 %, 9 times in 10", n=100_000, box=dpcore.Box((0, 0), (1, 1))
    ... )
    >>> advice.level is not None, advice.source[:23]
    (True, 'Measured on public data')
    """
    own_need = parsed_need(need) if isinstance(need, str) else need
    if not isinstance(own_need, Need):
        raise TypeError(f"A need is a sentence or a Need, not {type(need).__name__}.")
    if isinstance(rows_of_each, bool) or rows_of_each != int(rows_of_each) or rows_of_each < 1:
        raise BadInput(f"rows_of_each must be a whole number from 1, not {rows_of_each!r}.")
    box = _box(data, box)
    key = algorithm or ("adaptive" if box.d == 2 else "auto")
    request = Request(key, k, LEVELS[0].epsilon, delta, Neighbors(neighbors), seed)
    if isinstance(data, Dataset) and data.about.public:
        source = TWIN if data.about.twin else PUBLIC
        return _measured(own_need, data, request, source, every_level, rows_of_each)
    unit = "row" if data is None else data.about.unit
    geographic = looks_geographic(box) if data is None else data.about.geographic
    if n is None:
        raise BadInput(
            "Private rows may not choose a level. Give n, a public number of rows, or the private "
            "twin of these data in their place."
        )
    if box.d == 2:
        like = stand_in(n, box, geographic, unit)
        source = stand_in_words(n, unit)
        return _measured(own_need, like, request, source, every_level, rows_of_each)
    request = replace(request, algorithm=_predicted(algorithm))
    return worked_out(own_need, n, box, request, unit, rows_of_each)


def stand_in_words(n: int, unit: str) -> str:
    """The origin of figures that were measured on a stand-in, in a sentence."""
    return (
        f"Measured on public data of the same size: {n:,} simulated {explain.plural(unit)}, spread "
        "over your area as New York's taxi trips are over theirs. Yours may be spread differently."
    )


def _box(data: AnyData | None, box: Box | None) -> Box:
    if data is not None and box is not None:
        raise BadInput("The data have a box of their own: leave out box.")
    if isinstance(data, Dataset | OwnData):
        return data.box
    if box is None:
        raise BadInput("Give the data, or their public box and a public number of rows, n.")
    return box


def _measured(
    need: Need,
    data: Dataset,
    request: Request,
    source: str,
    every_level: bool,
    rows_of_each: int,
) -> Recommendation:
    """The recommendation from runs on data that everybody may look at."""
    accuracies: dict[int, LevelAccuracy] = {}

    def look(index: int) -> LevelAccuracy:
        if index not in accuracies:
            accuracies[index] = level_accuracy(need, LEVELS[index], data, request, rows_of_each)
        return accuracies[index]

    if every_level:
        for index in range(len(LEVELS)):
            look(index)
    else:
        met, missed = -1, len(LEVELS)
        while missed - met > 1:
            middle = (met + missed) // 2
            if look(middle).meets(need, data.about.geographic):
                met = middle
            else:
                missed = middle
    about = data.about
    return recommended(
        need, list(accuracies.values()), source, request, about.unit, about.geographic
    )


def _predicted(algorithm: str | None) -> str:
    """A method whose error can be worked out without data."""
    if algorithm is None:
        return PREDICTED[0]
    if algorithm not in PREDICTED:
        raise Infeasible(
            f"No public data with so many coordinates stand in, and the error of {algorithm} "
            f"cannot be worked out; that of {', '.join(PREDICTED)} can. Or make a private twin."
        )
    return algorithm


def worked_out(
    need: Need, n: int, box: Box, request: Request, unit: str, rows_of_each: int = 1
) -> Recommendation:
    """The recommendation from the error analysis. It gives the mean squared error of one centroid;
    its distance is that of normal noise alike in all directions."""
    if not isinstance(need, CentersWithin):
        raise Infeasible(
            "The error analysis tells how far centers move, and nothing else. Ask for centers "
            "within a distance, or make a private twin of the data."
        )
    accuracies = []
    for level in LEVELS:
        row = protecting(request, level.epsilon, rows_of_each)
        try:
            error = predict(
                request.algorithm, n, request.k, box.d, row.epsilon, neighbors=request.neighbors
            ).mse
        except Infeasible as refusal:
            accuracies.append(refused_at(level, str(refusal)))
            continue
        reached, half = (
            math.sqrt(error / box.d * float(chi2.ppf(part, box.d))) for part in (need.often, 0.5)
        )
        accuracies.append(LevelAccuracy(level, reached, half, 0))
    source = f"{ANALYSIS} It is for {get(request.algorithm).title} on {n:,} rows."
    return recommended(need, accuracies, source, request, unit, False)
