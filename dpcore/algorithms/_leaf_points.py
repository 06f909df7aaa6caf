"""The points of a coreset in the leaves of trees of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.geometry.dyadic import DyadicCells, deinterleaved

#: Slopes are read off a raster no finer than 512 x 512.
RASTER_LEVEL = 9
#: A point moves from the middle of its cell by at most this part of the side.
LARGEST_MOVE = 0.3


class WeighedLeaves(NamedTuple):
    """The leaves of a tree, and what is known of them."""

    cells: DyadicCells
    weights: FloatArray
    #: Of the noise that the whole budget would buy.
    scale: float
    #: Cells of this level are single places.
    finest: int

    @property
    def top(self) -> int:
        """The level of the raster."""
        return min(RASTER_LEVEL, self.cells.deepest)


def leaf_points(trees: Sequence[WeighedLeaves]) -> list[FloatArray]:
    """One point for each leaf of each tree, (m, 2), moved from its center along the slope of the
    density.

    A density that is linear across three equal squares with masses a, x, b has its mean in the
    middle one at (b - a) / 24x of its side; x is raised by the noise's scale, so that what may be
    noise moves little. A cell of the finest level is a single place and keeps its center.
    """
    points_of_trees: list[FloatArray] = [np.empty((0, 2))] * len(trees)
    for group in _alike(trees):
        ends = np.cumsum([trees[i].cells.n_cells for i in group])[:-1]
        for i, points in zip(
            group, np.split(_points([trees[i] for i in group]), ends), strict=True
        ):
            points_of_trees[i] = points
    return points_of_trees


def _alike(trees: Sequence[WeighedLeaves]) -> Iterator[list[int]]:
    """Trees with rasters of one level, as many as have no more cells than the finest raster."""
    by_level: dict[int, list[int]] = {}
    for i, tree in enumerate(trees):
        by_level.setdefault(tree.top, []).append(i)
    for level, group in by_level.items():
        most = 1 << 2 * (RASTER_LEVEL - level)
        for first in range(0, len(group), most):
            yield group[first : first + most]


def _points(trees: Sequence[WeighedLeaves]) -> FloatArray:
    """The points of trees with rasters of one level, one tree after the other."""
    sizes = [each.cells.n_cells for each in trees]
    tree = np.repeat(np.arange(len(trees)), sizes)
    scale, finest = (
        np.repeat(column, sizes) for column in zip(*(e[2:] for e in trees), strict=True)
    )
    weights = np.concatenate([each.weights for each in trees])
    levels = np.concatenate([each.cells.levels for each in trees])
    i0, i1 = deinterleaved(np.concatenate([each.cells.codes for each in trees]))
    move = np.zeros((len(levels), 2))
    top = trees[0].top
    largest = min(top, int(levels.min(initial=top)))
    mass = _raster(tree, len(trees), levels, (i0, i1), weights, largest, top)
    for level in range(top, largest - 1, -1):
        here = np.flatnonzero((levels == level) & (levels < finest))
        if len(here):
            around = np.zeros((len(trees), mass.shape[1] + 2, mass.shape[2] + 2))
            around[:, 1:-1, 1:-1] = mass
            t, a, b = tree[here], i0[here], i1[here]
            slope0 = around[t, a + 2, b + 1] - around[t, a, b + 1]
            slope1 = around[t, a + 1, b + 2] - around[t, a + 1, b]
            steep = np.stack([slope0, slope1], axis=1)
            slope = steep / (24 * (weights[here] + scale[here]))[:, None]
            move[here] = np.clip(slope, -LARGEST_MOVE, LARGEST_MOVE)
        mass = mass[:, ::2, ::2] + mass[:, 1::2, ::2] + mass[:, ::2, 1::2] + mass[:, 1::2, 1::2]
    cells = (1 << levels)[:, None]
    return (2 * np.stack([i0, i1], axis=1) + 1) / cells - 1.0 + move * (2.0 / cells)


def _raster(
    tree: IntArray,
    trees: int,
    levels: IntArray,
    indices: tuple[IntArray, IntArray],
    weights: FloatArray,
    largest: int,
    top: int,
) -> FloatArray:
    """The weights on all cells of the top level, for each tree; larger leaves, of which the largest
    are of that level, spread evenly over theirs."""
    i0, i1 = indices
    mass = np.zeros((trees, 1 << largest, 1 << largest))
    for level in range(largest, top + 1):
        side = 1 << level
        here = np.flatnonzero(levels == level if level < top else levels >= top)
        if level > largest:
            mass = np.repeat(np.repeat(mass / 4, 2, axis=1), 2, axis=2)
        if len(here):
            up = levels[here] - level
            cell = (tree[here] * side + (i0[here] >> up)) * side + (i1[here] >> up)
            mass = mass + np.bincount(cell, weights[here], mass.size).reshape(mass.shape)
    return mass
