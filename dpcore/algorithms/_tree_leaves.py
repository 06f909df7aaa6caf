"""The leaves of a tree of noisy counts: its smallest cells that hold rows, and how many each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dpcore.algorithms._tree import Estimates, ReadStage, TreeCells, TreeStage
from dpcore.geometry.domain import FloatArray, IntArray


class Leaves(NamedTuple):
    """The smallest cells that hold rows."""

    cells: TreeCells
    #: How many each holds.
    weights: FloatArray
    #: The variance of the noise in the count of each.
    variances: FloatArray
    #: The probability that it holds any.
    chances: FloatArray


def leaf_weights(
    stages: Sequence[ReadStage], full_cells: Sequence[npt.NDArray[np.bool_]], estimates: Estimates
) -> list[FloatArray]:
    """The number of rows that each cell of each stage is estimated to hold, if it is a leaf: one of
    the smallest cells that are held. All others have 0. `estimates` are those of `fused`.

    The estimate of a cell of the first stage that is held is final. It is handed down among its
    parts that are held, and so on. Where none is, the cell itself is a leaf.
    """
    weights = np.where(full_cells[0], np.maximum(estimates[0][0], 0), 0)
    weights_of_stages = []
    for below, inside, estimate in zip(stages[1:], full_cells[1:], estimates[1:], strict=True):
        parts = _handed_down(weights, below.parent, inside, *estimate)
        weights[below.parent[parts > 0]] = 0
        weights_of_stages.append(weights)
        weights = parts
    return [*weights_of_stages, weights]


def leaves_of(
    stages: Sequence[TreeStage], weights: Sequence[FloatArray], chances: Sequence[FloatArray]
) -> Leaves:
    """The leaves of a tree whose cells have these weights and chances, in the order of the curve.

    The sum over any leaves varies no more than the sum of their own counts: estimates that weigh
    all counts by inverse variance have the least variance of all linear ones (Gauss and Markov).
    """
    first = stages[0].cells
    leaves = [np.flatnonzero(each) for each in weights]
    level = np.concatenate([s.cells.levels[i] for s, i in zip(stages, leaves, strict=True)])
    code = np.concatenate([s.cells.codes[i] for s, i in zip(stages, leaves, strict=True)])
    rows, chance = (
        np.concatenate([each[i] for each, i in zip(values, leaves, strict=True)])
        for values in (weights, chances)
    )
    noise = np.repeat([s.variance for s in stages], [len(i) for i in leaves])
    order = np.argsort(code << first.bits * (level.max(initial=0) - level), kind="stable")
    return Leaves(first.others(level[order], code[order]), rows[order], noise[order], chance[order])


def unconditional(stages: Sequence[ReadStage], chances: Sequence[FloatArray]) -> list[FloatArray]:
    """The probability that each cell holds rows, from those given that its parent does."""
    of_stages = [chances[0]]
    for below, chance in zip(stages[1:], chances[1:], strict=True):
        of_stages.append(of_stages[-1][below.parent] * chance)
    return of_stages


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
    open_parts = np.flatnonzero(alive & (weights[parent] > 0))
    while len(open_parts):
        cell = parent[open_parts]
        excess = np.bincount(cell, estimates[open_parts], len(weights)) - weights
        variance = np.bincount(cell, variances[open_parts], len(weights))
        tau = excess[cell] / variance[cell]
        value = estimates[open_parts] - tau * variances[open_parts]
        positive = value > 0
        # Where no part is below 0, the division is final.
        unfinished = (np.bincount(cell[~positive], minlength=len(weights)) > 0)[cell]
        parts[open_parts[~unfinished]] = value[~unfinished]
        open_parts = open_parts[unfinished & positive]
    return parts
