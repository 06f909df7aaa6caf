"""Names on the map of a release, and what its signs stand for: from shapes that ship alone."""

from __future__ import annotations

import math

import numpy as np

from dpcore.datasets.city_shapes import neighborhoods, place_of
from dpcore.datasets.named_boxes import PLACES
from dpcore.geometry.domain import Box, FloatArray
from dpcore.privacy.explain import people_count, plural
from dpcore.release.map_drawing import WIDTH, PageFrame, radius_of

#: Names on a map, letters of one, and the room that each takes: a letter, and a line.
MOST, LONGEST, LETTER, LINE = 24, 26, 7.6, 22.0
#: Radius of the disc of a center.
DISC = 13.0
#: Parts of the heaviest point that the legend shows, rounded to steps.
EXPLAINED, STEPS = (0.05, 0.5), (1, 2, 5)


def labels(frame: PageFrame, box: Box, centers: FloatArray) -> list[tuple[float, float, str]]:
    """Where names stand on the drawing: neighborhoods of New York, those of centers first, and
    cities elsewhere. No name covers another."""
    spots = frame(np.array([place for _, place in _names(box, centers)]).reshape(-1, 2))
    names = [name for name, _ in _names(box, centers)]
    discs, size = frame(centers[:, :2]).tolist(), frame.size
    line = size * LINE
    kept: list[tuple[float, float, str]] = []
    for (x, spot), name in zip(spots.tolist(), names, strict=True):
        wide, y = size * LETTER * len(name) / 2, spot
        for disc_x, disc_y in discs:
            if abs(x - disc_x) < wide + size * DISC and abs(y - disc_y) < line:
                y = disc_y + 1.5 * line
        inside = wide < x < WIDTH - wide and line < y < frame.height - line
        free = all(
            abs(x - other_x) > wide + size * LETTER * len(other) / 2 or abs(y - other_y) > line
            for other_x, other_y, other in kept
        )
        if inside and free and len(kept) < MOST:
            kept.append((x, y, name))
    return kept


def _names(box: Box, centers: FloatArray) -> list[tuple[str, tuple[float, float]]]:
    """Places in a box, in the order in which they are to be named."""
    found = [
        (area.name, (area.shape.representative_point().x, area.shape.representative_point().y))
        for area in neighborhoods()
    ]
    found = [(name, at) for name, at in found if _holds(box, at) and len(name) <= LONGEST]
    of_centers = place_of(centers[:, :2])
    near = sorted(found, key=lambda each: each[0] not in of_centers)
    cities = []
    for name, each in PLACES.items():
        middle = ((each.low[0] + each.high[0]) / 2, (each.low[1] + each.high[1]) / 2)
        if "New York" not in name and _holds(box, middle):
            cities.append((name, middle))
    return [*near, *cities]


def _holds(box: Box, at: tuple[float, float]) -> bool:
    return all(low < x < high for low, x, high in zip(box.low, at, box.high, strict=True))


def sizes(weights: FloatArray, height: float, unit: str) -> list[tuple[float, str]]:
    """Radius and words of points that the legend shows: few rows and many."""
    if not len(weights) or not weights.max() > 0:
        return []
    known = []
    for part in EXPLAINED:
        power = 10.0 ** math.floor(math.log10(weights.max() * part))
        weight = max(step * power for step in STEPS if step * power <= weights.max() * part)
        radius = float(radius_of(np.array(weight), float(weights.sum()), height))
        known.append((radius, f"{people_count(weight) if weight >= 1 else weight} {plural(unit)}"))
    return list(dict.fromkeys(known))
