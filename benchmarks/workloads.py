"""Data for measuring, in the public box [-1, 1]^d: the same for all time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

import numpy as np

from dpcore.datasets import RowsDataset
from dpcore.geometry.domain import Box, FloatArray


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


def from_scikit_learn(name: str) -> FloatArray:
    """A set that scikit-learn brings, each column from its smallest value to its largest.

    The peers were measured so. For private data it would betray the extreme rows.
    """
    import sklearn.datasets

    values = getattr(sklearn.datasets, f"load_{name}")().data.astype(np.float64)
    low, high = values.min(axis=0), values.max(axis=0)
    width = np.where(high > low, high - low, 1)
    return np.asarray(2 * (values - low) / width - 1)


def hundred_dimensions(n: int = 100_000, seed: int = 2) -> FloatArray:
    """64 round clusters in 100 dimensions."""
    rng = np.random.default_rng(seed)
    middles = rng.uniform(-0.5, 0.5, (64, 100))
    which = rng.integers(0, 64, n)
    return np.clip(middles[which] + rng.normal(size=(n, 100)) * 0.1, -1, 1)


def held_out(n: int, d: int, k: int, seed: int = 0) -> FloatArray:
    """Of a kind that was kept back: stretched clusters of very different size with heavy
    tails, along random curves, and one row in twenty anywhere."""
    rng = np.random.default_rng([n, d, k, seed])
    sizes = rng.multinomial(n - n // 20, rng.dirichlet(np.ones(k)))
    rows = [rng.uniform(-1, 1, (n // 20, d))]
    for size in sizes:
        middle = rng.uniform(-0.6, 0.6, d)
        bend, along = rng.normal(size=(2, d)) / np.sqrt(d)
        where = rng.uniform(-1, 1, (size, 1))
        tail = rng.standard_t(3, (size, d)) * rng.uniform(0.02, 0.15, d)
        rows.append(middle + where * along * 0.6 + where**2 * bend * 0.4 + tail)
    return np.clip(np.concatenate(rows), -1, 1)


MAKERS: dict[str, Callable[[], FloatArray]] = {
    "taxi-like": taxi_like,
    "s1-like": s1_like,
    **{name: partial(from_scikit_learn, name) for name in ("iris", "wine", "breast_cancer")},
    "digits": partial(from_scikit_learn, "digits"),
    "hundred dimensions": hundred_dimensions,
}


@cache
def rows(name: str) -> RowsDataset:
    """A workload as a data set; what lies on the edge of the box counts as inside."""
    return as_rows(MAKERS[name]())


def as_rows(values: FloatArray) -> RowsDataset:
    return RowsDataset.from_values(values, Box.cube(values.shape[1]), outside="clip")
