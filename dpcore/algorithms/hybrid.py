"""A noisy grid first, one round of Lloyd after it (Su et al. 2016, section 6.3)."""

from __future__ import annotations

from dpcore.algorithms.base import Algorithm, AuditHints, PublishesPoints, Room, register
from dpcore.algorithms.centroid_error import smallest_epsilon_for_a_round
from dpcore.algorithms.dplloyd import lloyd_round
from dpcore.algorithms.eugkm import (
    PARAMETERS,
    facts_of,
    fitting_grid,
    grid_centers,
    noisy_grid,
    too_many_cells,
)
from dpcore.privacy.accounting import Verdict
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote


@register
class Hybrid(Algorithm):
    """EUGkM, and then one round of DPLloyd where it pays.

    Idea: Centers found on a noisy grid are as good as the grid is fine; one round of Lloyd on the
    rows sharpens them, if its noise is small enough. A formula says when that is so: if it is,
    grid and round get half of epsilon each, and if not, the grid gets all.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public.

    Flaw: The formula uses the exact number of rows and the mean size of the coordinates, rho, both
    taken from the data without a price. Which branch is taken, and the size of the grid, tell
    neighboring data sets apart.

    Repair: rho is the constant 0.225, and under add/remove 5 % of epsilon buys a noisy number of
    rows; the formula and the grid read these alone. Given the branch, the rest is either a noisy
    histogram of disjoint cells for all that is left, or one for half and a round of noisy counts
    and sums, of L1 sensitivity d + 1, for the other half. Either adds up to epsilon.

    Reconstructed: rho is that of the journal version; replace-one doubles the noise of both
    halves, which leaves the formula as it is; in the second branch the grid is sized for
    half of epsilon; the paper's further condition, at least two rounds in DPLloyd, always holds
    at its five and is left out. On the grid Lloyd starts as in our EUGkM, mostly from greedy
    k-means++ among its noisy counts where the paper packs spheres; the rest as there.
    """

    key = "hybrid"
    title = "Hybrid"
    paper = "su2016"
    verdict = Verdict.REPAIRED
    publishes_points = PublishesPoints.ALWAYS
    audit = AuditHints(settings={"starts": 2, "theta": 1.0}, rooms=(Room(2000, 2),))
    parameters = PARAMETERS

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return too_many_cells(d)

    def run(self, curator: Curator, k: int, *, theta: float, starts: int) -> Outcome:
        n, rest = curator.size(0.05)
        epsilon = curator.budget.epsilon * rest
        threshold = smallest_epsilon_for_a_round(n, k, curator.d, theta)
        ends_with_lloyd = epsilon >= threshold
        if ends_with_lloyd:
            epsilon /= 2
        grid = fitting_grid(curator, n, epsilon, theta)
        synopsis = noisy_grid(curator, grid, epsilon)
        centers = grid_centers(curator, synopsis, k, starts)
        if ends_with_lloyd:
            centers = lloyd_round(curator, centers, epsilon, "one round of Lloyd")
            curator.note(CentersNote(centers))
        of_grid = facts_of(grid)
        if ends_with_lloyd:
            of_grid.pop("caution", None)
        facts = {
            **of_grid,
            "ends with a round of Lloyd": ends_with_lloyd,
            "a round pays from epsilon": threshold,
        }
        return Outcome(centers, synopsis, facts)
