"""What is audited: every algorithm, on pairs of neighbors whose difference is hard to hide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from dpcore.algorithms import ALGORITHMS, Algorithm
from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.datasets import Dataset, GridDataset
from dpcore.datasets.regions import Regions
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Box, FloatArray, Grid, to_ticks
from dpcore.privacy.accounting import Neighbors

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
    #: Where given, what is kept of the rows are their counts on a grid of so many cells a side.
    cells_per_side: int | None = None

    @property
    def d(self) -> int:
        return self.one.shape[1]

    @property
    def is_about_order(self) -> bool:
        """Whether the rows come in another order, which counts would not tell."""
        return "order" in self.key

    @cached_property
    def data(self) -> tuple[Dataset, Dataset]:
        return self._kept(self.one), self._kept(self.other)

    def _kept(self, rows: FloatArray) -> Dataset:
        box = Box.cube(self.d)
        if self.cells_per_side is None:
            return from_array(rows, box)
        grid = Grid(box, self.cells_per_side)
        counts = np.bincount(grid.labels(to_ticks(rows)), minlength=grid.n_cells)
        return GridDataset(counts.reshape(grid.shape), box)


def corner(d: int, side: int = 1) -> FloatArray:
    """A row in the lowest or highest corner of the box, which moves sums by as much as can be."""
    return np.full((1, d), side * EDGE)


def scattered(n: int, d: int, reach: float = 0.9) -> FloatArray:
    """Rows all over the box, always the same."""
    return np.random.default_rng(n + 1000 * d).uniform(-reach, reach, (n, d))


def pairs(d: int, epsilon: float) -> Iterator[Pair]:
    """Pairs for any algorithm, in d dimensions."""
    low, high, middle = corner(d, -1), corner(d), 0.001 * corner(d)
    crowd = np.repeat(middle, 48, axis=0)
    yield Pair(
        "lone row",
        "An extreme row far from all others: without it its cluster is empty.",
        ADD_REMOVE,
        np.concatenate([crowd, high]),
        crowd,
    )
    n = max(12, round(90 / epsilon))
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
    many = scattered(48, d)
    yield Pair(
        "other order",
        "The same rows in reverse order, and one more: nobody promised an order.",
        ADD_REMOVE,
        np.concatenate([high, many]),
        many[::-1],
    )
    yield Pair(
        "corner to corner",
        "A row moves as far as a row can.",
        REPLACE_ONE,
        np.concatenate([crowd, high]),
        np.concatenate([crowd, low]),
    )
    yield Pair(
        "same place but one",
        "Identical rows, or one of them far away.",
        REPLACE_ONE,
        np.concatenate([crowd, middle]),
        np.concatenate([crowd, low]),
    )
    yield Pair(
        "other order, one replaced",
        "The same rows in reverse order, one of them elsewhere.",
        REPLACE_ONE,
        np.concatenate([high, many]),
        np.concatenate([many[::-1], low]),
    )


def number_of_blocks() -> Pair:
    rows = scattered(32, 2)
    why = "A number of rows at which there is one block more: 4 for 32, 3 for 31."
    return Pair("number of blocks", why, ADD_REMOVE, rows, rows[1:])


def shifted_slices() -> Pair:
    """With 16 blocks of two: alike within a block, until the first row goes and shifts them all."""
    low, high = corner(1, -1), corner(1)
    even = np.tile(np.concatenate([low, low, high, high]), (8, 1))
    why = "Leaving out the first row changes every slice of two after it."
    return Pair("shifted slices", why, ADD_REMOVE, even, even[1:])


def one_among(n: int, d: int, neighbors: Neighbors) -> Pair:
    """An extreme row more, or elsewhere, among so many others."""
    rows = scattered(n, d)
    one = np.concatenate([rows, corner(d)])
    other = rows if neighbors is ADD_REMOVE else np.concatenate([rows, corner(d, -1)])
    what = "one more among" if neighbors is ADD_REMOVE else "one moved among"
    why = "An extreme row where rows or coordinates are enough for every part of the algorithm."
    cells = 64 if d == 2 else None
    return Pair(f"{what} {n:,} in {d}-D", why, neighbors, one, other, cells_per_side=cells)


def farthest_row(d: int) -> Pair:
    """All rows near the middle, but for one in a corner; or that one too."""
    rows = np.repeat(0.001 * corner(d), 40, axis=0)
    why = "The length of the longest row is that of the one that is replaced."
    return Pair("farthest row", why, REPLACE_ONE, np.concatenate([rows[1:], corner(d)]), rows)


#: Two halves of the square, with borders coarse enough to be quick.
HALVES = Regions(Box.cube(2), ("west", "east"), np.repeat(np.arange(16) // 8, 16).reshape(16, 16))


def quiet_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    why = "An extreme row in a region with a lower level than the rest of the map."
    one = np.concatenate([rows, low])
    return Pair("in a quiet region", why, ADD_REMOVE, one, rows, cells_per_side=64)


def region_to_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    one, other = np.concatenate([rows, low]), np.concatenate([rows, high])
    why = "A row that moves costs the levels of the region it leaves and of the one it enters."
    return Pair("from region to region", why, REPLACE_ONE, one, other, cells_per_side=64)


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
    #: Halves of the square with levels of their own, and what a run on both of them may spend. What
    #: it claims for a row follows from where the row lies.
    levels: Mapping[str, float] = field(default_factory=dict)
    spends: float | None = None
    #: Whether the attacker knows the public coins. Where not, they are tossed anew in every run.
    coins_known: bool = True
    #: Whether all noisy answers count as released, so that a run can be made again from them.
    replayable: bool = True

    @property
    def relation(self) -> Neighbors:
        return self.neighbors or self.pair.neighbors

    @property
    def regions(self) -> Regions | None:
        return HALVES.with_levels(self.levels) if self.levels else None

    @property
    def words(self) -> str:
        at_delta = f", delta {self.delta:g}" if self.delta else ""
        return f"{self.algorithm}, {self.pair.key}, epsilon {self.epsilon:g}{at_delta}"


DELTA = 1e-6
#: A usual epsilon, for all pairs; and a large one for those with the most to tell: with little
#: noise, what should be hidden by it and is not shows soonest.
EPSILONS, TELLING_PAIRS = (1.0, 4.0), ("lone row", "corner to corner")
#: What fifty rows are too few for at a usual epsilon.
HUNGRY: Mapping[str, tuple[float, float]] = {"coreset-faithful": (40.0, 80.0)}
#: Dimension and number of centers: the first that an algorithm supports are taken.
SHAPES = ((2, 2), (2, 1), (3, 2), (8, 2))

#: Where few rows in two dimensions leave a part of an algorithm out: rows and dimensions that do
#: not. Trees grow, balls are removed, rounds follow a first picture, rows are projected, some
#: coordinates are chosen of many.
ROOMS: Mapping[str, tuple[tuple[int, int], ...]] = {
    "adaptive": ((5000, 2),),
    "auto": ((5000, 2), (2000, 8)),
    "coreset": ((20_000, 2), (2000, 3)),
    "coreset-split": ((3000, 3),),
    "highdim": ((48, 8),),
    "highdim-kmedian": ((48, 8),),
    "highdim-published": ((48, 8),),
    "hybrid": ((2000, 2),),
    "lift": ((2000, 4), (2000, 8)),
    "sparse-mean": ((48, 6),),
    "sparse-mean-published": ((48, 6),),
}

#: Settings that keep runs on a few rows short without leaving out a part of the algorithm.
SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "coreset-split": {"rows": 1000},
    "dplloyd": {"rounds": 2, "start": "uniform"},
    "eugkm": {"starts": 2},
    "eugkm-published": {"starts": 2},
    "hybrid": {"starts": 2, "theta": 1.0},
    "net-coreset": {"lattice": 4, "starts": 1},
    "kmeans-guarantee": {"rounds": 2},
    "kmeans-guarantee-published": {"rounds": 1, "final_noise": False},
    "pgkm": {"population": 8, "parents": 2, "rounds": 3},
    "sparse-mean": {"sparsity": 1, "accuracy": 1.0},
    "sparse-mean-published": {"sparsity": 1, "accuracy": 1.0},
    "subclustering": {"rounds": 2},
    "subclustering-published": {"rounds": 1, "final_noise": False},
}
#: These count rows on a fine grid before all else: on a coarser one they take a tenth of the time.
COUNTED = frozenset({"coreset"})
#: Rows draw their blocks or parts by coins that nobody may know.
SECRET_COINS = frozenset({"coreset-split", "gkm", "gkm-3k", "sample-aggregate"})
#: These take their noise from the coins, as publications do that know no curator.
OWN_NOISE = frozenset(
    {
        "kmeans-guarantee-published",
        "kvariates-published",
        "subclustering-published",
        "sulq-published",
    }
)
#: Noise on empty cells, of which there are too many, is drawn for those it matters to alone.
LAZY_NOISE = frozenset({"highdim", "highdim-kmedian", "highdim-published"})


def own_pairs(key: str) -> Iterator[tuple[Pair, Mapping[str, Any]]]:
    """The pairs that an algorithm's own proof, or what is wrong with it, calls worst."""
    if key in ("gkm", "gkm-published"):
        yield number_of_blocks(), {}
        yield shifted_slices(), {"exponent": 0.81}
    if key == "highdim-published":
        yield farthest_row(2), {}


def cases_of(algorithm: Algorithm) -> Iterator[Case]:
    """Every relation, pair and epsilon of one algorithm."""
    d, k = next(shape for shape in SHAPES if algorithm.supports(shape[0], 100, shape[1]))
    usual, large = HUNGRY.get(algorithm.key, EPSILONS)
    budgets = [(usual, 0.0), (large, 0.0)] + [(usual, DELTA)] * algorithm.uses_delta
    for epsilon, delta in budgets:
        for pair in pairs(d, epsilon):
            telling = epsilon == usual or pair.key in TELLING_PAIRS
            if telling and pair.neighbors in algorithm.relations:
                yield _case(algorithm, pair, epsilon, delta, k)
        for rows, dimensions in ROOMS.get(algorithm.key, ()):
            for neighbors in algorithm.relations if epsilon == usual else ():
                yield _case(algorithm, one_among(rows, dimensions, neighbors), epsilon, delta, k)
    for pair, settings in own_pairs(algorithm.key):
        yield _case(algorithm, pair, usual, 0.0, k, settings)
    if isinstance(algorithm, SynopsisAlgorithm):
        for pair, claim in ((quiet_region(), usual), (region_to_region(), usual + large)):
            case = _case(algorithm, pair, claim, 0.0, k)
            yield replace(case, neighbors=ADD_REMOVE, levels={"west": usual}, spends=large)


def _case(
    algorithm: Algorithm,
    pair: Pair,
    epsilon: float,
    delta: float,
    k: int,
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> Case:
    key = algorithm.key
    if key in COUNTED and pair.d == 2 and not pair.is_about_order:
        pair = replace(pair, cells_per_side=64)
    return Case(
        key,
        pair,
        epsilon,
        delta,
        k,
        {**SETTINGS.get(key, {}), **settings},
        coins_known=key not in SECRET_COINS | OWN_NOISE,
        replayable=key not in SECRET_COINS | OWN_NOISE | LAZY_NOISE,
    )


def table() -> list[Case]:
    """All that is audited."""
    return [case for algorithm in ALGORITHMS.values() for case in cases_of(algorithm)]
