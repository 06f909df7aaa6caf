"""The coreset that a tree of noisy counts makes, and how far rows lie from its points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.algorithms._forest import TreeReading, read
from dpcore.algorithms._grown_tree import finest_level, full_scale
from dpcore.algorithms._leaf_points import WeighedLeaves, leaf_points
from dpcore.algorithms._matched_points import LoosePoints
from dpcore.algorithms._pooled_counts import heard_together
from dpcore.algorithms._tree import TreeCells, TreeStage
from dpcore.algorithms._tree_leaves import Leaves, leaves_of
from dpcore.geometry.domain import FloatArray
from dpcore.geometry.dyadic import DyadicCells
from dpcore.queries.curator import Curator
from dpcore.results.synopsis import Coreset


def coresets_of(trees: Sequence[Sequence[TreeStage]], curators: Sequence[Curator]) -> list[Coreset]:
    """The coreset of each of several trees, which are read all at once: a point for each smallest
    cell that holds rows, and some for the thinly spread rest."""
    loose_points = loose_points_of(trees, curators)
    return [
        loose.coreset(curator.box) for loose, curator in zip(loose_points, curators, strict=True)
    ]


def loose_points_of(
    trees: Sequence[Sequence[TreeStage]], curators: Sequence[Curator]
) -> list[LoosePoints]:
    """The points of each of several trees, with room in the leaves that they stand for; those that
    stand for what is thinly spread have none.

    Reads the stages and public facts only.
    """
    readings = read(trees)
    leaves = [
        leaves_of(stages, reading.weights, reading.chances)
        for stages, reading in zip(trees, readings, strict=True)
    ]
    placed = leaf_points(
        [
            WeighedLeaves(each.cells, each.weights, full_scale(curator), finest_level(curator))
            for each, curator in zip(leaves, curators, strict=True)
            if isinstance(each.cells, DyadicCells)
        ]
    )
    points = placed or [each.cells.centers() for each in leaves]
    return [_made(*each) for each in zip(trees, readings, points, leaves, strict=True)]


def _made(
    stages: Sequence[TreeStage], reading: TreeReading, points: FloatArray, leaves: Leaves
) -> LoosePoints:
    cells = stages[0].cells
    thin = ~stages[0].alive & ~reading.full_cells[0]
    counts, noise = reading.first
    blocks = (1 << cells.bits * cells.deepest // cells.d) // 2
    thin_points, thin_weights, thin_variances = heard_together(
        cells.centers()[thin], counts[thin], float(noise[thin].max(initial=0)), blocks
    )
    return LoosePoints(
        np.concatenate([points, thin_points]),
        np.concatenate([leaves.weights, thin_weights]),
        np.concatenate([leaves.variances, thin_variances]),
        np.concatenate([_room(leaves.cells), np.zeros(len(thin_points))]),
        chances=np.concatenate([leaves.chances, np.ones(len(thin_points))]),
    )


def _room(leaves: TreeCells) -> FloatArray:
    """The mean squared distance from the middle of each leaf to rows spread evenly over it."""
    return np.asarray((leaves.corners()[1] ** 2).sum(axis=1) / 12)
