"""A level for each area: a slider that moves one of them, and every neighborhood at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import cycle

import numpy as np

import dpcore
from benchmarks.table import Row
from dpcore import regions
from dpcore.datasets.base import Dataset
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import Box, from_ticks
from dpcore.privacy.accounting import Budget
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.runs.area_runs import AreaRuns

TITLE = "Levels by area"

#: All of New York, so that every neighborhood lies in it.
WHOLE_CITY = Box((-74.26, 40.49), (-73.69, 40.92), ("longitude", "latitude"))
ALGORITHMS = ("adaptive", "eugkm", "coreset")
K, EPSILON, TIMES = 5, 1.0, 7
MOVE, ALL = 1.5, 10.0


def rows() -> Iterator[Row]:
    data, neighborhoods = whole_city(), regions.neighborhoods(WHOLE_CITY)
    assert len(neighborhoods.names) == 263
    for key in ALGORITHMS:
        request = dpcore.Request(key, K, EPSILON, seed=0)
        plain = seconds(lambda request=request: dpcore.run(request, data))
        yield from moves(data, key, plain)
        every = seconds(lambda key=key: dpcore.run(by_area(key, neighborhoods), data), 2)
        yield Row(f"{key}: 262 neighborhoods at once, by a plain run", every / plain, ALL)


def moves(data: Dataset, key: str, plain: float) -> Iterator[Row]:
    """A move of one area's level, by a plain move and the share of that area's own run."""
    neighborhoods = regions.neighborhoods(WHOLE_CITY)
    # Where most rows are, so that the area's share is the largest.
    counts = np.bincount(neighborhoods.labels(data.positions()[0]), minlength=neighborhoods.n_cells)
    area = int(np.argmax(counts[:-1]))
    runs, levels = AreaRuns(), cycle(np.linspace(0.1, 0.9, 97).tolist())
    dpcore.run(by_area(key, neighborhoods), data, kept=runs)

    def move() -> None:
        level = neighborhoods.with_levels({neighborhoods.names[area]: next(levels)})
        dpcore.run(by_area(key, level), data, kept=runs)

    part = runs.parts(data, neighborhoods)[area]
    system = dpcore.ALGORITHMS[key]

    def own() -> None:
        curator = Curator(part, Budget(next(levels)), SimulatedNoise(0))
        system.summary(curator, K, **system.settings({}))  # type: ignore[attr-defined]

    share = seconds(own)
    note = f"plain {1e3 * plain:.0f} ms, the area's own run {1e3 * share:.0f} ms"
    what = f"{key}: a move of one of 262 areas, by {MOVE} plain moves and the area's share"
    yield Row(what, seconds(move) / (MOVE * plain + share), 1.0, note=note)


def by_area(key: str, neighborhoods: regions.Regions) -> dpcore.Request:
    return dpcore.Request(key, K, EPSILON, seed=0, regions=neighborhoods)


def whole_city() -> Dataset:
    """The taxi sample, and a tenth as many rows in every neighborhood."""
    taxi = dpcore.datasets.load("nyc-taxi")
    places = taxi.box.from_unit(from_ticks(taxi.positions()[0]))
    anywhere = np.random.default_rng(0).uniform(WHOLE_CITY.low, WHOLE_CITY.high, (5_000, 2))
    data = RowsDataset.from_values(np.concatenate([places, anywhere]), WHOLE_CITY)
    data.histogram(dpcore.Grid(WHOLE_CITY, 4))
    return data


def seconds(do: Callable[[], object], times: int = TIMES) -> float:
    """The least computing time of some tries."""
    least = float("inf")
    for _ in range(times):
        start = time.process_time()
        do()
        least = min(least, time.process_time() - start)
    return least
