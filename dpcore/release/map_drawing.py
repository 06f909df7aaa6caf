"""Drawings of maps as SVG: where a place is on a drawing, the land, and published points."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from dpcore.datasets.city_shapes import boroughs
from dpcore.geometry.domain import Box, FloatArray
from dpcore.release import map_areas

if TYPE_CHECKING:
    from dpcore.study.run_view import Marks

#: Width of the drawing, in its own units; what is smaller than half of one is not drawn.
WIDTH = 1000.0
#: The widest and the narrowest drawing, height to width.
FLATTEST, TALLEST = 0.4, 1.8
#: Area of all points together, as part of the drawing; radius of one at most and at least.
INK, LARGEST, SMALLEST = 0.04, 16.0, 1.1


class PageFrame:
    """Where a place of the box is on the drawing."""

    def __init__(self, box: Box, geographic: bool):
        self._low = np.asarray(box.low)
        spans = np.asarray(box.high) - self._low
        # A degree of longitude is shorter than one of latitude, the more so the further north.
        middle = math.radians(float(self._low[1] + spans[1] / 2))
        shape = spans[1] / (spans[0] * max(math.cos(middle), 0.05)) if geographic else 1.0
        self.width = WIDTH
        self.height = WIDTH * min(max(float(shape), FLATTEST), TALLEST)
        self._scale = np.array([WIDTH, -self.height]) / spans

    def __call__(self, places: FloatArray) -> FloatArray:
        """Positions in data units to those of the drawing, y downwards."""
        return (places - self._low) * self._scale + [0.0, self.height]


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


def points_of_map(frame: PageFrame, drawn: Marks) -> Iterator[tuple[float, float, float, float]]:
    """Place, radius and weight of each point."""
    weights = drawn.frame["weight"].to_numpy()
    if not len(weights):
        return
    spots = frame(drawn.frame[["x", "y"]].to_numpy())
    ink = INK * WIDTH * frame.height / math.pi
    radii = np.clip(np.sqrt(ink * weights / weights.sum()), SMALLEST, LARGEST)
    for (x, y), radius, weight in zip(
        spots.tolist(), radii.tolist(), weights.tolist(), strict=True
    ):
        yield x, y, radius, weight
