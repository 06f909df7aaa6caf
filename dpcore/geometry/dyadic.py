"""Dyadic cells of a square map: halved again and again along both coordinates.

A cell of level l is one of the 4**l equal squares of the box. It is named by its place on the
Z-shaped curve through them (Morton order), on which the parts of a cell follow each other. So a
cell is an interval of any finer level, its rows are a difference of two cumulative counts, and
cells are disjoint if each ends before the next begins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import LATTICE_BITS, LATTICE_CELLS, TICKS, FloatArray, IntArray

_SHIFTS = (16, 8, 4, 2, 1)
_MASKS = (
    0x00000000FFFFFFFF,
    0x0000FFFF0000FFFF,
    0x00FF00FF00FF00FF,
    0x0F0F0F0F0F0F0F0F,
    0x3333333333333333,
    0x5555555555555555,
)


def interleaved(i0: npt.ArrayLike, i1: npt.ArrayLike) -> IntArray:
    """The Morton code of each cell: the bits of its two indices, one of each in turn."""
    return _spread(i0) << 1 | _spread(i1)


def deinterleaved(codes: IntArray) -> tuple[IntArray, IntArray]:
    """The two indices of each cell, from its Morton code."""
    first, second = _gathered(np.stack([codes >> 1, codes]))
    return first, second


def _spread(index: npt.ArrayLike) -> IntArray:
    """Every bit moved to twice its place."""
    bits = np.asarray(index, dtype=np.int64)
    for shift, mask in zip(_SHIFTS, _MASKS[1:], strict=True):
        bits = (bits | bits << shift) & mask
    return bits


def _gathered(code: IntArray) -> IntArray:
    """Every second bit moved back to half its place."""
    bits = code & _MASKS[-1]
    for shift, mask in zip(_SHIFTS[::-1], _MASKS[-2::-1], strict=True):
        bits = (bits | bits >> shift) & mask
    return bits


@dataclass(frozen=True, eq=False)
class DyadicCells:
    """Some disjoint dyadic cells of a two-dimensional box, in Morton order."""

    d: ClassVar[int] = 2
    #: Halvings from one level to the next, each of them one bit of a code.
    bits: ClassVar[int] = 2

    #: 0 is the whole box, LATTICE_BITS a single cell of the lattice.
    levels: IntArray
    #: Which of the 4**level cells of its level each is.
    codes: IntArray

    def __post_init__(self) -> None:
        levels, codes = self.levels, self.codes
        if levels.shape != codes.shape or levels.ndim != 1:
            raise ValueError(f"One level for each cell, not {levels.shape} for {codes.shape}.")
        if np.any((levels < 0) | (levels > LATTICE_BITS)):
            raise ValueError(f"Levels go from 0 to {LATTICE_BITS}.")
        if np.any((codes < 0) | (codes >> 2 * levels > 0)):
            raise ValueError("A level l has the cells 0 to 4**l - 1.")
        first, last = self.intervals(LATTICE_BITS)
        if np.any(first[1:] < last[:-1]):
            raise ValueError("Dyadic cells must be disjoint and in Morton order.")

    @classmethod
    def uniform(cls, level: int) -> Self:
        """All cells of a level."""
        codes = np.arange(1 << 2 * level)
        return cls(np.full(codes.shape, level), codes)

    def others(self, levels: IntArray, codes: IntArray) -> DyadicCells:
        """Other cells of the same box."""
        return DyadicCells(levels, codes)

    @property
    def n_cells(self) -> int:
        return len(self.codes)

    @property
    def deepest(self) -> int:
        """The level of the smallest cell."""
        return int(self.levels.max(initial=0))

    def intervals(self, level: int) -> tuple[IntArray, IntArray]:
        """First cell, and one past the last, that each consists of at a level no less deep."""
        shift = 2 * (level - self.levels)
        return self.codes << shift, (self.codes + 1) << shift

    def labels(self, ticks: IntArray) -> IntArray:
        """The cell of each position (m, 2), or -1 for positions in none."""
        lattice = np.minimum((np.asarray(ticks) + TICKS) // 2, LATTICE_CELLS - 1)
        code = interleaved(lattice[..., 0], lattice[..., 1])
        first, last = self.intervals(LATTICE_BITS)
        label = np.searchsorted(first, code, side="right") - 1
        inside = (label >= 0) & (code < np.append(last, 0)[label])
        return np.where(inside, label, -1)

    def split(self, which: IntArray, deeper: IntArray) -> tuple[DyadicCells, IntArray]:
        """The cells at some indices, in order, each cut into 4**deeper; and whose part each is."""
        parts = 1 << 2 * deeper
        parent = np.repeat(which, parts)
        offset = np.arange(len(parent)) - np.repeat(np.cumsum(parts) - parts, parts)
        codes = (self.codes[which] << 2 * deeper).repeat(parts) + offset
        return DyadicCells((self.levels[which] + deeper).repeat(parts), codes), parent

    def corners(self) -> tuple[FloatArray, FloatArray]:
        """The lowest corners of the cells and the lengths of their sides, in unit coordinates."""
        side = np.repeat(2.0 / (1 << self.levels)[:, None], 2, axis=1)
        return self.centers() - side / 2, side

    def centers(self) -> FloatArray:
        """Centers of the cells in unit coordinates, (n_cells, 2)."""
        indices = np.stack(deinterleaved(self.codes), axis=1)
        return (2 * indices + 1) / (1 << self.levels)[:, None] - 1.0
