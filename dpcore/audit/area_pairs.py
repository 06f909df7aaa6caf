"""Pairs of neighboring data sets for levels by area and levels by choice."""

from __future__ import annotations

import numpy as np

from dpcore.audit.pairs import ADD_REMOVE, REPLACE_ONE, Pair, corner
from dpcore.datasets.region_map import Regions
from dpcore.geometry.domain import Box

#: Two halves of the square, with borders coarse enough to be quick.
HALVES = Regions(Box.cube(2), ("west", "east"), np.repeat(np.arange(16) // 8, 16).reshape(16, 16))


def quiet_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    why = "An extreme row in a region with a lower level than the rest of the map."
    one = np.concatenate([rows, low])
    return Pair("in a quiet region", why, ADD_REMOVE, one, rows, cells_per_side=64)


def loud_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    why = "An extreme row in the rest of the map, beside a region with a lower level."
    one = np.concatenate([rows, high])
    return Pair("in the rest of the map", why, ADD_REMOVE, one, rows, cells_per_side=64)


def within_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    one, other = np.concatenate([rows, low]), np.concatenate([rows, low * [[0.1, -1]]])
    why = "A row that moves within a region is one row less and one more there."
    return Pair("within a quiet region", why, REPLACE_ONE, one, other, cells_per_side=64)


def region_to_region() -> Pair:
    low, high = corner(2, -1), corner(2)
    rows = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    one, other = np.concatenate([rows, low]), np.concatenate([rows, high])
    why = "A row that moves costs the levels of the region it leaves and of the one it enters."
    return Pair("from region to region", why, REPLACE_ONE, one, other, cells_per_side=64)


def person_in_two_regions() -> Pair:
    low, high = corner(2, -1), corner(2)
    crowd = np.repeat(np.concatenate([0.5 * low, 0.5 * high]), 48, axis=0)
    own = np.concatenate([low, high])
    why = "A person with a row in each region costs the mean of both levels."
    one = np.concatenate([crowd, own])
    return Pair("in two regions", why, ADD_REMOVE, one, crowd, cells_per_side=64, rows=len(own))


def own_level(strict: float, loose: float, chosen: float) -> Pair:
    crowd = np.repeat(np.concatenate([0.5 * corner(2, -1), 0.5 * corner(2)]), 48, axis=0)
    levels = np.tile([strict, loose], 48)
    which = "strict" if chosen == strict else "loose"
    return Pair(
        f"{which} by choice",
        "An extreme row whose person chose its level, among rows of both levels.",
        ADD_REMOVE,
        np.concatenate([crowd, corner(2)]),
        crowd,
        own=(np.append(levels, chosen), levels),
    )


def other_own_level(strict: float, loose: float) -> Pair:
    crowd = np.repeat(np.concatenate([0.5 * corner(2, -1), 0.5 * corner(2)]), 48, axis=0)
    one, levels = np.concatenate([crowd, corner(2)]), np.tile([strict, loose], 48)
    return Pair(
        "another choice",
        "A person who chooses another level, as whoever lets it depend on the place does.",
        REPLACE_ONE,
        one,
        np.concatenate([crowd, corner(2, -1)]),
        own=(np.append(levels, strict), np.append(levels, loose)),
    )
