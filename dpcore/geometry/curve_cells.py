"""Disjoint cells along a curve, on which the parts of a cell follow each other.

So a cell is an interval of any finer level, and where a position lies is found by bisection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np

from dpcore.geometry.domain import IntArray


class CurveCells(ABC):
    """Some disjoint cells of a box, in the order of a curve."""

    #: Halvings from one level to the next, each of them one bit of a code.
    bits: ClassVar[int]
    #: The level of each cell; 0 is the whole box.
    levels: IntArray
    #: Its place among the cells of its level, along the curve.
    codes: IntArray

    @abstractmethod
    def others(self, levels: IntArray, codes: IntArray) -> Self:
        """Other cells of the same box."""

    @property
    def n_cells(self) -> int:
        return len(self.codes)

    @property
    def deepest(self) -> int:
        """The level of the smallest cell."""
        return int(self.levels.max(initial=0))

    def intervals(self, level: int) -> tuple[IntArray, IntArray]:
        """First cell, and one past the last, that each consists of at a level no less deep."""
        shift = self.bits * (level - self.levels)
        return self.codes << shift, (self.codes + 1) << shift

    def split(self, which: IntArray, deeper: IntArray) -> tuple[Self, IntArray]:
        """The cells at some indices, in order, each cut so many levels deeper; and whose part each
        is."""
        shift = self.bits * deeper
        parts = np.left_shift(1, shift)
        parent = np.repeat(which, parts)
        offset = np.arange(len(parent)) - np.repeat(np.cumsum(parts) - parts, parts)
        codes = (self.codes[which] << shift).repeat(parts) + offset
        return self.others((self.levels[which] + deeper).repeat(parts), codes), parent

    def holding(self, code: IntArray, level: int) -> IntArray:
        """The cell that holds each cell of a level, or -1 where none does."""
        first, last = self.intervals(level)
        label = np.searchsorted(first, code, side="right") - 1
        inside = (label >= 0) & (code < np.append(last, 0)[label])
        return np.where(inside, label, -1)
