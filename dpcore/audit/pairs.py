"""What is audited: every algorithm, on pairs of neighbors whose difference is hard to hide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.algorithms import ALGORITHMS, Algorithm
from dpcore.datasets import Dataset, from_array
from dpcore.domain import FloatArray
from dpcore.privacy import Neighbors

ADD_REMOVE, REPLACE_ONE = Neighbors.ADD_REMOVE, Neighbors.REPLACE_ONE

#: Nearly the corner of the box: its edge belongs to no cell.
EDGE = 0.999


@dataclass(frozen=True, eq=False)
class Pair:
    """Two neighboring data sets in the box [-1, 1]^d, and why they might be told apart."""

    key: str
    why: str
    neighbors: Neighbors
    one: FloatArray
    other: FloatArray

    @property
    def d(self) -> int:
        return self.one.shape[1]

    @cached_property
    def data(self) -> tuple[Dataset, Dataset]:
        return from_array(self.one, (-1, 1)), from_array(self.other, (-1, 1))


def corner(d: int, side: int = 1) -> FloatArray:
    """A row in the lowest or highest corner of the box, which moves sums by as much as can be."""
    return np.full((1, d), side * EDGE)


def scattered(n: int, d: int, reach: float = 0.9) -> FloatArray:
    """Rows all over the box, always the same."""
    return np.random.default_rng(n + 1000 * d).uniform(-reach, reach, (n, d))


def pairs(d: int, epsilon: float) -> Iterator[Pair]:
    """Pairs for any algorithm, in d dimensions."""
    low, high = corner(d, -1), corner(d)
    crowd = np.repeat(low, 48, axis=0)
    yield Pair(
        "lone row",
        "An extreme row far from all others: its cluster is empty without it.",
        ADD_REMOVE,
        np.concatenate([crowd, high]),
        crowd,
    )
    n = round(90 / epsilon)
    rows = np.repeat(np.concatenate([0.5 * low, 0.6 * high]), [n // 3, n - n // 3], axis=0)
    yield Pair(
        "size of the grid",
        "A number of rows at which grids sized by it change: 90 or 89 at epsilon 1.",
        ADD_REMOVE,
        rows,
        rows[:-1],
    )
    same = np.repeat(0.3 * high, 8, axis=0)
    yield Pair("same place", "Identical rows, one fewer.", ADD_REMOVE, same, same[:-1])
    yield Pair("nobody", "A single row, or no data at all.", ADD_REMOVE, high, high[:0])
    many = scattered(24, d)
    yield Pair(
        "other order",
        "The same rows in reverse order, and one more: nobody promised an order.",
        ADD_REMOVE,
        np.concatenate([high, many]),
        many[::-1],
    )
    yield Pair(
        "corner to corner",
        "A row moves as far as a row can, into the cluster of all others.",
        REPLACE_ONE,
        np.concatenate([crowd, high]),
        np.concatenate([crowd, low]),
    )
    yield Pair(
        "same place but one",
        "Identical rows, of which one is elsewhere.",
        REPLACE_ONE,
        same,
        np.concatenate([same[1:], low]),
    )
    yield Pair(
        "other order, one replaced",
        "The same rows in reverse order, one of them elsewhere.",
        REPLACE_ONE,
        np.concatenate([high, many]),
        np.concatenate([many[::-1], low]),
    )


@dataclass(frozen=True)
class Case:
    """One algorithm on one pair, and the claim it is held to."""

    algorithm: str
    pair: Pair
    epsilon: float
    delta: float = 0.0
    k: int = 2
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: Under which relation it runs: that of the pair, unless a claim about another is tested.
    neighbors: Neighbors | None = None
    #: Whether the attacker knows the public coins. Where not, they are tossed anew in every run.
    coins_known: bool = True
    #: Whether all noisy answers count as released, so that a run can be made again from them.
    replayable: bool = True
    #: How many runs compared with cheaper cases.
    share: float = 1.0

    @property
    def relation(self) -> Neighbors:
        return self.neighbors or self.pair.neighbors

    @property
    def words(self) -> str:
        at_delta = f", delta {self.delta:g}" if self.delta else ""
        return f"{self.algorithm}, {self.pair.key}, epsilon {self.epsilon:g}{at_delta}"


EPSILON, DELTA = 1.0, 1e-6
#: With little noise, what should be hidden by it and is not shows soonest.
LARGE_EPSILON, TELLING_PAIRS = 4.0, ("lone row", "corner to corner")
#: Tried in this order until the algorithm supports one.
DIMENSIONS = (2, 3, 8)

#: Settings that keep runs on a dozen rows short without leaving out a part of the algorithm.
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "dplloyd": {"rounds": 2, "start": "uniform"},
    "eugkm": {"starts": 2},
    "eugkm-published": {"starts": 2},
    "hybrid": {"starts": 2},
    "pgkm": {"population": 8, "parents": 2, "rounds": 3},
}
#: Rows draw their blocks by coins that nobody may know.
SECRET_COINS = frozenset({"gkm", "gkm-3k"})
#: Noise on empty cells, of which there are too many, is drawn for those it matters to alone.
LAZY_NOISE = frozenset({"highdim", "highdim-kmedian"})


def cases_of(algorithm: Algorithm) -> Iterator[Case]:
    """Every relation, pair and epsilon of one algorithm."""
    d = _dimension(algorithm)
    budgets = [(EPSILON, 0.0), (LARGE_EPSILON, 0.0)] + [(EPSILON, DELTA)] * algorithm.uses_delta
    for epsilon, delta in budgets:
        for pair in pairs(d, epsilon):
            telling = epsilon == EPSILON or pair.key in TELLING_PAIRS
            if telling and pair.neighbors in algorithm.relations:
                yield _case(algorithm, pair, epsilon, delta)


def _dimension(algorithm: Algorithm) -> int:
    return next(d for d in DIMENSIONS if algorithm.supports(d, 100, 2))


def _case(algorithm: Algorithm, pair: Pair, epsilon: float, delta: float) -> Case:
    key = algorithm.key
    return Case(
        key,
        pair,
        epsilon,
        delta,
        parameters=SETTINGS.get(key, {}),
        coins_known=key not in SECRET_COINS,
        replayable=key not in SECRET_COINS | LAZY_NOISE,
    )


def table() -> list[Case]:
    """All that is audited."""
    return [case for algorithm in ALGORITHMS.values() for case in cases_of(algorithm)]
