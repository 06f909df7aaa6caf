"""What is audited: every algorithm, on pairs of neighbors whose difference is hard to hide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpcore.algorithms import ALGORITHMS, Algorithm, get
from dpcore.algorithms.base import Room, SynopsisAlgorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.region_map import Regions
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Box, FloatArray, Grid, to_ticks
from dpcore.privacy.accounting import Neighbors

ADD_REMOVE, REPLACE_ONE = Neighbors.ADD_REMOVE, Neighbors.REPLACE_ONE

#: Nearly the corner of the box: its edge belongs to no cell.
EDGE = 0.999
#: Rows of the data that are tried in every dimension.
SWEPT_ROWS = 40


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
    #: Rows that were added, removed or replaced: those of one person.
    rows: int = 1

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

    @cached_property
    def stranger(self) -> Dataset:
        """Quite other data, about which everybody may know the same: a run that has the same
        answers has to let out the same."""
        rows = len(self.one) if self.neighbors is REPLACE_ONE else 2 * len(self.one) + 7
        return self._kept(scattered(rows, self.d, 0.7))

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


def number_of_blocks(n: int, d: int) -> Pair:
    rows = scattered(n, d)
    why = "A number of rows at which there is one block more: 4 for 32, 3 for 31."
    return Pair("number of blocks", why, ADD_REMOVE, rows, rows[1:])


def shifted_slices(n: int, d: int) -> Pair:
    """In blocks of two: alike within a block, until the first row goes and shifts them all."""
    low, high = corner(d, -1), corner(d)
    even = np.tile(np.concatenate([low, low, high, high]), (n // 4, 1))
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


def farthest_row(n: int, d: int) -> Pair:
    """All rows near the middle, but for one in a corner; or that one too."""
    rows = np.repeat(0.001 * corner(d), n, axis=0)
    why = "The length of the longest row is that of the one that is replaced."
    return Pair("farthest row", why, REPLACE_ONE, np.concatenate([rows[1:], corner(d)]), rows)


#: Pairs that an algorithm's own proof, or what is wrong with it, calls worst.
NAMED: Mapping[str, Callable[[int, int], Pair]] = {
    "number of blocks": number_of_blocks,
    "shifted slices": shifted_slices,
    "farthest row": farthest_row,
}


def anywhere(d: int, neighbors: Neighbors) -> Pair:
    """A row more, or elsewhere, in no special place, among rows of which two lie in each."""
    rows = scattered(SWEPT_ROWS, d)
    here, there = scattered(2, d, 0.8)[:, None]
    one = np.concatenate([rows, here])
    other = rows if neighbors is ADD_REMOVE else np.concatenate([rows, there])
    what = "anywhere" if neighbors is ADD_REMOVE else "elsewhere"
    why = "A row in no special place, in as many dimensions as there may be."
    return Pair(f"{what} in {d}-D", why, neighbors, one, other)


def rows_of_a_person(d: int) -> Pair:
    """All rows that are kept of one person, each of which a run pays for (release.contribution)."""
    crowd = np.repeat(0.001 * corner(d), 48, axis=0)
    own = np.concatenate([corner(d), 0.5 * corner(d), corner(d, -1)])
    why = "A person's rows, as many as are kept of anybody, with a run that pays for each."
    return Pair(
        "rows of a person", why, ADD_REMOVE, np.concatenate([crowd, own]), crowd, rows=len(own)
    )


#: Two halves of the square, with borders coarse enough to be quick.
HALVES = Regions(Box.cube(2), ("west", "east"), np.repeat(np.arange(16) // 8, 16).reshape(16, 16))


def quiet_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    why = "An extreme row in a region with a lower level than the rest of the map."
    one = np.concatenate([rows, low])
    return Pair("in a quiet region", why, ADD_REMOVE, one, rows, cells_per_side=64)


def loud_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    why = "An extreme row in the rest of the map, beside a region with a lower level."
    one = np.concatenate([rows, high])
    return Pair("in the rest of the map", why, ADD_REMOVE, one, rows, cells_per_side=64)


def within_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    one, other = np.concatenate([rows, low]), np.concatenate([rows, low * [[0.1, -1]]])
    why = "A row that moves within a region is one row less and one more there."
    return Pair("within a quiet region", why, REPLACE_ONE, one, other, cells_per_side=64)


def region_to_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    one, other = np.concatenate([rows, low]), np.concatenate([rows, high])
    why = "A row that moves costs the levels of the region it leaves and of the one it enters."
    return Pair("from region to region", why, REPLACE_ONE, one, other, cells_per_side=64)


def person_in_two_regions() -> Pair:
    low, high = corner(2, -1), corner(2)
    crowd = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    own = np.concatenate([low, high])
    why = "A person with a row in each region costs the mean of both levels."
    one = np.concatenate([crowd, own])
    return Pair("in two regions", why, ADD_REMOVE, one, crowd, cells_per_side=64, rows=len(own))


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
    #: Where replays say all that there is to say.
    most_runs: int | None = None

    @property
    def relation(self) -> Neighbors:
        return self.neighbors or self.pair.neighbors

    @property
    def moves(self) -> int:
        """How many steps from neighbor to neighbor the pair is apart, by the relation of the run:
        under add-remove, and in the runs on regions, a row that is replaced is one removed and one
        added."""
        two_steps = self.relation is ADD_REMOVE or self.levels
        replaced = self.pair.neighbors is REPLACE_ONE and two_steps
        return self.pair.rows * (2 if replaced else 1)

    @property
    def allowed(self) -> float:
        """What questions that the pair moves may be asked for in all: each of its rows may be in
        a part of its own, and under levels the claim says what they come to."""
        return self.epsilon if self.levels else (self.spends or self.epsilon) * self.moves

    @property
    def regions(self) -> Regions | None:
        return HALVES.with_levels(self.levels) if self.levels else None

    @property
    def words(self) -> str:
        at_delta = f", delta {self.delta:g}" if self.delta else ""
        usual = get(self.algorithm).audit.settings if self.algorithm in ALGORITHMS else {}
        own = "".join(
            f", {name} {value}" for name, value in self.parameters.items() if name not in usual
        )
        for_k = f", k {self.k}" if self.k > 2 else ""
        return f"{self.algorithm}, {self.pair.key}, epsilon {self.epsilon:g}{at_delta}{for_k}{own}"


DELTA = 1e-6
#: Pairs with the most to tell, which are tried at a large epsilon too.
TELLING_PAIRS = ("lone row", "corner to corner")
#: Dimension and number of centers: the first that an algorithm supports are taken.
SHAPES = ((2, 2), (2, 1), (3, 2), (8, 2))
#: Dimensions in which replays look for what depends on them, and the numbers of centers there.
SWEPT, CENTERS = (1, 2, 3, 4, 5, 6, 7, 8, 20), (3, 1, 2)
#: Replays tell what one run can tell: more runs would tell it again.
REPLAYS = 16


def cases_of(algorithm: Algorithm) -> Iterator[Case]:
    """Every relation, pair and epsilon of one algorithm."""
    d, k = next(shape for shape in SHAPES if algorithm.supports(shape[0], 100, shape[1]))
    hints = algorithm.audit
    usual, large = hints.epsilons
    deltas = (0.0, DELTA) if algorithm.uses_delta else (0.0,)
    for epsilon, delta in [(usual, 0.0), (large, 0.0), *[(usual, delta) for delta in deltas[1:]]]:
        for pair in pairs(d, epsilon):
            telling = epsilon == usual or pair.key in TELLING_PAIRS
            if telling and pair.neighbors in algorithm.relations:
                yield _case(algorithm, pair, epsilon, delta, k)
    for room in hints.rooms:
        for delta in deltas:
            for pair in _filling(room, algorithm.relations):
                centers = next(n for n in (room.k, 1) if algorithm.supports(room.d, 100, n))
                case = _case(algorithm, pair, room.epsilon or usual, delta, centers)
                settings = {**case.parameters, **room.settings}
                yield replace(case, parameters=settings, most_runs=room.runs)
    yield from _swept(algorithm, usual, large, deltas)
    if ADD_REMOVE in algorithm.relations:
        pair = rows_of_a_person(d)
        yield replace(_case(algorithm, pair, usual, 0.0, k), spends=usual / pair.rows)
    if isinstance(algorithm, SynopsisAlgorithm):
        for pair, claim in (
            (quiet_region(), usual),
            (region_to_region(), usual + large),
            (within_region(), 2 * usual),
            (loud_region(), large),
        ):
            case = _case(algorithm, pair, claim, 0.0, k)
            if claim == large:
                case = replace(case, parameters={**case.parameters, **hints.regional})
            yield replace(case, neighbors=ADD_REMOVE, levels={"west": usual}, spends=large)
        person = person_in_two_regions()
        case = _case(algorithm, person, (usual + large) / 2, 0.0, k)
        share = {"west": usual / person.rows}
        yield replace(case, levels=share, spends=large / person.rows)
        for pair, claim in ((region_to_region(), (usual + large) / 2), (within_region(), usual)):
            case = _case(algorithm, pair, claim, 0.0, k)
            yield replace(case, levels={"west": usual}, spends=large)


def _filling(room: Room, relations: Sequence[Neighbors]) -> Iterator[Pair]:
    """The pairs that fill a room."""
    if room.pair in NAMED:
        yield NAMED[room.pair](room.rows, room.d)
        return
    for neighbors in relations:
        yield one_among(room.rows, room.d, neighbors)


def _swept(
    algorithm: Algorithm, usual: float, large: float, deltas: Sequence[float]
) -> Iterator[Case]:
    """One row anywhere in data of every dimension, for some numbers of centers."""
    for place, d in enumerate(SWEPT):
        wanted = CENTERS[place % len(CENTERS)]
        k = next((k for k in (wanted, 1) if algorithm.supports(d, SWEPT_ROWS, k)), None)
        for neighbors in algorithm.relations if k else ():
            for delta in deltas:
                epsilon = usual if (place + (neighbors is ADD_REMOVE)) % 2 else large
                pair = anywhere(d, neighbors)
                case = _case(algorithm, pair, epsilon, delta, k or 1)
                yield replace(case, most_runs=REPLAYS)
                if d == 2:
                    counted = replace(pair, key=f"{pair.key}, counted", cells_per_side=64)
                    yield replace(case, pair=counted, most_runs=REPLAYS)


def _case(algorithm: Algorithm, pair: Pair, epsilon: float, delta: float, k: int) -> Case:
    hints = algorithm.audit
    if hints.counts_first and pair.d == 2 and not pair.is_about_order:
        pair = replace(pair, cells_per_side=64)
    known = not hints.own_noise
    return Case(
        algorithm.key,
        pair,
        epsilon,
        delta,
        k,
        hints.settings,
        coins_known=known,
        replayable=known,
    )


def table() -> list[Case]:
    """All that is audited."""
    return [case for algorithm in ALGORITHMS.values() for case in cases_of(algorithm)]
