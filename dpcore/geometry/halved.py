"""Cells that come of halving the box again and again, along one coordinate after the other.

A cell of level l has been halved l times: along the first coordinate, the second, and so on, then
the first again. Its code holds one bit for each halving, so that the cells lie along a curve, the
parts of a cell follow each other, and a cell is an interval of any finer level.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from dpcore.geometry.domain import (
    LATTICE_BITS,
    LATTICE_CELLS,
    TICKS,
    FloatArray,
    IntArray,
    Partition,
)
from dpcore.geometry.dyadic import CurveCells, DyadicCells

#: Bits of a code.
MOST_HALVINGS = 62


def most_halvings(d: int) -> int:
    """The level of the smallest cells in d dimensions: those of the lattice, or of a code."""
    return min(MOST_HALVINGS, LATTICE_BITS * d)


def curve_codes(ticks: IntArray, level: int) -> IntArray:
    """The cell of that level of each position (m, d), as its code."""
    d = ticks.shape[-1]
    lattice = np.minimum((ticks.astype(np.int64) + TICKS) // 2, LATTICE_CELLS - 1)
    codes = np.zeros(len(lattice), dtype=np.int64)
    for halving in range(level):
        place = LATTICE_BITS - 1 - halving // d
        codes = codes << 1 | lattice[:, halving % d] >> place & 1
    return codes


@dataclass(frozen=True, eq=False)
class HalvedCells(CurveCells):
    """Some disjoint cells of a d-dimensional box, in the order of the curve."""

    #: Halvings from one level to the next, each of them one bit of a code.
    bits: ClassVar[int] = 1

    d: int
    #: How often each was halved; 0 is the whole box.
    levels: IntArray
    #: Which of the 2**level cells of its level each is.
    codes: IntArray

    def __post_init__(self) -> None:
        if self.levels.shape != self.codes.shape or self.levels.ndim != 1:
            raise ValueError(
                f"One level for each cell, not {self.levels.shape} for {self.codes.shape}."
            )
        most = most_halvings(self.d)
        if np.any((self.levels < 0) | (self.levels > most)):
            raise ValueError(f"Levels go from 0 to {most}.")
        if np.any((self.codes < 0) | (self.codes >> self.levels > 0)):
            raise ValueError("A level l has the cells 0 to 2**l - 1.")
        first, last = self.intervals(self.deepest)
        if np.any(first[1:] < last[:-1]):
            raise ValueError("Halved cells must be disjoint and in the order of the curve.")

    @classmethod
    def uniform(cls, d: int, level: int) -> Self:
        """All cells of a level."""
        codes = np.arange(1 << level)
        return cls(d, np.full(codes.shape, level), codes)

    def others(self, levels: IntArray, codes: IntArray) -> Self:
        """Other cells of the same box."""
        return type(self)(self.d, levels, codes)

    def labels(self, ticks: IntArray) -> IntArray:
        """The cell of each position (m, d), or -1 for positions in none."""
        code = curve_codes(np.asarray(ticks), self.deepest)
        return self.holding(code, self.deepest)

    def corners(self) -> tuple[FloatArray, FloatArray]:
        """The lowest corners of the cells and the lengths of their sides, in unit coordinates."""
        low = np.zeros((self.n_cells, self.d))
        side = np.full((self.n_cells, self.d), 2.0)
        for halving in range(self.deepest):
            here = self.levels > halving
            axis = halving % self.d
            side[here, axis] /= 2
            upper = self.codes[here] >> (self.levels[here] - 1 - halving) & 1
            low[here, axis] += upper * side[here, axis]
        return low - 1.0, side

    def centers(self) -> FloatArray:
        """Centers of the cells in unit coordinates, (n_cells, d)."""
        low, side = self.corners()
        return low + side / 2


def as_squares(partition: Partition) -> Partition:
    """The same cells as squares of a map where they are, which data sets count at once."""
    if not isinstance(partition, HalvedCells) or partition.d != 2 or (partition.levels % 2).any():
        return partition
    return DyadicCells(partition.levels // 2, partition.codes)
