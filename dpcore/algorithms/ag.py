"""AG: a coarse grid of counts, each cell cut by its own (Qardaji, Yang and Li 2013)."""

from __future__ import annotations

import math

import numpy as np

from dpcore.algorithms.base import (
    AuditHints,
    CountsInWeights,
    Room,
    SynopsisAlgorithm,
    register,
)
from dpcore.geometry.domain import FloatArray, Grid, IntArray
from dpcore.geometry.nested_grid import NestedGrid
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Pure
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, CoresetNote
from dpcore.results.synopsis import Coreset

#: Part of the budget that buys the number of rows, where it is private.
SIZE_SHARE = 0.05
#: Part of the rest that counts the first grid.
FIRST_SHARE = 0.5
#: The paper's constants: of the first grid, and of the second ones.
FULLNESS, SECOND_FULLNESS = 10.0, 5.0
LEAST_SIDE = 10
#: Cells a side, and in all, beyond which finer grids show nothing more of a map.
MOST_SIDE, MOST_CELLS = 1 << 10, 1 << 20


@register
class AdaptiveGrid(SynopsisAlgorithm):
    """Two levels of grids: where the first counts many rows, the second is finer.

    Idea: Count noisily on a coarse grid. Cut each of its cells by a grid of its own, the finer the
    more rows it seems to hold, and count again. Average both counts of the same rows by their
    noise. Cluster the centers of the parts, weighted by their counts.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public and noise doubles.

    Flaw: The first grid is sized by the number of rows. Taken exactly, it betrays a single row
    under add/remove wherever the size changes with it.

    Repair: Under add/remove 5 % of epsilon buys a noisy number of rows. Half of the rest counts the
    first grid, half the second. The cells of each are disjoint, so one row added changes one count
    of each by 1, and one replaced changes two; given the first answers the second grids are fixed,
    so the shares add up by adaptive composition. Averages, points and centers read noisy counts
    only.

    Reconstructed: The paper answers range counts; its parts with counts above 0 are clustered here,
    from many starts. The first grid has a quarter of the cells a side of the uniform one, and at
    least 10; the constants 10 and 5 and the halves are the paper's. No grid is finer than the data
    are known, and there are at most a million parts.
    """

    key = "ag"
    title = "AG"
    paper = "qardaji2013"
    verdict = Verdict.REPAIRED
    publishes_coreset = True
    counts_in_weights = CountsInWeights.LAST
    audit = AuditHints(rooms=(Room(3000, 2),))

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return None if d == 2 else f"it draws maps, in 2 dimensions; these data have {d}."

    def run(self, curator: Curator, k: int) -> Outcome:
        coreset = self.summary(curator, k)
        centers = coreset.unit_centers(k, curator.rng)
        curator.note(CoresetNote(coreset.unit_points, coreset.weights))
        curator.note(CentersNote(centers))
        return Outcome(centers, coreset, {"points": len(coreset)})

    def summary(self, curator: Curator, k: int) -> Coreset:
        n, rest = curator.size(SIZE_SHARE)
        moved = 1 if curator.neighbors.size_is_private else 2
        epsilon = curator.budget.epsilon * rest
        first, second = Pure(epsilon * FIRST_SHARE), Pure(epsilon * (1 - FIRST_SHARE))
        side = first_side(n * epsilon / moved)
        coarse = Grid(curator.box, min(side, curator.resolution))
        counts = curator.noisy_counts(coarse, first, "rows in each cell").astype(np.float64)
        fill = counts * second.epsilon / moved
        room = max(1, curator.resolution // coarse.cells_per_side)
        nested = NestedGrid(coarse, second_sides(fill, room))
        parts = curator.noisy_counts(nested, second, "rows in each part").astype(np.float64)
        weights = reconciled(nested, counts, parts, FIRST_SHARE, 1 - FIRST_SHARE)
        full = weights > 0
        variance = 2 * float(curator.transcript[-1].scale) ** 2
        return Coreset(
            nested.centers()[full], weights[full], curator.box, np.full(full.sum(), variance)
        )


def first_side(fill: float) -> int:
    """Cells a side of the first grid, for so many rows times epsilon (section IV.B)."""
    uniform = math.ceil(math.sqrt(max(fill, 0) / FULLNESS))
    return min(max(LEAST_SIDE, math.ceil(uniform / 4)), MOST_SIDE)


def second_sides(fill: FloatArray, room: int) -> IntArray:
    """Parts a side of each cell, for noisy counts times the epsilon of the second grid."""
    fullness = SECOND_FULLNESS
    while True:
        sides = np.ceil(np.sqrt(np.maximum(fill, 0) / fullness)).astype(np.int64)
        sides = np.clip(sides, 1, min(room, MOST_SIDE))
        if (sides**2).sum() <= max(MOST_CELLS, len(fill)):
            return sides
        fullness *= 2


def reconciled(
    nested: NestedGrid, counts: FloatArray, parts: FloatArray, first: float, second: float
) -> FloatArray:
    """The counts of the parts, moved alike so that they add up to the best estimate of each cell.

    That is the mean of its own count and of the sum of its parts, by inverse variance.
    """
    number = nested.sides.astype(np.float64) ** 2
    parent = nested.parents
    total = np.bincount(parent, parts, len(counts))
    trust = number * first**2 / (second**2 + number * first**2)
    best = trust * counts + (1 - trust) * total
    return np.asarray(parts + ((best - total) / number)[parent])
