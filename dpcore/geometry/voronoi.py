"""Voronoi cells: each place belongs to its nearest public center, and a tie to the lower index."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy

from dpcore.geometry.domain import FloatArray, IntArray, cell_ticks, to_ticks

#: Numbers in one array of distances: positions are taken so many at a time.
CHUNK = 1 << 18
#: With more centers than this, in no more than so many dimensions, a tree of them is faster.
MANY_CENTERS, FEW_DIMENSIONS = 200, 4
#: Scores of up to so many centers are compared one center after the other, which is faster.
FEW_CENTERS = 32
#: Dimensions in which exact ticks are compared, and how many bits are left out in more.
EXACT_DIMENSIONS, COARSE_BITS = 512, 3
#: Cells a side of the tiles in which a grid is labelled.
TILE = 8


@dataclass(frozen=True, eq=False)
class Voronoi:
    """A partition of the box among centers (k, d), given in unit coordinates.

    Distances are whole numbers, compared exactly: a row's cell is its own affair, in any company.
    In very many dimensions they are those between coarser positions.
    """

    centers: FloatArray

    @property
    def n_cells(self) -> int:
        return len(self.centers)

    def labels(self, ticks: IntArray | FloatArray) -> IntArray:
        """The center of each position, given as whole numbers."""
        m, d = self.centers.shape
        if m == 1:
            return np.zeros(len(ticks), dtype=np.int64)
        if m <= MANY_CENTERS or d > FEW_DIMENSIONS:
            return self._compared(ticks)
        # Sums of so few squares are exact in float64, and roots of different ones differ.
        tree: Any = scipy.spatial.cKDTree(to_ticks(self.centers))
        distances, nearest = tree.query(ticks, k=2)
        labels = nearest[:, 0].astype(np.int64)
        tied = distances[:, 0] == distances[:, 1]
        labels[tied] = self._compared(ticks[tied])
        return labels

    def _compared(self, ticks: IntArray | FloatArray) -> IntArray:
        """Labels by the distance to every center."""
        # |x - c|^2 - |x|^2 is whole and below 2^53, exact in float64: up to d = 512, or 32,768.
        coarse = 0 if self.centers.shape[1] <= EXACT_DIMENSIONS else COARSE_BITS
        centers = to_ticks(self.centers / (1 << coarse)).astype(np.float64)
        squares = np.einsum("kd,kd->k", centers, centers)
        step = max(1, CHUNK // len(centers))
        labels = np.empty(len(ticks), dtype=np.int64)
        twice = -2 * centers.T
        for start in range(0, len(ticks), step):
            rows = slice(start, start + step)
            places = np.asarray(ticks[rows], dtype=np.float64)
            if coarse:
                places = np.floor(places / (1 << coarse))
            if len(centers) <= FEW_CENTERS:
                labels[rows] = _least(twice.T @ places.T + squares[:, None])
                continue
            scores = places @ twice
            scores += squares
            labels[rows] = scores.argmin(axis=1)
        return labels

    def grid_labels(self, side: int) -> IntArray:
        """The label of every cell of a square grid, a power of two of cells a side.

        The cells of a tile are compared with those centers only that are near enough to its middle
        to be the nearest of any of them.
        """
        centers = to_ticks(self.centers)
        tree = scipy.spatial.cKDTree(centers)
        size = min(TILE, side)
        tiles = side // size
        ticks = cell_ticks(np.arange(side), side).reshape(tiles, size)
        middle = ticks.mean(axis=1)
        reach = math.sqrt(2) * float(ticks[0, -1] - ticks[0, 0]) + 1  # a tick for rounding
        labels = np.empty((tiles * tiles, size, size), dtype=np.int64)
        step = CHUNK // size**2
        for start in range(0, tiles * tiles, step):
            x, y = np.divmod(np.arange(start, min(start + step, tiles * tiles)), tiles)
            middles = np.stack([middle[x], middle[y]], axis=1)
            near: Any = tree.query_ball_point(middles, tree.query(middles)[0] + reach)
            number = np.fromiter(map(len, near), np.int64, len(near))
            center = np.fromiter((j for some in near for j in some), np.int64, number.sum())
            along_x = ticks[x.repeat(number)] - centers[center, 0, None]
            along_y = ticks[y.repeat(number)] - centers[center, 1, None]
            # The least of distance and index together: nearest first, then lowest.
            squared = along_x[:, :, None] ** 2 + along_y[:, None, :] ** 2
            keys = squared * len(centers) + center[:, None, None]
            first = np.cumsum(number) - number
            labels[start : start + step] = np.minimum.reduceat(keys, first) % len(centers)
        by_tile = labels.reshape(tiles, tiles, size, size)
        return by_tile.swapaxes(1, 2).reshape(side, side)


def _least(scores: FloatArray) -> npt.NDArray[np.int16]:
    """The index of the least score (first axis) of each row, and of equal ones the first."""
    least = scores[0].copy()
    label = np.zeros(len(least), dtype=np.int16)
    for j in range(1, len(scores)):
        # A later center has the larger index.
        np.maximum(label, (scores[j] < least) * np.int16(j), out=label)
        np.minimum(least, scores[j], out=least)
    return label
