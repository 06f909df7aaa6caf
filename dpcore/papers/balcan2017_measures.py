"""Balcan et al. (2017): the methods and data of its experiments, and what is measured of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, from_ticks
from dpcore.papers.balcan2017_sets import TABLE_SIDE, cifar, mixture, mnist
from dpcore.papers.contenders import NON_PRIVATE, Contender, contest
from dpcore.papers.figure_row import Row, Setting
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.measurements import Measure
from dpcore.privacy.accounting import Neighbors
from dpcore.queries.picked_row import PickedRow
from dpcore.runs.baseline import baseline
from dpcore.study.trial_seeds import trial_seed

EPSILON, DELTA = 0.5, 1e-6
OBJECTIVE = "objective"
RUNS = 3

OURS = Contender(
    "Balcan et al., as published", "highdim-published", neighbors=Neighbors.REPLACE_ONE
)
SULQ = Contender("SuLQ, as published", "sulq-published", delta=DELTA)
GRID = Contender("Su et al., as published", "eugkm-published")
PICKS = Contender("k-variates++, as published", "kvariates-published")
AGGREGATE = Contender("sample and aggregate", "sample-aggregate")
REPAIRED = Contender("Balcan et al., repaired", "highdim")
SULQ_REPAIRED = Contender("SuLQ, repaired, 3 rounds", "sulq", {"rounds": 3}, DELTA)
GRID_REPAIRED = Contender("Su et al., repaired", "eugkm")
#: k-variates++ with the noise that asks nothing of the data, picks left where it puts them.
PLAIN_PICKS = "k-variates++, plain noise"

SEARCHES = (OURS, SULQ)
EVERYONE = (OURS, SULQ, GRID, PICKS, AGGREGATE, REPAIRED, SULQ_REPAIRED, GRID_REPAIRED)
#: Up to so many dimensions the paper could run the grid at all.
GRID_DIMENSIONS = 6
#: Up to so many the repaired methods are measured across dimensions.
REPAIRED_DIMENSIONS = 50


def objective(data: Dataset, centers: npt.ArrayLike) -> float:
    """Sum of squared distances to the nearest center in the units of the data, wherever the
    centers lie. The box must be a cube."""
    half = (data.box.high[0] - data.box.low[0]) / 2
    unit = data.box.to_unit(np.atleast_2d(np.asarray(centers, dtype=np.float64)))
    if np.abs(unit).max() <= 1:
        return float(data.cost(unit[None])[0]) * half**2
    points = from_ticks(data.positions()[0])
    squares = (unit**2).sum(axis=1) - 2 * points @ unit.T
    return float((squares.min(axis=1) + (points**2).sum(axis=1)).sum()) * half**2


MEASURES: Mapping[str, Measure] = {OBJECTIVE: objective}


def measured(
    data: Dataset,
    k: int,
    contenders: Sequence[Contender],
    effort: Effort,
    **setting: str | int | float,
) -> Iterator[Row]:
    """The objective of k-means without privacy, and the mean of each contender."""
    where: Setting = {"data": data.about.key, "d": data.d, "k": k, "n": data.n, **setting}
    where |= {"epsilon": EPSILON, "algorithm": NON_PRIVATE, "measure": OBJECTIVE}
    yield Row(where, objective(data, np.asarray(baseline(data, k, effort.seed).centers)))
    runs, setting = effort.runs(RUNS), {"n": data.n, **setting}
    yield from contest(
        data, contenders, k, EPSILON, runs, effort.seed, measures=MEASURES, **setting
    )


def plain_picks(data: Dataset, k: int, effort: Effort, **setting: str | int | float) -> Row:
    """The mean objective of k-variates++ with noise of scale 2 k d / epsilon."""
    costs = []
    for i in range(effort.runs(RUNS)):
        rng = np.random.default_rng(trial_seed(effort.seed, i))
        centers: FloatArray = np.empty((0, data.d))
        for _ in range(k):
            noise = rng.laplace(0, 2 * k * data.d / EPSILON, data.d)
            centers = np.vstack([centers, PickedRow(centers, rng).of(data) / TICKS + noise])
        costs.append(objective(data, data.box.from_unit(centers)))
    where: Setting = {"data": data.about.key, "d": data.d, "k": k, "n": data.n, **setting}
    where |= {"epsilon": EPSILON, "algorithm": PLAIN_PICKS, "measure": OBJECTIVE}
    return Row(where, float(np.mean(costs)))


def measure_table(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Every method on three draws of the mixture of four Gaussians in three dimensions."""
    for draw in range(1 if effort.quick else 3):
        data = mixture(4, 3, effort, draw, TABLE_SIDE)
        yield from measured(data, 4, EVERYONE, effort, draw=draw)
        yield plain_picks(data, 4, effort, draw=draw)


def measure_mnist(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    data, source = mnist(shelf, effort)
    for k in (2, 3, 4, 5):
        yield from measured(data, k, (OURS, PICKS, REPAIRED), effort, source=source)
        yield plain_picks(data, k, effort, source=source)


def measure_cifar(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    data, source = cifar(shelf, effort)
    for k in map(int, effort.some((2, 4, 8, 16, 32, 64), quick=(2, 8, 32))):
        yield from measured(data, k, SEARCHES, effort, source=source)


def measure_dimensions(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    for d in map(int, effort.some((5, 50, 500, 5000), quick=(5, 50, 500))):
        repaired = (REPAIRED, SULQ_REPAIRED) if d <= REPAIRED_DIMENSIONS else ()
        grid = (GRID,) if d <= GRID_DIMENSIONS else ()
        entered = (*SEARCHES, *repaired, *grid)
        yield from measured(mixture(32, d, effort), 32, entered, effort)


def measure_clusters(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    for k in map(int, effort.some((8, 16, 32, 64), quick=(8, 32))):
        yield from measured(mixture(k, 100, effort), k, SEARCHES, effort)
