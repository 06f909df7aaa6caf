"""Candidates for centers: the middles of cubes with many rows (Balcan et al. 2017, section 4).

A large cube is halved along every coordinate again and again, and a part lives on when its noisy
number of rows is high. The middles of all cubes on the way are public, and wherever rows crowd,
one is near.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from dpcore.geometry.domain import TICKS, FloatArray, IntArray
from dpcore.privacy.losses import Pure
from dpcore.queries.curator import Curator
from dpcore.queries.sparse_cells import SparseCells
from dpcore.randomness.coins import Coins


@dataclass(frozen=True, eq=False)
class Cubes:
    """Some cubes of one size: cells of a lattice that is laid over a large cube. All in ticks."""

    corner: IntArray
    width: int
    #: The large cube is 2^level cubes a side.
    level: int
    #: Which of them each one is, (groups, coordinates); no two are the same.
    places: IntArray

    @classmethod
    def around_the_ball(cls, d: int, shift: float, rng: Coins) -> Self:
        """One cube that holds the unit ball wherever it is shifted: [-1-s, 1+s]^d + U[-s, s]^d."""
        half = math.ceil((1 + shift) * TICKS)
        offset = np.rint(rng.uniform(-shift, shift, d) * TICKS).astype(np.int64)
        return cls(offset - half, 2 * half, 0, np.zeros((1, d), dtype=np.int64))

    @property
    def groups(self) -> int:
        return len(self.places)

    @property
    def bits(self) -> int:
        return len(self.corner)

    def middles(self) -> FloatArray:
        """In unit coordinates."""
        return (self.corner + (self.places + 0.5) * (self.width / 2**self.level)) / TICKS

    def occupied(self, ticks: IntArray, weights: IntArray | None) -> tuple[SparseCells, IntArray]:
        """The halves (along every coordinate) of these cubes that hold rows, and how many."""
        halves = ((ticks - self.corner) << (self.level + 1)) // self.width
        cube = numbered(np.concatenate([self.places, halves >> 1]))
        own, cube = cube[: self.groups], cube[self.groups :]
        group_of = np.full(cube.max(initial=own.max(initial=-1)) + 1, -1)
        group_of[own] = np.arange(self.groups)
        group = group_of[cube]
        inside = group >= 0
        bits = (halves[inside] & 1).astype(bool)
        part = numbered(np.column_stack([group[inside], bits]))
        _, first = np.unique(part, return_index=True)
        rows = None if weights is None else weights[inside]
        counts = np.bincount(part, rows).astype(np.int64)
        return SparseCells(group[inside][first], bits[first]), counts

    def halved(self, full: SparseCells) -> Cubes:
        """Some of the halves, as cubes of the next level."""
        places = 2 * self.places[full.groups] + full.bits
        return Cubes(self.corner, self.width, self.level + 1, places)


def numbered(rows: IntArray) -> IntArray:
    """A number for each distinct row of an array, one column after the other."""
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        _, value = np.unique(column, return_inverse=True)
        number = number * (value.max(initial=0) + 1) + value
        _, number = np.unique(number, return_inverse=True)
    return number


def private_partition(
    curator: Curator, cubes: Cubes, levels: int, epsilon: float, log_margin: float, why: str
) -> FloatArray:
    """The middles of a large cube and of its parts on `levels` levels in all.

    Whether a part lives on is asked levels - 1 times, each for an equal share of epsilon: when its
    noisy number of rows reaches `log_margin` times the scale of the noise. An empty part does so
    with probability exp(-log_margin) / 2.
    """
    middles = [cubes.middles()]
    for level in range(1, levels):
        loss = Pure(epsilon / (levels - 1))
        full = curator.full_cells(cubes, log_margin, loss, f"{why}, parts of level {level}")
        if not len(full):
            break
        cubes = cubes.halved(full)
        middles.append(cubes.middles())
    return np.concatenate(middles)
