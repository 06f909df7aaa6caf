"""How good and how fast `adaptive` is, against the figures it was designed with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

import dpcore
from benchmarks import workloads
from benchmarks.table import Row, seconds, unit
from dpcore.algorithms._grown_tree import grow
from dpcore.algorithms._tree_coreset import coresets_of
from dpcore.algorithms.adaptive import SIZE_SHARE
from dpcore.datasets import GridDataset
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import Box, Grid
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.results.synopsis import Coreset
from dpcore.study.metrics import nicv

TITLE = "Adaptive coreset"

#: Mean relative error on nyc-taxi in the experiments, for k = 3, 5, 10, 20. Zeros are rounded.
ON_TAXI = {
    0.02: (0.018, 0.055, 0.172, 0.38),
    0.05: (0.0024, 0.0128, 0.065, 0.17),
    0.1: (0.0007, 0.0034, 0.030, 0.097),
    0.2: (0.0004, 0.0016, 0.012, 0.048),
    0.5: (0.0001, 0.0005, 0.0011, 0.017),
    1.0: (0.0000, 0.0002, 0.0011, 0.006),
    2.0: (0.0000, 0.0001, 0.0003, 0.003),
    4.0: (0.0000, 0.0000, 0.0001, 0.0014),
}
ROUNDING = 0.00005
ALLOWANCE = 1.3
KS = (3, 5, 10, 20)
#: NICV on the S1-like set, k = 15.
ON_S1 = {0.05: 0.018, 0.1: 0.0095, 0.5: 0.0073, 1.0: 0.0071, 2.0: 0.0071}
SIDE = 1024


def rows() -> Iterator[Row]:
    yield from speed()
    yield from on_s1()
    yield from on_taxi_like()
    yield from on_taxi()


def draws(epsilon: float) -> range:
    """Errors have a heavy tail where noise is strong."""
    return range(60 if epsilon <= 0.2 else 20)


def reference(data: Dataset, k: int) -> float:
    """The NICV of the best non-private clustering found."""
    return min(nicv(data, dpcore.baseline(data, k, seed).centers) for seed in range(3))


def values(
    data: Dataset, epsilon: float, ks: Sequence[int]
) -> tuple[Mapping[int, list[float]], float]:
    """The NICV for each k of one coreset a draw, and how many points these had."""
    errors: dict[int, list[float]] = {k: [] for k in ks}
    points = []
    for seed in draws(epsilon):
        coreset = dpcore.run("adaptive", data, ks[0], epsilon, seed=seed).coreset
        points.append(len(coreset))
        for k in ks:
            errors[k].append(nicv(data, coreset.kmeans(k, seed)))
    return errors, float(np.mean(points))


def error_of_mean(figures: Sequence[float]) -> float:
    return float(np.std(figures) / np.sqrt(len(figures)))


def on_taxi() -> Iterator[Row]:
    data = dpcore.datasets.load("nyc-taxi")
    best = {k: reference(data, k) for k in KS}
    for epsilon, designed in ON_TAXI.items():
        nicvs, points = values(data, epsilon, KS)
        for k, target in zip(KS, designed, strict=True):
            errors = np.array(nicvs[k]) / best[k] - 1
            yield Row(
                f"relative error on nyc-taxi, ε={epsilon:g}, k={k}",
                float(errors.mean()),
                ALLOWANCE * max(target, ROUNDING),
                unit="",
                note=f"± {error_of_mean(errors):.2g}, {points:,.0f} points",
            )


def on_taxi_like() -> Iterator[Row]:
    data = workloads.rows("taxi-like")
    best = reference(data, 10)
    for epsilon in (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0):
        nicvs, points = values(data, epsilon, (10,))
        ratios = np.array(nicvs[10]) / best
        what = f"NICV / non-private on taxi-like, ε={epsilon:g}, k=10"
        note = f"± {error_of_mean(ratios):.2g}, {points:,.0f} points"
        yield Row(what, float(ratios.mean()), 1.001, note=note)


def on_s1() -> Iterator[Row]:
    data = workloads.rows("s1-like")
    for epsilon, bar in ON_S1.items():
        nicvs, points = values(data, epsilon, (15,))
        note = f"± {error_of_mean(nicvs[15]):.2g}, {points:,.0f} points"
        what = f"NICV on s1-like, ε={epsilon:g}, k=15"
        yield Row(what, float(np.mean(nicvs[15])), bar, unit="", note=note)


def city(n: int) -> GridDataset:
    """The taxi-like city of n rows, counted on a grid."""
    box = Box.cube(2)
    cells = box.cells(workloads.taxi_like(n), SIDE)
    flat = np.bincount(cells[:, 0] * SIDE + cells[:, 1], minlength=SIDE**2)
    return GridDataset(flat.reshape(SIDE, SIDE), box)


def speed() -> Iterator[Row]:
    base = unit()
    counts = city(10_000_000).histogram(Grid(Box.cube(2), SIDE)).reshape(SIDE, SIDE)

    def synopsis(epsilon: float) -> Coreset:
        data = GridDataset(counts, Box.cube(2))
        curator = Curator(data, Budget(epsilon), SimulatedNoise(0))
        return coresets_of([grow(curator, *curator.size(SIZE_SHARE))], [curator])[0]

    for epsilon in (0.02, 0.1, 0.5, 2.0, 4.0, 100.0):
        coreset = synopsis(epsilon)
        time = seconds(lambda e=epsilon: synopsis(e)) / base
        yield Row(f"synopsis of 1e7 rows on {SIDE}², ε={epsilon:g} / bincount of 1e7", time, 10)
        time = seconds(lambda c=coreset: c.kmeans(10, 0)) / base
        yield Row("its solver, k=10", time, 10, note=f"{len(coreset):,} points")
