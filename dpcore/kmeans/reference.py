"""Non-private k-means, the reference that private centers are compared with."""

from __future__ import annotations

import warnings

import numpy as np
from threadpoolctl import threadpool_limits

from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, from_ticks
from dpcore.kmeans.noisy_grid import solve_grid
from dpcore.kmeans.points import padded

#: Cells a side of the grid on which starts for rows of a map are compared.
MAP_CELLS = 1024


def best_on_grid(counts: IntArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Centers of least inertia found on a grid of counts, in unit coordinates."""
    return solve_grid(counts, k, starts=100, rng=rng, sweeps=200, tolerance=1e-5)


def best_on_rows(ticks: IntArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Centers of least inertia found on rows, in unit coordinates.

    In two dimensions the best of many starts on a fine grid is polished on the rows; in others
    it is scikit-learn's best of ten starts.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    rows = from_ticks(ticks)
    if len(rows) <= k:
        return padded(rows, np.ones(len(rows)), k)
    model = KMeans(k, n_init=10, random_state=int(rng.integers(2**31)))
    if rows.shape[1] == 2:
        grid = Grid(Box.cube(2), MAP_CELLS)
        counts = np.bincount(grid.labels(ticks), minlength=grid.n_cells)
        start = best_on_grid(counts.reshape(grid.shape), k, rng)
        model.set_params(init=start, n_init=1, tol=0)
    # Where processors are busy, threads of one fit wait for each other: ten times as long.
    with threadpool_limits(1), warnings.catch_warnings():
        # Fewer distinct rows than clusters: some centers coincide.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit(rows).cluster_centers_, dtype=np.float64)
