"""How good one release is for later questions: other numbers of centers, costs of any centers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

import dpcore
from benchmarks import workloads
from benchmarks.accuracy_table import geometric_mean
from benchmarks.families import generated
from benchmarks.table import Row
from dpcore.datasets.base import Dataset
from dpcore.datasets.builtin import PICKUP, taxi
from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.points import WeightedPoints
from dpcore.study.metrics import nicv

TITLE = "One release beside a run for each question"
#: The number of centers that the release was made for, and those asked for afterwards.
MADE_FOR, ASKED = 8, (2, 3, 5, 8, 12, 20, 50)
SEEDS = range(2)
FAMILIES = ("blobs", "heavy", "anisotropic", "unbalanced")
SHAPES = ((20_000, 2), (20_000, 3), (10_000, 5), (10_000, 8))
EPSILON = 1.0
#: Sets of centers whose cost is asked of the release of a city.
SETS, CITY_EPSILON, CITY_SEEDS = 60, 0.5, range(4)


@dataclass(frozen=True)
class City:
    """The rows of a city, and places in its box [-1, 1]² where its rows are."""

    data: Dataset
    places: FloatArray


def simulated(n: int) -> City:
    values = workloads.taxi_like(n)
    return City(workloads.as_rows(values), values)


def built_in(name: str) -> City:
    """A set that ships. Its figure is only reported: no constant may be chosen by it."""
    data = dpcore.datasets.load(name)
    return City(data, data.box.to_unit(taxi(PICKUP)))


#: The cities by name. Constants may be settled on the simulated ones alone.
CITIES: Mapping[str, Callable[[], City]] = {
    "simulated city of 20,000 rows": partial(simulated, 20_000),
    "simulated city of 100,000 rows": partial(simulated, 100_000),
    "nyc-taxi": partial(built_in, "nyc-taxi"),
    "nyc-month": partial(built_in, "nyc-month"),
}


def rows() -> Iterator[Row]:
    for n, d in SHAPES:
        ratios: dict[int, list[float]] = {k: [] for k in ASKED}
        for family in FAMILIES:
            data = workloads.as_rows(generated(family, n, d, MADE_FOR))
            for k, ratio in beside_direct_runs(data).items():
                ratios[k].append(ratio)
        for k, each in ratios.items():
            yield Row(
                f"{n:,} × {d}, ε={EPSILON:g}, made for {MADE_FOR}: NICV for k={k}",
                geometric_mean(each),
                1.03 if d <= 6 else None,
                note="; ".join(f"{f} {r:.2f}" for f, r in zip(FAMILIES, each, strict=True)),
            )
    for name, make in CITIES.items():
        city = make()
        error = np.concatenate([cost_errors(city, seed) for seed in CITY_SEEDS])
        yield Row(
            f"{name}, ε={CITY_EPSILON:g}: mean error of a cost of any centers",
            float(error.mean()),
            0.02,
            unit="",
            note=f"95th percentile {np.percentile(error, 95):.3f}",
        )


def beside_direct_runs(data: Dataset) -> dict[int, float]:
    """The NICV of centers from one coreset over that of a run with so many centers."""
    coresets = [dpcore.run("auto", data, MADE_FOR, EPSILON, seed=seed).coreset for seed in SEEDS]
    ratios = {}
    for k in ASKED:
        one = [nicv(data, each.kmeans(k, seed=0)) for each in coresets if each is not None]
        own = [nicv(data, dpcore.run("auto", data, k, EPSILON, seed=s).centers) for s in SEEDS]
        ratios[k] = float(np.mean(one) / np.mean(own))
    return ratios


def cost_errors(city: City, seed: int) -> FloatArray:
    """By how much the points of a release miss the cost of each of some sets of centers."""
    rng = np.random.default_rng(seed)
    coreset = dpcore.run("auto", city.data, MADE_FOR, CITY_EPSILON, seed=seed).coreset
    assert coreset is not None
    points = WeightedPoints(coreset.unit_points, coreset.weights)
    errors = []
    for i in range(SETS):
        k = int(rng.choice(ASKED))
        near = city.places[rng.choice(len(city.places), k)]
        centers = rng.uniform(-1, 1, (k, 2)) if i % 3 == 0 else near
        exact = float(city.data.cost(centers[None])[0])
        errors.append(abs(float(points.cost(centers)) / exact - 1))
    return np.array(errors)


if __name__ == "__main__":
    from benchmarks.table import show

    raise SystemExit(not show(TITLE, rows()))
