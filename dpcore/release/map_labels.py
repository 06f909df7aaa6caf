"""Names on the map of a release, and what its signs stand for: from shapes that ship alone."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpcore.datasets.city_shapes import neighborhoods, place_of
from dpcore.datasets.named_boxes import PLACES
from dpcore.geometry.domain import Box, FloatArray
from dpcore.privacy.explain import people_count, plural
from dpcore.release.map_drawing import LONGEST_BAR, WIDTH, PageFrame, largest_weight, radius_of

#: Widths in pixels that a map is shown in, from a phone to four times the largest window, and how
#: many names it shows in each.
WIDTHS, MOST = (320, 600, 900, 1800, 3600), (10, 16, 24, 60, 120)
#: Letters of a name at most. Pixels: of a letter, between lines, and the radius of a center's disc.
LONGEST, LETTER, LINE, DISC = 26, 7.6, 18.0, 13.0
#: Parts of the heaviest point that the legend shows, rounded to steps.
EXPLAINED, STEPS = (0.15, 0.7), (1, 2, 5)


@dataclass(frozen=True)
class Label:
    """A name on a map, as parts of its width and height, from one of the widths on."""

    name: str
    x: float
    y: float
    #: Which of the widths is the first that it is shown in.
    first: int
    #: Whether it names the place of a center, whose disc it stands below.
    of_center: bool


def labels(frame: PageFrame, box: Box, centers: FloatArray) -> list[Label]:
    """Neighborhoods of New York, those of centers first, and cities elsewhere.

    A wider map shows more of them. No name covers another, and none a center.
    """
    discs = frame(centers[:, :2]).tolist()
    below = dict(reversed(list(zip(place_of(centers[:, :2]), discs, strict=True))))
    towns = _names(box)
    spots = frame(np.array([at for _, at in towns]).reshape(-1, 2)).tolist()
    names = [name for name, _ in towns]
    candidates = [(name, *below[name], True) for name in names if name in below]
    candidates += [
        (name, *spot, False) for name, spot in zip(names, spots, strict=True) if name not in below
    ]
    chosen_labels: list[Label] = []
    for first, (width, most) in enumerate(zip(WIDTHS, MOST, strict=True)):
        scale = width / WIDTH
        rooms = [(x * scale, y * scale, DISC, DISC) for x, y in discs]
        rooms.append((0.0, frame.height * scale, LONGEST_BAR * width + 2 * LINE, 2 * LINE))
        rooms += [
            _room(each.name, each.x * width, each.y * frame.height * scale, each.of_center)
            for each in chosen_labels
        ]
        placed_names = {each.name for each in chosen_labels}
        for name, x, y, of_center in candidates:
            own = _room(name, x * scale, y * scale, of_center)
            inside = own[2] < own[0] < width - own[2]
            inside &= own[3] < own[1] < frame.height * scale - own[3]
            if (
                name in placed_names
                or not inside
                or len(chosen_labels) >= most
                or _meets(own, rooms)
            ):
                continue
            chosen_labels.append(Label(name, x / WIDTH, y / frame.height, first, of_center))
            rooms.append(own)
    return chosen_labels


Room = tuple[float, float, float, float]


def _room(name: str, x: float, y: float, of_center: bool) -> Room:
    """The middle of a name in pixels, half its width, and half its height."""
    return x, y + of_center * (DISC + LINE / 2), LETTER * len(name) / 2, LINE / 2


def _meets(own: Room, rooms: list[Room]) -> bool:
    return any(
        abs(own[0] - other[0]) < own[2] + other[2] and abs(own[1] - other[1]) < own[3] + other[3]
        for other in rooms
    )


def _names(box: Box) -> list[tuple[str, tuple[float, float]]]:
    """Places in a box, with the middle of each."""
    places = [
        (area.name, (area.shape.representative_point().x, area.shape.representative_point().y))
        for area in neighborhoods()
    ]
    places = [(name, at) for name, at in places if _holds(box, at) and len(name) <= LONGEST]
    cities = []
    for name, each in PLACES.items():
        middle = ((each.low[0] + each.high[0]) / 2, (each.low[1] + each.high[1]) / 2)
        if "New York" not in name and _holds(box, middle):
            cities.append((name.partition(" (")[0], middle))
    return [*places, *cities]


def _holds(box: Box, at: tuple[float, float]) -> bool:
    return all(low < x < high for low, x, high in zip(box.low, at, box.high, strict=True))


def sizes(weights: FloatArray, height: float, unit: str) -> list[tuple[float, str]]:
    """Radius and words of points that the legend shows: few rows and many."""
    if not len(weights) or not weights.max() > 0:
        return []
    total = float(weights.sum())
    # Points that weigh more than this are all drawn equally large.
    largest = min(float(weights.max()), largest_weight(total, height))
    legend = []
    for part in EXPLAINED:
        power = 10.0 ** math.floor(math.log10(largest * part))
        weight = max(step * power for step in STEPS if step * power <= largest * part)
        radius = float(radius_of(np.array(weight), total, height))
        legend.append((radius, f"{people_count(weight) if weight >= 1 else weight} {plural(unit)}"))
    return list(dict.fromkeys(legend))
