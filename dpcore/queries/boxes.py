"""Counts of rows in boxes around public centers, by which SMALL-BALL chooses.

A box of half-width r around a cell holds the cells at most r away from it along every axis, as
far as they lie in the grid. All counts come from one summed-area table (Feldman et
al. 2017, section 4.3).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray, Grid, IntArray

#: Tiles a side in which a square grid is looked through.
TILES = 128
#: Rows of cells whose boxes are counted at a time, so that the counts stay in the cache.
STRIP = 32
#: Counts saturate here, which keeps a million of them small.
LARGEST_COUNT = 2**31 - 1


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


def box_counts(table: IntArray, radius: int, stride: int = 1) -> IntArray:
    """Rows in the box around every stride-th cell along each axis, from a summed-area table."""
    for axis in range(table.ndim - 1):
        low, high = box_ends(table.shape[axis] - 1, radius, stride)
        table = table.take(high, axis=axis) - table.take(low, axis=axis)
    return along_last_axis(table, radius)[..., stride // 2 :: stride]


def box_ends(side: int, radius: int, stride: int = 1) -> tuple[IntArray, IntArray]:
    """First and one-past-last cell, along an axis, of the boxes around every stride-th cell."""
    centers = np.arange(stride // 2, side, stride)
    return np.maximum(centers - radius, 0), np.minimum(centers + radius + 1, side)


def along_last_axis(table: IntArray, radius: int) -> IntArray:
    """The counts between the ends of the boxes around every cell, along the last axis."""
    side = table.shape[-1] - 1
    r = min(radius, side // 2)
    if r < radius:
        low, high = box_ends(side, radius)
        return table[..., high] - table[..., low]
    counts = np.empty((*table.shape[:-1], side), dtype=table.dtype)
    np.subtract(table[..., r + 1 : 2 * r + 1], table[..., :1], out=counts[..., :r])
    np.subtract(table[..., 2 * r + 1 :], table[..., : side - 2 * r], out=counts[..., r : side - r])
    last = table[..., side - 2 * r : side - r]
    np.subtract(table[..., side:], last, out=counts[..., side - r :])
    return counts


def strip(table: IntArray, radius: int, first: int, end: int) -> IntArray:
    """Rows in the box around every cell of some rows of cells of a square grid."""
    low, high = (ends[first:end] for ends in box_ends(len(table) - 1, radius))
    return along_last_axis(_layers(table, high) - _layers(table, low), radius)


def _layers(table: IntArray, index: IntArray) -> IntArray:
    """Some rows of a table: a view, where they follow each other."""
    if index[-1] - index[0] == len(index) - 1:
        return table[index[0] : index[-1] + 1]
    return table[index]


def most_rows(table: IntArray, radius: int) -> int:
    """The most rows in the box of one half-width around any cell of a square grid.

    Boxes around the cells of a tile lie in one box of tiles, counted from every `size`-th entry of
    the table. Where such bounds do not exceed what has been found, no box is counted.
    """
    side = len(table) - 1
    size = max(1, side // TILES)
    bounds = box_counts(table[::size, ::size], -(-radius // size)).max(axis=1)
    most = 0
    for row in np.argsort(-bounds):
        if bounds[row] <= most:
            break
        most = max(most, int(strip(table, radius, row * size, (row + 1) * size).max()))
    return most


@dataclass(frozen=True)
class Ladder:
    """Public candidates for a small ball on a grid: boxes of every half-width.

    Wide boxes have fewer centers, half of the half-width apart.
    """

    cells_per_side: int
    d: int

    @cached_property
    def radii(self) -> tuple[int, ...]:
        return half_widths(self.cells_per_side)

    @cached_property
    def strides(self) -> tuple[int, ...]:
        """From each center to the next along an axis, for each half-width."""
        return tuple(max(1, radius // 2) for radius in self.radii)

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """Centers along an axis, for each half-width."""
        return tuple(len(range(s // 2, self.cells_per_side, s)) for s in self.strides)

    @cached_property
    def ends(self) -> IntArray:
        """Candidates up to and including each half-width."""
        return np.cumsum([side**self.d for side in self.sides])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def counts(self, totals: IntArray) -> IntArray:
        """Rows in every box, from the rows in every cell."""
        table = summed_area(totals.reshape((self.cells_per_side,) * self.d))
        counts = np.empty(len(self), dtype=np.int64)
        for end, side, radius, stride in zip(
            self.ends, self.sides, self.radii, self.strides, strict=True
        ):
            level = counts[end - side**self.d : end].reshape((side,) * self.d)
            level[:] = box_counts(table, radius, stride)
        return counts

    def log_prior(self, penalty: float) -> FloatArray:
        """Every half-width is as likely as the next narrower one times e^-penalty."""
        sizes = np.diff(self.ends, prepend=0)
        return np.repeat(-np.log(sizes) - penalty * np.arange(len(sizes)), sizes)

    def box(self, index: int) -> tuple[FloatArray, float]:
        """Center and half-width of a candidate, in unit coordinates."""
        level = int(np.searchsorted(self.ends, index, side="right"))
        side, stride = self.sides[level], self.strides[level]
        place = np.unravel_index(index - self.ends[level] + side**self.d, (side,) * self.d)
        cell = np.array(place) * stride + stride // 2
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
        table = _table(dataset, side)
        counts: npt.NDArray[Any] = np.empty((side, side), dtype=np.int32)
        for start in range(0, side, STRIP):
            end = min(start + STRIP, side)
            counts[start:end] = np.minimum(strip(table, self.radius, start, end), LARGEST_COUNT)
        return counts.ravel()


@dataclass(frozen=True)
class GoodRadius:
    """Near 0 for the half-width at which the fullest box comes to hold t rows, less for others.

    Q(r) = min(t - M(r'), M(r) - t), after GOOD-RADIUS (Feldman et al. 2017, section 4.1), where
    r' is the half-width before r, and M(r) the most rows in any box of half-width r around a cell,
    or 2t if that is more. One row, added or replaced, moves every box's count by at most 1, hence
    their maximum, hence both sides of Q: sensitivity 1, but not monotone, as M(r') and M(r) push Q
    apart.

    The paper's L(r), an average over boxes around data, has sensitivity 2 - 2/t
    (`dpcore.algorithms._small_ball`). It is capped at t, so that Q is no less for boxes far too
    wide; the paper adds a term Delta to the second side, out of RecConcave's constants. With room
    above t the two sides tell by themselves.
    """

    cells_per_side: int
    radii: tuple[int, ...]
    t: int
    sensitivity = 1
    monotone = False

    def of(self, dataset: Dataset) -> IntArray:
        table = _table(dataset, self.cells_per_side)
        cap = 2 * self.t
        most = np.full(len(self.radii) + 1, cap, dtype=np.int64)
        most[0] = 0
        for j, radius in enumerate(self.radii, start=1):
            rows = most_rows(table, radius)
            if rows >= cap:
                break
            most[j] = rows
        return np.minimum(self.t - most[:-1], most[1:] - self.t)


def _table(dataset: Dataset, side: int) -> IntArray:
    return summed_area(dataset.histogram(Grid(dataset.box, side)).reshape(side, side))
