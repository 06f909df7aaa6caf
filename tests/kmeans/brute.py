"""What every kernel must agree with: all distances, in whole numbers of any size."""

from __future__ import annotations

import numpy as np


def nearest_totals(positions, weights, centers):
    """Weights, sums and cost of the Voronoi cells of (n, d) whole positions, as Python integers."""
    x, c = positions.astype(object), centers.astype(object)
    distances = ((x[:, None] - c) ** 2).sum(axis=2)
    labels = np.array([row.argmin() for row in distances], dtype=np.int64)
    counts = [int(weights[labels == j].sum()) for j in range(len(c))]
    moments = x * weights[:, None].astype(object)
    sums = [[int(v) for v in moments[labels == j].sum(axis=0)] for j in range(len(c))]
    return counts, sums, int((weights.astype(object) * distances.min(axis=1)).sum())
