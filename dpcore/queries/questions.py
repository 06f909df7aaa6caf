"""Questions with whole-number answers, each with its sensitivity to one row."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, IntArray, Partition
from dpcore.geometry.row_maps import SLACK, RowMap
from dpcore.kmeans.blocks import RANGE_UNITS, Blocks, clamped_total
from dpcore.privacy.rounding import root_up
from dpcore.privacy.secret_coins import SecretCoins


@dataclass(frozen=True)
class Sensitivity:
    """The distance that one row can move an answer, in the answer's whole units, by L1 and L2
    norm."""

    l1: int
    l2: float


class Question(Protocol):
    """A question that `Curator.answer` adds noise to."""

    @property
    def added(self) -> Sensitivity:
        """When one row is added or removed."""
        ...

    @property
    def replaced(self) -> Sensitivity:
        """When one row is replaced."""
        ...

    def of(self, dataset: Dataset) -> IntArray: ...


@dataclass(frozen=True)
class SumsOf:
    """The sum, in ticks, of the images of the rows in each cell of a partition, under a public map.

    An image is at most `reach` long, and so far can a row added move one cell's sums. A row
    replaced takes one image away and brings another, in the same cell or in two: twice as far.
    """

    partition: Partition
    row_map: RowMap

    @property
    def added(self) -> Sensitivity:
        unit = TICKS * (1 + SLACK)
        return Sensitivity(math.ceil(self.row_map.reach_l1 * unit), self.row_map.reach * unit)

    @property
    def replaced(self) -> Sensitivity:
        added = self.added
        return Sensitivity(2 * added.l1, 2 * added.l2)

    def of(self, dataset: Dataset) -> IntArray:
        ticks, weights = dataset.positions()
        labels = self.partition.labels(ticks)
        inside = labels >= 0
        images = self.row_map(ticks[inside])
        if weights is not None:
            images *= weights[inside, None]
        labels = labels[inside]
        cells = range(self.partition.n_cells)
        return np.stack([images[labels == cell].sum(axis=0) for cell in cells])


@dataclass(frozen=True)
class BlockCenters:
    """The sum over random blocks of rows of the centers (k, d) that k-means finds in each, as
    whole RANGE_UNITS of a public range low..high that they are clamped to.

    Every row draws its block independently of all others, so a row added or replaced changes the
    centers of one block, and each of the k d sums by at most the whole range.
    """

    k: int
    blocks: int
    low: FloatArray
    high: FloatArray
    coins: SecretCoins

    @property
    def added(self) -> Sensitivity:
        answers = self.k * len(self.low)
        return Sensitivity(answers * RANGE_UNITS, root_up(answers) * RANGE_UNITS)

    @property
    def replaced(self) -> Sensitivity:
        return self.added

    def of(self, dataset: Dataset) -> IntArray:
        positions, weights = dataset.positions()
        dealt = self.dealt(positions, weights)
        low, high, resolution = self.low, self.high, dataset.resolution
        return clamped_total(positions, dealt, self.k, low, high, resolution, self.coins.rng)

    def dealt(self, positions: IntArray, weights: IntArray | None) -> Blocks:
        return self.coins.blocks(positions, weights, self.blocks)

    def mean(self, total: IntArray) -> FloatArray:
        """A total, noisy or not, as a mean over the blocks in unit coordinates."""
        share = total / (self.blocks * RANGE_UNITS)
        return np.asarray(self.low + (self.high - self.low) * share)
