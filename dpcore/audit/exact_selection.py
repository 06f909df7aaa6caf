"""Selection mechanisms on data so small that every outcome's probability can be computed.

No runs and no confidence: all ways a mechanism can go are walked through, on every data set of a
few rows at a few places, and neighbors are compared. What is found is the true epsilon there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from dpcore.algorithms import get
from dpcore.algorithms._local_swap import local_swap
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.losses import Selection
from dpcore.privacy.noise import selection_weights
from dpcore.privacy.noise_proxy import NoiseKind, NoiseProxy, NoiseRequest
from dpcore.queries.boxes import BoxCounts, CenterCounts, GoodRadius, Ladder
from dpcore.queries.curator import Curator
from dpcore.queries.row_costs import RowCost
from dpcore.queries.scores import ContrastingCost, LowCost, Quantile
from dpcore.runs.private_bounds import (
    HALF,
    Around,
    QuantileRadius,
    QuantileSlab,
    RowsBetween,
    log_prior,
)

Procedure = Callable[[Curator], object]
#: Log probability of each way a procedure can go, named by the choices made on it.
Law = dict[tuple[int, ...], float]


class Walker(NoiseProxy):
    """A source of choices that follows a given path, and knows how likely each choice was."""

    def __init__(self, path: tuple[int, ...]):
        self._told = path
        self.path: list[int] = []
        self._logs: list[FloatArray] = []

    def answer(self, request: NoiseRequest) -> int:
        if request.kind is not NoiseKind.CHOICE:
            raise TypeError("Only choices can be walked through, noisy numbers have no end.")
        weights = selection_weights(request.values, request.scale, request.log_prior)
        with np.errstate(divide="ignore"):
            self._logs.append(np.log(weights) - math.log(math.fsum(weights)))
        at = len(self.path)
        self.path.append(self._told[at] if at < len(self._told) else self._possible(at, 0))
        return self.path[-1]

    @property
    def log_probability(self) -> float:
        return math.fsum(log[choice] for log, choice in zip(self._logs, self.path, strict=True))

    def next_path(self) -> tuple[int, ...] | None:
        """The next path: the last choice that can still change is changed."""
        for at in range(len(self.path) - 1, -1, -1):
            other = self._possible(at, self.path[at] + 1)
            if other < len(self._logs[at]):
                return (*self.path[:at], other)
        return None

    def _possible(self, at: int, start: int) -> int:
        possible = np.flatnonzero(self._logs[at][start:] > -math.inf)
        return start + int(possible[0]) if len(possible) else len(self._logs[at])


def law(procedure: Procedure, rows: FloatArray, epsilon: float, neighbors: Neighbors) -> Law:
    """Every way that a procedure can go on some rows, with its log probability."""
    law_of_paths: Law = {}
    path: tuple[int, ...] | None = ()
    while path is not None:
        walker = Walker(path)
        data = from_array(rows, (-1, 1))
        coins = np.random.default_rng(0)
        procedure(Curator(data, Budget(epsilon), walker, neighbors, coins))
        law_of_paths[tuple(walker.path)] = walker.log_probability
        path = walker.next_path()
    return law_of_paths


def worst_loss(
    procedure: Procedure,
    places: FloatArray,
    rows: int,
    epsilon: float,
    neighbors: Neighbors,
) -> float:
    """The true epsilon of a procedure among all data sets of a limited size at some places.

    Under replace-one, of exactly so many. Infinite where one data set goes a way that a neighbor
    cannot.
    """
    sizes = range(rows + 1) if neighbors.size_is_private else [rows]
    laws = {
        picks: law(procedure, places[list(picks)], epsilon, neighbors)
        for size in sizes
        for picks in combinations_with_replacement(range(len(places)), size)
    }
    return max(
        distance(laws[one], laws[other])
        for one in laws
        for other in _neighbors_of(one, len(places), neighbors)
        if other in laws
    )


def distance(one: Law, other: Law) -> float:
    """The greatest log ratio of two laws."""
    if one.keys() != other.keys():
        return math.inf
    return max(abs(one[path] - other[path]) for path in one)


def _neighbors_of(
    rows: Sequence[int], places: int, neighbors: Neighbors
) -> Iterator[tuple[int, ...]]:
    if neighbors.size_is_private:
        yield from (tuple(sorted([*rows, place])) for place in range(places))
    else:
        for i in range(len(rows)):
            for place in range(places):
                yield tuple(sorted([*rows[:i], place, *rows[i + 1 :]]))


@dataclass(frozen=True)
class Walk:
    """A mechanism to walk through, on data sets of a few rows at a few places."""

    mechanism: str
    procedure: Procedure
    places: FloatArray
    rows: int
    epsilon: float = 1.0

    def worst(self, neighbors: Neighbors) -> float:
        return worst_loss(self.procedure, self.places, self.rows, self.epsilon, neighbors)


#: Both ends of a line and between, where everything is farthest apart or tied.
LINE = np.array([[-0.999], [-0.4], [0.1], [0.999]])
SQUARE = np.array([[-0.999, -0.999], [-0.4, 0.1], [0.1, 0.1], [0.999, 0.999]])
CENTER_SETS = np.array([[[-1.0]], [[0.2]], [[0.9]], [[0.0]]])
LADDER = Ladder(4, 1)


def _lowest_cost(curator: Curator) -> None:
    curator.select(LowCost(CENTER_SETS), Selection(curator.budget.epsilon), "one of four")


def _contrasting_cost(curator: Curator) -> None:
    curator.select(ContrastingCost(CENTER_SETS), Selection(curator.budget.epsilon), "one of four")


def _quartile(curator: Curator) -> None:
    curator.select(
        Quantile(0, Fraction(1, 4), 8), Selection(curator.budget.epsilon), "a line of nine"
    )


def _bounds(curator: Curator) -> None:
    part = Selection(curator.budget.epsilon / 3)
    slabs = np.arange(4)
    middle = curator.select(QuantileSlab(0, HALF, 4, curator.neighbors), part, "a median")
    around = Around(np.maximum(middle - slabs, 0), np.minimum(middle + slabs, 3), 4)
    scale = curator.select(QuantileRadius(0, HALF, 4, curator.neighbors, around), part, "a scale")
    curator.select(RowsBetween(0, around), part, "both ends", log_prior(around, scale))


def _balls(curator: Curator) -> None:
    remaining = curator.working_copy()
    for _ in range(2):
        loss = Selection(curator.budget.epsilon / 2)
        pick = remaining.select(BoxCounts(LADDER, 2), loss, "a ball", LADDER.log_prior(0.1))
        remaining.remove_nearest(LADDER.box(pick)[0], 2)


def _small_ball(curator: Curator) -> None:
    half = Selection(curator.budget.epsilon / 2)
    radius = curator.select(GoodRadius(4, (0, 1, 2), 2), half, "a half-width")
    curator.select(CenterCounts(4, radius), half, "a center")


def _genetic_search(curator: Curator) -> None:
    get("pgkm").run(curator, 1, population=3, parents=1, rounds=2)


def _swaps(curator: Curator) -> None:
    local_swap(curator, CENTER_SETS[:, 0], 1, 2, curator.budget.epsilon, RowCost(1.0), "search")


WALKS = (
    Walk("choice by k-means cost", _lowest_cost, LINE, 4),
    Walk("choice by contrasting cost", _contrasting_cost, LINE, 4),
    Walk("quartile", _quartile, LINE, 4),
    Walk("median, scale and interval of private bounds", _bounds, LINE, 3),
    Walk("two balls, the rows of the first removed", _balls, LINE, 3),
    Walk("half-width and center of a small ball", _small_ball, SQUARE, 4),
    Walk("genetic search, two rounds", _genetic_search, LINE, 3),
    Walk("local search, two swaps", _swaps, LINE, 3),
)
