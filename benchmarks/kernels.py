"""The non-private kernels: Lloyd on a grid and on rows, k-means of a coreset, the baseline."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

import dpcore
from benchmarks.table import Row, seconds
from dpcore.geometry.domain import LATTICE_CELLS, FloatArray, Grid, IntArray, cell_ticks, from_ticks
from dpcore.kmeans.points import cluster_totals
from dpcore.kmeans.reference import best_on_grid
from dpcore.kmeans.scanline import RowSums
from dpcore.kmeans.weighted import weighted_kmeans

TITLE = "Kernels"
SEEDS = range(5)


def counts_of(name: str, side: int) -> IntArray:
    data = dpcore.datasets.load(name)
    return data.histogram(Grid(data.box, side)).reshape(side, side)


def occupied(counts: IntArray) -> tuple[FloatArray, IntArray]:
    side = len(counts)
    return (2 * np.argwhere(counts) + 1 - side) / side, counts[counts > 0]


def one_iteration(counts: IntArray) -> Iterator[Row]:
    """A Lloyd iteration on the grid against scikit-learn's on its occupied cells."""
    rng = np.random.default_rng(0)
    side = len(counts)
    cells, weights = occupied(counts)
    grid = RowSums(counts)
    fine = RowSums(np.kron(counts, np.eye(4, dtype=np.int64)))
    for k in (5, 10, 20):
        centers = rng.uniform(-1, 1, (k, 2))
        plain = KMeans(k, init=centers, max_iter=1, n_init=1)
        theirs = seconds(partial(plain.fit, cells, sample_weight=weights))
        ours = seconds(partial(grid.step, centers), repeats=20)
        finer = seconds(partial(fine.step, centers), repeats=20)
        what = f"KMeans(max_iter=1, n_init=1) / scanline step, {side}², k={k}"
        note = f"{1000 * ours:.2f} ms"
        yield Row(what, theirs / ours, 50 if k == 10 else None, at_least=True, note=note)
        yield Row(f"scanline step at {4 * side}² / at {side}², k={k}", finer / ours, 6)


def rows_step() -> Iterator[Row]:
    """Exact totals of rows against scikit-learn's iteration, which is neither exact nor signed."""
    rng = np.random.default_rng(0)
    for d, k, most in ((2, 5, 0.24), (10, 10, 0.55), (64, 10, 0.7)):
        cells = rng.integers(0, LATTICE_CELLS, (100_000, d)).astype(np.int32)
        centers = rng.integers(-LATTICE_CELLS, LATTICE_CELLS, (k, d))
        points = from_ticks(cell_ticks(cells))
        plain = KMeans(k, init=from_ticks(centers), max_iter=1, n_init=1)
        ratio = seconds(partial(cluster_totals, cells, centers)) / seconds(
            partial(plain.fit, points)
        )
        yield Row(f"exact totals of 1e5 rows / KMeans(max_iter=1), d={d}, k={k}", ratio, most)


def coresets(counts: IntArray) -> Iterator[tuple[str, FloatArray, FloatArray]]:
    """Weighted points as a coreset has them: of a city, and of clusters in more dimensions."""
    rng = np.random.default_rng(0)
    cells, weights = occupied(counts)
    for n in (300, 1200, 6000):
        which = rng.choice(len(cells), n, p=weights / weights.sum(), replace=False)
        yield f"city, n={n}", cells[which], weights[which] * rng.random(n) + 1.0
    for d in (4, 10):
        middles = rng.uniform(-0.7, 0.7, (25, d))
        for n in (300, 1200, 6000):
            points = middles[rng.integers(0, 25, n)] + rng.normal(0, 0.12, (n, d))
            yield f"d={d}, n={n}", np.clip(points, -1, 1), rng.gamma(1, 1, n) + 0.01


def weighted(counts: IntArray) -> Iterator[Row]:
    """k-means of a coreset against scikit-learn with as many restarts."""
    all_costs = []
    for name, points, weights in coresets(counts):
        times, costs = [], []
        for k in (5, 10, 20):

            def ours(seed: int, k: int = k) -> float:
                rng = np.random.default_rng(seed)
                return weighted_kmeans(points, weights, k, 20, rng)[1]  # noqa: B023

            def theirs(seed: int, k: int = k) -> float:
                model = KMeans(k, n_init=20, random_state=seed)
                return float(model.fit(points, sample_weight=weights).inertia_)  # noqa: B023

            times.append(seconds(partial(ours, 0)) / seconds(partial(theirs, 0)))
            costs.append(np.mean([ours(s) for s in SEEDS]) / np.mean([theirs(s) for s in SEEDS]))
        all_costs += costs
        note = f"cost {np.mean(costs):.4f} ×"
        yield Row(f"weighted_kmeans / KMeans(n_init=20), {name}", max(times), 0.75, note=note)
    yield Row("its cost / that of KMeans(n_init=20), mean of all", np.mean(all_costs), 1.0)


def baseline() -> Iterator[Row]:
    """The reference that private centers are compared with is not to be the weaker one."""
    counts = counts_of("nyc-taxi", 1024)
    points, weights = occupied(counts)
    grid = RowSums(counts)
    for k in (5, 10, 20):
        costs = [grid.cost(best_on_grid(counts, k, np.random.default_rng(s))) for s in SEEDS]
        plain = [
            KMeans(k, n_init=10, random_state=s).fit(points, sample_weight=weights).inertia_
            for s in SEEDS
        ]
        ratio = np.mean(costs) / np.mean(plain)
        yield Row(f"baseline / KMeans(n_init=10), nyc-taxi 1024², k={k}, cost", ratio, 1.0001)


def rows() -> Iterator[Row]:
    month = counts_of("nyc-month", 1024)
    with threadpool_limits(1):
        yield from one_iteration(month)
        yield from rows_step()
        yield from weighted(month)
        yield from baseline()
