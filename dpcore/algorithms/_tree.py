"""Estimates of the rows in the leaves of a tree, from noisy counts alone.

Cells are asked in stages: those that stand out of the noise are cut into parts, and the parts
asked in the next stage. A cell's own count and the sum of its parts' then tell the same number
twice, and a sum of parts that cannot be negative tells more than the parts alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from dpcore.geometry.domain import FloatArray, IntArray
from dpcore.geometry.dyadic import DyadicCells
from dpcore.geometry.halved import HalvedCells
from dpcore.kmeans.stages import tell

#: What it takes away from the odds of a cell that its number of rows might have been any: the log
#: of how many scales of noise such numbers are spread over. Before any number is known; and after
#: that, as a part of the mean of those above 0.
UNKNOWN_NUMBER, SPREAD = 2.5, 0.5
#: The share of cells that hold rows, near a cell, is read off its neighbors and as if there were so
#: many more of them with the share of the whole box.
NEIGHBORS_MORE = 2.0
#: Rounds in which shares and posterior odds are told from each other.
ROUNDS = 8
#: No share is taken for smaller than this part of a cell, nor for all but this part.
LEAST_SHARE = 0.25


#: Squares of a map, or cells of any box.
TreeCells = DyadicCells | HalvedCells
#: The estimated rows in the cells of each stage, and the variances of these estimates.
Estimates = Sequence[tuple[FloatArray, FloatArray]]
#: Cells that are read at a time, in whole blocks, so that they stay in the cache.
CELLS_AT_ONCE = 1 << 13


@dataclass(frozen=True)
class TreeStage:
    """The cells of one round of questions, and the answers."""

    cells: TreeCells
    #: Which cell of the stage before each is a part of; -1 in the first stage.
    parent: IntArray
    counts: FloatArray
    #: Of the noise in every count.
    variance: float
    #: Cells that stand out of the noise. Only these are cut, and only these get a weight.
    alive: npt.NDArray[np.bool_]
    #: Whether its cells would have been smaller, but for the most that are asked at a time.
    held_back: bool = False


class ReadCells(Protocol):
    """The findings about cells: how deep each is, the parts of one after those of another."""

    @property
    def d(self) -> int: ...
    @property
    def bits(self) -> int: ...
    @property
    def levels(self) -> IntArray: ...


class ReadStage(Protocol):
    """The findings about a stage, of one tree or of several."""

    @property
    def cells(self) -> ReadCells: ...
    @property
    def parent(self) -> IntArray: ...
    @property
    def counts(self) -> FloatArray: ...
    @property
    def variance(self) -> float | FloatArray: ...


def posteriors(stages: Sequence[ReadStage], estimates: Estimates) -> list[FloatArray]:
    """The probability, given all answers, that each cell of each stage holds rows if its parent
    does. `estimates` are those of `fused`.

    A cell that holds none is told by noise alone; any number of rows in one that does is as likely.
    The share of cells with rows, which is the prior, is that which their posterior odds come to,
    among all parts of a cell and among the 8 neighbors of each: points in empty country would take
    centers far from all rows, and a part beside full ones seldom is empty. A cell that was asked
    again as a whole holds rows if it did before.
    """
    of_stages = []
    evidence_of_stages = _evidence_of_stages(stages, estimates)
    for t, (stage, evidence) in enumerate(zip(stages, evidence_of_stages, strict=True)):
        numbers = np.maximum(estimates[t][0], 0) / np.sqrt(estimates[t][1] / 2)
        above = stages[t - 1].cells.levels[stage.parent] if t else np.zeros_like(stage.parent)
        holds = np.ones(len(stage.counts))
        for here, shape in _blocks(stage.cells, above):
            tables = [table_of(each[here], shape) for each in (evidence, numbers)]
            full = np.empty(tables[0].shape)
            step = max(1, CELLS_AT_ONCE >> shape.halvings)
            for first in range(0, len(full), step):
                tell("reading counts", first / len(full))
                some = slice(first, first + step)
                full[some] = _posterior(*(each[some] for each in tables))
            holds[here] = list_of(full, shape)
        of_stages.append(holds)
    return of_stages


@dataclass(frozen=True)
class BlockShape:
    """Blocks of parts of a cell each: how many halvings they come of, and along which axes."""

    d: int
    #: The axis of the first halving.
    start: int
    halvings: int

    @property
    def order(self) -> list[int]:
        """The halvings, those of one axis after those of another."""
        return sorted(range(self.halvings), key=lambda i: ((self.start + i) % self.d, i))

    @property
    def sides(self) -> list[int]:
        """Parts along each axis that is halved."""
        axes = [(self.start + i) % self.d for i in range(self.halvings)]
        return [1 << axes.count(axis) for axis in sorted(set(axes))]


def table_of(values: npt.NDArray[Any], shape: BlockShape) -> npt.NDArray[Any]:
    """Values of the parts of cells, in the order of the curve, as (cells, side, side, ...)."""
    bits = values.reshape(-1, *[2] * shape.halvings)
    return bits.transpose(0, *(1 + i for i in shape.order)).reshape(-1, *shape.sides)


def list_of(table: npt.NDArray[Any], shape: BlockShape) -> npt.NDArray[Any]:
    """The values of such a table in the order of the curve."""
    bits = table.reshape(-1, *[2] * shape.halvings)
    return bits.transpose(0, *(1 + shape.order.index(i) for i in range(shape.halvings))).ravel()


def _blocks(cells: ReadCells, above: IntArray) -> Iterator[tuple[IntArray, BlockShape]]:
    """The parts of cells that were cut alike, and how; cells that were not cut are left out.

    Parts of one cell follow each other, also where there are several trees.
    """
    cuts, starts = cells.levels - above, cells.bits * above % cells.d
    kinds = cuts * cells.d + starts
    for kind in np.unique(kinds[cuts > 0]).tolist():
        cut, start = divmod(kind, cells.d)
        yield np.flatnonzero(kinds == kind), BlockShape(cells.d, start, cells.bits * cut)


def _posterior(evidence: FloatArray, numbers: FloatArray) -> FloatArray:
    """The probability that each cell of some blocks (blocks, side, side, ...) holds rows.

    `numbers` are the estimated rows in scales of their noise: the more they are where there are
    any, the less likely is the one number that suits the answers best.
    """
    axes = tuple(range(1, evidence.ndim))
    parts = math.prod(evidence.shape[1:])
    if len(evidence) > parts:
        # In memory one part of all blocks after another: the longer way is the inner loop.
        evidence, numbers = np.asfortranarray(evidence), np.asfortranarray(numbers)
    least = LEAST_SHARE / parts
    around = _neighbors(evidence.shape[1:]) + NEIGHBORS_MORE
    posterior: FloatArray = expit(evidence - UNKNOWN_NUMBER)
    counted = np.empty_like(posterior)
    for _ in range(ROUNDS):
        share = np.add.reduce(posterior, axis=axes, keepdims=True) / parts
        np.multiply(posterior, numbers, out=counted)
        usual = np.add.reduce(counted, axis=axes, keepdims=True) / parts
        usual /= np.maximum(share, least)
        prior = beside(posterior)
        prior += NEIGHBORS_MORE * share
        prior /= around
        np.minimum(np.maximum(prior, least, out=prior), 1 - least, out=prior)
        prior /= np.subtract(1, prior, out=counted)
        np.subtract(evidence, np.log1p(usual * SPREAD), out=posterior)
        posterior += np.log(prior, out=prior)
        expit(posterior, out=posterior)
    return posterior


@cache
def _neighbors(shape: tuple[int, ...]) -> FloatArray:
    """The number of neighbors that each part of a block has."""
    return beside(np.ones((1, *shape)))


def beside(tables: npt.NDArray[Any]) -> FloatArray:
    """The sum of the neighbors of each cell: all 8 on a map, else those that share a face."""
    if tables.ndim <= 3:
        total = tables
        for axis in range(1, tables.ndim):
            around = _next_to(total, axis)
            around += total
            total = around
        return np.asarray(np.subtract(total, tables, out=total))
    return np.asarray(sum(_next_to(tables, axis) for axis in range(1, tables.ndim)))


def _next_to(tables: npt.NDArray[Any], axis: int) -> npt.NDArray[Any]:
    """The sum of the cells before and after each one along an axis."""
    here, there, last = _slices(tables.ndim, axis)
    total = np.empty_like(tables)
    total[here] = tables[there]
    total[last] = 0
    further = total[there]
    further += tables[here]
    return total


@cache
def _slices(axes: int, axis: int) -> tuple[tuple[slice, ...], ...]:
    """All cells but the last along an axis, all but the first, and the last."""
    parts = slice(None, -1), slice(1, None), slice(-1, None)
    return tuple(
        (slice(None),) * axis + (part,) + (slice(None),) * (axes - axis - 1) for part in parts
    )


def _evidence_of_stages(stages: Sequence[ReadStage], estimates: Estimates) -> list[FloatArray]:
    """The evidence that each cell of each stage holds rows, as `_evidence` has it.

    Beyond maps a cell has many parts, and the noise in what they add up to drowns what a single
    one tells. There the parts count one by one, where they tell more so.
    """
    evidence: dict[int, FloatArray] = {}
    by_parts: dict[int, FloatArray] = {}
    for t in reversed(range(len(stages))):
        if t + 1 in evidence and stages[t].cells.d != 2:
            parent, cells = stages[t + 1].parent, len(stages[t].counts)
            by_parts[t + 1] = _told_by_parts(evidence[t + 1], parent, cells)
        evidence[t] = _evidence(stages, t, estimates, by_parts)
    return [evidence[t] for t in range(len(stages))]


def _evidence(
    stages: Sequence[ReadStage], t: int, estimates: Estimates, by_parts: Mapping[int, FloatArray]
) -> FloatArray:
    """The factor, as a logarithm, by which the answers about each cell of a stage are likelier with
    the number of rows that suits them best than with none. `by_parts` has, by stage, the same for
    the cells that its cells are parts of.

    Its own count has geometric noise, and so has each later count of the same cell. What its parts
    add up to has about normal noise. Taken for normal, one high count of a cell that was asked
    again would outweigh all others.
    """
    rows = np.maximum(estimates[t][0], 0)
    evidence = _told_by_counts(stages[t], slice(None), rows)
    # The cells of this stage that were asked as a whole so far, and which cells these were then.
    whole = place = np.arange(len(rows))
    for u in range(t + 1, len(stages)):
        cells = len(stages[u - 1].counts)
        parent = stages[u].parent
        later, variance = (np.bincount(parent, parts, cells)[place] for parts in estimates[u])
        again = np.bincount(parent, minlength=cells)[place] == 1
        cut = (variance > 0) & ~again
        normal = later[cut] ** 2 - (later[cut] - rows[whole[cut]]) ** 2
        together = normal / (2 * variance[cut])
        if u in by_parts:
            together = np.maximum(together, by_parts[u][place[cut]])
        evidence[whole[cut]] += together
        if not again.any():
            break
        child = np.full(cells, -1)
        child[parent] = np.arange(len(parent))
        whole, place = whole[again], child[place[again]]
        evidence[whole] += _told_by_counts(stages[u], place, rows[whole])
    return evidence


def _told_by_parts(evidence: FloatArray, parent: IntArray, n: int) -> FloatArray:
    """The factor, as a logarithm, by which the answers about the parts of each of n cells that were
    cut are likelier if few of them hold rows than if none does.

    One part of each cell is expected to hold rows, any number of them; or one holds all the rows.
    """
    parts = np.maximum(np.bincount(parent, minlength=n)[parent], 2)
    of_one = evidence - np.log(parts)
    best = np.full(n, -np.inf)
    np.maximum.at(best, parent, of_one)
    of_each = np.logaddexp(np.log1p(-1 / parts), of_one - UNKNOWN_NUMBER)
    return np.maximum(np.bincount(parent, of_each, n), best)


def _told_by_counts(stage: ReadStage, cells: IntArray | slice, rows: FloatArray) -> FloatArray:
    """The factor, as a logarithm, by which the counts of some cells are likelier with these rows
    than with none."""
    counts = stage.counts[cells]
    scale = np.sqrt(np.broadcast_to(stage.variance, len(stage.counts))[cells] / 2)
    return np.asarray((np.abs(counts) - np.abs(counts - rows)) / scale)


def fused(stages: Sequence[ReadStage]) -> list[tuple[FloatArray, FloatArray]]:
    """The best linear estimate of every cell from its own count and all below, and its variance.

    From the last stage up: the mean of the own count and of the sum over all parts, the dead ones
    too, weighted by inverse variance.
    """
    estimates = [(s.counts, np.full(len(s.counts), s.variance)) for s in stages]
    for t in range(len(stages) - 2, -1, -1):
        (own, variance), (parts, parts_variance) = estimates[t : t + 2]
        parent, n = stages[t + 1].parent, len(own)
        total = np.bincount(parent, parts, n)
        total_variance = np.bincount(parent, parts_variance, n)
        trust = np.where(total_variance > 0, variance / (variance + total_variance), 0)
        estimates[t] = own + trust * (total - own), variance * (1 - trust)
    return estimates
