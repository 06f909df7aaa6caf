"""What an algorithm publishes beside its centers: weighted points that stand for the data."""

from __future__ import annotations

import json
from typing import Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray
from dpcore.kmeans.merging import merge_points
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.seeding import sphere_packing
from dpcore.kmeans.weighted import weighted_kmeans
from dpcore.randomness.coins import Coins
from dpcore.results.centers import Centers, NonPrivateCenters, PrivateCenters

#: Starts of k-means on a coreset. Local optima would otherwise be a large part of the error.
STARTS = 60


class Synopsis:
    """Weighted points in unit coordinates. Noise may have made some weights negative."""

    def __init__(self, unit_points: FloatArray, weights: FloatArray, box: Box):
        self._unit_points = unit_points
        self._weights = weights
        self.box = box

    @property
    def unit_points(self) -> FloatArray:
        return self._unit_points

    @property
    def weights(self) -> FloatArray:
        return self._weights

    @property
    def points(self) -> FloatArray:
        """The points in data units."""
        return self.box.from_unit(self.unit_points)

    def __len__(self) -> int:
        return len(self.weights)

    def to_frame(self) -> pd.DataFrame:
        """One row a point: its coordinates and its weight."""
        frame = pd.DataFrame(self.points, columns=list(self.box.names))
        frame[self.box.beside("weight")] = np.asarray(self.weights)
        return frame


class NoisyGrid(Synopsis):
    """A noisy count for every cell of a grid. Its points, the cells' centers, and their weights are
    made when asked for: a fine grid has a million of them."""

    def __init__(self, grid: Grid, counts: IntArray):
        self.grid = grid
        self.counts = counts
        self.box = grid.box

    def __len__(self) -> int:
        return self.counts.size

    @property
    def unit_points(self) -> FloatArray:
        return self.grid.centers()

    @property
    def weights(self) -> FloatArray:
        return self.counts.ravel().astype(np.float64)


class Coreset(Synopsis):
    """Weighted points, all weights positive: a small set to cluster in place of the data.

    What is computed from a coreset is as private as the coreset, for any k and as often as one
    likes. This class promises nothing: its centers are `NonPrivateCenters`. A run whose proof
    holds returns a `PrivateCoreset`.
    """

    def __init__(self, unit_points: FloatArray, weights: FloatArray, box: Box):
        if not (np.isfinite(weights).all() and (np.asarray(weights) > 0).all()):
            raise ValueError("Every point of a coreset has a positive weight.")
        super().__init__(unit_points, weights, box)

    def unit_centers(self, k: int, rng: Coins) -> FloatArray:
        """The best k centers found for these points, in unit coordinates.

        Fewer points than k are centers themselves, the heaviest more than once. Without any point
        the centers are packed evenly into the box.
        """
        if not len(self):
            return sphere_packing(k, self.box.d, 1, rng)[0]
        return weighted_kmeans(self.unit_points, self.weights, k, STARTS, rng)[0]

    def kmeans(self, k: int, seed: int | None = None) -> Centers:
        """k-means of the coreset, the best of many starts, at no further cost in privacy."""
        return NonPrivateCenters(self._data_centers(k, seed), self.box)

    def _data_centers(self, k: int, seed: int | None) -> FloatArray:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"k must be a whole number of at least 1, not {k!r}.")
        return self.box.from_unit(self.unit_centers(k, np.random.default_rng(seed)))

    def cost(self, centers: npt.ArrayLike) -> float:
        """What these centers would cost on the data, by the coreset's account.

        Centers in data units; the weighted sum of squared distances in unit coordinates, in which
        the box is [-1, 1]^d. Divided by the sum of the weights it estimates the NICV.
        """
        unit = self.box.to_unit(np.atleast_2d(np.asarray(centers, dtype=np.float64)))
        return float(WeightedPoints(self.unit_points, self.weights).cost(unit))

    def merged(self, points: int) -> Self:
        """A coreset of at most so many points: near ones become one at their weighted mean."""
        if points < 1:
            raise ValueError(f"A coreset is merged to at least one point, not {points}.")
        return type(self)(*merge_points(self.unit_points, self.weights, points), self.box)


class PrivateCoreset(Coreset):
    """A coreset that a run with a standing proof released. All it gives is as private as it is."""

    @classmethod
    def of(cls, coreset: Coreset) -> Self:
        """The same points, vouched for. Only a run may say so."""
        return cls(coreset.unit_points, coreset.weights, coreset.box)

    def kmeans(self, k: int, seed: int | None = None) -> PrivateCenters:
        """k-means of the coreset, the best of many starts, at no further cost in privacy."""
        return PrivateCenters(self._data_centers(k, seed), self.box)

    def to_geojson(self) -> str:
        """A point with its weight for each point of the coreset, in longitude and latitude."""
        if self.box.d != 2:
            raise ValueError(f"GeoJSON needs longitude and latitude, not {self.box.names}.")
        features = [
            {
                "type": "Feature",
                "geometry": {"type": "Point", "coordinates": place},
                "properties": {"weight": weight},
            }
            for place, weight in zip(self.points.tolist(), self.weights.tolist(), strict=True)
        ]
        return json.dumps({"type": "FeatureCollection", "features": features})
