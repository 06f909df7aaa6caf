"""What it costs to find the box privately, where the best public box would have been tight."""

from __future__ import annotations

import argparse
import itertools
import math
from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks import held_out
from benchmarks.families import FAMILIES, Family, generated
from benchmarks.table import Row
from dpcore import PrivateKMeans
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.accounting import Neighbors

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
SEEDS = range(5)


def rows(families: Mapping[str, Family] = FAMILIES) -> Iterator[Row]:
    for neighbors, (middle, spread) in itertools.product(Neighbors, PLACES):
        where = f"around {middle:g}, {neighbors.value}"
        every: list[float] = []
        for n, d, k, epsilon in SHAPES:
            ratios = {
                family: ratio(
                    middle + spread * generated(family, n, d, k, families=families),
                    k,
                    epsilon,
                    neighbors,
                )
                for family in families
            }
            worst = max(ratios, key=lambda family: ratios[family])
            every += ratios.values()
            yield Row(
                f"{n:,} × {d} {where}, ε={epsilon:g}: cost",
                geometric_mean(list(ratios.values())),
                note=f"worst {worst} {ratios[worst]:.2f}",
            )
        yield Row(
            f"{where}: cost with a private box",
            geometric_mean(every),
            1.02,
            note=f"worst {max(every):.2f}",
        )


def ratio(values: FloatArray, k: int, epsilon: float, neighbors: Neighbors) -> float:
    """The cost with a tenth of epsilon spent on a box, over that in the tightest box."""
    tight = values.min(axis=0), values.max(axis=0)
    private, public = (
        np.mean(
            [
                cost(
                    values,
                    PrivateKMeans(
                        k,
                        epsilon=epsilon,
                        bounds=bounds,
                        neighbors=neighbors.value,
                        random_state=seed,
                    )
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


if __name__ == "__main__":
    from benchmarks.table import show

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="families that are kept back")
    families = held_out.FAMILIES if parser.parse_args().held_out else FAMILIES
    raise SystemExit(not show(TITLE, rows(families)))
