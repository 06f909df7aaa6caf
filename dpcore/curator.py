"""The only door to private data. Every question is priced, booked, and answered with noise."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore.datasets.base import Dataset, Totals
from dpcore.domain import TICKS, Box, FloatArray, IntArray, Partition, to_ticks
from dpcore.noise import Noise
from dpcore.privacy import (
    Approx,
    Budget,
    Loss,
    Neighbors,
    Pure,
    Selection,
    Transcript,
)
from dpcore.results import NonPrivate, Step
from dpcore.scores import Score


@dataclass(frozen=True)
class Sensitivity:
    """How far one row can move an answer, in the answer's whole units, by L1 and L2 norm."""

    l1: int
    l2: float


class Curator:
    """Holds a data set and a budget; hands out noisy answers until the budget is spent.

    Which two data sets count as neighbors is fixed at the start, and every answer's noise is
    scaled to it. Under replace-one the number of rows is public; under add/remove it is not.
    Algorithms meet unit coordinates only: the box is [-1, 1]^d.
    """

    def __init__(
        self,
        dataset: Dataset,
        budget: Budget,
        noise: Noise,
        neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
        rng: np.random.Generator | None = None,
        keep_journal: bool = False,
    ):
        self._data = dataset
        self._noise = noise
        self._keeps_journal = keep_journal
        self._journal: list[Step] = []
        self.transcript = Transcript(budget, Neighbors(neighbors))
        #: Public coins: starts, candidates, blocks. They never see the data.
        self.rng = rng if rng is not None else np.random.default_rng()

    # What everybody may know.

    @property
    def box(self) -> Box:
        return self._data.box

    @property
    def d(self) -> int:
        return self._data.d

    @property
    def resolution(self) -> int:
        """Cells a side of the lattice on which positions are known."""
        return self._data.resolution

    @property
    def neighbors(self) -> Neighbors:
        return self.transcript.neighbors

    @property
    def budget(self) -> Budget:
        return self.transcript.budget

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(self._journal)

    def note(self, kind: str, **released: Any) -> None:
        """Write something public into the step log, for drawing the run step by step."""
        self._journal.append(Step(kind, released))

    # Charged questions.

    def size(self, fraction: float) -> tuple[int, float]:
        """How many rows there are, and the fraction of the budget that is left for the rest.

        One row changes the number by one: it is noisy, at least 1, for a fraction of the budget.
        Under replace-one it is public and free.
        """
        if not self.neighbors.size_is_private:
            return self._data.n, 1.0
        why, loss = "number of rows", self.budget.share(fraction)
        noisy = self._noisy(lambda: np.array([self._data.n]), Sensitivity(1, 1.0), loss, why)
        self._log("size", {"n": int(noisy[0])}, lambda: {"n": self._data.n})
        return max(1, int(noisy[0])), 1.0 - fraction

    def noisy_counts(self, partition: Partition, loss: Loss, why: str) -> IntArray:
        """Rows in each cell of a partition, empty cells too.

        Cells are disjoint, so one row added changes one count by 1 and one replaced changes two.
        """
        exact: list[IntArray] = []

        def count() -> IntArray:
            exact.append(self._data.histogram(partition))
            return exact[0]

        noisy = self._noisy(count, self._per_row(Sensitivity(1, 1.0), Sensitivity(2, 2**0.5)), loss, why)
        self._log("counts", {"partition": partition, "counts": noisy}, lambda: {"counts": exact[0]})
        return noisy

    def noisy_totals(
        self, centers: FloatArray, counts: Loss, sums: Loss, why: str
    ) -> tuple[IntArray, FloatArray]:
        """Rows nearest each center, and the sum of their positions in unit coordinates.

        Given the centers, a row lies in one cluster. Added, it changes that count by 1 and each of
        d sums by at most 1 unit: L1 d, L2 sqrt(d). Replaced, it changes two counts by 1, and sums
        by at most 2d in L1 and, when it stays in its cluster, 2 sqrt(d) in L2.
        """
        d = self.d
        ticks = to_ticks(centers)
        exact: list[Totals] = []

        def ask() -> Totals:
            if not exact:
                exact.append(self._data.cluster_totals(ticks))
            return exact[0]

        noisy_counts = self._noisy(
            lambda: ask().counts,
            self._per_row(Sensitivity(1, 1.0), Sensitivity(2, math.sqrt(2))),
            counts,
            f"{why}: rows in each cluster",
        )
        noisy_sums = self._noisy(
            lambda: ask().sums,
            self._per_row(
                Sensitivity(d * TICKS, math.sqrt(d) * TICKS),
                Sensitivity(2 * d * TICKS, 2 * math.sqrt(d) * TICKS),
            ),
            sums,
            f"{why}: sums of positions",
        )
        released = {"centers": centers, "counts": noisy_counts, "sums": noisy_sums / TICKS}
        self._log(
            "totals", released, lambda: {"counts": ask().counts, "sums": ask().sums / TICKS}
        )
        return noisy_counts, noisy_sums / TICKS

    def select(
        self, score: Score, loss: Selection, why: str, log_prior: FloatArray | None = None
    ) -> int:
        """The index of one public candidate, likelier the higher its score.

        The exponential mechanism: weight prior * exp(epsilon * score / (2 * sensitivity)), without
        the 2 where one row added can move scores one way only.
        """
        monotone = score.monotone and self.neighbors is Neighbors.ADD_REMOVE
        self.transcript.charge("exponential mechanism", why, loss, score.sensitivity)
        scores = score.of(self._data)
        chosen = self._noise.choose(scores, score.sensitivity, loss.epsilon, monotone, log_prior)
        self._log("selection", {"chosen": chosen}, lambda: {"scores": scores})
        return chosen

    # Free moves, proven stable.

    def account(self, budget: Budget, why: str) -> Curator:
        """Set part of the budget aside under an accounting of its own.

        The whole of it is charged now; what is asked through the returned curator is
        (epsilon, delta)-private by its own transcript, so the two add up like any two charges.
        """
        aside = copy.copy(self)
        aside.transcript = Transcript(budget, self.neighbors)
        loss: Loss = Pure(budget.epsilon)
        if budget.delta:
            loss = Approx(budget.epsilon, budget.delta)
        self.transcript.charge("set aside", why, loss, 0.0, inner=(aside.transcript,))
        return aside

    def remove_nearest(self, center: FloatArray, m: int) -> None:
        """Forget the m rows nearest a released center.

        With a fixed order of locations, neighboring data sets stay neighbors or become equal, so
        this costs nothing.
        """
        self._data = self._data.without_nearest(to_ticks(center), m)

    def unprotected(self) -> Dataset:
        """The raw data. From here on the run's epsilon is infinite, whatever else it charges."""
        self.transcript.handed_out = True
        return self._data

    # How an answer is made.

    def _per_row(self, added: Sensitivity, replaced: Sensitivity) -> Sensitivity:
        return added if self.neighbors is Neighbors.ADD_REMOVE else replaced

    def _noisy(
        self, exact: Callable[[], IntArray], sensitivity: Sensitivity, loss: Loss, why: str
    ) -> IntArray:
        """Book the question first; only then look, and add the noise that the loss pays for."""
        if isinstance(loss, Pure):
            self.transcript.charge(
                "two-sided geometric", why, loss, sensitivity.l1, sensitivity.l1 / loss.epsilon
            )
            return self._noise.geometric(exact(), sensitivity.l1, loss.epsilon)
        self.transcript.charge(
            "discrete Gaussian", why, loss, sensitivity.l2, sensitivity.l2 / math.sqrt(2 * loss.rho)
        )
        return self._noise.gaussian(exact(), sensitivity.l2, loss.rho)

    def _log(
        self, kind: str, released: Mapping[str, Any], truth: Callable[[], Mapping[str, Any]]
    ) -> None:
        behind = NonPrivate(truth()) if self._keeps_journal else None
        self._journal.append(Step(kind, released, behind))
