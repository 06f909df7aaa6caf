"""What a tree of noisy counts says about the rows in its leaves. No data here, only answers.

Cells are asked in stages: those that stand out of the noise are cut into parts, and the parts
asked in the next stage. A cell's own count and the sum of its parts' then tell the same number
twice, and a sum of parts that cannot be negative tells more than the parts alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.geometry.dyadic import DyadicCells, deinterleaved

#: What it takes away from the odds of a cell that its number of rows might have been any: the log
#: of how many scales of noise such numbers are spread over. Before any number is known; and after
#: that, as a part of the mean of those above 0.
UNKNOWN_NUMBER, SPREAD = 2.5, 0.5
#: The share of cells that hold rows, near a cell, is read off its neighbors and as if there were so
#: many more of them with the share of the whole box.
NEIGHBORS_MORE = 2.0
#: Rounds in which shares and posterior odds are told from each other.
ROUNDS = 8
#: No share is taken for smaller than this part of a cell, nor for all but this part.
LEAST_SHARE = 0.25
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

    The estimate of a cell of the first stage that holds rows is final. It is handed down among its
    live parts, and so on. Where no part is alive, the cell itself is a leaf.
    """
    estimates = fused(stages)
    held = holding(stages)
    weights = np.where(held[0], np.maximum(estimates[0][0], 0), 0)
    levels, codes, found, variances = [], [], [], []
    for t, stage in enumerate(stages):
        leaf = weights > 0
        if t + 1 < len(stages):
            below = stages[t + 1]
            parts = _handed_down(weights, below.parent, held[t + 1], *estimates[t + 1])
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


def holding(stages: Sequence[TreeStage]) -> list[npt.NDArray[np.bool_]]:
    """The cells of each stage that more likely than not hold rows, by all answers.

    A cell that holds none is told by noise alone; any number of rows in one that does is as likely.
    The share of cells with rows, which is the prior, is that which their posterior odds come to,
    among all parts of a cell and among the 8 neighbors of each: points in empty country would take
    centers far from all rows, and a part beside full ones seldom is empty. A cell that was asked
    again as a whole holds rows if it did before.
    """
    estimates = fused(stages)
    held = []
    for t, stage in enumerate(stages):
        evidence = _evidence(stages, t, estimates)
        numbers = np.maximum(estimates[t][0], 0) / np.sqrt(estimates[t][1] / 2)
        kept = np.ones(stage.cells.n_cells, dtype=bool)
        if t:
            before = stages[t - 1].cells
            cuts = stage.cells.levels - before.levels[stage.parent]
            within = stage.cells.codes & (1 << 2 * cuts) - 1
        else:
            cuts, within = stage.cells.levels, stage.cells.codes
        for cut in np.unique(cuts[cuts > 0]).tolist():
            here = np.flatnonzero(cuts == cut)
            i0, i1 = deinterleaved(within[here])
            side = 1 << cut
            block = np.arange(len(here)) // side**2
            tables = np.empty((2, len(here) // side**2, side, side))
            tables[:, block, i0, i1] = evidence[here], numbers[here]
            kept[here] = _posterior(*tables)[block, i0, i1] > 0.5
        held.append(kept)
    return held


def _posterior(evidence: FloatArray, numbers: FloatArray) -> FloatArray:
    """The probability that each cell of some squares (squares, side, side) holds rows.

    `numbers` are the estimated rows in scales of their noise: the more they are where there are
    any, the less likely is the one number that suits the answers best.
    """
    _, side, _ = evidence.shape
    least = LEAST_SHARE / side**2
    around = _beside(np.ones((1, side, side)))
    posterior: FloatArray = expit(evidence - UNKNOWN_NUMBER)
    for _ in range(ROUNDS):
        share = posterior.mean(axis=(1, 2), keepdims=True)
        usual = (posterior * numbers).mean(axis=(1, 2), keepdims=True) / np.maximum(share, least)
        prior = (_beside(posterior) + NEIGHBORS_MORE * share) / (around + NEIGHBORS_MORE)
        prior = np.clip(prior, least, 1 - least)
        posterior = expit(evidence - np.log1p(usual * SPREAD) + np.log(prior / (1 - prior)))
    return posterior


def _beside(tables: FloatArray) -> FloatArray:
    """The sum of the 8 neighbors of each cell."""
    rows = np.pad(tables, ((0, 0), (1, 1), (0, 0)))
    rows = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    both = np.pad(rows, ((0, 0), (0, 0), (1, 1)))
    return np.asarray(both[:, :, :-2] + both[:, :, 1:-1] + both[:, :, 2:] - tables)


def _evidence(
    stages: Sequence[TreeStage], t: int, estimates: Sequence[tuple[FloatArray, FloatArray]]
) -> FloatArray:
    """By how much likelier the answers about each cell of a stage are with the number of rows that
    suits them best than with none, as a logarithm.

    Its own count has geometric noise; what came later adds up to about normal noise.
    """
    stage = stages[t]
    rows = np.maximum(estimates[t][0], 0)
    scale = math.sqrt(stage.variance / 2)
    evidence = (np.abs(stage.counts) - np.abs(stage.counts - rows)) / scale
    if t + 1 < len(stages):
        parent = stages[t + 1].parent
        later, variance = (np.bincount(parent, parts, len(rows)) for parts in estimates[t + 1])
        normal = (later**2 - (later - rows) ** 2) / (2 * np.where(variance > 0, variance, 1))
        evidence = evidence + np.where(variance > 0, normal, 0)
    return np.asarray(evidence)


def fused(stages: Sequence[TreeStage]) -> list[tuple[FloatArray, FloatArray]]:
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
