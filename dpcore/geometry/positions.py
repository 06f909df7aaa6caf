"""The coordinates that are longitudes and latitudes, by their names and their ends."""

from __future__ import annotations

from dpcore.geometry.domain import Box

#: What the names of longitudes and latitudes hold.
ACROSS, UP = ("lon", "lng"), ("lat",)
#: The largest longitude and latitude, in degrees.
LARGEST = (180.0, 90.0)


def positions(box: Box) -> tuple[tuple[int, int], ...]:
    """The axes of longitude and latitude of each place (pickup, dropoff); none where a pair of
    coordinates has other names, or ends beyond those of degrees."""
    pairs = []
    for first in range(0, box.d - 1, 2):
        pair = (first, first + 1)
        if _is(box, first, UP) and _is(box, first + 1, ACROSS):
            pair = pair[::-1]
        elif not _is(box, first, ACROSS):
            return ()
        if not _in_degrees(box, pair):
            return ()
        pairs.append(pair)
    return tuple(pairs) if box.d % 2 == 0 else ()


def longitude_first(box: Box) -> tuple[int, ...]:
    """The axes of a box with longitude before latitude in each place; of any other box as given."""
    pairs = positions(box)
    return tuple(axis for pair in pairs for axis in pair) if pairs else tuple(range(box.d))


def looks_geographic(box: Box) -> bool:
    """Whether coordinates come as longitude and latitude, by their names and their ends."""
    pairs = positions(box)
    return bool(pairs) and all(across < up for across, up in pairs)


def _is(box: Box, axis: int, names: tuple[str, ...]) -> bool:
    return any(name in box.names[axis].lower() for name in names)


def _in_degrees(box: Box, pair: tuple[int, int]) -> bool:
    ends = zip(pair, LARGEST, strict=True)
    return all(-most <= box.low[axis] and box.high[axis] <= most for axis, most in ends)
