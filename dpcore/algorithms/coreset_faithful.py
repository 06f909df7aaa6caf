"""PRIVATE-K-MEAN of Feldman et al. (2017), as close to the published text as it can be run."""

from __future__ import annotations

import math

import numpy as np

from dpcore.algorithms.base import AuditHints, Parameter, Room, SynopsisAlgorithm, register
from dpcore.algorithms.coreset import SIZE_SHARE, removals
from dpcore.errors import Infeasible
from dpcore.geometry.domain import FloatArray, cell_ticks, from_ticks
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.losses import Selection
from dpcore.privacy.rounding import at_most
from dpcore.queries.boxes import CenterCounts, GoodRadius, half_widths
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import BallNote, CentersNote, CoresetNote
from dpcore.results.synopsis import Coreset

#: The finest grid of which every cell is tried as a center.
MOST_CELLS = 1024
#: Cells from the middle of the smallest box to its edge.
LEAST_HALF_WIDTH = 2


def domain_side(n: int) -> int:
    """|X|, the side of the paper's grid: the smallest power of two with |X|^2 > n."""
    return 1 << (n.bit_length() + 1) // 2


def most_rounds(n: int, k: int) -> float:
    """8k ln(n) / 3, by which removing 3/8k of the rows leaves none."""
    return 8 * k * math.log(n) / 3


def fewest_rows(n: int, k: int, epsilon: float) -> float:
    """t_min, below which a round is blind: (8k/3) (4/epsilon') ln |X|^2.

    epsilon' = epsilon / most_rounds is a round's share.
    """
    return 8 * k / 3 * 4 * most_rounds(n, k) / epsilon * 2 * math.log(domain_side(n))


def smallest_epsilon(n: int, k: int) -> float:
    """The epsilon at which t_min is just below n, so that there is a first round."""
    return fewest_rows(n, k, 1.0) / n * (1 + 1e-9)


@register
class FaithfulCoreset(SynopsisAlgorithm):
    """The coreset of Feldman et al. with its own schedule: it needs many rows or a large epsilon.

    Idea: While enough rows are left, find the radius at which some small box holds 3/8k of them,
    choose the center of such a box, remove that many rows nearest to it, and let the center stand
    for them. The centers, weighted by the rows they removed, are clustered.

    Unit: one row.

    Relation: replace-one, as in the paper; add/remove, the number of rows private.

    Private: A round spends epsilon' = 3 epsilon / (8k ln n), half on the radius and half on the
    center, each by an exponential mechanism. The radius' score Q is made of the largest number of
    rows in any box of a half-width, and one row moves it by at most 1; so does it each center's
    number of rows (`dpcore.queries.boxes`). Removing a number of rows nearest a released center, in
    a fixed order of locations, leaves neighbors neighbors, so rounds compose adaptively, and there
    are at most 8k ln(n) / 3. Under add/remove 5 % of epsilon buys the number of rows, which sets
    the schedule. Weights are part of the schedule, and k-means reads nothing else.

    Reconstructed: RecConcave is an exponential mechanism over half-widths a factor sqrt(2) apart,
    for its constants ask for more rows than there are (`dpcore.algorithms._small_ball`), and the
    factor 9^log* of the fewest rows is left out, as the paper's Table 2 implies. M, the largest
    number of rows in a box around a cell of the grid, takes the place of L, an average over boxes
    around rows, whose sensitivity is 2 - 2/t; it counts up to 2t rows, or every wide box would be
    as good as the least that holds t. Boxes have their centers on a grid of |X| cells a side, and
    at most 1024. Rows left at the end are ignored, as in the paper.
    """

    key = "coreset-faithful"
    title = "PRIVATE-K-MEAN"
    paper = "feldman2017"
    sources = ("nissim2016", "beimel2014")
    verdict = Verdict.PROVED
    publishes_coreset = True
    audit = AuditHints(
        epsilons=(40.0, 80.0), rooms=(Room(49, 2, epsilon=80.0, settings={"weighted": False}),)
    )
    parameters = (
        Parameter(
            "weighted",
            "Weigh each center by the rows it removed; false clusters the bare centers, as line "
            "12 of the paper's algorithm does.",
            True,
        ),
    )

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return None if d == 2 else f"its grid is for 2 dimensions; these data have {d}."

    def too_few_rows(
        self, n: int, k: int, epsilon: float, neighbors: Neighbors
    ) -> Infeasible | None:
        rest = 1 - SIZE_SHARE if neighbors.size_is_private else 1.0
        try:
            schedule(n, k, epsilon * rest, rest)
        except Infeasible as refusal:
            return refusal
        return None

    def run(self, curator: Curator, k: int, *, weighted: bool) -> Outcome:
        coreset = self.summary(curator, k, weighted=weighted)
        centers = coreset.unit_centers(k, curator.rng)
        curator.note(CentersNote(centers))
        rounds = sum(isinstance(step.note, BallNote) for step in curator.steps)
        return Outcome(centers, coreset, {"rounds": rounds, "points": len(coreset)})

    def summary(self, curator: Curator, k: int, *, weighted: bool) -> Coreset:
        n, rest = curator.size(SIZE_SHARE)
        epsilon = curator.budget.epsilon * rest
        sizes = schedule(n, k, epsilon, rest)
        centers = small_balls(curator, sizes, domain_side(n), epsilon / most_rounds(n, k))
        points, which = np.unique(centers, axis=0, return_inverse=True)
        weights = np.bincount(which.ravel(), sizes if weighted else None).astype(np.float64)
        curator.note(CoresetNote(points, weights))
        return Coreset(points, weights, curator.box)


def schedule(n: int, k: int, epsilon: float, rest: float) -> list[int]:
    """The number of rows that each round removes, or Infeasible when there is none. `rest` is the
    part of the budget that epsilon is."""
    sizes = removals(n, k, fewest_rows(n, k, epsilon)) if n > 1 else []
    if not sizes:
        possible = n > 1 and 3 * n >= 8 * k
        least = smallest_epsilon(n, k) / rest if possible else None
        remedy = f"needs an epsilon of at least {at_most(least, 3)}" if least else "cannot be done"
        # Where it is private, n is noisy: its last digits say nothing.
        rows = f"{n:,}" if rest == 1 else f"about {float(f'{n:.2g}'):,.0f}"
        raise Infeasible(
            f"{rows} rows are too few at epsilon {epsilon / rest:g}: to find {k} clusters among "
            f"them on a grid of {domain_side(n)} cells a side {remedy}.",
            least,
        )
    return sizes[: int(most_rounds(n, k))]


def small_balls(curator: Curator, sizes: list[int], side: int, epsilon: float) -> FloatArray:
    """The center of a small ball for each number of rows to remove (SMALL-BALL, section 4.1)."""
    remaining = curator.working_copy(min(side, MOST_CELLS))
    side = remaining.resolution
    radii = half_widths(side, LEAST_HALF_WIDTH)
    half = Selection(epsilon / 2)
    centers = np.empty((len(sizes), 2))
    for i, m in enumerate(sizes):
        pick = remaining.select(GoodRadius(side, radii, m), half, f"radius {i + 1}")
        cell = remaining.select(CenterCounts(side, radii[pick]), half, f"center {i + 1}")
        centers[i] = from_ticks(cell_ticks(np.array(divmod(cell, side)), side))
        remaining.remove_nearest(centers[i], m)
        curator.note(
            BallNote(
                round=i + 1,
                center=centers[i],
                radius=(2 * radii[pick] + 1) / side,
                rows=m,
                epsilon=epsilon,
            )
        )
    return centers
