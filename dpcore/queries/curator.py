"""The curator: the only way to private data. It books the price of a question, then adds noise."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.datasets.divided import dealt, divided
from dpcore.datasets.leveled_rows import LeveledRows
from dpcore.datasets.mapped import MappedRows
from dpcore.datasets.region_map import Regions
from dpcore.datasets.removable import WorkingCopy, working_copy
from dpcore.geometry.domain import TICKS, FloatArray, to_ticks
from dpcore.geometry.row_maps import RowMap
from dpcore.privacy.accounting import Budget
from dpcore.privacy.groups import of_one_row
from dpcore.privacy.losses import Approx, Loss, Pure
from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.noise import noise_for
from dpcore.privacy.transcript import Transcript
from dpcore.queries.charged_questions import ChargedQuestions
from dpcore.queries.unprotected_data import UnprotectedData
from dpcore.randomness.coins import coins_for
from dpcore.results.steps import (
    Note,
    RemovalNote,
    RunStep,
)


class Curator(ChargedQuestions):
    """A data set with a budget: it gives noisy answers until the budget is spent.

    Which two data sets count as neighbors is fixed at the start, and every answer's noise is
    scaled to it. Under replace-one the number of rows is public; under add/remove it is not.
    Algorithms meet unit coordinates only: the box is [-1, 1]^d.
    """

    # Free moves, proven stable.

    def account(self, budget: Budget, why: str) -> Curator:
        """Set part of the budget aside under an accounting of its own.

        The whole of it is charged now; what is asked through the returned curator is
        (epsilon, delta)-private by its own transcript, so the two add up like any two charges.
        """
        aside = self.working_copy() if isinstance(self._data, WorkingCopy) else copy.copy(self)
        aside.transcript = Transcript(budget, self.neighbors)
        self._journal.follow(aside.transcript)
        self.transcript.charge(
            Mechanism.SET_ASIDE, why, _all_of(budget), 0.0, inner=(aside.transcript,)
        )
        return aside

    def side_by_side(
        self,
        regions: Regions,
        levels: Sequence[Budget],
        known_transcripts: Mapping[int, Transcript] = MappingProxyType({}),
        divide: Callable[[Dataset, Regions], list[Dataset]] | None = None,
    ) -> list[Curator]:
        """A curator for each region, with a level of its own and the region's rows only.

        Charged now, once, at the largest of the levels. A row added or removed changes the rows of
        one region and no other, whatever the other rows are (parallel composition). A row that is
        replaced is one removed and one added, in one region or in two: under replace-one a region
        may spend what makes two steps cost its level, under add-remove, as the number of its rows
        is not public. Two steps in two regions then cost the mean of both levels.
        `dpcore.datasets.area_levels` has the proof.

        `known_transcripts` are those of regions that need no curator, because simulated answers
        with the same seed and budget are at hand; `divide` may be a faster way to the same parts.
        """
        budgets = [
            level if self.neighbors.size_is_private else of_one_row(level, 2) for level in levels
        ]
        most = Budget(max(b.epsilon for b in levels), max(b.delta for b in levels))
        why = f"{len(budgets)} regions, each with a budget of its own"
        transcripts = tuple(
            known_transcripts[region] if region in known_transcripts else Transcript(budget)
            for region, budget in enumerate(budgets)
        )
        parts = self._asked_apart(
            lambda: (divide or divided)(self._data, regions), transcripts, most, why
        )
        for region, (name, part) in enumerate(zip(regions.names, parts, strict=True)):
            if region in known_transcripts:
                continue
            part._noise, part.rng = noise_for(self._noise, name), coins_for(self.rng, name)
            part.span = self.span * regions.windows[region].side / regions.side
        return parts

    def by_own_level(self, levels: Sequence[Budget]) -> list[Curator]:
        """A curator for the rows of each level, of rows that have an epsilon of their own.

        Charged now, once, at the largest of the levels, which rise: a row added or removed changes
        the rows of one level, no more than its own epsilon, or of none (parallel composition;
        `dpcore.runs.personal` has the proof and its limits). For add-remove alone.
        """
        data = self._data
        if not self.neighbors.size_is_private or not isinstance(data, LeveledRows):
            raise ValueError("Rows need an epsilon each, and add-remove.")
        thresholds = [level.epsilon for level in levels]
        why = f"{len(levels)} groups of rows by their own epsilon"
        transcripts = tuple(Transcript(level) for level in levels)
        parts = self._asked_apart(
            lambda: list(data.by_level(thresholds)), transcripts, levels[-1], why
        )
        for level, part in zip(thresholds, parts, strict=True):
            name = f"level {level!r}"
            part._noise, part.rng = noise_for(self._noise, name), coins_for(self.rng, name)
        return parts

    def enter(self, note: Note, steps: Sequence[RunStep]) -> None:
        """Write down the steps of a part, behind a note that says which part it is."""
        self.note(note)
        self._journal.extend(steps)

    def in_parts(self, parts: int, budget: Budget) -> list[Curator]:
        """A curator for each of some random parts of the rows, all with the same budget.

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
            part._data, part.transcript, part.bought_size = data, transcript, None
            part._journal = self._journal.of_part(transcript)
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
        """A copy with the same transcript, to remove rows from; this curator keeps them all.

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
        self._journal.write(
            RemovalNote(centers, m),
            lambda: {"radius": math.sqrt(squared) / TICKS, "rows left": self._data.n},
        )

    def unprotected(self) -> UnprotectedData:
        """The raw data. From here on the run's epsilon is infinite, whatever else it charges."""
        self.transcript.handed_out = True
        return UnprotectedData(self._data)


def _all_of(budget: Budget) -> Loss:
    return Approx(budget.epsilon, budget.delta) if budget.delta else Pure(budget.epsilon)
