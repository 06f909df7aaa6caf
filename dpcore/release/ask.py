"""Questions about a release, answered from the published numbers alone.

Private: every answer is a function of files that a release already made public, and of what the
reader asks. Nothing of the data is looked at, so an answer costs nothing, however many there are
(post-processing: Dwork and Roth 2014, proposition 2.1). Counts come with the standard error of the
noise, which is published beside every weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import shapely

from dpcore.datasets import city_shapes
from dpcore.datasets.area_shapes import whole_shape
from dpcore.datasets.city_shapes import Area
from dpcore.errors import BadInput, Infeasible
from dpcore.geometry.domain import FloatArray, Grid
from dpcore.geometry.positions import longitude_first
from dpcore.release.published_files import PublishedFiles
from dpcore.results.centers import ReleasedCenters
from dpcore.results.rectangles import Estimate
from dpcore.results.synopsis import NoisyGrid, Synopsis
from dpcore.study.run_view import fewer_cells
from dpcore.study.shifts import EARTH_RADIUS_M, meters_between

#: What every answer says.
FREE = "This costs nothing: it is computed from what was already published."
#: Numbers of centers on a curve of costs unless told otherwise, and at most; and of centers whose
#: cost is asked for, each of which is compared with every point.
MOST_K, LARGEST_K, MOST_CENTERS = 12, 100, 1000
#: Cells a side of a density unless told otherwise, and at most.
DENSITY_SIDE, MOST_SIDE = 32, 512
#: Searches begin alike, so that everybody gets the same answer.
SEED = 0


@dataclass(frozen=True)
class CenterCost:
    """The estimated cost of centers on the data.

    Parameters
    ----------
    nicv : float
        The mean squared distance to the nearest center, in a box from -1 to 1.
    distance : float
        The mean distance to the nearest center: in meters on a map, else in a box from -1 to 1.
    in_meters : bool
        Whether the distance is in meters.

    Examples
    --------
    >>> from dpcore.release.ask import CenterCost
    >>> CenterCost(0.02, 850.0, True).nicv
    0.02
    """

    nicv: float
    distance: float
    in_meters: bool


@dataclass(frozen=True)
class CostCurve:
    """The least cost found for each number of centers.

    Parameters
    ----------
    costs : tuple of (int, float)
        Each number of centers with the NICV of the best centers found.
    d : int, default=2
        The number of coordinates.

    Examples
    --------
    >>> from dpcore.release.ask import CostCurve
    >>> CostCurve(((1, 1.0), (2, 0.5), (3, 0.1), (4, 0.09), (5, 0.08))).suggested
    3
    """

    costs: tuple[tuple[int, float], ...]
    d: int = 2

    @property
    def suggested(self) -> int:
        """The number of centers that fits the data best.

        Of rows spread evenly the cost falls with k^(-2/d). So k^(2/d) times the cost stays level
        where centers only cut clusters, and is least where each cluster has a center (Krzanowski
        and Lai 1988).
        """
        return min(self.costs, key=lambda each: each[0] ** (2 / self.d) * each[1])[0]


@dataclass(frozen=True)
class AreaCount:
    """The estimated number of rows in an area.

    Parameters
    ----------
    name : str
        The name of the area.
    estimate : Estimate
        The number of rows with what it may be off by.
    square_kilometers : float or None
        The size of the area on a map; None elsewhere.

    Examples
    --------
    >>> from dpcore.release.ask import AreaCount
    >>> from dpcore.results.rectangles import Estimate
    >>> AreaCount("Soho", Estimate(1200.0, 15.0, 40.0), 2.0).density
    600.0
    """

    name: str
    estimate: Estimate
    square_kilometers: float | None

    @property
    def density(self) -> float | None:
        """Rows for each square kilometer; None where there is no map."""
        return None if not self.square_kilometers else self.estimate.value / self.square_kilometers


@dataclass(frozen=True)
class CellDensity:
    """The estimated rows on a grid over the box.

    Parameters
    ----------
    counts : array of shape (side, side)
        The rows in each cell; the first axis is the first coordinate.
    square_kilometers : array of shape (side, side) or None
        The size of each cell on a map; None elsewhere.

    Examples
    --------
    >>> import numpy as np
    >>> from dpcore.release.ask import CellDensity
    >>> CellDensity(np.ones((2, 2)), None).counts.sum()
    np.float64(4.0)
    """

    counts: FloatArray
    square_kilometers: FloatArray | None

    @property
    def densities(self) -> FloatArray:
        """Rows for each square kilometer, or for each cell where there is no map."""
        return (
            self.counts if self.square_kilometers is None else self.counts / self.square_kilometers
        )


def points_of(release: PublishedFiles) -> Synopsis[ReleasedCenters]:
    """The published points that answer; refused where a release has centers only."""
    if release.synopsis is None or not len(release.synopsis):
        raise Infeasible(
            "This release published its centers and no points beside them, so it can answer "
            "nothing else. Methods that publish points, such as adaptive, can."
        )
    return release.synopsis


def new_centers(release: PublishedFiles, k: int) -> ReleasedCenters:
    """The best k centers found for the published points."""
    return points_of(release).kmeans(_number_of_centers(k), SEED)


def new_medians(release: PublishedFiles, k: int) -> ReleasedCenters:
    """The best k centers for k-median: of least mean distance, not squared distance."""
    return points_of(release).kmedian(_number_of_centers(k), SEED)


def cost_curve(release: PublishedFiles, ks: Iterable[int] = range(1, MOST_K + 1)) -> CostCurve:
    """The least cost found for each number of centers, and the number that it suggests."""
    numbers = sorted({_number_of_centers(k) for k in ks})
    if len(numbers) < 3:
        raise BadInput("A curve needs at least three numbers of centers.")
    return curve_of(points_of(release), numbers)


def curve_of(points: Synopsis, ks: Sequence[int] = range(1, MOST_K + 1)) -> CostCurve:
    """The cost curve of the points of any run or release.

    Found centers are local optima. Where fewer of them cost less than more do, the cost of fewer
    stands for both: adding a center never raises the least cost.
    """
    rows = max(float(np.sum(points.weights)), 1.0)
    costs = [max(points.cost(points.kmeans(k, SEED)) / rows, 0.0) for k in ks]
    least = np.minimum.accumulate(costs).tolist()
    return CostCurve(tuple(zip(ks, least, strict=True)), points.box.d)


def center_cost(release: PublishedFiles, centers: npt.ArrayLike) -> CenterCost:
    """The estimated cost of any centers, in data units, on the data."""
    points, places = points_of(release), np.asarray(centers, dtype=np.float64)
    if places.ndim != 2 or not len(places) or places.shape[1] != release.box.d:
        raise BadInput(
            f"Centers are rows of {release.box.d} numbers ({', '.join(release.box.names)})."
        )
    if len(places) > MOST_CENTERS:
        raise BadInput(
            f"The cost of at most {MOST_CENTERS:,} centers is told, not of {len(places):,}."
        )
    if not np.isfinite(places).all():
        raise BadInput("Every coordinate of a center is a finite number.")
    rows = max(float(np.sum(points.weights)), 1.0)
    in_meters = _is_map(release)
    if in_meters:
        order = list(longitude_first(release.box))
        degrees, to = points.points[:, order], places[:, order]
        nearest = np.min([meters_between(degrees, each) for each in to], axis=0)
        distance = float(np.asarray(points.weights) @ nearest)
    else:
        distance = points.cost(places, squared=False)
    return CenterCost(max(points.cost(places) / rows, 0.0), max(distance / rows, 0.0), in_meters)


def counts(release: PublishedFiles, areas: Sequence[Area]) -> list[AreaCount]:
    """The estimated rows in each area. On a map areas are in longitude and latitude."""
    points, order = points_of(release), list(longitude_first(release.box))
    area_counts = []
    for area in areas:
        shape = whole_shape(area)
        own = shape if order == [0, 1] else shapely.transform(shape, lambda xy: xy[:, order])
        size = square_kilometers(shape) if _is_map(release) else None
        area_counts.append(AreaCount(area.name, points.count_inside(own), size))
    return area_counts


def neighborhood_counts(release: PublishedFiles) -> list[AreaCount]:
    """The estimated rows in each neighborhood of New York that the box reaches, most first."""
    box = release.box
    if not _is_map(release):
        raise BadInput("Neighborhoods need a map; these data have none. Give areas of your own.")
    order = list(longitude_first(box))
    low, high = np.asarray(box.low)[order], np.asarray(box.high)[order]
    frame = shapely.box(*low, *high)
    inside = [
        area
        for area in city_shapes.neighborhoods()
        if shapely.intersection(whole_shape(area), frame).area > 0
    ]
    if not inside:
        raise BadInput(
            "The only neighborhoods that dpcore knows are those of New York. Give areas of your "
            "own, as GeoJSON."
        )
    return sorted(counts(release, inside), key=lambda each: -each.estimate.value)


def density(release: PublishedFiles, side: int = DENSITY_SIDE) -> CellDensity:
    """The estimated rows in each cell of a grid over the box."""
    points, box = points_of(release), release.box
    if box.d != 2:
        raise BadInput(f"A density lies on a plane of 2 coordinates; these data have {box.d}.")
    if not 1 <= side <= MOST_SIDE:
        raise BadInput(f"A density has 1 to {MOST_SIDE} cells a side, not {side}.")
    if isinstance(points, NoisyGrid):
        grid: FloatArray = fewer_cells(points.counts, side).astype(np.float64)
    else:
        cells = np.clip(((points.unit_points + 1) / 2 * side).astype(np.int64), 0, side - 1)
        flat = np.bincount(cells @ [side, 1], points.weights, side * side)
        grid = np.asarray(flat, dtype=np.float64).reshape(side, side)
    if not _is_map(release):
        return CellDensity(grid, None)
    middles = Grid(box, len(grid)).centers()
    latitude = longitude_first(box)[1]
    spans = np.radians(np.asarray(box.high) - np.asarray(box.low)) / len(grid)
    shrunk = np.cos(np.radians(box.from_unit(middles)[:, latitude]))
    sizes = EARTH_RADIUS_M**2 * np.prod(spans) * shrunk / 1e6
    return CellDensity(grid, sizes.reshape(grid.shape))


def square_kilometers(shape: shapely.Geometry) -> float:
    """The size of a shape in degrees: on a sphere, each place as wide as at its latitude."""
    sines = shapely.transform(
        shapely.segmentize(shape, 0.05),
        lambda xy: np.column_stack([np.radians(xy[:, 0]), np.sin(np.radians(xy[:, 1]))]),
    )
    return float(shapely.area(sines)) * EARTH_RADIUS_M**2 / 1e6


def _number_of_centers(k: int) -> int:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= LARGEST_K:
        raise BadInput(f"k must be a whole number from 1 to {LARGEST_K}, not {k!r}.")
    return int(k)


def _is_map(release: PublishedFiles) -> bool:
    return bool(release.certificate["geographic"]) and release.box.d == 2
