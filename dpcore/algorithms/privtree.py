"""PrivTree: a tree of cells as deep as the rows allow (Zhang, Xiao and Xie 2016)."""

from __future__ import annotations

import numpy as np

from dpcore.algorithms.base import (
    POINTS,
    AuditHints,
    CountsInWeights,
    Room,
    SynopsisAlgorithm,
    register,
)
from dpcore.geometry.halved import most_halvings
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Pure
from dpcore.queries.curator import Curator
from dpcore.queries.splitting import SplitTree
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, CoresetNote
from dpcore.results.synopsis import Coreset

#: Half of epsilon decides what is cut, the other half counts the leaves.
TREE_SHARE = 0.5
#: A side is halved so often at most.
MOST_CUTS_OF_A_SIDE = 14
#: A map is cut into four at once, other boxes into two, one coordinate after the other.
MAP_HALVINGS = 2


@register
class PrivTree(SynopsisAlgorithm):
    """Counts on the leaves of a tree that is cut, without a limit, where rows are.

    Idea: Cut the box into four, each part again, and so on, where a noisy count is high enough.
    Every cut costs the cells below it some of their height, and this decay makes the price of all
    decisions the same however deep the tree is. Then count the leaves, and cluster their centers
    weighted by the counts.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, noise doubles.

    Private: Half of epsilon decides what is cut. A row lies in one cell of each depth; its cell's
    height falls by the decay D from depth to depth and is never below -D, so the chances of the
    cuts above shrink geometrically in what the row changes, and all decisions together cost
    (2b-1)/(b-1) times what one would, with b parts of a cut (`dpcore.queries.splitting` has the
    proof, for whole numbers and two-sided geometric noise). Only the decisions are let out. The
    other half counts the leaves, which are disjoint: one row added changes one count by 1, and one
    replaced changes two. A row replaced is one removed and one added for the tree. The two add up
    by adaptive composition. Points and centers read noisy counts only.

    Reconstructed: The paper has Laplace noise on real numbers; here noise and decay are whole
    numbers, the decay rounded up. Threshold 0 and equal halves of epsilon are the paper's. A map is
    cut into four, other boxes into two along one coordinate after the other. No side is halved more
    than 14 times, nor more finely than the data are known. The paper answers range counts; leaves
    with counts above 0 are clustered here, from many starts.
    """

    key = "privtree"
    title = "PrivTree"
    paper = "zhang2016"
    verdict = Verdict.PROVED
    publishes_coreset = True
    counts_in_weights = CountsInWeights.LAST
    audit = AuditHints(
        rooms=(Room(2000, 2), Room(400, 4), Room(400, 2, settings={"points": 20})),
        regional={"points": 20},
    )
    parameters = (POINTS,)

    def run(self, curator: Curator, k: int, *, points: int) -> Outcome:
        coreset = leaf_coreset(curator)
        centers = coreset.unit_centers(k, curator.rng)
        published = coreset.reduced(points) if points else coreset
        curator.note(CoresetNote(published.unit_points, published.weights))
        curator.note(CentersNote(centers))
        return Outcome(centers, published, {"points": len(published)})

    def summary(self, curator: Curator, k: int, *, points: int) -> Coreset:
        coreset = leaf_coreset(curator)
        return coreset.reduced(points) if points else coreset


def leaf_coreset(curator: Curator) -> Coreset:
    """The centers of the leaves whose noisy counts are above 0."""
    epsilon = curator.budget.epsilon
    tree = tree_of(curator)
    leaves = curator.leaves(tree, Pure(epsilon * TREE_SHARE), "which cells are cut")
    remainder = Pure(epsilon * (1 - TREE_SHARE))
    counts = curator.noisy_counts(leaves, remainder, "rows in each leaf").astype(np.float64)
    full = counts > 0
    variance = 2 * float(curator.transcript[-1].scale) ** 2
    return Coreset(leaves.centers()[full], counts[full], curator.box, np.full(full.sum(), variance))


def tree_of(curator: Curator) -> SplitTree:
    """Four parts on a map and two elsewhere, as deep as the data are known."""
    d = curator.d
    halvings = MAP_HALVINGS if d == MAP_HALVINGS else 1
    finest = min(MOST_CUTS_OF_A_SIDE, curator.resolution.bit_length() - 1) * d
    return SplitTree(d, halvings, min(finest, most_halvings(d)) // halvings)
