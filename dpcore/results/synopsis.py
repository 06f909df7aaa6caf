"""Synopses: the weighted points that an algorithm publishes beside its centers."""

from __future__ import annotations

import copy
import math
from typing import Generic, Self, TypeVar, cast

import numpy as np
import numpy.typing as npt
import shapely

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray
from dpcore.kmeans.merging import group_of_points, merge_points
from dpcore.kmeans.noisy_grid import solve_grid
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.seeding import sphere_packing
from dpcore.kmeans.weighted import weighted_kmeans
from dpcore.kmeans.weighted_median import distances, weighted_kmedian
from dpcore.randomness.coins import Coins
from dpcore.results import polygons
from dpcore.results.centers import (
    C,
    Centers,
    NonPrivateCenters,
    ReleasedCenters,
    SimulatedCenters,
    UnchargedCenters,
    status_of,
)
from dpcore.results.formats import Places, points_as_places
from dpcore.results.notebook import Shown
from dpcore.results.rectangles import (
    Estimate,
    among_points,
    geometric_variance,
    in_grid,
    unit_rectangle,
)

#: Starts of k-means on a coreset. Local optima would otherwise be a large part of the error.
STARTS = 60
GRID_STARTS = 30
MEDIAN_STARTS = 12
#: More points than this are merged before a k-median is looked for.
MEDIAN_POINTS = 20_000
#: What centers may be, from the least that may be done with them to the most.
TRUST: tuple[type[Centers], ...] = (
    NonPrivateCenters,
    SimulatedCenters,
    UnchargedCenters,
    ReleasedCenters,
)

K = TypeVar("K", bound=Centers)


class Synopsis(Shown, Generic[C]):
    """Weighted points in unit coordinates. Noise may have made some weights negative.

    They are as private as the centers that can be computed from them, so the type of these centers
    says what may be done with the points. An algorithm promises nothing: its synopsis gives
    `NonPrivateCenters`, until `run` vouches for it.
    """

    #: What centers computed from the points are.
    _kind: type[C] = cast("type[C]", NonPrivateCenters)

    #: Of which of several united releases each point is; None where there is one.
    _origin: IntArray | None = None

    def __init__(
        self,
        unit_points: FloatArray,
        weights: FloatArray,
        box: Box,
        variances: FloatArray | None = None,
    ):
        """`variances` are those that noise gave the weights, where that is known and public."""
        self._unit_points = unit_points
        self._weights = weights
        self._variances = variances
        self.box = box
        self._check()

    def _check(self) -> None:
        """Raise where weights cannot be those of this kind of synopsis."""

    def vouched(self, kind: type[K]) -> Synopsis[K]:
        """The synopsis with the kind of centers that come from it; only a run or a release may say
        which kind that is."""
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
    def variances(self) -> FloatArray | None:
        """The variance of the noise in each weight, where that is known. It is public."""
        return self._variances

    @property
    def points(self) -> FloatArray:
        """The points in data units."""
        return self.box.from_unit(self.unit_points)

    def count(self, low: npt.ArrayLike, high: npt.ArrayLike) -> Estimate:
        """The number of rows between two corners, in data units, at no further cost in privacy.

        Weights are noisy counts whose noise has a public scale, so its standard error is exact for
        a grid. For a coreset, whose weights are estimated from several counts, it bounds what the
        noise does to the sum. Where rows are too few for a point, a coreset says nothing of them;
        so the error is never below that of one count.
        """
        first, last = unit_rectangle(self.box, low, high)
        inside, cut = among_points(self.unit_points, first, last, self._origin)
        return self._estimate(inside, cut)

    def count_inside(self, shape: shapely.Geometry) -> Estimate:
        """The number of rows inside a shape of a plane, in data units, at no further cost in
        privacy. The error is that of `count`."""
        shape = polygons.in_unit(self.box, shape)
        inside, cut = polygons.among_points(self.unit_points, shape, self._origin)
        return self._estimate(inside, cut)

    def _estimate(self, inside: npt.NDArray[np.bool_], cut: npt.NDArray[np.bool_]) -> Estimate:
        """The sum of the weights inside, with its error and what the border cuts."""
        weights, error = np.asarray(self.weights), None
        if self._variances is not None:
            least = float(self._variances.max(initial=0.0))
            error = math.sqrt(max(float(self._variances[inside].sum()), least))
        status = self._kind.status
        return Estimate(float(weights[inside].sum()), error, float(weights[cut].sum()), status)

    def unit_centers(self, k: int, rng: Coins) -> FloatArray:
        """The best k centers found for these points, in unit coordinates.

        Points of weight 0 or less do not count. Fewer points than k are centers themselves, the
        heaviest more than once. Without any point the centers are packed evenly into the box.
        """
        if not (np.asarray(self.weights) > 0).any():
            return sphere_packing(k, self.box.d, 1, rng)[0]
        return weighted_kmeans(self.unit_points, self.weights, k, STARTS, rng)[0]

    def kmeans(self, k: int, seed: int | None = None) -> C:
        """k-means of the points, the best of many starts, at no further cost in privacy."""
        unit = self.unit_centers(_checked(k), np.random.default_rng(seed))
        return self._kind(self.box.from_unit(unit), self.box)

    def kmedian(self, k: int, seed: int | None = None) -> C:
        """k-median of the points: centers of a small sum of distances, not of their squares."""
        rng = np.random.default_rng(seed)
        points, weights = self._positive()
        if not len(points):
            unit = sphere_packing(_checked(k), self.box.d, 1, rng)[0]
        else:
            unit, _ = weighted_kmedian(points, weights, _checked(k), MEDIAN_STARTS, rng)
        return self._kind(self.box.from_unit(unit), self.box)

    def _positive(self) -> tuple[FloatArray, FloatArray]:
        """The points of positive weight; where they are very many, near ones are merged."""
        weights = np.asarray(self.weights, dtype=np.float64)
        points, weights = self.unit_points[weights > 0], weights[weights > 0]
        return (
            merge_points(points, weights, MEDIAN_POINTS)
            if len(points) > MEDIAN_POINTS
            else (points, weights)
        )

    def cost(self, centers: npt.ArrayLike, squared: bool = True) -> float:
        """The estimated cost of these centers on the data, by the account of the points.

        Centers in data units; the weighted sum of squared distances in unit coordinates, in which
        the box is [-1, 1]^d. Divided by the sum of the weights it estimates the NICV. Not squared,
        it is the cost of k-median.
        """
        unit = self.box.to_unit(np.atleast_2d(np.asarray(centers, dtype=np.float64)))
        if not squared:
            return float(np.asarray(self.weights) @ distances(self.unit_points, unit))
        return float(WeightedPoints(self.unit_points, self.weights).cost(unit))

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
        variances = self.variances
        noise = None if variances is None else np.sqrt(variances)
        return points_as_places(self.box, self.points, self.weights, status, noise)

    def to_geojson(self) -> str:
        """A shape with its weight for each point, in longitude and latitude."""
        return self.places().as_geojson()


class NoisyGrid(Synopsis[C]):
    """A noisy count for every cell of a grid. Its points, the cells' centers, and their weights are
    made when asked for: a fine grid has a million of them."""

    def __init__(self, grid: Grid, counts: IntArray, scale: float | None = None):
        """`scale` is that of the geometric noise on every count, which is public."""
        self.grid = grid
        self.counts = counts
        self.scale = scale
        self.box = grid.box

    def count(self, low: npt.ArrayLike, high: npt.ArrayLike) -> Estimate:
        first, last = unit_rectangle(self.box, low, high)
        value, squares, cut = in_grid(self.counts, first, last)
        error = None
        if self.scale is not None:
            error = math.sqrt(geometric_variance(self.scale) * squares)
        return Estimate(value, error, cut, self._kind.status)

    def count_inside(self, shape: shapely.Geometry) -> Estimate:
        inside = polygons.in_unit(self.box, shape)
        value, squares, cut = polygons.in_grid(self.counts, inside)
        error = None
        if self.scale is not None:
            error = math.sqrt(geometric_variance(self.scale) * squares)
        return Estimate(value, error, cut, self._kind.status)

    def unit_centers(self, k: int, rng: Coins) -> FloatArray:
        """The best k centers found for the counts, negative ones among them."""
        return solve_grid(self.counts, k, GRID_STARTS, rng)

    def __len__(self) -> int:
        return self.counts.size

    @property
    def unit_points(self) -> FloatArray:
        return self.grid.centers()

    @property
    def weights(self) -> FloatArray:
        return self.counts.ravel().astype(np.float64)

    @property
    def variances(self) -> FloatArray | None:
        if self.scale is None:
            return None
        return np.full(self.counts.size, geometric_variance(self.scale))


class Coreset(Synopsis[C]):
    """Weighted points, all weights positive: a small set to cluster in place of the data.

    What is computed from a coreset is as private as the coreset, for any k and as often as one
    likes.
    """

    def _check(self) -> None:
        weights = np.asarray(self._weights)
        if not (np.isfinite(weights).all() and (weights > 0).all()):
            raise BadInput("Every point of a coreset has a positive weight.")

    def union(self, *others: Coreset) -> Coreset:
        """The coreset of all the data that this one and others stand for, such as months of a year.

        Private: The release i is epsilon_i-private for its own rows. Where no row can be in the
        data of two releases, adding or removing a row changes the data of one, i, and leaves the
        others' distributions as they are, so the probability of all outputs together changes by a
        factor of at most exp(epsilon_i): together they are private with the largest epsilon_i, and
        the largest delta_i. What is computed from them, such as this union, adds nothing. Where a
        person may have rows in several, that person's cost is the sum over them. So it is, too,
        where a row may be replaced by one of another month: then two releases change. What each
        release cost is in the ledger, which goes on counting every one of them.

        Released only if all are. With a simulated one among them it is simulated; with one that is
        not private, it is not.
        """
        parts: list[Coreset] = [self, *others]
        if different := [other.box for other in others if other.box != self.box]:
            raise BadInput(
                f"Coresets of one box can be united, not of {self.box} and {different[0]}."
            )
        variances = [part.variances for part in parts]
        estimates = [each for each in variances if each is not None]
        united: Coreset = Coreset(
            np.concatenate([part.unit_points for part in parts]),
            np.concatenate([part.weights for part in parts]),
            self.box,
            np.concatenate(estimates) if len(estimates) == len(parts) else None,
        )
        origins, first = [], 0
        for part in parts:
            own = np.zeros(len(part), dtype=np.int64) if part._origin is None else part._origin
            origins.append(first + own)
            first += int(own.max(initial=0)) + 1
        united._origin = np.concatenate(origins)
        united._kind = min((part._kind for part in parts), key=TRUST.index)
        return united

    def reduced(self, points: int) -> Self:
        """A coreset with at most `points` points: near ones become one at their weighted mean.

        With `union`, this is merge and reduce (Feldman et al. 2017, section 1.2): add the next
        month to what was kept of those before, and keep as many points as always.
        """
        if points < 1:
            raise BadInput(f"A coreset is reduced to at least one point, not {points}.")
        reduced = type(self)(*merge_points(self.unit_points, self.weights, points), self.box)
        reduced._kind = self._kind
        if self._variances is not None:
            group = group_of_points(self.unit_points, self.weights, points)
            summed = np.bincount(group, self._variances, len(reduced))
            reduced._variances = summed.astype(np.float64)
        return reduced


def _checked(k: int) -> int:
    """The number of centers, if one can ask for so many."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise BadInput(f"k must be a whole number of at least 1, not {k!r}.")
    return int(k)
