"""Pairs of neighboring data sets for levels by area and levels by choice."""

from __future__ import annotations

import numpy as np

from dpcore.audit.pairs import ADD_REMOVE, REPLACE_ONE, Pair, corner
from dpcore.datasets.region_map import Regions
from dpcore.geometry.domain import Box

#: Two halves of the square, with borders coarse enough to be quick.
HALVES = Regions(Box.cube(2), ("west", "east"), np.repeat(np.arange(16) // 8, 16).reshape(16, 16))


#: The lowest and the highest corner of the square, and rows halfway to both.
LOW, HIGH = corner(2, -1), corner(2)
CROWD = np.repeat(np.concatenate([0.5 * LOW, 0.5 * HIGH]), 48, axis=0)


def quiet_region() -> Pair:
    why = "An extreme row in a region with a lower level than the rest of the map."
    one = np.concatenate([CROWD, LOW])
    return Pair("in a quiet region", why, ADD_REMOVE, one, CROWD, cells_per_side=64)


def loud_region() -> Pair:
    why = "An extreme row in the rest of the map, beside a region with a lower level."
    one = np.concatenate([CROWD, HIGH])
    return Pair("in the rest of the map", why, ADD_REMOVE, one, CROWD, cells_per_side=64)


def within_region() -> Pair:
    one, other = np.concatenate([CROWD, LOW]), np.concatenate([CROWD, LOW * [[0.1, -1]]])
    why = "A row that moves within a region is one row less and one more there."
    return Pair("within a quiet region", why, REPLACE_ONE, one, other, cells_per_side=64)


def region_to_region() -> Pair:
    one, other = np.concatenate([CROWD, LOW]), np.concatenate([CROWD, HIGH])
    why = "A row that moves costs the levels of the region it leaves and of the one it enters."
    return Pair("from region to region", why, REPLACE_ONE, one, other, cells_per_side=64)


def person_in_two_regions() -> Pair:
    own = np.concatenate([LOW, HIGH])
    why = "A person with a row in each region costs the mean of both levels."
    one = np.concatenate([CROWD, own])
    return Pair("in two regions", why, ADD_REMOVE, one, CROWD, cells_per_side=64, rows=len(own))


def own_level(strict: float, loose: float, level: float) -> Pair:
    levels = np.tile([strict, loose], 48)
    which = "strict" if level == strict else "loose"
    return Pair(
        f"{which} by choice",
        "An extreme row whose person chose its level, among rows of both levels.",
        ADD_REMOVE,
        np.concatenate([CROWD, HIGH]),
        CROWD,
        own=(np.append(levels, level), levels),
    )


def other_own_level(strict: float, loose: float) -> Pair:
    one, levels = np.concatenate([CROWD, HIGH]), np.tile([strict, loose], 48)
    return Pair(
        "another choice",
        "A person who chooses another level, as whoever lets it depend on the place does.",
        REPLACE_ONE,
        one,
        np.concatenate([CROWD, LOW]),
        own=(np.append(levels, strict), np.append(levels, loose)),
    )
