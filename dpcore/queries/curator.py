"""The only door to private data. Every question is priced, booked, and answered with noise."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np

from dpcore.datasets.base import Dataset, Totals
from dpcore.datasets.divided import dealt, divided
from dpcore.datasets.mapped import MappedRows
from dpcore.datasets.region_map import Regions
from dpcore.datasets.removable import WorkingCopy, working_copy
from dpcore.geometry.domain import TICKS, Box, FloatArray, IntArray, Partition, to_ticks
from dpcore.geometry.row_maps import RowMap
from dpcore.privacy.accounting import (
    Accounting,
    Approx,
    Budget,
    Charge,
    Infeasible,
    Loss,
    Mechanism,
    Neighbors,
    Pure,
    Selection,
    Transcript,
)
from dpcore.privacy.gaussian import MAX_VALUES
from dpcore.privacy.groups import of_one_row
from dpcore.privacy.losses import noise_scale
from dpcore.privacy.noise import Noise, noise_for
from dpcore.privacy.rounding import down, root_up
from dpcore.privacy.secret_coins import MakeSecretCoins, SecretCoins
from dpcore.queries.questions import Question, Sensitivity
from dpcore.queries.scores import Score
from dpcore.queries.sparse_cells import (
    SparseCells,
    SparsePartition,
    check_phantoms,
    log_chance,
    reached_by_noise,
    reaching,
)
from dpcore.queries.unprotected_data import UnprotectedData
from dpcore.randomness.coins import Coins, SystemCoins, coins_for
from dpcore.results.non_private import NonPrivate
from dpcore.results.steps import (
    AnswerNote,
    CountsNote,
    FullCellsNote,
    Note,
    RemovalNote,
    RowsNote,
    SelectionNote,
    SizeNote,
    Step,
    TotalsNote,
)

L = TypeVar("L", bound=Loss)


class _Bookings:
    """The charges that no step carries yet, in a run's account and in those set aside from it."""

    def __init__(self, transcript: Transcript):
        self._seen = [(transcript, 0)]

    def watch(self, transcript: Transcript) -> None:
        self._seen.append((transcript, 0))

    def new(self) -> tuple[Charge, ...]:
        """The charges booked since the last call."""
        booked: list[Charge] = []
        for i, (transcript, seen) in enumerate(self._seen):
            fresh = transcript[seen:]
            booked += fresh
            self._seen[i] = transcript, seen + len(fresh)
        return tuple(booked)


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
        rng: Coins | None = None,
        keep_journal: bool = False,
        watch: Callable[[Step], None] | None = None,
        make_secret_coins: MakeSecretCoins = SecretCoins,
    ):
        self._data = dataset
        self._noise = noise
        self._keeps_journal = keep_journal
        self._watch = watch
        self._journal: list[Step] = []
        self.transcript = Transcript(budget, Neighbors(neighbors))
        self._bookings = _Bookings(self.transcript)
        #: Public coins: starts and candidates. They never see the data, and proofs hold even if
        #: they are known.
        self.rng: Coins = rng if rng is not None else SystemCoins()
        self._make_secret_coins = make_secret_coins

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

    def note(self, note: Note) -> None:
        """Write something public into the step log, for drawing the run step by step."""
        self._record(note)

    def secret_coins(self) -> SecretCoins:
        """Coins for dealing rows into blocks or parts, each time others: nobody may know them."""
        return self._make_secret_coins(self.rng.spawn(1)[0])

    # Charged questions.

    def size(self, fraction: float) -> tuple[int, float]:
        """How many rows there are, and the fraction of the budget that is left for the rest.

        One row changes the number by one: it is noisy, at least 1, for a fraction of the budget.
        Under replace-one it is public and free.
        """
        if not self.neighbors.size_is_private:
            self.note(RowsNote(self._data.n))
            return self._data.n, 1.0
        why, loss = "number of rows", self.budget.share(fraction)
        noisy = self._noisy(lambda: np.array([self._data.n]), Sensitivity(1, 1.0), loss, why)
        self._log(SizeNote(int(noisy[0])), lambda: {"n": self._data.n})
        return max(1, int(noisy[0])), 1.0 - fraction

    def noisy_counts(self, partition: Partition, loss: Loss, why: str) -> IntArray:
        """Rows in each cell of a partition, empty cells too.

        Cells are disjoint, so one row added changes one count by 1 and one replaced changes two.
        """
        exact: list[IntArray] = []

        def count() -> IntArray:
            exact.append(self._data.histogram(partition))
            return exact[0]

        noisy = self._noisy(
            count, self._per_row(Sensitivity(1, 1.0), Sensitivity(2, root_up(2))), loss, why
        )
        self._log(CountsNote(partition, noisy), lambda: {"counts": exact[0]})
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
            self._per_row(Sensitivity(1, 1.0), Sensitivity(2, root_up(2))),
            counts,
            f"{why}: rows in each cluster",
        )
        noisy_sums = self._noisy(
            lambda: ask().sums,
            self._per_row(
                Sensitivity(d * TICKS, root_up(d) * TICKS),
                Sensitivity(2 * d * TICKS, 2 * root_up(d) * TICKS),
            ),
            sums,
            f"{why}: sums of positions",
        )
        note = TotalsNote(centers, noisy_counts, noisy_sums / TICKS)
        self._log(note, lambda: {"counts": ask().counts, "sums": ask().sums / TICKS})
        return noisy_counts, noisy_sums / TICKS

    def answer(self, question: Question, loss: Loss, why: str) -> IntArray:
        """Whole numbers that know how far one row can move them, with noise scaled to that."""
        exact: list[IntArray] = []
        # Its coins are tossed when it is asked: kept as it was, it can be asked again.
        asked = copy.deepcopy(question) if self._keeps_journal else None

        def ask() -> IntArray:
            exact.append(question.of(self._data))
            return exact[0]

        noisy = self._noisy(ask, self._per_row(question.added, question.replaced), loss, why)
        behind = {"question": asked}
        self._log(AnswerNote(why, noisy), lambda: {**behind, "values": exact[0]})
        return noisy

    def full_cells(
        self, cells: SparsePartition, margin: float, loss: Pure, why: str
    ) -> SparseCells:
        """The cells, of more than can be counted, whose noisy number of rows reaches `margin`
        times the scale of the noise, and at least 1.

        This is what comparing noisy counts of all cells, empty ones too, with the threshold would
        give: empty cells that noise alone lifts to it are drawn with the same probabilities. So it
        is post-processing of a histogram, in which one row moves counts as in `noisy_counts`.
        """
        moved = self._per_row(Sensitivity(1, 1.0), Sensitivity(2, root_up(2)))

        def reached_at(scale: float) -> int:
            return max(1, math.ceil(margin * scale))

        scale = moved.l1 / loss.epsilon
        check_phantoms(cells, log_chance(reached_at(scale), scale))
        paid = self._paid(moved, loss, why)
        scale = moved.l1 / paid.epsilon
        threshold = reached_at(scale)
        occupied: list[SparseCells] = []

        def count() -> IntArray:
            found, counts = self._occupied(cells)
            occupied.append(found)
            return counts

        noisy = self._drawn(count, moved, paid)
        phantoms = self._phantoms(cells, threshold, scale)
        full = reaching(occupied[0], noisy, threshold, phantoms)
        self._log(FullCellsNote(full), lambda: {"occupied": occupied[0]})
        return full

    def _occupied(self, cells: SparsePartition) -> tuple[SparseCells, IntArray]:
        """The cells that get noise one by one, all that hold rows among them, and their counts."""
        return cells.occupied(*self._data.positions())

    def _phantoms(self, cells: SparsePartition, threshold: int, scale: float) -> SparseCells:
        """The cells that noise alone lifts to the threshold."""
        return reached_by_noise(cells, log_chance(threshold, scale), self._noise)

    def select(
        self, score: Score, loss: Selection, why: str, log_prior: FloatArray | None = None
    ) -> int:
        """The index of one public candidate, likelier the higher its score.

        The exponential mechanism: weight prior * exp(epsilon * score / (2 * sensitivity)), without
        the 2 where one row added can move scores one way only.
        """
        scores, monotone, epsilon = self._scored(score, loss, why)
        chosen = self._noise.choose(scores, score.sensitivity, epsilon, monotone, log_prior)
        self._log(SelectionNote(chosen), lambda: {"scores": scores})
        return chosen

    def select_several(self, score: Score, loss: Selection, why: str) -> IntArray:
        """The indices of loss.picks different candidates, each chosen among those that are left.

        Every pick is an exponential mechanism with an equal share of the loss.
        """
        scores, monotone, epsilon = self._scored(score, loss, why)
        left = np.arange(scores.size)
        chosen = np.empty(loss.picks, dtype=np.int64)
        for i in range(loss.picks):
            pick = self._noise.choose(scores[left], score.sensitivity, epsilon, monotone)
            chosen[i] = left[pick]
            left = np.delete(left, pick)
        self._log(SelectionNote(chosen), lambda: {"scores": scores})
        return chosen

    def _scored(self, score: Score, loss: Selection, why: str) -> tuple[IntArray, bool, float]:
        """Book the choice first; only then score. Also whether a row moves scores one way only,
        and the epsilon of each pick."""
        paid = self.transcript.charge(
            Mechanism.EXPONENTIAL, why, loss, score.sensitivity, answers=loss.picks
        ).paid
        assert isinstance(paid, Selection)
        monotone = score.monotone and self.neighbors is Neighbors.ADD_REMOVE
        return score.of(self._data), monotone, down(Fraction(paid.epsilon) / paid.picks)

    # Free moves, proven stable.

    def account(self, budget: Budget, why: str) -> Curator:
        """Set part of the budget aside under an accounting of its own.

        The whole of it is charged now; what is asked through the returned curator is
        (epsilon, delta)-private by its own transcript, so the two add up like any two charges.
        """
        aside = self.working_copy() if isinstance(self._data, WorkingCopy) else copy.copy(self)
        aside.transcript = Transcript(budget, self.neighbors)
        self._bookings.watch(aside.transcript)
        self.transcript.charge(
            Mechanism.SET_ASIDE, why, _all_of(budget), 0.0, inner=(aside.transcript,)
        )
        return aside

    def side_by_side(
        self,
        regions: Regions,
        levels: Sequence[Budget],
        kept: Mapping[int, Transcript] = MappingProxyType({}),
        divide: Callable[[Dataset, Regions], list[Dataset]] | None = None,
    ) -> list[Curator]:
        """A curator for each region, with a level of its own and the region's rows only.

        Charged now, once, at the largest of the levels. A row added or removed changes the rows of
        one region and no other, whatever the other rows are (parallel composition). A row that is
        replaced is one removed and one added, in one region or in two: under replace-one a region
        may spend what makes two steps cost its level, under add-remove, as the number of its rows
        is not public. Two steps in two regions then cost the mean of both levels.
        `dpcore.datasets.area_levels` has the proof.

        `kept` are transcripts of regions that need no curator, because simulated answers with the
        same seed and budget are at hand; `divide` may be a faster way to the same parts.
        """
        budgets = [
            level if self.neighbors.size_is_private else of_one_row(level, 2) for level in levels
        ]
        most = Budget(max(b.epsilon for b in levels), max(b.delta for b in levels))
        why = f"{len(budgets)} regions, each with a budget of its own"
        transcripts = tuple(
            kept[region] if region in kept else Transcript(budget)
            for region, budget in enumerate(budgets)
        )
        parts = self._asked_apart(
            lambda: (divide or divided)(self._data, regions), transcripts, most, why
        )
        for name, part in zip(regions.names, parts, strict=True):
            part._noise, part.rng = noise_for(self._noise, name), coins_for(self.rng, name)
        return parts

    def enter(self, note: Note, steps: Sequence[Step]) -> None:
        """Write down the steps of a part, behind a note that says which part it is."""
        self.note(note)
        self._journal.extend(steps)

    def in_parts(self, parts: int, budget: Budget) -> list[Curator]:
        """A curator for each of so many random parts of the rows, each with the same budget.

        Charged now, once: every row draws its part independently of its value and of all other
        rows. Whatever is drawn, a row added, removed or replaced changes one part and no other
        (parallel composition, under either relation).
        """
        coins = self.secret_coins()
        why = f"{parts} random parts, each with the same budget"
        transcripts = tuple(Transcript(budget, self.neighbors) for _ in range(parts))
        return self._asked_apart(lambda: dealt(self._data, parts, coins), transcripts, budget, why)

    def _asked_apart(
        self,
        divide: Callable[[], list[Dataset]],
        transcripts: tuple[Transcript, ...],
        most: Budget,
        why: str,
    ) -> list[Curator]:
        """Curators of disjoint parts, for the price of the dearest; charged before the data are
        divided."""
        self.transcript.charge(Mechanism.SIDE_BY_SIDE, why, _all_of(most), 0.0, inner=transcripts)
        curators = []
        for data, transcript in zip(divide(), transcripts, strict=True):
            part = copy.copy(self)
            part._data, part.transcript, part._journal = data, transcript, []
            part._bookings = _Bookings(transcript)
            curators.append(part)
        return curators

    def mapped(self, row_map: RowMap) -> Curator:
        """The images of the rows under a public map, under the same transcript.

        The map acts on every row by itself, so neighbors stay neighbors or become equal.
        """
        image = copy.copy(self)
        image._data = MappedRows.of(self._data, row_map)
        return image

    def working_copy(self, cells_per_side: int | None = None) -> Curator:
        """The same rows under the same transcript, to remove some from; this one keeps them all.

        In two dimensions they can be moved to the centers of the cells of a public grid, each row
        by itself, so that neighbors stay neighbors.
        """
        copied = copy.copy(self)
        copied._data = working_copy(self._data, cells_per_side)
        return copied

    def remove_nearest(self, centers: FloatArray, m: int) -> None:
        """Forget the m rows nearest any of some released centers (k, d), or all if there are fewer.

        This costs nothing: neighboring data sets stay neighbors or become equal. The m are the
        first in a fixed order of locations. Add a row: if it is beyond the first m, the same rows
        go, and it stays. If it is among them, it goes in place of the last of the m, which now
        stays; so what is left still differs by one row more. A row replaced is one removed and one
        added, and the rows that come to stay or go in their place differ by one replacement.
        """
        if not isinstance(self._data, WorkingCopy):
            self._data = working_copy(self._data)
        squared = self._data.remove_nearest(to_ticks(np.atleast_2d(centers)), m)
        self._log(
            RemovalNote(centers, m),
            lambda: {"radius": math.sqrt(squared) / TICKS, "rows left": self._data.n},
        )

    def unprotected(self) -> UnprotectedData:
        """The raw data. From here on the run's epsilon is infinite, whatever else it charges."""
        self.transcript.handed_out = True
        return UnprotectedData(self._data)

    # How an answer is made.

    def _per_row(self, added: Sensitivity, replaced: Sensitivity) -> Sensitivity:
        return added if self.neighbors is Neighbors.ADD_REMOVE else replaced

    def _noisy(
        self, exact: Callable[[], IntArray], sensitivity: Sensitivity, loss: Loss, why: str
    ) -> IntArray:
        """Book the question first; only then look, and add the noise that the loss pays for."""
        return self._drawn(exact, sensitivity, self._paid(sensitivity, loss, why))

    def _paid(self, sensitivity: Sensitivity, loss: L, why: str) -> L:
        """Book noise on whole numbers: the loss that it is to be scaled to."""
        if isinstance(loss, Selection):
            raise TypeError("What a selection costs pays for a choice, not for noise on numbers.")
        pure = isinstance(loss, Pure)
        kind = Mechanism.GEOMETRIC if pure else Mechanism.GAUSSIAN
        moved = sensitivity.l1 if pure else sensitivity.l2
        charge = self.transcript.charge(kind, why, loss, moved, partial(noise_scale, moved))
        return cast("L", charge.paid)

    def _drawn(self, exact: Callable[[], IntArray], moved: Sensitivity, paid: Loss) -> IntArray:
        """The exact values with the noise that was paid for."""
        values = exact()
        if isinstance(paid, Pure):
            return self._noise.geometric(values, moved.l1, paid.epsilon)
        if self.budget.accounting is Accounting.GAUSSIAN and values.size > MAX_VALUES:
            raise Infeasible(f"Gaussian accounting has room for {MAX_VALUES:,} values a question.")
        return self._noise.gaussian(values, moved.l2, paid.rho)

    def _log(self, note: Note, truth: Callable[[], Mapping[str, Any]]) -> None:
        """Write down an answer, and in a journal also the truth behind it."""
        self._record(note, NonPrivate(truth()) if self._keeps_journal else None)

    def _record(self, note: Note, truth: NonPrivate[Mapping[str, Any]] | None = None) -> None:
        if not isinstance(note, Note):
            raise TypeError(f"A step is noted as a Note of dpcore.results.steps, not {note!r}.")
        step = Step(note, self._bookings.new(), truth)
        self._journal.append(step)
        if self._watch is not None:
            self._watch(step)


def _all_of(budget: Budget) -> Loss:
    return Approx(budget.epsilon, budget.delta) if budget.delta else Pure(budget.epsilon)
