"""The mean of rows that are zero almost everywhere (Balcan et al. 2017, section 6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.algorithms.base import Algorithm, AuditHints, Parameter, Room, register
from dpcore.geometry.domain import TICKS, FloatArray, Grid, IntArray
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.losses import Pure, Selection
from dpcore.queries.curator import Curator
from dpcore.queries.questions import SumsOf
from dpcore.queries.scores import FarSums
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote


@dataclass(frozen=True, eq=False)
class Take:
    """Some coordinates of a row, each at most 1."""

    axes: IntArray

    @property
    def d(self) -> int:
        return len(self.axes)

    @property
    def reach(self) -> float:
        return math.sqrt(self.d)

    @property
    def reach_l1(self) -> float:
        return float(self.d)

    def __call__(self, ticks: IntArray) -> IntArray:
        return ticks[:, self.axes]


def mean_of_few(
    curator: Curator, n: int, coordinates: int, epsilon: float, score: FarSums
) -> FloatArray:
    """The noisy mean, but only of the coordinates that seem farthest from 0; the others are 0.

    Half of epsilon chooses them, half pays for their sums. Where all are wanted, all of it does.
    """
    axes = np.arange(curator.d)
    if coordinates < curator.d:
        epsilon /= 2
        loss = Selection(epsilon, coordinates)
        axes = curator.select_several(score, loss, f"{coordinates} coordinates with large sums")
    sums = curator.answer(
        SumsOf(Grid(curator.box, 1), Take(axes)),
        Pure(epsilon),
        f"sums of {len(axes)} coordinates",
    )
    mean = np.zeros((1, curator.d))
    mean[0, axes] = sums[0] / (TICKS * n)
    curator.note(CentersNote(mean))
    return mean


class OneMean(Algorithm):
    """The common part of the private sparse mean, repaired and as published."""

    paper = "balcan2017"
    parameters = (
        Parameter("sparsity", "Coordinates of a row that are not 0, at most.", 10, 1, 10_000),
        Parameter(
            "accuracy",
            "Allowed error: 2 sparsity / accuracy coordinates are looked at.",
            0.5,
            0.001,
            1.0,
        ),
    )

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return None if k == 1 else "it finds one center, the mean of all rows, so k must be 1."

    def coordinates(self, d: int, sparsity: int, accuracy: float) -> int:
        return min(d, math.ceil(2 * sparsity / accuracy))


@register
class SparseMean(OneMean):
    """The mean of all rows, when most coordinates of every row are zero.

    Idea: Choose the few coordinates whose sums are farthest from zero, each choice likelier the
    farther, and publish a noisy mean for these alone. The noise then grows with the number of
    chosen coordinates, not with that of all. Zero is the middle of the box. It gives one center,
    so k is 1.

    Unit: one row.

    Relation: add/remove, the number of rows private; replace-one, it is public.

    Flaw: A choice costs twice what the paper says when rows are added or removed, and choice and
    noise both cost twice it when a row is replaced: 1.5 or 2 times epsilon in all. The number of
    coordinates, rounded up, overspends a little more, and the exact number of rows divides the
    sums though neighbors may differ in it.

    Repair: Under add/remove 5 % of epsilon buys a noisy number of rows. One row moves the sum of a
    coordinate by at most 1 (2 when replaced), hence its distance from zero. Half of the rest is
    shared by T choices, each an exponential mechanism with weight exp(epsilon' |sum| / 2) (or / 4)
    among the coordinates left. The sums of the T chosen ones move by at most T in all (2T), so
    noise of scale 2T/epsilon (4T/epsilon) costs the other half. Where T is no less than the number
    of coordinates nothing is chosen, and the sums get all.

    Reconstructed: the paper takes turns between choosing and measuring; as no choice looks at a
    noisy sum, choosing all first is the same.
    """

    key = "sparse-mean"
    title = "Sparse mean"
    verdict = Verdict.REPAIRED
    audit = AuditHints(settings={"sparsity": 1, "accuracy": 1.0}, rooms=(Room(48, 6),))

    def run(self, curator: Curator, k: int, *, sparsity: int, accuracy: float) -> Outcome:
        n, rest = curator.size(0.05)
        coordinates = self.coordinates(curator.d, sparsity, accuracy)
        epsilon = curator.budget.epsilon * rest
        mean = mean_of_few(curator, n, coordinates, epsilon, FarSums(curator.neighbors))
        return Outcome(np.clip(mean, -1.0, 1.0), facts={"coordinates": coordinates})


class HalvedFarSums(FarSums):
    """The same scores, as if one row could move them one way only: the paper's weights."""

    monotone = True


@register
class SparseMeanPublished(OneMean):
    """The sparse mean as published, for study: its privacy claim does not hold.

    Idea: As sparse-mean, with choices twice as bold and the exact number of rows.

    Unit: one row.

    Relation: add/remove, as claimed.

    Flaw: The weights of a choice, exp(epsilon' |sum|), would be right if a row could move all
    sums away from zero together; but it brings one nearer and another farther, and the choice
    costs twice what is booked. The run costs 1.5 times its epsilon, and the exact number of rows
    that divides the sums is not paid for.

    Reconstructed: as in sparse-mean. The number of coordinates is rounded up without overspending.
    """

    key = "sparse-mean-published"
    title = "Sparse mean, as published"
    verdict = Verdict.UNPROVEN
    audit = AuditHints(settings={"sparsity": 1, "accuracy": 1.0}, rooms=(Room(48, 6),))
    relations = (Neighbors.ADD_REMOVE,)

    def run(self, curator: Curator, k: int, *, sparsity: int, accuracy: float) -> Outcome:
        n = max(1, curator.unprotected().n)
        coordinates = self.coordinates(curator.d, sparsity, accuracy)
        score = HalvedFarSums(curator.neighbors)
        mean = mean_of_few(curator, n, coordinates, curator.budget.epsilon, score)
        return Outcome(mean, facts={"coordinates": coordinates})
