"""Estimates of the rows in the leaves of a tree, from noisy counts alone.

Cells are asked in stages: those that stand out of the noise are cut into parts, and the parts
asked in the next stage. A cell's own count and the sum of its parts' then tell the same number
twice, and a sum of parts that cannot be negative tells more than the parts alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.geometry.dyadic import DyadicCells, deinterleaved

#: A cell of the first stage is kept if the answers after that put it so many standard deviations
#: above 0.
CERTAINTY = 1.0
#: Slopes are read off a raster no finer than 512 x 512.
RASTER_LEVEL = 9
#: A point moves from the middle of its cell by at most this part of the side.
LARGEST_MOVE = 0.3


@dataclass(frozen=True)
class TreeStage:
    """The cells of one round of questions, and what was answered."""

    cells: DyadicCells
    #: Which cell of the stage before each is a part of; -1 in the first stage.
    parent: IntArray
    counts: FloatArray
    #: Of the noise in every count.
    variance: float
    #: Cells that stand out of the noise. Only these are cut, and only these get a weight.
    alive: npt.NDArray[np.bool_]
    #: Whether its cells would have been smaller, but for the most that are asked at a time.
    held_back: bool = False


def weighed_leaves(stages: Sequence[TreeStage]) -> tuple[DyadicCells, FloatArray, FloatArray]:
    """The smallest live cells, how many rows each is estimated to hold (more than 0), and the
    variance of the noise in its own count.

    The sum over any leaves varies no more than the sum of their own counts: estimates that weigh
    all counts by inverse variance have the least variance of all linear ones (Gauss and Markov).

    The estimate of a live cell of the first stage is final, unless the cell was alive by chance.
    It is handed down among its live parts, and so on. Where no part is alive, the cell itself is a
    leaf.
    """
    estimates = _fused(stages)
    weights = np.where(_confirmed(stages, estimates), estimates[0][0], 0)
    levels, codes, found, variances = [], [], [], []
    for t, stage in enumerate(stages):
        leaf = weights > 0
        if t + 1 < len(stages):
            below = stages[t + 1]
            parts = _handed_down(weights, below.parent, below.alive, *estimates[t + 1])
            leaf[below.parent[parts > 0]] = False
        levels.append(stage.cells.levels[leaf])
        codes.append(stage.cells.codes[leaf])
        found.append(weights[leaf])
        variances.append(np.full(np.count_nonzero(leaf), stage.variance))
        if t + 1 < len(stages):
            weights = parts
    level, code = np.concatenate(levels), np.concatenate(codes)
    order = np.argsort(code << 2 * (level.max(initial=0) - level), kind="stable")
    leaves = DyadicCells(level[order], code[order])
    return leaves, np.concatenate(found)[order], np.concatenate(variances)[order]


def _confirmed(
    stages: Sequence[TreeStage], estimates: Sequence[tuple[FloatArray, FloatArray]]
) -> npt.NDArray[np.bool_]:
    """Live cells of the first stage, without those that were alive by chance.

    Live cells were chosen for counts that are high, so these cannot tell; what was asked of their
    parts later can. Where nothing was, the count has to do.
    """
    first = stages[0]
    counts, variances = first.counts, np.full(len(first.counts), first.variance)
    if len(stages) > 1:
        parent, n = stages[1].parent, len(counts)
        asked = np.bincount(parent, minlength=n) > 0
        counts, variances = (
            np.where(asked, np.bincount(parent, parts, n), own)
            for own, parts in zip((counts, variances), estimates[1], strict=True)
        )
    return first.alive & (counts > CERTAINTY * np.sqrt(variances))


def _fused(stages: Sequence[TreeStage]) -> list[tuple[FloatArray, FloatArray]]:
    """The best linear estimate of every cell from its own count and all below, and its variance.

    From the last stage up: the mean of the own count and of the sum over all parts, the dead ones
    too, weighted by inverse variance.
    """
    estimates = [(s.counts, np.full(s.cells.n_cells, s.variance)) for s in stages]
    for t in range(len(stages) - 2, -1, -1):
        (own, variance), (parts, parts_variance) = estimates[t : t + 2]
        parent, n = stages[t + 1].parent, len(own)
        total = np.bincount(parent, parts, n)
        total_variance = np.bincount(parent, parts_variance, n)
        trust = np.where(total_variance > 0, variance / (variance + total_variance), 0)
        estimates[t] = own + trust * (total - own), variance * (1 - trust)
    return estimates


def _handed_down(
    weights: FloatArray,
    parent: IntArray,
    alive: npt.NDArray[np.bool_],
    estimates: FloatArray,
    variances: FloatArray,
) -> FloatArray:
    """Each cell's weight divided among its live parts: x = max(estimate - tau * variance, 0).

    That is the most likely division that adds up and has no negative part. tau, one for each
    cell, is found by leaving out the parts below 0 until there are none: Newton's method on a
    convex, piecewise linear function, which ends at its root.
    """
    parts = np.zeros(len(estimates))
    left = np.flatnonzero(alive & (weights[parent] > 0))
    while len(left):
        cell = parent[left]
        excess = np.bincount(cell, estimates[left], len(weights)) - weights
        variance = np.bincount(cell, variances[left], len(weights))
        tau = excess[cell] / variance[cell]
        value = estimates[left] - tau * variances[left]
        positive = value > 0
        if positive.all():
            parts[left] = value
            break
        left = left[positive]
    return parts


def leaf_points(leaves: DyadicCells, weights: FloatArray, scale: float, finest: int) -> FloatArray:
    """One point for each leaf, (m, 2), moved from its center along the slope of the density.

    A density that is linear across three equal squares with masses a, x, b has its mean in the
    middle one at (b - a) / 24x of its side; x is raised by the noise's scale, so that what may be
    noise moves little. A cell of the finest level is a single place and keeps its center.
    """
    i0, i1 = deinterleaved(leaves.codes)
    move = np.zeros((leaves.n_cells, 2))
    top = min(RASTER_LEVEL, leaves.deepest)
    mass = _raster(leaves.levels, i0, i1, weights, top)
    for level in range(top, -1, -1):
        here = np.flatnonzero((leaves.levels == level) & (leaves.levels < finest))
        if len(here):
            around = np.pad(mass, 1)
            a, b = i0[here], i1[here]
            slope0 = around[a + 2, b + 1] - around[a, b + 1]
            slope1 = around[a + 1, b + 2] - around[a + 1, b]
            slope = np.stack([slope0, slope1], axis=1) / (24 * (weights[here] + scale))[:, None]
            move[here] = np.clip(slope, -LARGEST_MOVE, LARGEST_MOVE)
        mass = mass[::2, ::2] + mass[1::2, ::2] + mass[::2, 1::2] + mass[1::2, 1::2]
    side = 2.0 / (1 << leaves.levels)
    return leaves.centers() + move * side[:, None]


def _raster(
    levels: IntArray, i0: IntArray, i1: IntArray, weights: FloatArray, top: int
) -> FloatArray:
    """The weights on all cells of the top level; larger leaves spread evenly over theirs."""
    mass = np.zeros((1, 1))
    for level in range(top + 1):
        side = 1 << level
        here = np.flatnonzero(levels == level if level < top else levels >= top)
        if level:
            mass = np.repeat(np.repeat(mass / 4, 2, axis=0), 2, axis=1)
        up = levels[here] - level
        cell = (i0[here] >> up) * side + (i1[here] >> up)
        mass = mass + np.bincount(cell, weights[here], side * side).reshape(side, side)
    return mass
