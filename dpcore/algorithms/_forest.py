"""Trees of noisy counts that were grown side by side, read all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.algorithms._tree import ReadStage, TreeStage, fused, posteriors
from dpcore.algorithms._tree_leaves import leaf_weights, unconditional
from dpcore.geometry.domain import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ForestCells:
    """The cells of several trees, one tree after the other, each in a box of its own."""

    d: int
    bits: int
    levels: IntArray


@dataclass(frozen=True, eq=False)
class ForestStage:
    """One stage of several trees."""

    cells: ForestCells
    #: Which cell of the whole stage before each is a part of.
    parent: IntArray
    counts: FloatArray
    #: Of the noise in each count.
    variance: FloatArray


@dataclass(frozen=True, eq=False)
class TreeReading:
    """The findings from the counts of one tree, stage by stage."""

    #: Cells that more likely than not hold rows.
    full_cells: list[npt.NDArray[np.bool_]]
    #: The rows in each leaf, and 0 in all other cells.
    weights: list[FloatArray]
    #: The probability that each cell holds rows.
    chances: list[FloatArray]
    #: The estimate of each cell of the first stage, and its variance.
    first: tuple[FloatArray, FloatArray]


def read(trees: Sequence[Sequence[TreeStage]]) -> list[TreeReading]:
    """The findings from each tree. It is the same beside other trees as alone: every estimate of a
    cell is made of counts of its own tree, and trees are only added up by arrays that hold all."""
    if not trees:
        return []
    forest = side_by_side(trees)
    estimates = fused(forest)
    chances = posteriors(forest, estimates)
    full_cells = [each > 0.5 for each in chances]
    weights = leaf_weights(forest, full_cells, estimates)
    whole = unconditional(forest, chances)
    of_trees = [_of_each_tree(trees, stages) for stages in (full_cells, weights, whole)]
    first = [_of_each_tree(trees, [each]) for each in estimates[0]]
    return [
        TreeReading(full, rows, likely, (first[0][i][0], first[1][i][0]))
        for i, (full, rows, likely) in enumerate(zip(*of_trees, strict=True))
    ]


def side_by_side(trees: Sequence[Sequence[TreeStage]]) -> Sequence[ReadStage]:
    """Trees of one dimension as one: in each stage, the cells of one tree after those of another.

    A tree that has fewer stages than others has no cells in the later ones.
    """
    if len(trees) == 1:
        return trees[0]
    d, bits = trees[0][0].cells.d, trees[0][0].cells.bits
    forest = []
    for t in range(max(map(len, trees))):
        stages = [tree[t] for tree in trees if len(tree) > t]
        sizes = [tree[t - 1].cells.n_cells if 0 < t <= len(tree) else 0 for tree in trees]
        before = np.cumsum([0, *sizes])[:-1]
        starts = [before[i] for i, tree in enumerate(trees) if len(tree) > t]
        cells = ForestCells(d, bits, np.concatenate([stage.cells.levels for stage in stages]))
        parent = np.concatenate([s.parent + at for s, at in zip(stages, starts, strict=True)])
        counts = np.concatenate([stage.counts for stage in stages])
        noise = np.repeat([s.variance for s in stages], [s.cells.n_cells for s in stages])
        forest.append(ForestStage(cells, parent, counts, noise))
    return forest


def _of_each_tree(
    trees: Sequence[Sequence[TreeStage]], stages: Sequence[npt.NDArray[Any]]
) -> list[list[npt.NDArray[Any]]]:
    """Values of all cells of a forest, stage by stage, as those of each tree."""
    parts: list[list[npt.NDArray[Any]]] = [[] for _ in trees]
    for t, values in enumerate(stages):
        at = 0
        for own, tree in zip(parts, trees, strict=True):
            if len(tree) > t:
                own.append(values[at : at + tree[t].cells.n_cells])
                at += tree[t].cells.n_cells
    return parts
