"""k-means on a noisy grid sized by the number of centers (Muthukrishnan and Tandon 2026)."""

from __future__ import annotations

import math

from dpcore.algorithms.base import AuditHints, Parameter, Room, SynopsisAlgorithm, register
from dpcore.algorithms.eugkm import (
    facts_of,
    grid_centers,
    grid_of_side,
    noisy_grid,
    too_many_cells,
)
from dpcore.privacy.accounting import Verdict
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.synopsis import NoisyGrid

#: Part of the budget that buys the number of rows, where it is private.
SIZE_SHARE = 0.05
#: Cells a side that are tried, at most.
MOST_SIDE = 1 << 12


@register
class Rugnik(SynopsisAlgorithm):
    """k-means of noisy counts on the uniform grid whose error bound is least for so many centers.

    Idea: A coarse grid moves rows to the centers of its cells; a fine one has much noise. How much
    either moves the cost of k centers has a bound that falls with k. Take the number of cells that
    makes the bound least, count noisily, and run Lloyd on the cells from many starts.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public and noise doubles.

    Flaw: The grid is sized by the exact number of rows, which betrays a single row under add/remove
    where the size changes with it. The released program also chooses among its starts by their
    exact cost on the data, which nothing pays for.

    Repair: Under add/remove 5 % of epsilon buys a noisy number of rows, which sizes the grid. The
    cells are disjoint, so one row added changes one count by 1, one replaced changes two, and noise
    of scale 1/(.95 epsilon), or 2/epsilon, on every cell costs the rest. Starts, Lloyd and the
    choice among them read noisy counts only.

    Reconstructed: the side is the whole number that makes the bound least, as in the released
    program; under replace-one the bound is taken at half of epsilon, which has the same noise. The
    starts are those of eugkm, so that the two differ in their grids alone.
    """

    key = "rugnik"
    title = "RUGNIK"
    paper = "muthukrishnan2026"
    sources = ("su2016",)
    verdict = Verdict.REPAIRED
    audit = AuditHints(
        settings={"starts": 2}, rooms=(Room(600, 1, k=3), Room(600, 3), Room(40, 8, runs=16))
    )
    parameters = (Parameter("starts", "Starts for Lloyd on the noisy counts; free.", 30, 1, 200),)

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return too_many_cells(d)

    def run(self, curator: Curator, k: int, *, starts: int) -> Outcome:
        synopsis = self.summary(curator, k, starts=starts)
        centers = grid_centers(curator, synopsis, k, starts)
        return Outcome(centers, synopsis, facts_of(synopsis.grid))

    def summary(self, curator: Curator, k: int, *, starts: int) -> NoisyGrid:
        n, rest = curator.size(SIZE_SHARE)
        epsilon = curator.budget.epsilon * rest
        moved = 1 if curator.neighbors.size_is_private else 2
        side = best_side(n, epsilon / moved, curator.d, k)
        return noisy_grid(curator, grid_of_side(curator, side, remedy=""), epsilon)


def error_bound(side: int, n: float, epsilon: float, d: int, k: int) -> float:
    """The paper's bound on how much grid and noise move the cost, up to a common factor.

    Rounding to the cells, rounding together with distance, and noise.
    """
    per_axis = k ** (1 / d)
    rounding = n / (3 * side**2) + 2 * math.sqrt(n / 3) / (side * per_axis)
    return rounding + math.sqrt(2) * side ** (d / 2) / (epsilon * per_axis**2)


def best_side(n: float, epsilon: float, d: int, k: int) -> int:
    """Cells a side at which the bound is least; its terms are powers of the side, so it has one
    valley."""
    low, high = 1, MOST_SIDE
    while low < high:
        middle = (low + high) // 2
        if error_bound(middle, n, epsilon, d, k) <= error_bound(middle + 1, n, epsilon, d, k):
            high = middle
        else:
            low = middle + 1
    return low
