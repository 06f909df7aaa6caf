"""EUGkM as published (Su et al. 2016, section 4.2.1): for study only."""

from __future__ import annotations

import math

from dpcore.algorithms.base import Algorithm, AuditHints, Parameter, register
from dpcore.algorithms.eugkm import facts_of, fitting_grid, grid_centers, noisy_grid, too_many_cells
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.synopsis import NoisyGrid


@register
class EUGkMPublished(Algorithm):
    """EUGkM as published, for study: its privacy claim does not hold.

    Idea: As EUGkM, but the grid is sized by the exact number of rows, all of epsilon goes to the
    counts, and Lloyd starts from sphere packings only, which look at no data.

    Unit: one row.

    Relation: add/remove, as claimed.

    Flaw: The size of the grid betrays the exact number of rows. At epsilon 1 in two dimensions,
    89 rows give 2 x 2 cells and 90 rows 3 x 3: nobody can mistake one for the other, so no
    epsilon bounds what one row changes. What the run books for the counts is true; the look at
    the number of rows is not paid for.

    Reconstructed: the side count is rounded down; at most 60 sweeps of Lloyd; starts run on
    coarser grids first and the best are polished.
    """

    key = "eugkm-published"
    title = "EUGkM, as published"
    paper = "su2016"
    verdict = Verdict.UNPROVEN
    audit = AuditHints(settings={"starts": 2})
    relations = (Neighbors.ADD_REMOVE,)
    parameters = (
        Parameter("theta", "Larger means fewer, fuller cells.", 10.0, 0.1, 1000.0),
        Parameter("starts", "Starts for Lloyd on the noisy counts.", 30, 1, 200),
    )

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return too_many_cells(d)

    def telling_rows(self, n: int, epsilon: float) -> int:
        theta = self.settings({})["theta"]
        side = math.floor(math.sqrt(n * epsilon / theta))
        return min(n, math.ceil(side**2 * theta / epsilon * (1 - 1e-12)))

    def run(self, curator: Curator, k: int, *, theta: float, starts: int) -> Outcome:
        synopsis = self.summary(curator, k, theta=theta, starts=starts)
        centers = grid_centers(curator, synopsis, k, starts, packed=True)
        return Outcome(centers, synopsis, facts_of(synopsis.grid))

    def summary(self, curator: Curator, k: int, *, theta: float, starts: int) -> NoisyGrid:
        """The synopsis that `run` publishes beside its centers."""
        epsilon = curator.budget.epsilon
        grid = fitting_grid(curator, curator.unprotected().n, epsilon, theta)
        return noisy_grid(curator, grid, epsilon)
