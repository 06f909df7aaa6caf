"""The marks that a frame draws: a few kinds, in data units."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, from_ticks
from dpcore.geometry.dyadic import DyadicCells
from dpcore.study.run_view import MOST_CELLS_PER_SIDE, fewer_cells
from dpcore.study.shifts import meters_between

#: Rows drawn at most, to stand for all of them; and cells, the fullest first.
ROWS, MOST_CELLS = 1000, 2500


class MarkKind(StrEnum):
    """The meaning of a mark."""

    #: Some of the rows; `groups` tells which belong together.
    ROWS = "rows"
    #: Rows that a step has removed.
    REMOVED = "removed rows"
    TRUE_CELLS = "true counts"
    NOISY_CELLS = "noisy counts"
    ALIVE = "cells that stand out"
    DEAD = "cells that noise explains"
    #: Where one cluster ends and the next begins.
    BORDERS = "borders between clusters"
    #: From where a center was to where the rows would have it.
    MOVES = "way to the true mean"
    #: From what is true to what is said.
    NOISE = "noise"
    AREA = "area"
    POINTS = "published points"
    STARTS = "starts"
    BLOCKS = "centers of the blocks"
    PRIVATE = "private centers"
    NON_PRIVATE = "true means"

    @property
    def looks_at_data(self) -> bool:
        """Whether it shows what no noise protects."""
        return self in _NOT_PRIVATE


_NOT_PRIVATE = frozenset(
    {
        MarkKind.ROWS,
        MarkKind.REMOVED,
        MarkKind.TRUE_CELLS,
        MarkKind.MOVES,
        MarkKind.NOISE,
        MarkKind.BLOCKS,
        MarkKind.NON_PRIVATE,
    }
)


@dataclass(frozen=True, eq=False)
class Mark:
    """Some marks of one kind, in data units."""

    kind: MarkKind
    #: (m, 2): where each is, or where it begins.
    places: FloatArray
    #: (m, 2): where each line ends, or the opposite corner of each cell.
    ends: FloatArray | None = None
    #: How much each stands for.
    weights: FloatArray | None = None
    #: Which of them belong together.
    groups: IntArray | None = None

    def __len__(self) -> int:
        return len(self.places)


def some_rows(data: Dataset, most: int = ROWS) -> FloatArray:
    """Some of the rows in unit coordinates, always the same ones."""
    ticks, weights = data.positions()
    rng = np.random.default_rng(0)
    if weights is None:
        rows = rng.permutation(len(ticks))[:most]
    else:
        rows = rng.choice(len(ticks), most, p=weights / weights.sum())
    return from_ticks(ticks[rows])


def nearest(points: FloatArray, centers: FloatArray) -> IntArray:
    """The index of the center nearest to each point."""
    return ((points[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)


def grid_cells(kind: MarkKind, grid: Grid, counts: IntArray) -> Mark:
    """The cells of a grid with a positive count. Fine grids are summed into coarser cells."""
    table = fewer_cells(counts.reshape(grid.shape), MOST_CELLS_PER_SIDE)
    middles = Grid(grid.box, len(table)).centers()
    half = np.full(len(middles), 1 / len(table))
    return _squares(kind, grid.box, middles, half, table.ravel())


def dyadic_cells(
    kind: MarkKind, box: Box, cells: DyadicCells, weights: FloatArray | IntArray
) -> Mark:
    """The dyadic cells with a positive weight."""
    return _squares(kind, box, cells.centers(), 1.0 / (1 << cells.levels), weights)


def _squares(
    kind: MarkKind, box: Box, middles: FloatArray, half: FloatArray, weights: FloatArray | IntArray
) -> Mark:
    cells = np.flatnonzero(weights > 0)
    if len(cells) > MOST_CELLS:
        cells = np.sort(cells[np.argsort(-weights[cells], kind="stable")[:MOST_CELLS]])
    middles, reach = middles[cells], half[cells, None]
    corners = box.from_unit(middles - reach), box.from_unit(middles + reach)
    return Mark(kind, *corners, np.asarray(weights[cells], dtype=np.float64))


def borders(centers: FloatArray, box: Box) -> Mark:
    """The lines between the cells of centers in unit coordinates, inside the box."""
    starts, ends = [np.empty((0, 2))], [np.empty((0, 2))]
    for i in range(len(centers)):
        corners = _voronoi_cell(i, centers)
        following = np.roll(corners, -1, axis=0)
        inner = ~((np.abs(corners) >= 1) & (corners == following)).any(axis=1)
        starts.append(corners[inner])
        ends.append(following[inner])
    return Mark(
        MarkKind.BORDERS, box.from_unit(np.concatenate(starts)), box.from_unit(np.concatenate(ends))
    )


def _voronoi_cell(i: int, centers: FloatArray) -> FloatArray:
    """The corners of the Voronoi cell of one center, clipped to the box."""
    corners = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    for j in range(len(centers)):
        normal = centers[j] - centers[i]
        if i == j or not normal.any() or not len(corners):
            continue
        beyond = (corners - (centers[i] + centers[j]) / 2) @ normal
        following, after = np.roll(corners, -1, axis=0), np.roll(beyond, -1)
        inner_corners = []
        for here, there, a, b in zip(corners, following, beyond, after, strict=True):
            if a <= 0:
                inner_corners.append(here)
            if (a < 0 < b) or (b < 0 < a):
                inner_corners.append(here + (there - here) * (a / (a - b)))
        corners = np.array(inner_corners).reshape(-1, 2)
    return corners


def lengths(mark: Mark, in_meters: bool, box: Box) -> FloatArray:
    """The length of each line: in meters on a map, else in unit coordinates."""
    assert mark.ends is not None
    if in_meters:
        return meters_between(mark.places, mark.ends)
    return np.sqrt(((box.to_unit(mark.ends) - box.to_unit(mark.places)) ** 2).sum(axis=1))
