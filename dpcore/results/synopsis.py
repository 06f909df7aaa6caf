"""What an algorithm publishes beside its centers: weighted points that stand for the data."""

from __future__ import annotations

import copy
from typing import Generic, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray
from dpcore.kmeans.merging import merge_points
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.seeding import sphere_packing
from dpcore.kmeans.weighted import weighted_kmeans
from dpcore.randomness.coins import Coins
from dpcore.results.centers import C, Centers, NonPrivateCenters
from dpcore.results.formats import Places, status_of

#: Starts of k-means on a coreset. Local optima would otherwise be a large part of the error.
STARTS = 60

K = TypeVar("K", bound=Centers)


class Synopsis(Generic[C]):
    """Weighted points in unit coordinates. Noise may have made some weights negative.

    They are as private as the centers that can be computed from them, so the type of these centers
    says what may be done with the points. An algorithm promises nothing: its synopsis gives
    `NonPrivateCenters`, until `run` vouches for it.
    """

    #: What centers computed from the points are.
    _kind: type[C] = cast("type[C]", NonPrivateCenters)

    def __init__(self, unit_points: FloatArray, weights: FloatArray, box: Box):
        self._unit_points = unit_points
        self._weights = weights
        self.box = box

    def vouched(self, kind: type[K]) -> Synopsis[K]:
        """The same points, from which centers of this kind come. Only a run or a release may say
        so."""
        same = cast("Synopsis[K]", copy.copy(self))
        same._kind = kind
        return same

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

    def __repr__(self) -> str:
        status = self._kind.status
        if not self._kind.private:
            return f"{type(self).__name__}({status})"
        return f"{type(self).__name__}({len(self):,} points{', ' * bool(status)}{status})"

    def places(self) -> Places:
        """The points with their weights, for files; refused where they are not private."""
        status = status_of(self._kind, f"{type(self).__name__}: its points")
        return Places(self.box, self.points, {"weight": np.asarray(self.weights)}, status)

    def to_frame(self) -> pd.DataFrame:
        """One row a point: its coordinates, its weight, and its status if it may not leave."""
        return self.places().as_frame()

    def to_geojson(self) -> str:
        """A shape with its weight for each point, in longitude and latitude."""
        return self.places().as_geojson()


class NoisyGrid(Synopsis[C]):
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


class Coreset(Synopsis[C]):
    """Weighted points, all weights positive: a small set to cluster in place of the data.

    What is computed from a coreset is as private as the coreset, for any k and as often as one
    likes.
    """

    def __init__(self, unit_points: FloatArray, weights: FloatArray, box: Box):
        if not (np.isfinite(weights).all() and (np.asarray(weights) > 0).all()):
            raise BadInput("Every point of a coreset has a positive weight.")
        super().__init__(unit_points, weights, box)

    def unit_centers(self, k: int, rng: Coins) -> FloatArray:
        """The best k centers found for these points, in unit coordinates.

        Fewer points than k are centers themselves, the heaviest more than once. Without any point
        the centers are packed evenly into the box.
        """
        if not len(self):
            return sphere_packing(k, self.box.d, 1, rng)[0]
        return weighted_kmeans(self.unit_points, self.weights, k, STARTS, rng)[0]

    def kmeans(self, k: int, seed: int | None = None) -> C:
        """k-means of the coreset, the best of many starts, at no further cost in privacy."""
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise BadInput(f"k must be a whole number of at least 1, not {k!r}.")
        unit = self.unit_centers(k, np.random.default_rng(seed))
        return self._kind(self.box.from_unit(unit), self.box)

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
            raise BadInput(f"A coreset is merged to at least one point, not {points}.")
        merged = type(self)(*merge_points(self.unit_points, self.weights, points), self.box)
        merged._kind = self._kind
        return merged
