"""Drawings of maps as SVG: where a place is on a drawing, the land, and published points."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.city_shapes import boroughs, neighborhoods
from dpcore.geometry.domain import Box, FloatArray
from dpcore.release import map_areas
from dpcore.study.shifts import meters_between

if TYPE_CHECKING:
    from dpcore.study.run_view import Marks

#: Width of the drawing, in its own units; what is smaller than half of one is not drawn.
WIDTH = 1000.0
#: The widest and the narrowest drawing, height to width.
FLATTEST, TALLEST = 0.5, 1.0
#: Area of all points together, as part of the drawing; radius of one at most and at least.
INK, LARGEST, SMALLEST = 0.04, 16.0, 1.1
#: The part of the weight that a fitted map shows, and room around it.
SHOWN, ROOM = 0.98, 0.08
#: The longest scale bar, as part of the width, and steps of its length.
LONGEST_BAR, STEPS = 0.3, (1, 2, 5)


class PageFrame:
    """The frame of a drawing, which puts places of the box on the page."""

    def __init__(self, box: Box, geographic: bool):
        self._low = np.asarray(box.low)
        spans = np.asarray(box.high) - self._low
        self.width = WIDTH
        self.height = WIDTH * min(max(_shape(box), FLATTEST), TALLEST) if geographic else WIDTH
        self._scale = np.array([WIDTH, -self.height]) / spans

    def __call__(self, places: FloatArray) -> FloatArray:
        """Positions in data units to those of the drawing, y downwards."""
        return (places - self._low) * self._scale + [0.0, self.height]


def _shape(box: Box) -> float:
    """The height of a box of degrees, as part of its width."""
    width, height = np.asarray(box.high) - np.asarray(box.low)
    # A degree of longitude is shorter than one of latitude, the more so the further north.
    middle = math.radians((box.low[1] + box.high[1]) / 2)
    return float(height / (width * max(math.cos(middle), 0.05)))


def surrounded(box: Box) -> Box:
    """A box of degrees with as much around it as a drawing has room for."""
    low, high = np.asarray(box.low), np.asarray(box.high)
    shape = _shape(box)
    more = np.array([max(shape / TALLEST, 1.0), max(FLATTEST / shape, 1.0)])
    room = (high - low) * (more - 1) / 2
    return Box(tuple((low - room).tolist()), tuple((high + room).tolist()), box.names)


def land_of(frame: PageFrame, box: Box) -> Iterator[tuple[str, str]]:
    """Names and outlines of the shapes that reach into the box.

    Corners that fall on one spot are drawn once.
    """
    low, high = np.asarray(box.low), np.asarray(box.high)
    for area in boroughs():
        path = ""
        for ring in area.rings():
            if (ring.max(axis=0) < low).any() or (ring.min(axis=0) > high).any():
                continue
            path += map_areas.outline(frame(ring))
        if path:
            yield area.name, path


def borders(frame: PageFrame, box: Box) -> str:
    """The outlines of the neighborhoods that reach into the box, as one path."""
    path = ""
    low, high = np.asarray(box.low), np.asarray(box.high)
    for area in neighborhoods():
        for ring in area.rings():
            if (ring.max(axis=0) >= low).all() and (ring.min(axis=0) <= high).all():
                path += map_areas.outline(frame(ring))
    return path


def points_of_map(frame: PageFrame, dots: Marks) -> Iterator[tuple[float, float, float, float]]:
    """Place, radius and weight of each point."""
    weights = dots.rows[:, 2]
    if not len(weights):
        return
    spots = frame(dots.rows[:, :2])
    radii = radius_of(weights, float(weights.sum()), frame.height)
    for (x, y), radius, weight in zip(
        spots.tolist(), radii.tolist(), weights.tolist(), strict=True
    ):
        yield x, y, radius, weight


def radius_of(weight: FloatArray, total: float, height: float) -> FloatArray:
    """The radius of a point with a weight, where all together weigh a total."""
    ink = INK * WIDTH * height / math.pi
    radius: FloatArray = np.clip(np.sqrt(ink * weight / total), SMALLEST, LARGEST)
    return radius


def largest_weight(total: float, height: float) -> float:
    """The weight from which on points are drawn equally large."""
    return total * LARGEST**2 * math.pi / (INK * WIDTH * height)


def fitted(box: Box, centers: FloatArray, points: FloatArray | None) -> Box:
    """The part of a box where the centers and nearly all published weight lie."""
    low, high = centers.min(axis=0), centers.max(axis=0)
    if points is not None and len(points):
        for axis in (0, 1):
            order = np.argsort(points[:, axis])
            heaped = np.cumsum(points[order, 2]) / points[:, 2].sum()
            ends = np.searchsorted(heaped, [(1 - SHOWN) / 2, (1 + SHOWN) / 2])
            first, last = points[order, axis][np.minimum(ends, len(order) - 1)]
            low[axis], high[axis] = min(low[axis], first), max(high[axis], last)
    spans = np.asarray(box.high) - np.asarray(box.low)
    room = np.maximum(ROOM * (high - low), 0.02 * spans)
    low = np.maximum(low - room, box.low)
    high = np.minimum(high + room, box.high)
    return Box(tuple(low.tolist()), tuple(high.tolist()), box.names)


def scale_bar(box: Box, zoom: int = 1) -> tuple[float, str]:
    """The length of a scale bar as part of the width, and what it stands for.

    On a drawing that is shown so many times as large.
    """
    middle = (box.low[1] + box.high[1]) / 2
    width = float(meters_between((box.low[0], middle), (box.high[0], middle)))
    longest = max(width * LONGEST_BAR / zoom, 1e-9)
    power = 10.0 ** math.floor(math.log10(longest))
    meters = max(step * power for step in STEPS if step * power <= longest)
    words = f"{meters:g} m" if meters < 1000 else f"{meters / 1000:g} km"
    return meters / width, words
