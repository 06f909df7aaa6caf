"""Non-private k-means, the reference that private centers are compared with."""

from __future__ import annotations

import warnings

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from dpcore.geometry.domain import (
    LATTICE_CELLS,
    FloatArray,
    IntArray,
    cell_ticks,
    coarsen,
    from_ticks,
)
from dpcore.kmeans.noisy_grid import solve_grid
from dpcore.kmeans.weighted import padded

#: Cells a side of the grid on which starts for rows of a map are compared.
MAP_CELLS = 1024


def best_on_grid(counts: IntArray, k: int, rng: np.random.Generator) -> FloatArray:
    """Centers of least inertia found on a grid of counts, in unit coordinates."""
    return solve_grid(counts, k, starts=100, rng=rng, sweeps=200, tolerance=1e-5)


def best_on_rows(cells: npt.NDArray[np.int32], k: int, rng: np.random.Generator) -> FloatArray:
    """Centers of least inertia found on lattice rows.

    In two dimensions the best of many starts on a fine grid is polished on the rows; in others
    it is scikit-learn's best of ten starts.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    rows = from_ticks(cell_ticks(cells))
    if len(rows) <= k:
        return padded(rows, np.ones(len(rows)), k)
    model = KMeans(k, n_init=10, random_state=int(rng.integers(2**31)))
    if cells.shape[1] == 2:
        coarse = coarsen(cells, LATTICE_CELLS, MAP_CELLS)
        flat = np.bincount(coarse @ [MAP_CELLS, 1], minlength=MAP_CELLS**2)
        start = best_on_grid(flat.reshape(MAP_CELLS, MAP_CELLS), k, rng)
        model.set_params(init=start, n_init=1, tol=0)
    # Where processors are busy, threads of one fit wait for each other: ten times as long.
    with threadpool_limits(1), warnings.catch_warnings():
        # Fewer distinct rows than clusters: some centers coincide.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return np.asarray(model.fit(rows).cluster_centers_, dtype=np.float64)
