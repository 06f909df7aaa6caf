"""The same rows held in two ways."""

from __future__ import annotations

import numpy as np

from dpcore.datasets import GridDataset, RowsDataset
from dpcore.geometry.domain import TICKS, Box


def as_grid_and_rows() -> tuple[GridDataset, RowsDataset]:
    """Skewed counts on a grid, and the rows that they count."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(rng.exponential(2, (16, 16)))
    grid = GridDataset(counts, Box.cube(2))
    ticks, weights = grid.positions()
    rows = ((ticks + TICKS) // 2).repeat(weights, axis=0).astype(np.int32)
    return grid, RowsDataset(rows, Box.cube(2))
