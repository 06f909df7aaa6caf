"""The coins of a run and of its replay on the neighbor, coupled as the proofs couple them.

What is proved of random blocks and parts holds for every outcome of the secret coins: given them,
one row more or one row replaced changes one block. Let c be all coins and M_c(x) a run given them.
If for each c there is a c' with P(M_c(x) in S) <= e^epsilon P(M_c'(y) in S) + delta, and c -> c'
leaves the law of the coins as it is, then the mean over c says the same of M. So the audit may
choose c' from c, x and y, as long as it only relabels independent tosses.

It relabels them by the row. Where rows are dealt, in the run and then in its replay, rows at the
same place are matched one to one, the second copy with the second copy, and a matched row draws
the part it drew before. Under add-remove the row that came draws a part of its own, and under
replace-one the row that came draws the part of the row that left. This is a one-to-one map of rows
that draw independently from the same law, so it leaves the law as it is. It looks at both data
sets, which is allowed: they and the answers so far are given, and the tosses are fresh. Because it
matches the rows that are dealt, not those of the file, rows that were moved, removed or kept apart
before need no names. Within a block rows are put in the order of their places: the product puts
them in random order, and one order is as likely as another.

All further coins, by which blocks start, are one constant, another one in each run: in the product
each block has coins of its own, so that every block tossing the same number is one outcome of
them, which the proof must stand as well.

Noise that is drawn for some of very many cells is drawn for all of them: the same law, written out.
A count of the cells that the product's shortcut would have reported is kept beside it, since only
its law can be checked.

Where a proof owes something to nobody knowing the coins beyond that (a random sample, priced at
less because it is one), what is found here is too much. No such price can be charged.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri, pdtr

from dpcore.audit.recorded_tree import tree_decisions
from dpcore.audit.replay import Diverged, Recorder, Replay
from dpcore.geometry.domain import IntArray
from dpcore.kmeans.blocks import Blocks
from dpcore.privacy.losses import Pure, Selection
from dpcore.privacy.secret_coins import SecretCoins
from dpcore.privacy.transcript import Transcript
from dpcore.queries.charged_questions import L
from dpcore.queries.curator import Curator
from dpcore.queries.questions import Sensitivity
from dpcore.queries.scores import Score
from dpcore.queries.sparse_cells import SparseCells, SparsePartition
from dpcore.queries.splitting import Decisions, SplitTree
from dpcore.randomness.coins import Coins

#: More cells than this are not written out.
MAX_CELLS = 1 << 16


@dataclass
class Phantoms:
    """Cells that the noise of empty ones was said to report, and how many it should report."""

    seen: int = 0
    mean: float = 0.0

    def add(self, seen: int, mean: float) -> None:
        self.seen += seen
        self.mean += mean

    @property
    def chance(self) -> float:
        """The probability of so few or so many: of a Poisson law, which is wider than that of the
        cells."""
        return float(min(pdtr(self.seen, self.mean), 1 - pdtr(self.seen - 1, self.mean)))


@dataclass
class Coupling:
    """The coins and deals that a run on one data set and its replay on the other share."""

    seed: int
    #: Whether all cells are asked where a shortcut would ask some. A run by the shortcut has no
    #: replay.
    writes_out: bool = True
    #: Rows that were dealt, and the parts they drew, deal by deal.
    deals: list[tuple[IntArray, IntArray]] = field(default_factory=list)
    #: Whether secret coins were handed out; whether noise was drawn for some cells of many; and
    #: whether these were too many to be written out, so that there is no replay.
    has_coins: bool = False
    is_lazy: bool = False
    is_opaque: bool = False
    #: Drawn for cells, be they empty or not; and, by the shortcut, reported of empty ones.
    phantoms: Phantoms = field(default_factory=Phantoms)
    reported: Phantoms = field(default_factory=Phantoms)
    chance: float = 0.0
    #: The account of the whole run.
    transcript: Transcript | None = None
    _before: list[tuple[IntArray, IntArray]] | None = None

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        self.constant = ConstantCoins(float(self._rng.random()))

    def again(self) -> Coupling:
        """A coupling with the same coins, for the neighboring data."""
        return Coupling(self.seed, self.writes_out, _before=self.deals)

    def coins(self, _: Coins) -> SecretCoins:
        self.has_coins = True
        return CoupledCoins(self)

    def deal(self, rows: IntArray, parts: int) -> IntArray:
        """The part of each row: drawn, or that of the row it is matched with."""
        dealt_parts = self._rng.integers(parts, size=len(rows))
        if self._before is not None:
            if len(self.deals) == len(self._before):
                raise Diverged("it dealt its rows once more")
            dealt_parts = matched(rows, *self._before[len(self.deals)], dealt_parts)
        self.deals.append((rows, dealt_parts))
        return dealt_parts


def matched(rows: IntArray, before: IntArray, parts: IntArray, fresh: IntArray) -> IntArray:
    """The parts of the rows that were there before; for those that were not, the parts of the rows
    that are gone, and then what was drawn."""
    if not len(rows) or not len(before):
        return fresh
    _, place = np.unique(np.concatenate([before, rows]), axis=0, return_inverse=True)
    place = place.reshape(-1)
    names = _with_copies(place[: len(before)]), _with_copies(place[len(before) :])
    _, old, new = np.intersect1d(*names, assume_unique=True, return_indices=True)
    result = fresh.copy()
    result[new] = parts[old]
    gone = np.setdiff1d(np.arange(len(before)), old)
    come = np.setdiff1d(np.arange(len(rows)), new)[: len(gone)]
    result[come] = parts[gone[: len(come)]]
    return result


def _with_copies(places: IntArray) -> IntArray:
    """A number for each row: its place, and how many rows before it are there as well."""
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    first = np.searchsorted(ordered, ordered)
    names = np.empty(len(places), dtype=np.int64)
    names[order] = (ordered << 32) + (np.arange(len(places)) - first)
    return names


@dataclass(frozen=True)
class ConstantCoins:
    """Coins that all fall alike: every uniform number is the same one."""

    level: float

    def random(self, size: Any = None) -> Any:
        return self.level if size is None else np.full(size, self.level)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        shape = np.broadcast(low, high).shape if size is None else size
        return low + (np.asarray(high) - low) * self.random(shape)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
        low, high = (0, low) if high is None else (low, high)
        value = low + int(self.level * (high - low))
        return value if size is None else np.full(size, value, dtype=dtype)

    def standard_normal(self, size: Any = None) -> Any:
        return ndtri(self.random(size))

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return loc + scale * self.standard_normal(size)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        u = self.random(size) - 0.5
        return loc - scale * np.sign(u) * np.log1p(-2 * np.abs(u))

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """With replacement all alike; without, one after the other."""
        count = a if np.ndim(a) == 0 else len(a)
        if p is not None:
            running = np.cumsum(p)
            first = int(np.searchsorted(running, self.level * running[-1], side="right"))
            first = min(first, count - 1)
        else:
            first = int(self.level * count)
        many = 1 if size is None else math.prod(np.atleast_1d(size))
        index = np.full(many, first) if replace else (first + np.arange(many)) % count
        index = index.reshape(() if size is None else size)
        values = index if np.ndim(a) == 0 else np.asarray(a)[index]
        return values[()] if size is None else values

    def shuffle(self, x: npt.NDArray[Any]) -> None:
        """One order is as likely as another."""

    def spawn(self, n_children: int) -> list[ConstantCoins]:
        return [self] * n_children


class CoupledCoins(SecretCoins):
    """Coins by which a row draws in the replay what it drew in the run."""

    def __init__(self, coupling: Coupling):
        super().__init__(coupling.constant)
        self._coupling = coupling

    def blocks(self, positions: IntArray, weights: IntArray | None, count: int) -> Blocks:
        rows = np.arange(len(positions), dtype=np.int32)
        if weights is not None:
            rows = np.repeat(rows, weights)
        block = self._coupling.deal(positions[rows], count)
        order = np.lexsort([*positions[rows].T, block])
        sizes = np.bincount(block, minlength=count)
        return Blocks(count, rows[order], sizes[sizes > 0])

    def parts(self, rows: npt.NDArray[np.int32], count: int) -> IntArray:
        return self._coupling.deal(rows.astype(np.int64), count)


class AuditedCurator(Curator):
    """A curator that says which account each question is paid from, and asks every cell."""

    def __init__(self, coupling: Coupling, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self._coupling = coupling
        coupling.transcript = self.transcript

    def _paid(self, sensitivity: Sensitivity, loss: L, why: str) -> L:
        self._pays()
        return super()._paid(sensitivity, loss, why)

    def _scored(self, score: Score, loss: Selection, why: str) -> tuple[IntArray, bool, float]:
        self._pays()
        return super()._scored(score, loss, why)

    def _pays(self) -> None:
        assert isinstance(self._noise, Recorder | Replay)
        self._noise.account = self.transcript

    def _occupied(self, cells: SparsePartition) -> tuple[SparseCells, IntArray]:
        """Every cell, empty ones too, in order."""
        occupied, counts = super()._occupied(cells)
        self._coupling.is_lazy = True
        number = cells.groups << cells.bits
        if not self._coupling.writes_out or cells.bits > 32 or number > MAX_CELLS:
            self._coupling.is_opaque = True
            return occupied, counts
        bits = np.arange(number)[:, None] >> np.arange(cells.bits)[::-1] & 1
        places = np.zeros(len(occupied), dtype=np.int64)
        for column in occupied.bits.T:
            places = 2 * places + column
        every = np.zeros(number, dtype=np.int64)
        np.add.at(every, (occupied.groups << cells.bits) + places, counts)
        return SparseCells(np.arange(number) >> cells.bits, bits.astype(bool)), every

    def _phantoms(self, cells: SparsePartition, threshold: int, scale: float) -> SparseCells:
        """The cells that the shortcut draws, counted. Where all cells are asked there are none."""
        phantoms = super()._phantoms(cells, threshold, scale)
        chance = math.exp(-threshold / scale) / (1 + math.exp(-1 / scale))
        self._coupling.chance = chance
        self._coupling.phantoms.add(len(phantoms), (cells.groups << cells.bits) * chance)
        return phantoms

    def _decided(self, tree: SplitTree, paid: Pure, epsilon: float) -> list[Decisions]:
        """All decisions of a tree as one answer: nothing else is let out, and they are priced
        together."""
        self._pays()
        assert isinstance(self._noise, Recorder | Replay)
        return tree_decisions(self._noise, self._data, tree, paid, epsilon)

    def full_cells(
        self, cells: SparsePartition, margin: float, loss: Pure, why: str
    ) -> SparseCells:
        """The empty cells that the shortcut reports, counted."""
        full = super().full_cells(cells, margin, loss, why)
        if not self._coupling.writes_out:
            own, _ = super()._occupied(cells)
            empty = _names(full) - _names(own)
            number = (cells.groups << cells.bits) - len(own)
            self._coupling.reported.add(len(empty), number * self._coupling.chance)
        return full


def _names(cells: SparseCells) -> set[tuple[int, bytes]]:
    return {(int(g), b.tobytes()) for g, b in zip(cells.groups, cells.bits, strict=True)}
