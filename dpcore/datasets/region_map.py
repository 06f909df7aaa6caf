"""Regions of a map: which place lies in which, at what level, and what that protects."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from dpcore.datasets import area_levels
from dpcore.datasets.area_files import as_feature_collection
from dpcore.datasets.city_shapes import ELSEWHERE, Area
from dpcore.errors import BadInput, listed, shortened
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, coarsen, to_ticks
from dpcore.privacy.accounting import MIN_EPSILON, Neighbors


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
    outlines : tuple of Area, default=()
        The shape of each region but the rest of the map, in the order of the names.

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
    #: The shapes that were painted, if they are known.
    outlines: tuple[Area, ...] = ()

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
        object.__setattr__(self, "levels", MappingProxyType(dict(self.levels)))

    def __repr__(self) -> str:
        parts = (f"{each!r}: {self.levels[each]:g}" for each in self.names if each in self.levels)
        return f"Regions({len(self.names)} regions, levels {{{', '.join(parts)}}})"

    def __eq__(self, other: object) -> bool:
        """Whether every place has the same region and level."""
        if not isinstance(other, Regions):
            return NotImplemented
        return self.map_key == other.map_key and dict(self.levels) == dict(other.levels)

    def __hash__(self) -> int:
        return hash((self.map_key, frozenset(self.levels.items())))

    # The partition.

    @cached_property
    def map_key(self) -> str:
        """A digest of the box, the names and the borders: the same for the same map."""
        frame = json.dumps([self.box.low, self.box.high, self.box.names, self.names, self.side])
        borders = self.image.astype(np.int32).tobytes()
        return hashlib.sha256(frame.encode() + borders).hexdigest()

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
        for rows, columns in scipy.ndimage.find_objects(self.image + 1):
            extent = max(rows.stop - rows.start, columns.stop - columns.start)
            side = 1 << (extent - 1).bit_length()
            room = self.side - side
            windows.append(Window(min(rows.start, room), min(columns.start, room), side))
        return tuple(windows)

    def at_resolution(self, resolution: int) -> Regions:
        """The same regions for data on a coarser grid: a cell belongs where its center lies."""
        if resolution >= self.side:
            return self
        if resolution not in self._coarser:
            cells = coarsen(np.arange(resolution), resolution, self.side)
            regions, image = np.unique(self.image[np.ix_(cells, cells)], return_inverse=True)
            names = tuple(self.names[j] for j in regions)
            self._coarser[resolution] = Regions(self.box, names, image)
        coarse = self._coarser[resolution]
        return coarse.with_levels({n: e for n, e in self.levels.items() if n in coarse.names})

    @cached_property
    def _coarser(self) -> dict[int, Regions]:
        """Coarser maps by resolution, shared by all regions that differ in their levels only."""
        return {}

    def box_of(self, region: int) -> Box:
        """The box of a region's window."""
        return self._boxes[region]

    @cached_property
    def _boxes(self) -> tuple[Box, ...]:
        return tuple(self._box_of(window) for window in self.windows)

    def _box_of(self, window: Window) -> Box:
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
        if region not in self._rims:
            low = np.array([window.low0, window.low1])
            self._rims[region] = scipy.spatial.KDTree(_rim(window.of(self.image) == region) + low)
        rim = self._rims[region]
        _, nearest = rim.query(cells[:, outside].T)
        points = unit_points.copy()
        points[outside] = grid.axis_centers()[rim.data[nearest].astype(np.int64)]
        return points

    @cached_property
    def _rims(self) -> dict[int, scipy.spatial.KDTree]:
        """The rim of each region as a tree of points, shared like `_coarser`."""
        return {}

    # What it protects.

    def with_levels(self, levels: Mapping[str, float]) -> Regions:
        """The same regions; these have an epsilon of their own, and no others do."""
        for name in levels:
            self.index(name)
        _ = self.windows, self._coarser, self._boxes, self._rims  # computed once for all levels
        same = copy.copy(self)
        object.__setattr__(same, "levels", MappingProxyType(dict(levels)))
        return same

    def epsilons(self, most: float) -> tuple[float, ...]:
        """The epsilon of each region: its own level, else the most that any may have."""
        for name, epsilon in self.levels.items():
            is_number = isinstance(epsilon, int | float) and not isinstance(epsilon, bool)
            if not (is_number and MIN_EPSILON <= epsilon <= most):
                raise BadInput(
                    f"The level of {shortened(name)!r} must be a number from {MIN_EPSILON:g} to "
                    f"{most:g}, the epsilon of the run, not {shortened(repr(epsilon))}."
                )
        return tuple(self.levels.get(name, most) for name in self.names)

    def epsilon_of_move(
        self,
        origin: str,
        destination: str,
        most: float,
        neighbors: Neighbors = Neighbors.ADD_REMOVE,
    ) -> float:
        """The cost of a row that moves from one region to another, or within one."""
        epsilons = self.epsilons(most)
        levels = epsilons[self.index(origin)], epsilons[self.index(destination)]
        return area_levels.cost_of_move(*levels, neighbors)

    def sentences(
        self,
        most: float,
        unit: str = "row",
        neighbors: Neighbors = Neighbors.ADD_REMOVE,
        rows: int = 1,
    ) -> list[str]:
        """The protection of regions with these levels, in sentences: who is protected at which
        level, what a move costs, and what an account pays. A unit has at most `rows` rows."""
        epsilons = dict(zip(self.names, self.epsilons(most), strict=True))
        return area_levels.sentences(epsilons, unit, Neighbors(neighbors), rows)

    # As a file.

    def as_geojson(self) -> dict[str, Any]:
        """The shapes with their levels as a FeatureCollection, which `parsed` reads back alike."""
        if len(self.outlines) != len(self.names) - (ELSEWHERE in self.names):
            raise BadInput("These regions were made of cells. Only shapes can be written.")
        return as_feature_collection(self.outlines, self.levels)

    def save(self, path: str | Path) -> None:
        """Write the shapes with their levels to a GeoJSON file, which `from_geojson` reads."""
        Path(path).write_text(json.dumps(self.as_geojson()), encoding="utf-8")


def _rim(mask: npt.NDArray[np.bool_]) -> IntArray:
    """The cells (m, 2) of a mask that have a neighbor outside it: the nearest from outside."""
    around = np.pad(mask, 1)
    surrounded = around[:-2, 1:-1] & around[2:, 1:-1] & around[1:-1, :-2] & around[1:-1, 2:]
    return np.argwhere(mask & ~surrounded)
