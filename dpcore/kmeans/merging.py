"""Merging: fewer centers, or fewer points, with the same total weight."""

from __future__ import annotations

import numpy as np

from dpcore.geometry.domain import FloatArray, IntArray


def merge_nearest(centers: FloatArray, sizes: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Join the two nearest of the centers (m, d) until k remain; also their sizes.

    Ni et al. 2021, equation (12): a joined center is the mean of both, weighted by size, and
    its size is their sum. Sizes may be noisy and are taken for at least 1, or a mean could lie
    outside.
    """
    centers = np.array(centers, dtype=np.float64)
    sizes = np.maximum(np.asarray(sizes, dtype=np.float64), 1)
    while len(centers) > k:
        gaps = centers[:, None] - centers
        distances = np.einsum("ijd,ijd->ij", gaps, gaps)
        np.fill_diagonal(distances, np.inf)
        i, j = divmod(int(distances.argmin()), len(centers))
        centers[i] = (sizes[i] * centers[i] + sizes[j] * centers[j]) / (sizes[i] + sizes[j])
        sizes[i] += sizes[j]
        centers, sizes = np.delete(centers, j, axis=0), np.delete(sizes, j)
    return centers, sizes


def merge_points(points: FloatArray, weights: FloatArray, m: int) -> tuple[FloatArray, FloatArray]:
    """At most m weighted means of the points (n, d) of positive weight, and their weights.

    The group with the largest weighted spread along one axis is split there at its mean, again
    and again.
    """
    points, weights = points[weights > 0], weights[weights > 0]
    if len(points) <= m:
        return points.copy(), weights.copy()
    group = _groups(points, weights, m)
    masses = _sums(group, weights[None])
    return (_sums(group, points.T * weights) / masses).T.copy(), masses[0]


def group_of_points(points: FloatArray, weights: FloatArray, m: int) -> IntArray:
    """The point of those that `merge_points` makes that each point became part of."""
    if len(points) <= m:
        return np.arange(len(points))
    return _groups(points, weights, m)


def on_raster(points: FloatArray, weights: FloatArray, side: int) -> tuple[FloatArray, FloatArray]:
    """The weighted mean of the points in each cell of a raster over [-1, 1]^d, and their weight.

    Cells without a point are left out.
    """
    cells = np.clip(((points + 1) * (side / 2)).astype(np.int64), 0, side - 1)
    cell = np.ravel_multi_index(tuple(cells.T), (side,) * points.shape[1])
    masses = np.bincount(cell, weights).astype(np.float64)
    occupied = np.flatnonzero(masses)
    sums = [np.bincount(cell, column)[occupied] for column in (points * weights[:, None]).T]
    return np.stack(sums, axis=1) / masses[occupied, None], masses[occupied]


def _groups(points: FloatArray, weights: FloatArray, m: int) -> IntArray:
    """The group of each point, from 0, after m - 1 splits.

    A group is split the same way whenever its turn comes, and its parts spread no more than it
    did, so the splits are the m - 1 of largest spread in the tree of all of them. The tree grows
    a level at a time, leaving out what m - 1 others already outdo.
    """
    splits = m - 1
    spreads, parents = np.empty(0), np.empty(0, dtype=np.int64)
    levels: list[tuple[IntArray, IntArray]] = []
    rows = np.arange(len(points))
    part = np.zeros(len(points), dtype=np.int64)
    parent = np.array([-1])
    x, w = points.T.copy(), weights
    while len(rows) and splits:
        means = _sums(part, x * w) / np.bincount(part, w)
        x -= means.take(part, axis=1)  # from here on their distance from the mean
        spread = _sums(part, x**2 * w)
        axis = spread.argmax(axis=0)
        widest = spread.max(axis=0)
        if levels:
            # Rounding apart, this holds by itself.
            widest = np.minimum(widest, spreads[parent])
        first = len(spreads)
        levels.append((rows, first + part))
        spreads, parents = np.append(spreads, widest), np.append(parents, parent)

        least = np.partition(spreads, -splits)[-splits] if splits <= len(spreads) else 0.0
        beyond = x.ravel().take(axis[part] * len(rows) + np.arange(len(rows))) > 0
        size, upper = np.bincount(part), np.bincount(part, beyond)
        split = (widest >= least) & (upper > 0) & (upper < size)
        parent = first + np.repeat(np.flatnonzero(split), 2)
        half = 2 * (np.cumsum(split) - 1)[part] + beyond
        going = np.flatnonzero(split[part])
        rows, part = rows[going], half[going]
        x, w = points.T.take(rows, axis=1), weights[rows]

    inner = np.unique(parents[1:])
    splitting = np.zeros(len(spreads), dtype=bool)
    splitting[inner[np.argsort(-spreads[inner], kind="stable")[:splits]]] = True
    leaf = np.zeros(len(points), dtype=np.int64)
    for rows, node in levels[1:]:
        split_off = splitting[parents[node]]
        leaf[rows[split_off]] = node[split_off]
    numbers = np.cumsum(np.bincount(leaf) > 0) - 1
    return np.asarray(numbers[leaf])


def _sums(part: IntArray, columns: FloatArray) -> FloatArray:
    """Sums of the numbers of each part, column by column."""
    return np.stack([np.bincount(part, column) for column in columns])
