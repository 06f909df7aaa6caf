"""What an algorithm publishes beside its centers: weighted points that stand for the data."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dpcore.domain import Box, FloatArray, Grid, IntArray


class Synopsis:
    """Weighted points in unit coordinates. Noise may have made some weights negative."""

    def __init__(self, unit_points: FloatArray, weights: FloatArray, box: Box):
        self._unit_points = unit_points
        self.weights = weights
        self.box = box

    @property
    def unit_points(self) -> FloatArray:
        return self._unit_points

    @property
    def points(self) -> FloatArray:
        """The points in data units."""
        return self.box.from_unit(self.unit_points)

    def __len__(self) -> int:
        return len(self.weights)

    def to_frame(self) -> pd.DataFrame:
        """One row a point: its coordinates and its weight."""
        frame = pd.DataFrame(self.points, columns=list(self.box.names))
        frame["weight"] = np.asarray(self.weights)
        return frame


class NoisyGrid(Synopsis):
    """A noisy count for every cell of a grid. Its points, the cells' centers, are made when asked
    for: a fine grid has a million of them."""

    def __init__(self, grid: Grid, counts: IntArray):
        self.grid = grid
        self.counts = counts
        self.weights = counts.ravel().astype(np.float64)
        self.box = grid.box

    @property
    def unit_points(self) -> FloatArray:
        return self.grid.centers()


class Coreset(Synopsis):
    """Weighted points, all weights positive: publishable, and clusterable for any k."""

    def __init__(self, unit_points: FloatArray, weights: FloatArray, box: Box):
        if not (np.asarray(weights) > 0).all():
            raise ValueError("Every point of a coreset has a positive weight.")
        super().__init__(unit_points, weights, box)
