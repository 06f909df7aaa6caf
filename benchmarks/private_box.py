"""What it costs to find the box privately, where the best public box would have been tight."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.families import FAMILIES, generated
from benchmarks.table import Row
from dpcore import PrivateKMeans
from dpcore.geometry.domain import FloatArray

TITLE = "A private box beside a tight public one"
#: Rows, coordinates, centers and epsilon.
SHAPES = (
    (12_000, 2, 4, 0.5),
    (20_000, 2, 8, 0.5),
    (20_000, 2, 8, 2.0),
    (200_000, 2, 8, 0.5),
    (200_000, 2, 8, 2.0),
    (10_000, 4, 6, 2.0),
)
#: Where the values lie, and how far apart: as they are generated, and like degrees of a city, which
#: is harder.
PLACES = ((0.0, 1.0), (-74.0, 0.2))
SEEDS = range(3)


def rows() -> Iterator[Row]:
    every: dict[float, list[float]] = {middle: [] for middle, _ in PLACES}
    for n, d, k, epsilon in SHAPES:
        for middle, spread in PLACES:
            ratios = {
                family: ratio(middle + spread * generated(family, n, d, k), k, epsilon)
                for family in FAMILIES
            }
            worst = max(ratios, key=lambda family: ratios[family])
            every[middle] += ratios.values()
            yield Row(
                f"{n:,} × {d} around {middle:g}, ε={epsilon:g}: cost with a private box",
                geometric_mean(list(ratios.values())),
                note=f"worst {worst} {ratios[worst]:.2f}",
            )
    for middle, ratios_there in every.items():
        yield Row(
            f"around {middle:g}: cost with a private box",
            geometric_mean(ratios_there),
            1.02,
            note=f"worst {max(ratios_there):.2f}",
        )


def ratio(values: FloatArray, k: int, epsilon: float) -> float:
    """The cost with a tenth of epsilon spent on a box, over that in the tightest box."""
    tight = values.min(axis=0), values.max(axis=0)
    private, public = (
        np.mean(
            [
                cost(
                    values,
                    PrivateKMeans(k, epsilon=epsilon, bounds=bounds, random_state=seed)
                    .fit(values)
                    .cluster_centers_,
                )
                for seed in SEEDS
            ]
        )
        for bounds in ("private", tight)
    )
    return float(private / public)


def cost(values: FloatArray, centers: FloatArray) -> float:
    """The mean squared distance from a row to its nearest center."""
    return float(
        np.min([((values - center) ** 2).sum(axis=1) for center in centers], axis=0).mean()
    )


def geometric_mean(ratios: list[float]) -> float:
    return math.exp(float(np.mean(np.log(ratios))))
