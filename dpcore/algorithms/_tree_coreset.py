"""The coreset that a tree of noisy counts makes, and how far rows lie from its points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dpcore.algorithms._grown_tree import finest_level, full_scale
from dpcore.algorithms._pooled_counts import heard_together
from dpcore.algorithms._tree import TreeStage, fused, holding, leaf_points, weighed_leaves
from dpcore.geometry.dyadic import DyadicCells
from dpcore.queries.curator import Curator
from dpcore.results.synopsis import Coreset


def coreset_of(stages: Sequence[TreeStage], curator: Curator) -> Coreset:
    """A point for each smallest cell that holds rows, and some for the thinly spread rest.

    Reads the stages and public facts only.
    """
    held = holding(stages)
    leaves, weights, variances = weighed_leaves(stages, held)
    if isinstance(leaves, DyadicCells):
        points = leaf_points(leaves, weights, full_scale(curator), finest_level(curator))
    else:
        points = leaves.centers()
    first = stages[0]
    thin = ~first.alive & ~held[0]
    counts, noise = fused(stages)[0]
    blocks = (1 << first.cells.bits * first.cells.deepest // first.cells.d) // 2
    thin_points, thin_weights, thin_variances = heard_together(
        first.cells.centers()[thin], counts[thin], float(noise[thin].max(initial=0)), blocks
    )
    return Coreset(
        np.concatenate([points, thin_points]),
        np.concatenate([weights, thin_weights]),
        curator.box,
        np.concatenate([variances, thin_variances]),
    )


def spread_in_leaves(stages: Sequence[TreeStage]) -> float:
    """The mean squared distance of rows from the middles of their leaves, spread evenly there."""
    leaves, weights, _ = weighed_leaves(stages, holding(stages))
    squares = (leaves.corners()[1] ** 2).sum(axis=1)
    return float(weights @ squares) / 12 / max(float(weights.sum()), 1e-300)
