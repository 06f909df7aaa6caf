"""Shifts: how far centers are from those of a reference."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import Box, FloatArray

#: Mean radius of the Earth.
EARTH_RADIUS_M = 6_371_008.8


def matched(centers: npt.ArrayLike, reference: npt.ArrayLike, box: Box) -> npt.NDArray[np.intp]:
    """The index of each reference center's partner, so that squared shifts sum to least."""
    a = box.to_unit(np.asarray(centers))
    b = box.to_unit(np.asarray(reference))
    squared = ((b[:, None] - a[None]) ** 2).sum(-1)
    return scipy.optimize.linear_sum_assignment(squared)[1]


def meters_between(lon_lat_a: npt.ArrayLike, lon_lat_b: npt.ArrayLike) -> FloatArray:
    """Great-circle distance in meters between positions in degrees (the haversine formula)."""
    a, b = (np.radians(np.asarray(x, dtype=np.float64)) for x in (lon_lat_a, lon_lat_b))
    sin2 = np.sin((b - a) / 2) ** 2
    h = sin2[..., 1] + np.cos(a[..., 1]) * np.cos(b[..., 1]) * sin2[..., 0]
    return 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.clip(h, 0, 1)))


def center_shift(data: Dataset, centers: npt.ArrayLike, reference: npt.ArrayLike) -> FloatArray:
    """The distance of each reference center from its partner: in meters on a map, else in unit
    coordinates.

    Positions with two places (pickup and dropoff) give the longer of the two shifts.
    """
    partner = np.asarray(centers)[matched(centers, reference, data.box)]
    reference = np.asarray(reference)
    if not data.about.geographic:
        moved = data.box.to_unit(partner) - data.box.to_unit(reference)
        return np.sqrt((moved**2).sum(axis=1))
    places = range(0, data.d - data.d % 2, 2)
    return np.max(
        [meters_between(partner[:, i : i + 2], reference[:, i : i + 2]) for i in places], axis=0
    )
