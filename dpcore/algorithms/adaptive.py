"""Our own private coreset of a map: counts on a tree of cells that grows where the rows are."""

from __future__ import annotations

from collections.abc import Sequence

from dpcore.algorithms._grown_tree import MAX_CELLS, grow
from dpcore.algorithms._tree_coreset import coresets_of, loose_points_of
from dpcore.algorithms.base import (
    POINTS,
    AuditHints,
    CountsInWeights,
    Room,
    SynopsisAlgorithm,
    register,
)
from dpcore.kmeans.weighted import refined
from dpcore.privacy.accounting import Verdict
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, CoresetNote
from dpcore.results.synopsis import Coreset

#: Part of the budget that buys the number of rows.
SIZE_SHARE = 0.015
#: Where privacy is weak and rows are many, the limit makes the cells of the last stage larger than
#: they were at a somewhat stricter level: the one place where less privacy gives fewer points.
FEWER_POINTS = (
    f"Smaller cells would be more than the {MAX_CELLS:,} that this method counts at a time, so its "
    "cells are larger here than at a somewhat stricter level: fewer points, each with a more exact "
    "count."
)


@register
class Adaptive(SynopsisAlgorithm):
    """A coreset from noisy counts on cells that are cut where they are full.

    Idea: Count noisily on a coarse grid. Cut the cells that stand out of the noise the finer the
    fuller they are, and count their parts; then once more where rows are many, and once more where
    all lie in a small part of the box. Cells that did not stand out are counted again each time:
    they are disjoint from the others, so this costs nothing. What remains is a tree of counts that
    agree with each other once noise is averaged out. Cells and parts that by all their counts more
    likely hold nobody are dropped, and the others are a few hundred weighted points, dense where
    the rows are. Dropped cells that only together stand out of the noise get a point a block.
    Everything is clustered from these points. For the centers of the run itself, each point is
    first weighted by the probability that it has rows; a few steps on the published weights follow.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public and noise doubles.

    Private: The number of rows has sensitivity 1 and costs .015 epsilon, unless it was bought
    before. Given the answers so far, the cells of a stage are disjoint, so a row is counted in at
    most one of them: added, it changes one count by 1, and noise of scale 1/epsilon_t costs
    epsilon_t; replaced, two counts, at scale 2/epsilon_t. The first answer may decide into how many
    shares the rest of epsilon is cut, but not how large that rest is. So the shares always add up
    to epsilon, by adaptive composition. Plan, cuts, thresholds, averaging, points and centers read
    noisy answers only.
    """

    key = "adaptive"
    title = "Adaptive coreset"
    paper = "ours"
    verdict = Verdict.PROVED
    publishes_coreset = True
    counts_in_weights = CountsInWeights.ANY_ROUND
    audit = AuditHints(
        rooms=(Room(5000, 2), Room(1100, 2, k=3), Room(3000, 2, settings={"points": 20})),
        regional={"points": 20},
    )
    parameters = (POINTS,)

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return None if d == 2 else f"it draws maps, in 2 dimensions; these data have {d}."

    def run(self, curator: Curator, k: int, *, points: int) -> Outcome:
        stages = grow(curator, *curator.size(SIZE_SHARE))
        (loose,) = loose_points_of([stages], [curator])
        coreset = loose.coreset(curator.box)
        centers = loose.expected.coreset(curator.box).unit_centers(k, curator.rng)
        centers = refined(coreset.unit_points, coreset.weights, centers)
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
        return self.summaries([curator], k, points=points)[0]

    def summaries(self, curators: Sequence[Curator], k: int, *, points: int) -> list[Coreset]:
        trees = [grow(each, *each.size(SIZE_SHARE)) for each in curators]
        coresets = coresets_of(trees, curators)
        return [each.reduced(points) for each in coresets] if points else coresets
