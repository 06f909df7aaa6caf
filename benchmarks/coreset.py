"""The private coreset of Feldman et al. (2017): how fast it is found, and how good it is."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from sklearn.cluster import KMeans
from threadpoolctl import threadpool_limits

import dpcore
from benchmarks.adaptive import SIDE, city, draws, error_of_mean, reference
from benchmarks.table import Row, seconds, unit
from dpcore.algorithms import coreset, coreset_faithful
from dpcore.datasets import GridDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.points import WeightedPoints
from dpcore.kmeans.weighted import weighted_kmeans
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.study.metrics import nicv

TITLE = "Private coreset"

MANY, FEWER = 10_000_000, 1_000_000
#: Bars of all rounds of the paper, which has more of them for more rows.
FAITHFUL = {FEWER: 34, MANY: 60}
K, EPSILON, DELTA = 10, 1.0, 1e-8
RESTARTS = 20
#: Seeds that a mean cost is of: one run in ten ends a percent too high, theirs or ours.
SEEDS = range(20)
#: Mean relative error on the taxi-like city in the experiments, by N and k.
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
ON_CITY = {
    (100_000, 5): (0.03, 0.024, 0.009, 0.003, 0.0007, 0.0004, 0.00013),
    (1_000_000, 5): (0.0056, 0.001, 0.00015, 4e-5, 3.2e-5, 3.2e-5, 2.7e-5),
    (1_000_000, 10): (0.04, 0.0087, 0.0016, 0.0007, 0.0005, 0.0004, 0.0004),
}
NO_NOISE = 1e5
#: The same with hardly any noise, by data set.
QUIET = {"nyc-taxi": 0.005, "nyc-month": 0.0023, "s1-like": 0.0002}


def rows() -> Iterator[Row]:
    yield from speed()
    # Threads that wait for a busy processor would count as theirs.
    with threadpool_limits(1):
        yield from clustering()
    yield from without_noise()
    yield from on_city()


def finding_balls(data: GridDataset, n: int, seed: int = 0) -> int:
    """All rounds of selection and removal; how many there were."""
    curator = Curator(data, Budget(EPSILON, DELTA), SimulatedNoise(seed))
    epsilon = coreset.BALLS_SHARE * (1 - coreset.SIZE_SHARE) * EPSILON
    return len(coreset.ball_centers(curator, coreset.best_plan(n, K, epsilon, DELTA), epsilon))


def finding_balls_faithfully(data: GridDataset, n: int, seed: int = 0) -> int:
    """All rounds by the paper's schedule, on its grid; how many there were."""
    curator = Curator(data, Budget(EPSILON), SimulatedNoise(seed))
    sizes = coreset_faithful.schedule(n, K, EPSILON, 1.0)
    epsilon = EPSILON / coreset_faithful.most_rounds(n, K)
    return len(coreset_faithful.small_balls(curator, sizes, SIDE, epsilon))


def peak(call: Callable[[], object]) -> float:
    """The most memory that a call held at once, in grids of whole numbers."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / (8 * SIDE**2)
    finally:
        tracemalloc.stop()


def speed() -> Iterator[Row]:
    base = unit()
    times = {}
    for n in (FEWER, MANY):
        data = city(n)
        for find, bar in ((finding_balls, 10), (finding_balls_faithfully, FAITHFUL[n])):
            call = partial(find, data, n)
            times[find, n] = seconds(call, repeats=3)
            what = f"{n:.0e} rows on {SIDE}², k={K}, {find.__name__.replace('_', ' ')}"
            yield Row(f"{what} / bincount", times[find, n] / base, bar, note=f"{call()} rounds")
            yield Row(f"{what}: memory / the grid", peak(call), 3)
    growth = times[finding_balls, MANY] / times[finding_balls, FEWER]
    yield Row("time of 1e7 rows / time of 1e6, finding balls", growth, 2)


def ours(points: FloatArray, weights: FloatArray, k: int, seed: int = 0) -> FloatArray:
    return weighted_kmeans(points, weights, k, RESTARTS, np.random.default_rng(seed))[0]


def theirs(points: FloatArray, weights: FloatArray, k: int, seed: int = 0) -> FloatArray:
    means = KMeans(k, n_init=RESTARTS, random_state=seed).fit(points, sample_weight=weights)
    return np.asarray(means.cluster_centers_)


def clustering() -> Iterator[Row]:
    """k-means of a released coreset beside scikit-learn's, with as many restarts."""
    data = city(FEWER)
    for epsilon in (0.1, 1.0):
        coreset = dpcore.run("coreset", data, K, epsilon, seed=0).coreset
        weighted = coreset.unit_points, coreset.weights
        cost = WeightedPoints(*weighted).cost
        for k in (5, K, 20):
            what = f"k-means of {len(coreset):,} points, k={k} / KMeans(n_init={RESTARTS})"
            times = [seconds(partial(way, *weighted, k), 3) for way in (ours, theirs)]
            yield Row(f"time of {what}", times[0] / times[1], 1)
            costs = [
                np.mean([cost(way(*weighted, k, seed)) for seed in SEEDS]) for way in (ours, theirs)
            ]
            yield Row(f"cost of {what}", float(costs[0] / costs[1]), 1.0001)


def without_noise() -> Iterator[Row]:
    for key, bar in QUIET.items():
        data = dpcore.datasets.load(key)
        for k in (3, 5, 10):
            best = reference(data, k)
            errors = [
                nicv(data, dpcore.run("coreset", data, k, NO_NOISE, seed=s).centers) / best - 1
                for s in range(3)
            ]
            what = f"relative error on {key}, k={k}, hardly any noise"
            yield Row(what, float(np.mean(errors)), bar, unit="")


def on_city() -> Iterator[Row]:
    for (n, k), bars in ON_CITY.items():
        data = city(n)
        best = reference(data, k)
        for epsilon, bar in zip(EPSILONS, bars, strict=True):
            errors = relative_errors("coreset", data, k, epsilon, best)
            what = f"relative error on taxi-like, N={n:.0e}, k={k}, ε={epsilon:g}"
            note = f"± {error_of_mean(errors):.2g}"
            yield Row(what, float(np.mean(errors)), bar, unit="", note=note)
            if n != FEWER or epsilon > 2:
                continue
            what = "error of coreset-faithful / that of coreset"
            try:
                faithful = relative_errors("coreset-faithful", data, k, epsilon, best)
            except Infeasible as refusal:
                yield Row(f"{what}: none", float("inf"), note=str(refusal))
                continue
            yield Row(what, float(np.mean(faithful) / np.mean(errors)), 1000, at_least=True)


def relative_errors(
    key: str, data: GridDataset, k: int, epsilon: float, best: float
) -> list[float]:
    return [
        nicv(data, dpcore.run(key, data, k, epsilon, seed=seed).centers) / best - 1
        for seed in draws(epsilon)
    ]
