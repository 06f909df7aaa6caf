"""Charged questions: each is priced and booked, and then answered with noise."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import TypeVar, cast

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import TICKS, Box, FloatArray, IntArray, Partition, to_ticks
from dpcore.geometry.halved import HalvedCells
from dpcore.privacy.accounting import Accounting, Budget, Neighbors
from dpcore.privacy.gaussian import MAX_VALUES
from dpcore.privacy.losses import Loss, Pure, Selection, noise_scale
from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.noise import Noise
from dpcore.privacy.rounding import down, root_up
from dpcore.privacy.secret_coins import MakeSecretCoins, SecretCoins
from dpcore.privacy.transcript import Transcript
from dpcore.queries.journal import Journal
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
from dpcore.queries.splitting import Decisions, SplitTree
from dpcore.randomness.coins import Coins, SystemCoins
from dpcore.results.steps import (
    AnswerNote,
    CountsNote,
    FullCellsNote,
    LeavesNote,
    Note,
    RowsNote,
    RunStep,
    SelectionNote,
    SizeNote,
    TotalsNote,
)

L = TypeVar("L", bound=Loss)


class ChargedQuestions:
    """Noisy answers about a data set, each booked in a transcript before the data are looked at.

    Which two data sets count as neighbors is fixed at the start, and every answer's noise is
    scaled to it. Under replace-one the number of rows is public; under add/remove it is not.
    """

    #: The part of a side of the whole map that the box is, where it is the window of a region.
    span = 1.0
    #: A number of rows that was bought before, and need not be bought again.
    bought_size: int | None = None

    def __init__(
        self,
        dataset: Dataset,
        budget: Budget,
        noise: Noise,
        neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
        rng: Coins | None = None,
        *,
        keep_journal: bool = False,
        watch: Callable[[RunStep], None] | None = None,
        make_secret_coins: MakeSecretCoins = SecretCoins,
    ):
        self._data = dataset
        self._noise = noise
        self.transcript = Transcript(budget, Neighbors(neighbors))
        self._journal = Journal(self.transcript, keep_journal, watch)
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
    def steps(self) -> tuple[RunStep, ...]:
        return self._journal.steps

    def note(self, note: Note) -> None:
        """Write something public into the step log, for drawing the run step by step."""
        self._journal.write(note)

    def secret_coins(self) -> SecretCoins:
        """New secret coins, for dividing rows into blocks or parts."""
        return self._make_secret_coins(self.rng.spawn(1)[0])

    # Charged questions.

    def size(self, fraction: float) -> tuple[int, float]:
        """The number of rows, and the fraction of the budget that is left for the rest.

        One row changes the number by one: it is noisy, at least 1, for a fraction of the budget.
        Under replace-one it is public and free, and so is one that was bought before.
        """
        if not self.neighbors.size_is_private:
            self.note(RowsNote(self._data.n))
            return self._data.n, 1.0
        if self.bought_size is not None:
            return self.bought_size, 1.0
        why, loss = "number of rows", self.budget.share(fraction)
        noisy = self._noisy(lambda: np.array([self._data.n]), Sensitivity(1, 1.0), loss, why)
        self._journal.write(SizeNote(int(noisy[0])), lambda: {"n": self._data.n})
        return max(1, int(noisy[0])), 1.0 - fraction

    def noisy_counts(self, partition: Partition, loss: Loss, why: str) -> IntArray:
        """Rows in each cell of a partition, empty cells too.

        Cells are disjoint, so one row added changes one count by 1 and one replaced changes two.
        """
        exact = cache(lambda: self._data.histogram(partition))
        noisy = self._noisy(exact, self._of_disjoint_counts(), loss, why)
        self._journal.write(CountsNote(partition, noisy), lambda: {"counts": exact()})
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
        exact = cache(lambda: self._data.cluster_totals(ticks))
        noisy_counts = self._noisy(
            lambda: exact().counts,
            self._of_disjoint_counts(),
            counts,
            f"{why}: rows in each cluster",
        )
        noisy_sums = self._noisy(
            lambda: exact().sums,
            self._per_row(
                Sensitivity(d * TICKS, root_up(d) * TICKS),
                Sensitivity(2 * d * TICKS, 2 * root_up(d) * TICKS),
            ),
            sums,
            f"{why}: sums of positions",
        )
        note = TotalsNote(centers, noisy_counts, noisy_sums / TICKS)
        self._journal.write(note, lambda: {"counts": exact().counts, "sums": exact().sums / TICKS})
        return noisy_counts, noisy_sums / TICKS

    def answer(self, question: Question, loss: Loss, why: str) -> IntArray:
        """Whole numbers that know how far one row can move them, with noise scaled to that."""
        # Its coins are tossed when it is asked: kept as it was, it can be asked again.
        question_before = copy.deepcopy(question) if self._journal.keeps_truth else None
        exact = cache(lambda: question.of(self._data))
        noisy = self._noisy(exact, self._per_row(question.added, question.replaced), loss, why)
        self._journal.write(
            AnswerNote(why, noisy), lambda: {"question": question_before, "values": exact()}
        )
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
        moved = self._of_disjoint_counts()

        def reached_at(scale: float) -> int:
            return max(1, math.ceil(margin * scale))

        scale = moved.l1 / loss.epsilon
        check_phantoms(cells, log_chance(reached_at(scale), scale))
        paid = self._paid(moved, loss, why)
        scale = moved.l1 / paid.epsilon
        threshold = reached_at(scale)
        occupied = cache(lambda: self._occupied(cells))
        noisy = self._drawn(lambda: occupied()[1], moved, paid)
        phantoms = self._phantoms(cells, threshold, scale)
        full = reaching(occupied()[0], noisy, threshold, phantoms)
        self._journal.write(FullCellsNote(full), lambda: {"occupied": occupied()[0]})
        return full

    def _occupied(self, cells: SparsePartition) -> tuple[SparseCells, IntArray]:
        """The cells that get noise one by one, all that hold rows among them, and their counts."""
        return cells.occupied(*self._data.positions())

    def _phantoms(self, cells: SparsePartition, threshold: int, scale: float) -> SparseCells:
        """The cells that noise alone lifts to the threshold."""
        return reached_by_noise(cells, log_chance(threshold, scale), self._noise)

    def leaves(self, tree: SplitTree, loss: Pure, why: str) -> HalvedCells:
        """The cells of a tree that is cut as deep as the rows allow, and no counts.

        One row added costs so much as `dpcore.queries.splitting` proves, and one replaced twice
        that.
        """
        moved = tree.stretch * (1 if self.neighbors is Neighbors.ADD_REMOVE else 2)
        scale = partial(noise_scale, moved)
        paid = self.transcript.charge(Mechanism.GEOMETRIC, why, loss, moved, scale).paid
        assert isinstance(paid, Pure)
        decided = self._decided(tree, paid, down(Fraction(paid.epsilon) / Fraction(moved)))
        cells = tree.leaves(decided)
        self._journal.write(LeavesNote(cells), lambda: {"counts": self._data.histogram(cells)})
        return cells

    def _decided(self, tree: SplitTree, paid: Pure, epsilon: float) -> list[Decisions]:
        """The cells that are cut, by noise that costs epsilon a unit; the tree is paid for."""
        return tree.grown(
            self._data.histogram,
            lambda heights: self._noise.geometric(heights, 1, epsilon),
            epsilon,
        )

    def select(
        self, score: Score, loss: Selection, why: str, log_prior: FloatArray | None = None
    ) -> int:
        """The index of one public candidate, likelier the higher its score.

        The exponential mechanism: weight prior * exp(epsilon * score / (2 * sensitivity)), without
        the 2 where one row added can move scores one way only.
        """
        scores, monotone, epsilon = self._scored(score, loss, why)
        index = self._noise.choose(scores, score.sensitivity, epsilon, monotone, log_prior)
        self._journal.write(SelectionNote(index), lambda: {"scores": scores})
        return index

    def select_several(self, score: Score, loss: Selection, why: str) -> IntArray:
        """The indices of loss.picks different candidates, each chosen among those that are left.

        Every pick is an exponential mechanism with an equal share of the loss.
        """
        scores, monotone, epsilon = self._scored(score, loss, why)
        candidates = np.arange(scores.size)
        indices = np.empty(loss.picks, dtype=np.int64)
        for i in range(loss.picks):
            pick = self._noise.choose(scores[candidates], score.sensitivity, epsilon, monotone)
            indices[i] = candidates[pick]
            candidates = np.delete(candidates, pick)
        self._journal.write(SelectionNote(indices), lambda: {"scores": scores})
        return indices

    def _scored(self, score: Score, loss: Selection, why: str) -> tuple[IntArray, bool, float]:
        """Book the choice first; only then score. Also whether a row moves scores one way only,
        and the epsilon of each pick."""
        paid = self.transcript.charge(
            Mechanism.EXPONENTIAL, why, loss, score.sensitivity, answers=loss.picks
        ).paid
        assert isinstance(paid, Selection)
        monotone = score.monotone and self.neighbors is Neighbors.ADD_REMOVE
        return score.of(self._data), monotone, down(Fraction(paid.epsilon) / paid.picks)

    # How an answer is made.

    def _per_row(self, added: Sensitivity, replaced: Sensitivity) -> Sensitivity:
        return added if self.neighbors is Neighbors.ADD_REMOVE else replaced

    def _of_disjoint_counts(self) -> Sensitivity:
        """A row added changes one count by 1, and a row replaced changes two."""
        return self._per_row(Sensitivity(1, 1.0), Sensitivity(2, root_up(2)))

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
