"""Non-private k-means, the reference that private centers are compared with."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from dpcore.domain import FloatArray, IntArray, cell_ticks, from_ticks
from dpcore.kmeans.synopsis import solve_grid


def best_on_grid(counts: IntArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Centers of least inertia on a grid of counts."""
    return solve_grid(counts, k, 30, rng)


def best_on_rows(cells: npt.NDArray[np.int32], k: int, rng: np.random.Generator) -> FloatArray:
    """Centers of least inertia on rows: scikit-learn's best of ten starts."""
    from sklearn.cluster import KMeans

    rows = from_ticks(cell_ticks(cells))
    if len(rows) <= k:
        spare = np.zeros((k - len(rows), cells.shape[1]))
        return np.vstack([rows, spare])
    seed = int(rng.integers(2**31))
    return np.asarray(KMeans(k, n_init=10, random_state=seed).fit(rows).cluster_centers_)
