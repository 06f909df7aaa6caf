"""Our own private coreset of a map: counts on a tree of cells that grows where the rows are."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import binary_dilation

from dpcore.algorithms._pooled_counts import heard_together
from dpcore.algorithms._tree import TreeStage, leaf_points, weighed_leaves
from dpcore.algorithms.base import AuditHints, Parameter, Room, SynopsisAlgorithm, register
from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.geometry.dyadic import DyadicCells, deinterleaved
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Pure
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import AliveNote, CentersNote, CoresetNote
from dpcore.results.synopsis import Coreset

#: Part of the budget that buys the number of rows.
SIZE_SHARE = 0.015
#: A count is pure noise, or nearly, below this many scales times ln(cells) (highest of them all).
LOUD, AUDIBLE = 0.75, 0.25
#: The same for a part of a cell that stood out, among the parts of that cell.
AUDIBLE_PART = 0.1
#: 4 to 16 cells a side: in smaller ones, rows between the clusters would be too thin to be seen.
FIRST_LEVELS = (2, 4)
#: One cut makes at most 4**6 parts, and no cell is smaller than 2**-16 of the box.
DEEPEST_CUT, DEEPEST_LEVEL = 6, 16
#: Cells asked in one stage, at most: more made no generated city any more exact.
MAX_CELLS = 1 << 17
#: Where privacy is weak and rows are many, the limit makes the cells of the last stage larger than
#: they were at a somewhat stricter level: the one place where less privacy gives fewer points.
FEWER_POINTS = (
    f"Smaller cells would be more than the {MAX_CELLS:,} that this method counts at a time, so its "
    "cells are larger here than at a somewhat stricter level: fewer points, each with a more exact "
    "count."
)


@dataclass(frozen=True)
class AdaptivePlan:
    """How the budget is spent over the stages, and how full cells are meant to be.

    Fullness is in rows times epsilon of the stage: what a count stands above its noise.
    """

    shares: tuple[float, ...]
    #: Of the cells of the first stage.
    first_fullness: float
    #: Of the parts that a cell of each later stage is cut into.
    fullness: tuple[float, ...]


#: Plans by the number of rows times epsilon below which they hold; tuned on generated data.
PLANS = (
    (700.0, AdaptivePlan((0.35, 0.65), 40, (2,))),
    (1500.0, AdaptivePlan((0.2, 0.35, 0.45), 160, (5, 2.5))),
    (math.inf, AdaptivePlan((0.2, 0.35, 0.45), 160, (10, 4))),
)


@register
class Adaptive(SynopsisAlgorithm):
    """A coreset from noisy counts on cells that are cut where they are full.

    Idea: Count noisily on a coarse grid. Drop the cells that noise explains, cut the others the
    finer the fuller they are, and count their parts; then once more. What remains is a tree of
    counts that agree with each other once noise is averaged out; its leaves are a few hundred
    weighted points, dense where the rows are. Dropped cells that only together stand out of the
    noise get a point a block. Everything is clustered from these points.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public and noise doubles.

    Private: The number of rows has sensitivity 1 and costs .015 epsilon. Given the answers so
    far, the cells of a stage are disjoint, so a row is counted in at most one of them: added, it
    changes one count by 1, and noise of scale 1/epsilon_t costs epsilon_t; replaced, two counts,
    at scale 2/epsilon_t. The shares add up to epsilon by adaptive composition. Plan, cuts,
    thresholds, averaging, points and centers read noisy answers only.
    """

    key = "adaptive"
    title = "Adaptive coreset"
    paper = "ours"
    verdict = Verdict.PROVED
    audit = AuditHints(
        rooms=(Room(5000, 2), Room(1100, 2, k=3), Room(3000, 2, settings={"points": 20})),
        regional={"points": 20},
    )
    parameters = (
        Parameter(
            "points",
            "Points to publish at most, by merging near ones; 0 publishes all. Centers are found "
            "with all of them.",
            0,
            0,
            1_000_000,
        ),
    )

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return None if d == 2 else f"it draws maps, in 2 dimensions; these data have {d}."

    def run(self, curator: Curator, k: int, *, points: int) -> Outcome:
        stages = grow(curator)
        coreset = coreset_of(stages, curator)
        centers = coreset.unit_centers(k, curator.rng)
        published = coreset.reduced(points) if points else coreset
        curator.note(CoresetNote(published.unit_points, published.weights))
        curator.note(CentersNote(centers))
        facts: dict[str, object] = {
            "stages": len(stages),
            "cells measured": sum(stage.cells.n_cells for stage in stages),
            "points": len(published),
        }
        if stages[-1].held_back:
            facts["note"] = FEWER_POINTS
        return Outcome(centers, published, facts)

    def summary(self, curator: Curator, k: int, *, points: int) -> Coreset:
        coreset = coreset_of(grow(curator), curator)
        return coreset.reduced(points) if points else coreset


def grow(curator: Curator) -> list[TreeStage]:
    """Ask stage after stage, each about the parts of the cells that stood out before."""
    n, rest = curator.size(SIZE_SHARE)
    scale = full_scale(curator)
    plan = next(plan for limit, plan in PLANS if n / scale < limit)
    finest = min(DEEPEST_LEVEL, finest_level(curator))
    stages: list[TreeStage] = []
    for t, share in enumerate(plan.shares):
        noise = scale / (rest * share)
        held_back = False
        if t == 0:
            level = np.clip(halvings(np.array(n / noise / plan.first_fullness)), *FIRST_LEVELS)
            cells = DyadicCells.uniform(min(int(level), finest))
            parent = np.full(cells.n_cells, -1)
        else:
            before = stages[-1]
            live = np.flatnonzero(before.alive)
            if not len(live):
                break
            fill = before.counts[live] / noise / plan.fullness[t - 1]
            room = finest - before.cells.levels[live]
            deeper = cuts(fill, room)
            held_back = bool((deeper < wanted_cuts(fill, room)).any())
            cells, parent = before.cells.split(live, deeper)
        counts = curator.noisy_counts(
            cells,
            Pure(curator.budget.epsilon * rest * share),
            f"stage {t + 1}: rows in each cell",
        ).astype(np.float64)
        if t == 0:
            alive = standing_out(cells, counts / noise)
        else:
            parts = cells.levels - before.cells.levels[parent]
            alive = (parts == 0) | (counts / noise > AUDIBLE_PART * math.log(4) * parts)
        stages.append(TreeStage(cells, parent, counts, 2 * noise**2, alive, held_back))
        curator.note(AliveNote(t + 1, cells, alive))
    return stages


def coreset_of(stages: list[TreeStage], curator: Curator) -> Coreset:
    """A point for each smallest live cell, and some for the thinly spread rest.

    Reads the stages and public facts only.
    """
    leaves, weights, variances = weighed_leaves(stages)
    points = leaf_points(leaves, weights, full_scale(curator), finest_level(curator))
    first, dead = stages[0], ~stages[0].alive
    blocks = (1 << int(first.cells.levels[0])) // 2
    thin_points, thin_weights, thin_variances = heard_together(
        first.cells.centers()[dead], first.counts[dead], first.variance, blocks
    )
    return Coreset(
        np.concatenate([points, thin_points]),
        np.concatenate([weights, thin_weights]),
        curator.box,
        np.concatenate([variances, thin_variances]),
    )


def full_scale(curator: Curator) -> float:
    """The scale of the noise that the whole budget would buy for one histogram."""
    counts_moved = 1 if curator.neighbors.size_is_private else 2
    return counts_moved / curator.budget.epsilon


def finest_level(curator: Curator) -> int:
    """The level whose cells are those of the lattice on which the data are known."""
    return curator.resolution.bit_length() - 1


def halvings(fill: FloatArray) -> IntArray:
    """How often to halve a side so that each part is about as full as meant: log4, rounded."""
    return np.floor(0.5 * np.log2(np.maximum(fill, 1e-9)) + 0.5).astype(np.int64)


def cuts(fill: FloatArray, room: IntArray) -> IntArray:
    """How often to halve the sides of each cell, so that there are not too many parts in all."""
    deeper = wanted_cuts(fill, room)
    while (1 << 2 * deeper).sum() > max(MAX_CELLS, len(fill)):
        deeper = np.maximum(deeper - 1, 0)
    return deeper


def wanted_cuts(fill: FloatArray, room: IntArray) -> IntArray:
    """How often to halve the sides of each cell, however many parts there are."""
    return np.clip(halvings(fill), 0, np.minimum(DEEPEST_CUT, room))


def standing_out(cells: DyadicCells, loudness: FloatArray) -> npt.NDArray[np.bool_]:
    """Cells of a whole level that are loud, or audible with a loud one of their 8 neighbors."""
    i0, i1 = deinterleaved(cells.codes)
    ceiling = math.log(max(2, cells.n_cells))
    loud = np.zeros((i0.max() + 1, i1.max() + 1), dtype=bool)
    loud[i0, i1] = loudness > LOUD * ceiling
    beside = binary_dilation(loud, np.ones((3, 3), dtype=bool))[i0, i1]
    return np.asarray(beside & (loudness > AUDIBLE * ceiling))
