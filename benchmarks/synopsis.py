"""What a synopsis is for: counts in rectangles, and a year united from twelve months."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import dpcore
from benchmarks.table import Row
from dpcore.datasets.base import Dataset
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import FloatArray
from dpcore.results.synopsis import Coreset
from dpcore.study.metrics import nicv

TITLE = "Questions of a synopsis"

MONTHS, ROWS, K = 12, 20_000, 5
EPSILONS = (0.1, 1.0)
SEEDS = range(4)
RECTANGLES = 100
#: Points kept as month after month is added.
POINTS = 500


def month(number: int) -> FloatArray:
    """Rows of a generated city in one month: crowds that wander, a road, some anywhere."""
    rng = np.random.default_rng(number)
    crowds = np.array([[-0.4, -0.3], [0.3, 0.4], [0.5, -0.5], [-0.2, 0.6]])
    which = rng.integers(0, len(crowds), ROWS)
    rows = (
        crowds[which] + 0.1 * np.sin(number / 2 + which)[:, None] + rng.normal(0, 0.08, (ROWS, 2))
    )
    road = rng.random(ROWS) < 0.2
    rows[road] = np.stack([rng.uniform(-0.9, 0.9, road.sum()), rng.normal(0, 0.05, road.sum())], 1)
    anywhere = rng.random(ROWS) < 0.02
    rows[anywhere] = rng.uniform(-1, 1, (anywhere.sum(), 2))
    return np.clip(rows, -0.999, 0.999)


def rows() -> Iterator[Row]:
    months = [month(number) for number in range(MONTHS)]
    yield from year(months)
    yield from counts(months[0])


def year(months: list[FloatArray]) -> Iterator[Row]:
    """The cost on the year of what its months give, by what one release of the whole gives."""
    data = from_array(np.concatenate(months), box=(-1, 1))
    parts = [from_array(rows, box=(-1, 1)) for rows in months]

    def summary(data: Dataset, epsilon: float, seed: int) -> Coreset:
        release = dpcore.run("adaptive", data, K, epsilon, seed=seed).coreset
        assert release is not None
        return release

    def cost(coreset: Coreset) -> float:
        return nicv(data, coreset.kmeans(K, seed=0))

    for epsilon in EPSILONS:
        united, running = [], []
        for seed in SEEDS:
            whole = cost(summary(data, epsilon, seed))
            each = [summary(part, epsilon, MONTHS * seed + i) for i, part in enumerate(parts)]
            united.append(cost(each[0].union(*each[1:])) / whole)
            union = each[0]
            for more in each[1:]:
                union = union.union(more).reduced(POINTS)
            running.append(cost(union) / whole)
        by = f"adaptive, epsilon {epsilon:g}: cost of"
        yield Row(f"{by} twelve months united, by one release", float(np.mean(united)), 1.05)
        yield Row(f"{by} months reduced to {POINTS} as they come", float(np.mean(running)), 1.05)


def counts(rows: FloatArray) -> Iterator[Row]:
    """How often the true count of a rectangle lies between the ends of the estimate."""
    data = from_array(rows, box=(-1, 1))
    for key in ("eugkm", "adaptive", "coreset"):
        for epsilon in EPSILONS:
            rng, hits, widths = np.random.default_rng(0), [], []
            for seed in SEEDS:
                synopsis = dpcore.run(key, data, K, epsilon, seed=seed).synopsis
                assert synopsis is not None
                for _ in range(RECTANGLES):
                    low, high = np.sort(rng.uniform(-1, 1, (2, 2)), axis=0)
                    estimate = synopsis.count(low, high)
                    true = ((rows >= low) & (rows <= high)).all(axis=1).sum()
                    hits.append(estimate.low <= true <= estimate.high)
                    widths.append((estimate.high - estimate.low) / 2)
            note = f"± {np.median(widths):,.0f} rows"
            what = f"{key}, epsilon {epsilon:g}: rectangles whose true count is inside"
            yield Row(what, float(np.mean(hits)), 0.95, "", at_least=True, note=note)
