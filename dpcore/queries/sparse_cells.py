"""Sparse partitions: more cells than can be counted, of which only the full ones are reported.

A cell is named by a group and by bits: every group has 2^bits cells, the leaves of a tree of
halves. Noise is added to the count of every cell, empty ones too, and a cell is reported when it
reaches a threshold. For most cells that is not done one by one: which of the empty ones are
reported is drawn at once, down the tree, with exactly the probabilities that noise on each of
them would give.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from dpcore.errors import Infeasible
from dpcore.geometry.domain import IntArray
from dpcore.privacy.noise import LOG_FLOOR, Noise

BoolArray = npt.NDArray[np.bool_]

#: Cells that noise alone may report, on average, before the threshold counts as too low.
MAX_PHANTOMS = 1e5
#: Log probabilities are handed to the noise as whole numbers of 2**-50.
_PROBABILITY_UNITS = 1 << 50


@dataclass(frozen=True)
class SparseCells:
    """Some cells: the group of each, and its bits (m, bits)."""

    groups: IntArray
    bits: BoolArray

    def __len__(self) -> int:
        return len(self.groups)


class SparsePartition(Protocol):
    """Disjoint public cells, groups * 2^bits of them: a row lies in one of them, or in none."""

    @property
    def groups(self) -> int: ...

    @property
    def bits(self) -> int: ...

    def occupied(self, ticks: IntArray, weights: IntArray | None) -> tuple[SparseCells, IntArray]:
        """The cells that hold rows, and how many."""
        ...


def log_chance(threshold: int, scale: float) -> float:
    """Log probability that two-sided geometric noise of a scale reaches a threshold above 0."""
    return max(-threshold / scale - math.log1p(math.exp(-1 / scale)), -LOG_FLOOR)


def check_phantoms(cells: SparsePartition, chance: float) -> None:
    """Raise Infeasible if noise alone would report more cells than anybody can use."""
    log_number = math.log(max(1, cells.groups)) + cells.bits * math.log(2) + chance
    if log_number > math.log(MAX_PHANTOMS):
        raise Infeasible(
            f"Noise alone would fill about e^{log_number:.0f} of the "
            f"{cells.groups} x 2^{cells.bits} cells."
        )


def reached_by_noise(cells: SparsePartition, chance: float, noise: Noise) -> SparseCells:
    """The cells whose noise alone reaches a threshold: each with probability e^chance.

    Down the tree of each group: whether any of the 2^j cells below is one of them, then in which
    half, or in both. The noise draws, since who knew the outcome would know which of the reported
    cells are empty.
    """
    groups, bits = [], []
    for group in range(cells.groups):
        for cell in _leaves(cells.bits, chance, noise):
            groups.append(group)
            bits.append(cell)
    cell_bits = np.array(bits, dtype=bool).reshape(len(bits), cells.bits)
    return SparseCells(np.array(groups, dtype=np.int64), cell_bits)


def _leaves(bits: int, chance: float, noise: Noise) -> Iterator[tuple[bool, ...]]:
    """The bits of the cells of one tree that are reached."""
    some, none = _log_some(bits, chance)
    if _draw(noise, [some, none]) == 1:
        return
    waiting: list[tuple[bool, ...]] = [()]
    while waiting:
        path = waiting.pop()
        if len(path) == bits:
            yield path
            continue
        some, none = _log_some(bits - len(path) - 1, chance)
        half = _draw(noise, [some + none, none + some, some + some])
        waiting += [(*path, True)] * (half >= 1) + [(*path, False)] * (half != 1)


def _log_some(bits: int, chance: float) -> tuple[float, float]:
    """Log probabilities that some of 2^bits cells is reached, and that none is."""
    # log(1 - p) for one cell; where p is tiny it is -p, kept as a logarithm.
    log_rate = math.log(-math.log1p(-math.exp(chance))) if chance > -36 else chance
    log_rate += bits * math.log(2)
    if log_rate < -36:
        return log_rate, 0.0
    rate = math.exp(log_rate)
    return math.log(-math.expm1(-rate)), -rate


def _draw(noise: Noise, log_probabilities: list[float]) -> int:
    """An index by probability, rounded to within 2^-50 of its logarithm."""
    logs = np.array(log_probabilities)
    scores = np.rint(np.maximum(logs - logs.max(), -LOG_FLOOR) * _PROBABILITY_UNITS)
    return noise.choose(scores.astype(np.int64), 1, 2 / _PROBABILITY_UNITS)


def reaching(
    occupied: SparseCells, noisy: IntArray, threshold: int, phantoms: SparseCells
) -> SparseCells:
    """The occupied cells whose noisy count reaches the threshold, and the phantoms among the
    others, in order of group and bits.

    An occupied cell has noise of its own, so what the tree drew for it does not count.
    """
    keys = _keys(occupied), _keys(phantoms)
    real = [i for i, count in enumerate(noisy) if count >= threshold]
    groups_of_keys = set(keys[0])
    empty = [i for i, key in enumerate(keys[1]) if key not in groups_of_keys]
    groups = np.concatenate([occupied.groups[real], phantoms.groups[empty]])
    bits = np.concatenate([occupied.bits[real], phantoms.bits[empty]])
    order = np.lexsort([*bits.T[::-1], groups])
    return SparseCells(groups[order], bits[order])


def _keys(cells: SparseCells) -> list[tuple[int, bytes]]:
    packed = np.packbits(cells.bits, axis=1)
    return [(int(g), b.tobytes()) for g, b in zip(cells.groups, packed, strict=True)]
