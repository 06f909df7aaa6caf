"""Generated data for measuring, in the public box [-1, 1]^2: the same for all time."""

from __future__ import annotations

from functools import cache

import numpy as np

from dpcore.datasets import RowsDataset
from dpcore.domain import Box, FloatArray


def taxi_like(n: int = 1_000_000, seed: int = 0) -> FloatArray:
    """A city: forty skewed clusters of very different size, and one row in twenty anywhere."""
    rng = np.random.default_rng(seed)
    clusters = 40
    shares = rng.pareto(1.2, clusters) + 0.05
    centers = rng.uniform(-0.75, 0.75, (clusters, 2))
    sizes = rng.multinomial(int(n * 0.95), shares / shares.sum())
    rows = []
    for center, size in zip(centers, sizes, strict=True):
        angle = rng.uniform(0, np.pi)
        length = rng.uniform(0.02, 0.15)
        width = length * rng.uniform(0.08, 0.5)
        along = rng.normal(size=(size, 2)) * [length, width]
        along[:, 0] += length * rng.exponential(1, size)
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        rows.append(along @ turn.T + center)
    rows.append(rng.uniform(-1, 1, (n - sizes.sum(), 2)))
    shuffled = np.clip(np.vstack(rows), -1, 1)
    rng.shuffle(shuffled)
    return shuffled


def s1_like(n: int = 5000, seed: int = 1) -> FloatArray:
    """Fifteen round clusters of about equal size that keep their distance."""
    rng = np.random.default_rng(seed)
    centers: list[FloatArray] = []
    while len(centers) < 15:
        candidate = rng.uniform(-0.85, 0.85, 2)
        if all(np.linalg.norm(candidate - other) > 0.28 for other in centers):
            centers.append(candidate)
    which = rng.integers(0, 15, n)
    return np.clip(np.array(centers)[which] + rng.normal(size=(n, 2)) * 0.06, -1, 1)


@cache
def rows(name: str) -> RowsDataset:
    """A workload as a data set; what lies on the edge of the box counts as inside."""
    makers = {"taxi-like": taxi_like, "s1-like": s1_like}
    return RowsDataset.from_values(makers[name](), Box.cube(2), outside="clip")
