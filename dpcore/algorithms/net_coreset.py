"""The private coreset of Feldman et al. (2009), which Feldman et al. (2017) compare theirs with.

It is reference [14] of the later paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dpcore.algorithms.base import Algorithm, AuditHints, Parameter, PublishesPoints, Room, register
from dpcore.geometry.domain import TICKS, FloatArray, Grid, IntArray, to_ticks
from dpcore.geometry.voronoi import Voronoi
from dpcore.kmeans.lloyd import lloyd
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.seeding import sphere_packing
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Pure, Selection
from dpcore.queries.curator import Curator
from dpcore.queries.row_costs import AddedCost, RowCost
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, NetNote
from dpcore.results.synopsis import Synopsis

#: Part of the budget that buys the number of rows, where it is private.
SIZE_SHARE = 0.05
#: Cubes around a center, each half as wide as the one before, and cells a side of each.
RINGS, CELLS = 8, 8
MAX_ROUNDS = 24
SWEEPS = 30


@dataclass(frozen=True, eq=False)
class Rings:
    """Around each center (k, d) cubes, each half as wide as the one before, cut into cells.

    A row lies in a cell of the smallest cube of its nearest center that holds it.
    """

    centers: FloatArray

    @property
    def d(self) -> int:
        return self.centers.shape[1]

    @property
    def n_cells(self) -> int:
        return len(self.centers) * RINGS * CELLS**self.d

    def labels(self, ticks: IntArray) -> IntArray:
        owner = Voronoi(self.centers).labels(ticks)
        offset = ticks - to_ticks(self.centers)[owner]
        reach = np.abs(offset).max(axis=-1)
        ring = np.zeros(len(ticks), dtype=np.int64)
        for j in range(1, RINGS):
            ring += reach <= 2 * TICKS >> j
        half = (2 * TICKS >> ring)[:, None]
        cell = np.minimum((offset + half) * CELLS // (2 * half), CELLS - 1)
        label = owner * RINGS + ring
        for axis in range(self.d):
            label = label * CELLS + cell[:, axis]
        return label

    def points(self) -> FloatArray:
        """The middles of all cells, folded back into the box, in the order of their labels."""
        middle = (2 * np.arange(CELLS) + 1 - CELLS) / CELLS
        cells = np.stack(np.meshgrid(*[middle] * self.d, indexing="ij"), axis=-1)
        half = 2.0 / (1 << np.arange(RINGS))
        around = half[:, None, None] * cells.reshape(-1, self.d)
        points = self.centers[:, None, None] + around
        return np.clip(points.reshape(-1, self.d), -1, 1)

    def can_hold_rows(self) -> npt.NDArray[np.bool_]:
        """Cells that the next smaller cube does not cover: known without data."""
        middle = np.abs(2 * np.arange(CELLS) + 1 - CELLS) < CELLS // 2
        inner = np.ones((CELLS,) * self.d, dtype=bool)
        for axis in range(self.d):
            inner &= middle.reshape([-1 if a == axis else 1 for a in range(self.d)])
        rings = np.repeat(~inner.ravel()[None], RINGS, axis=0)
        rings[-1] = True
        return np.tile(rings.ravel(), len(self.centers))


@register
class NetCoreset(Algorithm):
    """A signed coreset: noisy counts on rings of cells around greedily chosen centers.

    Idea: Greedily choose centers that are near many rows, forget the half of the rows nearest to
    them, and go on with the rest, until few are left. Around each center lay cells that grow with
    the distance from it, and publish a noisy number of rows for every one, empty ones too. Weights
    may be negative, and there are many of them.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public and noise doubles.

    Private: Each center is chosen from a public lattice by an exponential mechanism over k-median
    costs, to which a row adds at most the diameter: epsilon/2Jk for each of J rounds of k.
    Forgetting a fixed number of rows nearest the released centers leaves neighbors neighbors, so
    choices compose adaptively to epsilon/2. The cells are disjoint, so the noisy counts cost the
    other half. The number of rounds follows from the noisy (or public) number of rows.

    Reconstructed: All of it, from the authors' slides and from what Feldman et al. (2017) say of it
    (pure epsilon, error growing like epsilon^-d, negative weights, 20 to 40 times as many points):
    the lattice, the number of rounds, 8 cubes of 8 cells a side, and Lloyd on the signed cells.
    What is proved here is this reconstruction.
    """

    key = "net-coreset"
    title = "Net coreset (2009)"
    paper = "feldman2017"
    sources = ("feldman2009",)
    verdict = Verdict.PROVED
    publishes_points = PublishesPoints.ALWAYS
    audit = AuditHints(settings={"lattice": 4, "starts": 1}, rooms=(Room(60, 3),))
    parameters = (
        Parameter("lattice", "Candidates for centers, a side.", 16, 2, 64),
        Parameter("starts", "Starts for Lloyd on the noisy cells; free.", 10, 1, 100),
    )

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        if d <= 4:
            return None
        return f"in {d} dimensions a ring has {CELLS}^{d} cells, too many to count."

    def run(self, curator: Curator, k: int, *, lattice: int, starts: int) -> Outcome:
        n, rest = curator.size(SIZE_SHARE)
        epsilon = curator.budget.epsilon * rest
        side = min(lattice, math.ceil(4096 ** (1 / curator.d)), curator.resolution)
        centers = nets(curator, k, n, epsilon / 2, Grid(curator.box, side).centers())
        rings = Rings(centers)
        counts = curator.noisy_counts(
            rings, Pure(epsilon / 2), "rows in each cell around the centers"
        )
        possible = rings.can_hold_rows()
        points, weights = rings.points()[possible], counts[possible].astype(np.float64)
        first = sphere_packing(k, curator.d, starts, curator.rng)
        solutions, inertia = lloyd(WeightedPoints(points, weights), first, SWEEPS, 4e-4)
        best = solutions[int(inertia.argmin())]
        curator.note(CentersNote(best))
        facts = {"nets": len(centers) // k, "points": len(points)}
        return Outcome(best, Synopsis(points, weights, curator.box), facts)


def nets(curator: Curator, k: int, n: int, epsilon: float, candidates: FloatArray) -> FloatArray:
    """k centers for the rows, k more for the half that is farther from them, and so on."""
    rounds = min(MAX_ROUNDS, max(1, round(math.log2(n)) - 3))
    loss = Selection(epsilon / (rounds * k))
    row_cost = RowCost(math.sqrt(curator.d), squared=False)
    remaining = curator.working_copy()
    points: list[FloatArray] = []
    n_remaining = n
    for i in range(rounds):
        net = np.empty((0, curator.d))
        for j in range(k):
            why = f"net {i + 1} of {rounds}, center {j + 1}"
            pick = remaining.select(AddedCost(net, candidates, row_cost), loss, why)
            net = np.concatenate([net, candidates[pick : pick + 1]])
        curator.note(NetNote(round=i + 1, centers=net, removed=n_remaining // 2))
        remaining.remove_nearest(net, n_remaining // 2)
        n_remaining -= n_remaining // 2
        points.append(net)
    return np.unique(np.concatenate(points), axis=0)
