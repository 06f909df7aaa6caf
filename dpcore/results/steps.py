"""Steps of a run: what each made public, what it cost, and the truth behind it.

A `Note` is the public part of a step. Each kind of note is one class here, with a field for each
public value; there are no other kinds. The curator writes a note for every answer that it gives,
algorithms write the others through `Curator.note`, and `dpcore.classroom.steps` draws them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from dpcore.geometry.domain import FloatArray, IntArray, Partition
from dpcore.geometry.dyadic import DyadicCells
from dpcore.privacy.accounting import Charge
from dpcore.results.non_private import NonPrivate

if TYPE_CHECKING:
    from dpcore.queries.sparse_cells import SparseCells


@dataclass(frozen=True, eq=False)
class Note:
    """The public part of a step."""

    #: The name of its kind, in files and on screen.
    kind: ClassVar[str]

    @property
    def public(self) -> dict[str, Any]:
        """The public values by name; values that this step does not have are left out."""
        named = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, eq=False)
class Step:
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


@dataclass(frozen=True, eq=False)
class SizeNote(Note):
    """The noisy number of rows."""

    kind = "size"
    n: int


@dataclass(frozen=True, eq=False)
class RowsNote(Note):
    """A number of rows that costs nothing to say: public, or read from earlier answers."""

    kind = "rows"
    n: int


@dataclass(frozen=True, eq=False)
class CountsNote(Note):
    """The noisy number of rows in each cell of a partition."""

    kind = "counts"
    partition: Partition
    counts: IntArray


@dataclass(frozen=True, eq=False)
class TotalsNote(Note):
    """The noisy number of rows nearest to each center, and the noisy sum of their positions."""

    kind = "totals"
    centers: FloatArray
    counts: IntArray
    sums: FloatArray


@dataclass(frozen=True, eq=False)
class AnswerNote(Note):
    """The noisy answer to a question that knows its own sensitivity."""

    kind = "answer"
    why: str
    values: IntArray


@dataclass(frozen=True, eq=False)
class FullCellsNote(Note):
    """Cells, of more than can be counted, whose noisy number of rows reached a threshold."""

    kind = "full cells"
    cells: SparseCells


@dataclass(frozen=True, eq=False)
class SelectionNote(Note):
    """The index of a chosen candidate, or the indices of several."""

    kind = "selection"
    chosen: int | IntArray


@dataclass(frozen=True, eq=False)
class RemovalNote(Note):
    """The removal of the m rows nearest to some released centers from a working copy."""

    kind = "removal"
    centers: FloatArray
    m: int


@dataclass(frozen=True, eq=False)
class RegionNote(Note):
    """The region whose own run the next steps are of."""

    kind = "region"
    name: str


# Notes that algorithms write.


@dataclass(frozen=True, eq=False)
class StartNote(Note):
    """The centers that a search starts from."""

    kind = "start"
    centers: FloatArray


@dataclass(frozen=True, eq=False)
class CentersNote(Note):
    """Centers found so far: after a round, or at the end."""

    kind = "centers"
    centers: FloatArray
    round: int | None = None
    #: The corners of the box that the centers were clamped to.
    low: FloatArray | None = None
    high: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class MergedNote(Note):
    """The centers that are left after near ones were merged."""

    kind = "merged"
    centers: FloatArray


@dataclass(frozen=True, eq=False)
class AliveNote(Note):
    """The cells of a stage, and which of them stand out of the noise."""

    kind = "alive"
    stage: int
    cells: DyadicCells
    alive: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class BallNote(Note):
    """A ball that was found: its center and radius, the rows to remove, and what it cost."""

    kind = "ball"
    round: int
    center: FloatArray
    radius: float | FloatArray
    rows: int
    epsilon: float


@dataclass(frozen=True, eq=False)
class RangeNote(Note):
    """A lower and an upper quartile of each coordinate."""

    kind = "range"
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, eq=False)
class StartsNote(Note):
    """The starts (starts, k, d) that k-means on noisy counts is run from."""

    kind = "starts"
    centers: FloatArray


@dataclass(frozen=True, eq=False)
class FinalistsNote(Note):
    """The last center sets (sets, k, d) of k-means on noisy counts, and the cost of each."""

    kind = "finalists"
    centers: FloatArray
    cost: FloatArray


@dataclass(frozen=True, eq=False)
class CoresetNote(Note):
    """Weighted points that stand for all rows."""

    kind = "coreset"
    points: FloatArray
    weights: FloatArray


@dataclass(frozen=True, eq=False)
class RoundNote(Note):
    """The best centers of one round of several."""

    kind = "round"
    centers: FloatArray
    round: int
    of: int


@dataclass(frozen=True, eq=False)
class NetNote(Note):
    """The centers of a net, and how many rows near them are then removed."""

    kind = "net"
    round: int
    centers: FloatArray
    removed: int
