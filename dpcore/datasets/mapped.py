"""The image of a data set under a public function of each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpcore.datasets.base import DataInfo, Dataset, Totals
from dpcore.geometry.domain import Box, IntArray, from_ticks
from dpcore.geometry.row_maps import RowMap
from dpcore.geometry.voronoi import Voronoi


class MappedRows(Dataset):
    """Positions (m, d) in ticks, each with a number of rows, in the box [-1, 1]^d."""

    def __init__(self, ticks: IntArray, weights: IntArray | None, about: DataInfo | None = None):
        self._ticks = ticks
        self._weights = np.ones(len(ticks), dtype=np.int64) if weights is None else weights
        self.box = Box.cube(ticks.shape[1])
        self.about = about or DataInfo()

    @classmethod
    def of(cls, dataset: Dataset, row_map: RowMap) -> MappedRows:
        """Every row where the map sends it."""
        ticks, weights = dataset.positions()
        return cls(row_map(ticks), weights, dataset.about)

    @property
    def n(self) -> int:
        return int(self._weights.sum())

    def positions(self) -> tuple[IntArray, IntArray]:
        return self._ticks, self._weights

    def cluster_totals(self, centers: IntArray) -> Totals:
        labels = Voronoi(from_ticks(centers)).labels(self._ticks)
        clusters = [labels == j for j in range(len(centers))]
        weighted = self._ticks * self._weights[:, None]
        counts = np.stack([self._weights[rows].sum() for rows in clusters])
        return Totals(counts, np.stack([weighted[rows].sum(axis=0) for rows in clusters]))

    def squared_ticks(self, center_sets: IntArray) -> Any:
        sets = np.asarray(center_sets)
        costs = [self._squared(centers) for centers in sets.reshape(-1, *sets.shape[-2:])]
        return np.array(costs, dtype=object).reshape(sets.shape[:-2])[()]

    def _squared(self, centers: IntArray) -> int:
        labels = Voronoi(from_ticks(centers)).labels(self._ticks)
        squared = ((self._ticks - centers[labels]) ** 2).sum(axis=1)
        # In two parts, neither of which can overflow when it is added up.
        high, low = np.divmod(squared, 1 << 26)
        return int(high @ self._weights) * (1 << 26) + int(low @ self._weights)
