"""The steps of a run: what each published, what it cost, and the truth behind it.

A `Note` is the public part of a step. Each kind of note is one class here, with a field for each
public value; there are no other kinds. The curator writes a note for every answer that it gives,
algorithms write the others through `Curator.note`, and `dpcore.classroom.steps` draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, dataclass_transform

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import FloatArray, IntArray, Partition
from dpcore.results.non_private import NonPrivate

if TYPE_CHECKING:
    from dpcore.geometry.dyadic import DyadicCells
    from dpcore.geometry.halved import HalvedCells
    from dpcore.privacy.transcript import Charge
    from dpcore.queries.sparse_cells import SparseCells


@dataclass_transform(frozen_default=True, eq_default=False)
@dataclass(frozen=True, eq=False)
class Note:
    """The public part of a step. Its subclasses are frozen dataclasses, each of a kind."""

    #: The name of its kind, in files and on screen.
    kind: ClassVar[str]

    def __init_subclass__(cls, kind: str) -> None:
        dataclass(frozen=True, eq=False)(cls)
        cls.kind = kind

    @property
    def public(self) -> dict[str, Any]:
        """The public values by name; values that this step does not have are left out."""
        named = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, eq=False)
class RunStep:
    """One thing that happened in a run."""

    note: Note
    #: The charges booked since the step before, also those in accounts that were set aside.
    charges: tuple[Charge, ...] = ()
    #: The exact answers, only where the curator keeps a journal.
    truth: NonPrivate[Mapping[str, Any]] | None = None

    @property
    def kind(self) -> str:
        return self.note.kind

    @property
    def released(self) -> Mapping[str, Any]:
        """The public values by name."""
        return self.note.public


# Notes that the curator writes.


class SizeNote(Note, kind="size"):
    """The noisy number of rows."""

    n: int


class RowsNote(Note, kind="rows"):
    """A number of rows that costs nothing to say: public, or read from earlier answers."""

    n: int


class CountsNote(Note, kind="counts"):
    """The noisy number of rows in each cell of a partition."""

    partition: Partition
    counts: IntArray


class TotalsNote(Note, kind="totals"):
    """The noisy number of rows nearest to each center, and the noisy sum of their positions."""

    centers: FloatArray
    counts: IntArray
    sums: FloatArray


class AnswerNote(Note, kind="answer"):
    """The noisy answer to a question that knows its own sensitivity."""

    why: str
    values: IntArray


class FullCellsNote(Note, kind="full cells"):
    """Cells, of more than can be counted, whose noisy number of rows reached a threshold."""

    cells: SparseCells


class SelectionNote(Note, kind="selection"):
    """The index of a chosen candidate, or the indices of several."""

    pick: int | IntArray


class LeavesNote(Note, kind="leaves"):
    """The cells of a tree that was cut where rows are."""

    cells: HalvedCells


class RemovalNote(Note, kind="removal"):
    """The removal of the m rows nearest to some released centers from a working copy."""

    centers: FloatArray
    m: int


class RegionNote(Note, kind="region"):
    """The region whose own run the next steps are of."""

    name: str


# Notes that algorithms write.


class StartNote(Note, kind="start"):
    """The centers that a search starts from."""

    centers: FloatArray


class CentersNote(Note, kind="centers"):
    """Centers found so far: after a round, or at the end."""

    centers: FloatArray
    round: int | None = None
    #: The corners of the box that the centers were clamped to.
    low: FloatArray | None = None
    high: FloatArray | None = None


class MergedNote(Note, kind="merged"):
    """The centers that are left after near ones were merged."""

    centers: FloatArray


class AliveNote(Note, kind="alive"):
    """The cells of a stage, and which of them stand out of the noise."""

    stage: int
    cells: DyadicCells | HalvedCells
    alive: npt.NDArray[np.bool_]


class BallNote(Note, kind="ball"):
    """A ball that was found: its center and radius, the rows to remove, and what it cost."""

    round: int
    center: FloatArray
    radius: float | FloatArray
    rows: int
    epsilon: float


class RangeNote(Note, kind="range"):
    """A lower and an upper quartile of each coordinate."""

    low: FloatArray
    high: FloatArray


class StartsNote(Note, kind="starts"):
    """The starts (starts, k, d) that k-means on noisy counts is run from."""

    centers: FloatArray


class FinalistsNote(Note, kind="finalists"):
    """The last center sets (sets, k, d) of k-means on noisy counts, and the cost of each."""

    centers: FloatArray
    cost: FloatArray


class CoresetNote(Note, kind="coreset"):
    """Weighted points that stand for all rows."""

    points: FloatArray
    weights: FloatArray


class RoundNote(Note, kind="round"):
    """The best centers of one round of several."""

    centers: FloatArray
    round: int
    of: int


class NetNote(Note, kind="net"):
    """The centers of a net, and how many rows near them are then removed."""

    round: int
    centers: FloatArray
    removed: int
