"""How many rows lie in boxes around public centers: what paper 004's SMALL-BALL chooses by.

A box of half-width r around a cell holds the cells at most r away from it along every axis, as
far as they lie in the grid. All counts come from one summed-area table (section 4.3).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.domain import FloatArray, Grid, IntArray

#: Rows of cells whose boxes are counted at a time, so that the counts stay in the cache.
STRIP = 32


def half_widths(cells_per_side: int, least: int = 0) -> tuple[int, ...]:
    """Cells from the middle of a box to its edge: from `least` to half the grid, each about
    sqrt(2) times the one before."""
    powers = (round(2 ** (step / 2)) for step in itertools.count())
    wide = itertools.takewhile(lambda r: r <= cells_per_side / 2, powers)
    return tuple(sorted({least, *(r for r in wide if r >= least)}))


def summed_area(counts: IntArray) -> IntArray:
    """The rows before each corner of the grid: one entry more along each axis than cells."""
    table = np.zeros([side + 1 for side in counts.shape], dtype=np.int64)
    inner = table[(slice(1, None),) * counts.ndim]
    np.cumsum(counts, axis=-1, out=inner)
    # Adding layer to layer is ten times faster than cumsum along an outer axis.
    for axis in range(counts.ndim - 1):
        for before, layer in itertools.pairwise(np.moveaxis(inner, axis, 0)):
            layer += before
    return table


def box_counts(table: IntArray, radius: int, centers: IntArray) -> IntArray:
    """Rows in the box around every cell whose index along each axis is one of `centers`."""
    low = np.maximum(centers - radius, 0)
    high = np.minimum(centers + radius + 1, len(table) - 1)
    for _ in range(table.ndim):
        table = np.moveaxis(table.take(high, axis=0) - table.take(low, axis=0), 0, -1)
    return table


def strips(table: IntArray, radius: int) -> Iterator[tuple[slice, IntArray]]:
    """Rows in the box around every cell of a square grid, some rows of cells at a time."""
    side = len(table) - 1
    radius = min(radius, side)
    for start in range(0, side, STRIP):
        row = np.arange(start, min(start + STRIP, side))
        band = table[np.minimum(row + radius + 1, side)] - table[np.maximum(row - radius, 0)]
        counts = np.empty((len(row), side), dtype=np.int64)
        counts[:, : side - radius] = band[:, radius + 1 :]
        counts[:, side - radius :] = band[:, side:]
        counts[:, radius:] -= band[:, : side - radius]
        yield slice(start, start + len(row)), counts


@dataclass(frozen=True)
class Ladder:
    """Public candidates for a small ball on a grid: boxes of every half-width.

    Wide boxes have fewer centers, a quarter of the half-width apart.
    """

    cells_per_side: int
    d: int

    @cached_property
    def radii(self) -> tuple[int, ...]:
        return half_widths(self.cells_per_side)

    @cached_property
    def axes(self) -> tuple[IntArray, ...]:
        """Where the boxes of each half-width have their centers, along any axis."""
        strides = [max(1, radius // 4) for radius in self.radii]
        return tuple(np.arange(s // 2, self.cells_per_side, s) for s in strides)

    @cached_property
    def ends(self) -> IntArray:
        """Candidates up to and including each half-width."""
        return np.cumsum([len(axis) ** self.d for axis in self.axes])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def counts(self, totals: IntArray) -> IntArray:
        """Rows in every box, from the rows in every cell."""
        table = summed_area(totals.reshape((self.cells_per_side,) * self.d))
        boxes = zip(self.radii, self.axes, strict=True)
        return np.concatenate([box_counts(table, *box).ravel() for box in boxes])

    def log_prior(self, penalty: float) -> FloatArray:
        """Every half-width is as likely as the next narrower one times e^-penalty."""
        sizes = np.diff(self.ends, prepend=0)
        return np.repeat(-np.log(sizes) - penalty * np.arange(len(sizes)), sizes)

    def box(self, index: int) -> tuple[FloatArray, float]:
        """Center and half-width of a candidate, in unit coordinates."""
        level = int(np.searchsorted(self.ends, index, side="right"))
        axis = self.axes[level]
        within = index - (int(self.ends[level - 1]) if level else 0)
        cell = axis[np.array(np.unravel_index(within, (len(axis),) * self.d))]
        g = self.cells_per_side
        return (2 * cell + 1 - g) / g, (2 * self.radii[level] + 1) / g


@dataclass(frozen=True)
class BoxCounts:
    """Rows in each box of a ladder, but no more than a public cap.

    A row lies in a box or not: added, it raises a count by at most 1; replaced, it leaves one box
    and enters another, and no count moves by more than 1. A cap brings numbers no further apart.
    """

    ladder: Ladder
    cap: int
    sensitivity = 1
    monotone = True

    def of(self, dataset: Dataset) -> IntArray:
        totals = dataset.histogram(Grid(dataset.box, self.ladder.cells_per_side))
        counts = self.ladder.counts(totals)
        return np.minimum(counts, self.cap, out=counts)


@dataclass(frozen=True)
class CenterCounts:
    """Rows in the box of one half-width around each cell of a square grid, in C order.

    Sensitivity 1, and monotone, as for `BoxCounts`.
    """

    cells_per_side: int
    radius: int
    sensitivity = 1
    monotone = True

    def of(self, dataset: Dataset) -> IntArray:
        side = self.cells_per_side
        counts = np.empty((side, side), dtype=np.int64)
        for rows, strip in strips(_table(dataset, side), self.radius):
            counts[rows] = strip
        return counts.ravel()


@dataclass(frozen=True)
class GoodRadius:
    """How well each half-width is the least one whose best box holds t rows (paper 004, 4.2).

    Q(r) = min(t - M(r'), M(r) - t), where r' is the half-width before r, and M(r) the most rows in
    any box of half-width r around a cell of the grid, or t if that is more. One row, added or
    replaced, moves every box's count by at most 1, hence their maximum, hence both sides of Q:
    sensitivity 1, but not monotone, as M(r') and M(r) push Q apart.

    The paper's L(r), an average over boxes around data, has sensitivity 2 - 2/t
    (`dpcore.small_ball`).
    """

    cells_per_side: int
    radii: tuple[int, ...]
    t: int
    sensitivity = 1
    monotone = False

    def of(self, dataset: Dataset) -> IntArray:
        table = _table(dataset, self.cells_per_side)
        most = np.full(len(self.radii) + 1, self.t, dtype=np.int64)
        most[0] = 0
        for j, radius in enumerate(self.radii, start=1):
            rows = max(int(counts.max()) for _, counts in strips(table, radius))
            if rows >= self.t:
                break
            most[j] = rows
        return np.minimum(self.t - most[:-1], most[1:] - self.t)


def _table(dataset: Dataset, side: int) -> IntArray:
    return summed_area(dataset.histogram(Grid(dataset.box, side)).reshape(side, side))
