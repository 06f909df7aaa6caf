"""A privacy level of its own for a part of the map.

The map is divided into regions that everybody knows: neighborhoods, boroughs or boxes. A row lies
in one region by its position alone, so a row added or removed changes the data of one region only,
and runs side by side, one on each region, cost a row what the run on its region costs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt, find_objects

from dpcore.datasets import city_shapes
from dpcore.datasets.builtin import CITY
from dpcore.datasets.city_shapes import Area
from dpcore.datasets.engines.paths import read_small
from dpcore.datasets.engines.reading_limits import MAX_TABLE
from dpcore.errors import BadInput, DataFileError, listed, shortened
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, coarsen, to_ticks
from dpcore.privacy.accounting import MIN_EPSILON
from dpcore.privacy.rounding import at_most

#: Cells a side of the grid on which borders are drawn: about 20 meters in New York.
SIDE = 1024
#: The region of all places that no other region covers.
ELSEWHERE = "elsewhere"
#: Polygons of a file, and how often the border of one may cross the lines of the grid.
MAX_POLYGONS, MAX_CROSSINGS = 10_000, 4_000_000


class Window(NamedTuple):
    """A square of cells, a power of two a side, that holds a region.

    Parameters
    ----------
    low0, low1 : int
        The first cell along each coordinate.
    side : int
        Cells a side.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.regions.boroughs().windows[0].side in (128, 256, 512, 1024)
    True
    """

    low0: int
    low1: int
    side: int

    def of(self, image: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
        return image[self.low0 : self.low0 + self.side, self.low1 : self.low1 + self.side]


@dataclass(frozen=True, eq=False)
class Regions:
    """A public partition of a two-dimensional box, and how much each region may spend.

    Borders follow the cells of a grid, so that every place lies in exactly one region.

    Parameters
    ----------
    box : Box
        The public box, of two coordinates.
    names : tuple of str
        The name of each region.
    image : ndarray of shape (side, side)
        The number of the region that each cell belongs to.
    levels : mapping of str to float, default={}
        The epsilon of each region that has its own.

    Raises
    ------
    ValueError
        If the image and the names do not fit together.

    Examples
    --------
    >>> import dpcore
    >>> regions = dpcore.regions.boroughs().with_levels({"Manhattan": 0.5})
    >>> regions.epsilons(2.0)[regions.index("Manhattan")]
    0.5
    """

    box: Box
    names: tuple[str, ...]
    #: Which region each cell of the grid belongs to, axis i = coordinate i.
    image: IntArray
    #: The epsilon of the regions that have a level of their own.
    levels: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))

    def __post_init__(self) -> None:
        side = len(self.image)
        if self.image.shape != (side, side) or side & (side - 1) or self.box.d != 2:
            raise BadInput("Regions lie in 2 dimensions, on a square with a power of two a side.")
        if len(set(self.names)) != len(self.names):
            raise BadInput("Two regions have the same name.")
        if not np.array_equal(np.unique(self.image), np.arange(len(self.names))):
            raise BadInput("Every cell has a region, and every region a cell.")
        for name in self.levels:
            self.index(name)
        self.image.setflags(write=False)

    # The partition.

    @property
    def n_cells(self) -> int:
        return len(self.names)

    @property
    def side(self) -> int:
        """Cells a side of the grid on which borders are drawn."""
        return len(self.image)

    def labels(self, ticks: IntArray) -> IntArray:
        """The region of each position (m, 2)."""
        return self.image.ravel()[Grid(self.box, self.side).labels(ticks)]

    def index(self, name: str) -> int:
        """The number of a region, or an error that lists the names."""
        if name not in self.names:
            raise BadInput(f"No region {shortened(name)!r}. There are: {listed(self.names)}.")
        return self.names.index(name)

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """The smallest square with a power of two of cells a side around each region."""
        windows = []
        for rows, columns in find_objects(self.image + 1):
            extent = max(rows.stop - rows.start, columns.stop - columns.start)
            side = 1 << (extent - 1).bit_length()
            room = self.side - side
            windows.append(Window(min(rows.start, room), min(columns.start, room), side))
        return tuple(windows)

    def at_resolution(self, resolution: int) -> Regions:
        """The same regions for data on a coarser grid: a cell belongs where its center lies."""
        if resolution >= self.side:
            return self
        cells = coarsen(np.arange(resolution), resolution, self.side)
        kept, image = np.unique(self.image[np.ix_(cells, cells)], return_inverse=True)
        names = tuple(self.names[j] for j in kept)
        levels = {name: epsilon for name, epsilon in self.levels.items() if name in names}
        return Regions(self.box, names, image, levels)

    def box_of(self, region: int) -> Box:
        """The box of a region's window."""
        window = self.windows[region]
        first = np.array([window.low0, window.low1])
        corners = 2 * np.stack([first, first + window.side]) / self.side - 1
        low, high = self.box.from_unit(corners)
        return Box(tuple(low), tuple(high), self.box.names)

    def drawn_inside(self, region: int, unit_points: FloatArray) -> FloatArray:
        """Points of a region's window, in unit coordinates of the whole box; those outside the
        region are moved to the center of its nearest cell."""
        grid, window = Grid(self.box, self.side), self.windows[region]
        cells = np.stack(np.divmod(grid.labels(to_ticks(unit_points)), self.side))
        outside = self.image[*cells] != region
        if not outside.any():
            return unit_points
        low = np.array([[window.low0], [window.low1]])
        away = window.of(self.image) != region
        nearest = distance_transform_edt(away, return_distances=False, return_indices=True)
        inside = nearest[:, *np.clip(cells[:, outside] - low, 0, window.side - 1)] + low
        drawn = unit_points.copy()
        drawn[outside] = grid.axis_centers()[inside.T]
        return drawn

    # What it protects.

    def with_levels(self, levels: Mapping[str, float]) -> Regions:
        """The same regions, some of them with an epsilon of their own."""
        return replace(self, levels=MappingProxyType(dict(levels)))

    def epsilons(self, most: float) -> tuple[float, ...]:
        """What each region may spend: its own level, else the most that any may spend."""
        for name, epsilon in self.levels.items():
            if not (isinstance(epsilon, int | float) and MIN_EPSILON <= epsilon <= most):
                raise BadInput(
                    f"The level of {shortened(name)!r} must be a number from {MIN_EPSILON:g} to "
                    f"{most:g}, the epsilon of the run, not {shortened(repr(epsilon))}."
                )
        return tuple(self.levels.get(name, most) for name in self.names)

    def epsilon_of_move(self, origin: str, destination: str, most: float) -> float:
        """What a record costs that moves: it leaves one region and enters another, or the same."""
        epsilons = self.epsilons(most)
        return epsilons[self.index(origin)] + epsilons[self.index(destination)]

    def statement(self, most: float, unit: str = "row") -> str:
        """What regions with these levels protect, in words."""
        worst = 2 * max(self.epsilons(most))
        own = [f"{name} {at_most(epsilon)}" for name, epsilon in sorted(self.levels.items())]
        levels = ", ".join([*own, f"{at_most(most)} everywhere{' else' if own else ''}"])
        return (
            f"Whether a {unit} is in the data is protected at the epsilon of the region it lies "
            f"in: {levels}. "
            f"Where a {unit} lies is protected less: one that moves costs the epsilon of the "
            f"region it leaves plus that of the region it enters, {at_most(worst)} at most."
        )


def boxes(corners: Mapping[str, tuple[npt.ArrayLike, npt.ArrayLike]], box: Box) -> Regions:
    """Rectangles as regions: a name, and the (low, high) corners in data units.

    A cell of the grid belongs to the first rectangle that holds its center, or elsewhere.

    Parameters
    ----------
    corners : mapping of str to tuple (low, high)
        The corners of each rectangle, in data units.
    box : Box
        The public box, of two coordinates.

    Returns
    -------
    Regions

    Raises
    ------
    ValueError
        If a rectangle covers no cell that no earlier one covers.

    Examples
    --------
    >>> import dpcore
    >>> dpcore.regions.boxes({"left": ([-1, -1], [0, 1])}, dpcore.Box.cube(2)).names
    ('left', 'elsewhere')
    """
    regions = _painted(
        [
            (name, [_rectangle(_in_cells(low, box), _in_cells(high, box))])
            for name, (low, high) in corners.items()
        ],
        box,
    )
    for name in corners:
        if name not in regions.names:
            raise BadInput(f"Region {name!r} has no place of its own in the box.")
    return regions


def areas(outlines: Iterable[Area], box: Box) -> Regions:
    """Polygons as regions. Those with no cell in the box are left out.

    Parameters
    ----------
    outlines : iterable of Area
        Polygons with a name.
    box : Box
        The public box, of two coordinates.

    Returns
    -------
    Regions

    Examples
    --------
    >>> import dpcore
    >>> from dpcore.datasets import city_shapes
    >>> box = dpcore.datasets.load("nyc-taxi").box
    >>> "Manhattan" in dpcore.regions.areas(city_shapes.boroughs(), box).names
    True
    """
    return _painted([(area.name, _polygons(area, box)) for area in outlines], box)


@lru_cache(maxsize=8)
def neighborhoods(box: Box = CITY) -> Regions:
    """New York's neighborhoods, as far as they lie in the box.

    Parameters
    ----------
    box : Box, default=CITY
        The public box, of longitude and latitude.

    Returns
    -------
    Regions

    Examples
    --------
    >>> import dpcore
    >>> "Sunnyside" in dpcore.regions.neighborhoods().names
    True
    """
    return areas(city_shapes.neighborhoods(), box)


@lru_cache(maxsize=8)
def boroughs(box: Box = CITY) -> Regions:
    """New York's boroughs, as far as they lie in the box.

    Parameters
    ----------
    box : Box, default=CITY
        The public box, of longitude and latitude.

    Returns
    -------
    Regions

    Examples
    --------
    >>> import dpcore
    >>> "Manhattan" in dpcore.regions.boroughs().names
    True
    """
    return areas(city_shapes.boroughs(), box)


def from_geojson(path: str | Path, box: Box) -> Regions:
    """The polygons of a GeoJSON file as regions, in the coordinates of the box.

    Every feature has a `name`, and an `epsilon` if its region has a level of its own. Where
    polygons overlap, the smallest epsilon counts, so that every level is kept.

    Parameters
    ----------
    path : str or Path
        The GeoJSON file.
    box : Box
        The public box, of two coordinates.

    Returns
    -------
    Regions

    Raises
    ------
    ValueError
        If the file cannot be read, or a region is too small for its level.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> import dpcore
    >>> corners = [[-1, -1], [0, -1], [0, 0], [-1, 0], [-1, -1]]
    >>> square = {"type": "Polygon", "coordinates": [corners]}
    >>> properties = {"name": "a", "epsilon": 0.5}
    >>> feature = {"type": "Feature", "properties": properties, "geometry": square}
    >>> _ = Path("parts.geojson").write_text(json.dumps({"features": [feature]}))
    >>> dict(dpcore.regions.from_geojson("parts.geojson", dpcore.Box.cube(2)).levels)
    {'a': 0.5}
    """
    try:
        text = read_small(str(path), MAX_TABLE).decode()
        features = json.loads(text)["features"]
        if len(features) > MAX_POLYGONS:
            raise BadInput(f"it has more than {MAX_POLYGONS:,} features")
        own = [feature["properties"] for feature in features]
        outlines = [
            Area(str(properties["name"]), "", city_shapes.polygons(feature["geometry"]))
            for properties, feature in zip(own, features, strict=True)
        ]
        if sum(len(area.polygons) for area in outlines) > MAX_POLYGONS:
            raise BadInput(f"it has more than {MAX_POLYGONS:,} polygons")
    except OSError as error:
        raise BadInput(f"{shortened(str(path))} cannot be read: {error.strerror}.") from None
    except DataFileError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, RecursionError) as error:
        raise BadInput(
            f"{shortened(str(path))} is not a GeoJSON file of polygons with a `name` each: "
            f"{shortened(str(error))}"
        ) from None
    levels = {str(p["name"]): p["epsilon"] for p in own if p.get("epsilon") is not None}
    regions = areas(sorted(outlines, key=lambda area: _strictness(levels.get(area.name))), box)
    for area in outlines:
        if area.name in levels and _too_small(area, box):
            raise BadInput(
                f"Region {shortened(area.name)!r} is too small for its level to be kept: borders "
                f"follow a grid of {SIDE} cells a side, and none has its center inside."
            )
    return regions.with_levels({n: e for n, e in levels.items() if n in regions.names})


def _strictness(level: object) -> float:
    """Smallest epsilon first; regions without a level may spend the most, so they come last."""
    return level if isinstance(level, int | float) and level == level else math.inf


def _too_small(area: Area, box: Box) -> bool:
    """Whether polygons reach into the box but hold no center of a cell."""
    starts = _in_cells(area.edges()[0], box)
    beside = (starts.max(axis=0) <= 0) | (starts.min(axis=0) >= SIDE)
    return not (beside.any() or any(patch.mask.any() for patch in _polygons(area, box)))


class _Patch(NamedTuple):
    """Some cells of the grid: those of a mask with its first cell at (low0, low1)."""

    low0: int
    low1: int
    mask: npt.NDArray[np.bool_]


def _painted(patches: Iterable[tuple[str, Sequence[_Patch]]], box: Box) -> Regions:
    """Regions from named patches. Where patches overlap, the first one counts."""
    image = np.full((SIDE, SIDE), -1)
    names: list[str] = []
    for name, several in patches:
        painted = False
        for low0, low1, mask in several:
            canvas = image[low0 : low0 + mask.shape[0], low1 : low1 + mask.shape[1]]
            free = mask & (canvas < 0)
            canvas[free] = len(names)
            painted |= bool(free.any())
        if painted:
            names.append(name)
    if (image < 0).any():
        image[image < 0] = len(names)
        names.append(ELSEWHERE)
    return Regions(box, tuple(names), image)


def _in_cells(points: npt.ArrayLike, box: Box) -> FloatArray:
    """Data units as cells of the grid: the center of cell i is at i + 1/2."""
    return (box.to_unit(points) + 1) * (SIDE / 2)


def _first_center_from(place: FloatArray) -> IntArray:
    """The first cell whose center is not below each place."""
    return np.clip(np.ceil(place - 0.5), 0, SIDE).astype(np.int64)


def _rectangle(low: FloatArray, high: FloatArray) -> _Patch:
    """Cells whose centers lie in a half-open rectangle."""
    first, end = _first_center_from(low), _first_center_from(high)
    return _Patch(int(first[0]), int(first[1]), np.ones(np.maximum(end - first, 0), dtype=bool))


def _polygons(area: Area, box: Box) -> list[_Patch]:
    """A patch for each polygon of an area, so that a place in two of them is in the area too."""
    each = [replace(area, polygons=(polygon,)).edges() for polygon in area.polygons]
    return [_polygon(_in_cells(starts, box), _in_cells(ends, box)) for starts, ends in each]


def _polygon(starts: FloatArray, ends: FloatArray) -> _Patch:
    """Cells whose centers lie inside closed rings, given by where all their edges start and end.

    Along each line of centers, an edge that crosses it switches between outside and inside.
    """
    (x0, y0), (x1, y1) = starts.T, ends.T
    first, end = _first_center_from(np.minimum(y0, y1)), _first_center_from(np.maximum(y0, y1))
    if (end - first).sum() > MAX_CROSSINGS:
        raise BadInput(
            f"A polygon is too intricate: its border crosses the map more than {MAX_CROSSINGS:,} "
            "times. Give a simpler outline."
        )
    edge = np.repeat(np.arange(len(first)), end - first)
    if not len(edge):
        return _Patch(0, 0, np.zeros((0, 0), dtype=bool))
    line = np.arange(len(edge)) - np.repeat(np.cumsum(end - first) - end, end - first)
    slope = (x1[edge] - x0[edge]) / (y1[edge] - y0[edge])
    cell = _first_center_from(x0[edge] + (line + 0.5 - y0[edge]) * slope)
    low0, low1 = int(cell.min()), int(line.min())
    switches = np.zeros((cell.max() - low0 + 1, line.max() - low1 + 1), dtype=np.int64)
    np.add.at(switches, (cell - low0, line - low1), 1)
    return _Patch(low0, low1, (np.cumsum(switches, axis=0) % 2 == 1)[: SIDE - low0])
