"""Pairs of neighboring data sets whose difference is hard to hide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.leveled_rows import LeveledRows
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
    #: The cells a side of the grid on which rows are counted; None to keep the rows themselves.
    cells_per_side: int | None = None
    #: Rows that were added, removed or replaced: those of one person.
    rows: int = 1
    #: The epsilon that each row has of its own, in both data sets, where rows have one.
    own: tuple[FloatArray, FloatArray] | None = None

    @property
    def d(self) -> int:
        return self.one.shape[1]

    @property
    def is_about_order(self) -> bool:
        """Whether the rows come in another order, which counts would not tell."""
        return "order" in self.key

    @cached_property
    def data(self) -> tuple[Dataset, Dataset]:
        if self.own is not None:
            both = zip((self.one, self.other), self.own, strict=True)
            one, other = (LeveledRows.with_levels(*each, Box.cube(self.d)) for each in both)
            return one, other
        return self._kept(self.one), self._kept(self.other)

    @cached_property
    def stranger(self) -> Dataset:
        """Quite other data, about which everybody may know the same: a run that has the same
        answers has to let out the same."""
        rows = len(self.one) if self.neighbors is REPLACE_ONE else 2 * len(self.one) + 7
        if self.own is not None:
            own = np.resize(np.unique(self.own[0]), rows)
            return LeveledRows.with_levels(scattered(rows, self.d, 0.7), own, Box.cube(self.d))
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
    """All rows near the middle except one in a corner, or all of them."""
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
