"""Estimates of the rows inside a polygon from a synopsis: which points and cells lie inside it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import shapely

from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, IntArray
from dpcore.results.rectangles import reaches

#: Shares of a cell that are none of it, and all of it, but for rounding.
NONE, ALL = 1e-9, 1 - 1e-9


def in_unit(box: Box, shape: shapely.Geometry) -> shapely.Geometry:
    """The part of a shape in data units that lies in the box, in unit coordinates."""
    if box.d != 2:
        raise BadInput(f"An area lies on a plane of 2 coordinates; these data have {box.d}.")
    if not shapely.is_valid(shape):
        raise BadInput("The border of the area crosses itself. Draw it without crossings.")
    unit = shapely.transform(shape, box.to_unit)
    return shapely.intersection(unit, shapely.box(-1, -1, 1, 1))


def among_points(
    points: FloatArray, shape: shapely.Geometry, origin: IntArray | None = None
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The points that lie in a shape of the unit box, and those that its border cuts.

    A point stands for the rows around it, up to half of the way to the nearest other point of the
    same origin. It is cut where the border is nearer than that; the sides of the box are no border.
    """
    inside = np.zeros(len(points), dtype=bool)
    cut = inside.copy()
    if shape.is_empty or not len(points):
        return inside, cut
    reach = reaches(points, origin)
    border = shapely.difference(shape.boundary, shapely.box(-1, -1, 1, 1).boundary)
    x0, y0, x1, y1 = shape.bounds
    beyond = np.maximum(np.maximum([x0, y0] - points, points - [x1, y1]), 0)
    near = np.flatnonzero((beyond <= reach[:, None]).all(axis=1))
    shapely.prepare(shape)
    inside[near] = shapely.intersects_xy(shape, *points[near].T)
    shapely.prepare(border)
    if not border.is_empty:
        cut[near] = shapely.dwithin(shapely.points(points[near]), border, reach[near])
    return inside, cut


def in_grid(counts: IntArray, shape: shapely.Geometry) -> tuple[float, float, float]:
    """The rows in a shape of the unit box, the sum of squared shares of cells, and what is cut.

    Rows are taken to lie evenly in their cell, so a cell counts with the share of it that the shape
    covers, and independent noise of variance v makes a variance of v times the sum of squared
    shares.
    """
    if shape.is_empty:
        return 0.0, 0.0, 0.0
    side = counts.shape[0]
    edges = np.linspace(-1, 1, side + 1)
    x0, y0, x1, y1 = shape.bounds
    first = np.clip(np.searchsorted(edges, [x0, y0], "right") - 1, 0, side - 1)
    last = np.clip(np.searchsorted(edges, [x1, y1], "left"), 1, side)
    across, up = (np.arange(a, b) for a, b in zip(first, last, strict=True))
    i, j = (each.ravel() for each in np.meshgrid(across, up, indexing="ij"))
    cells = shapely.box(edges[i], edges[j], edges[i + 1], edges[j + 1])
    shapely.prepare(shape)
    share = shapely.covers(shape, cells).astype(np.float64)
    part = np.flatnonzero((share == 0) & shapely.intersects(shape, cells))
    area = (2 / side) ** 2
    share[part] = shapely.area(shapely.intersection(cells[part], shape)) / area
    rows = counts[i, j].astype(np.float64)
    between = (share > NONE) & (share < ALL)
    cut = float(rows[between].sum())
    return float(rows @ share), float((share**2).sum()), max(0.0, cut)
