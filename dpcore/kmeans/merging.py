"""Fewer centers, and fewer points, that stand for the same weight."""

from __future__ import annotations

import numpy as np

from dpcore.domain import FloatArray


def merge_nearest(centers: FloatArray, sizes: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """Join the two nearest of the centers (m, d) until k remain; also their sizes.

    Paper 003, equation 12: a joined center is the mean of both, weighted by size, and its size is
    their sum. Sizes may be noisy and are taken for at least 1, or a mean could lie outside.
    """
    centers = np.array(centers, dtype=np.float64)
    sizes = np.maximum(np.asarray(sizes, dtype=np.float64), 1)
    while len(centers) > k:
        gaps = centers[:, None] - centers
        distances = np.einsum("ijd,ijd->ij", gaps, gaps)
        np.fill_diagonal(distances, np.inf)
        i, j = sorted(divmod(int(distances.argmin()), len(centers)))
        centers[i] = (sizes[i] * centers[i] + sizes[j] * centers[j]) / (sizes[i] + sizes[j])
        sizes[i] += sizes[j]
        centers, sizes = np.delete(centers, j, axis=0), np.delete(sizes, j)
    return centers, sizes


def merge_points(points: FloatArray, weights: FloatArray, m: int) -> tuple[FloatArray, FloatArray]:
    """At most m weighted means of the points (n, d) of positive weight, and their weights.

    The group with the largest weighted spread along one axis is split there at its mean, again
    and again. A group is split the same way whenever its turn comes, and its parts spread no more
    than it did, so the m - 1 splits are those of largest spread in the tree of all splits. The
    tree grows a level at a time, without the groups that m - 1 others already outdo.
    """
    points, weights = points[weights > 0], weights[weights > 0]
    if len(points) <= m:
        return points.copy(), weights.copy()
    rows = np.arange(len(points))
    group = np.zeros(len(points), dtype=np.int64)
    parent = np.array([-1])
    # Of every node of the tree: its spread, its parent, and at each level who is where.
    spreads, parents = np.empty(0), np.empty(0, dtype=np.int64)
    levels: list[tuple[FloatArray, FloatArray]] = []
    while len(rows):
        x, w = points[rows], weights[rows]
        first_node = len(spreads)
        means = _group_sums(group, x * w[:, None]) / _group_sums(group, w[:, None])
        spread = _group_sums(group, (x - means[group]) ** 2 * w[:, None])
        axis = spread.argmax(axis=1)
        widest = spread.max(axis=1)
        if first_node:
            widest = np.minimum(widest, spreads[parent])
        spreads, parents = np.append(spreads, widest), np.append(parents, parent)
        levels.append((rows, first_node + group))
        least = np.partition(spreads, -m + 1)[-m + 1] if 1 < m <= len(spreads) else 0.0
        beyond = x[np.arange(len(x)), axis[group]] > means[group, axis[group]]
        size = np.bincount(group)
        upper = np.bincount(group, beyond)
        split = (widest > 0) & (widest >= least) & (upper > 0) & (upper < size)
        go_on = split[group]
        rows = rows[go_on]
        half = 2 * (np.cumsum(split) - 1)[group] + beyond
        group = half[go_on]
        parent = first_node + np.repeat(np.flatnonzero(split), 2)
    chosen = np.zeros(len(spreads), dtype=bool)
    has_children = np.zeros(len(spreads), dtype=bool)
    has_children[parents[1:]] = True
    candidates = np.flatnonzero(has_children)
    chosen[candidates[np.argsort(-spreads[candidates], kind="stable")[: m - 1]]] = True
    leaf = np.zeros(len(points), dtype=np.int64)
    for rows, node in levels[1:]:
        taken = chosen[parents[node]]
        leaf[rows[taken]] = node[taken]
    group = np.unique(leaf, return_inverse=True)[1]
    masses = _group_sums(group, weights[:, None])
    return _group_sums(group, points * weights[:, None]) / masses, masses[:, 0]


def _group_sums(group: FloatArray, values: FloatArray) -> FloatArray:
    return np.stack([np.bincount(group, column) for column in values.T], axis=1)
