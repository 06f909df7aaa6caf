"""Paper 004 (Feldman et al.): the private coreset, what it needs, its time, error and size."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.stats import kendalltau

from dpcore.datasets import Dataset, GridDataset, RowsDataset
from dpcore.datasets.base import DataInfo
from dpcore.datasets.builtin import CITY, MONTH_CELLS, PICKUP, taxi
from dpcore.datasets.generated import month
from dpcore.geometry.domain import Grid, from_ticks
from dpcore.papers.contenders import slope
from dpcore.papers.finding import Check, Effort, Finding, Reproduction, Row, Shelf, register
from dpcore.papers.measurements import all_of, found, mean_and_error
from dpcore.privacy.accounting import MIN_EPSILON, Infeasible, Neighbors
from dpcore.runs.baseline import baseline
from dpcore.runs.run import run
from dpcore.study.metrics import nicv, relative_error
from dpcore.study.sweep import trial_seed

OURS, FAITHFUL, SPLIT, NET = "coreset", "coreset-faithful", "coreset-split", "net-coreset"
ERROR, POINTS, NEGATIVE, SECONDS = "relative error", "points", "negative weights", "seconds"
SMALLEST = "smallest epsilon"

#: Table 2 of the paper: by k, the smallest epsilon for each N.
SIZES = (100_000, 500_000, 1_000_000)
TABLE_2 = {1: (0.02, 0.01, 0.007), 5: (0.8, 0.3, 0.15), 10: (3.5, 1.0, 0.6)}
#: Figures that differ by less than this factor agree.
CLOSE = 1.5
#: Time grows at most linearly up to this slope, and faster than the paper's beyond.
LINEAR = 1.2
#: A trend is told from luck: in random order, figures would be so well ordered once in 20 times.
LUCK = 0.05
#: An error stays where it is within this factor, and falls by a stage beyond the second.
STAYS, FALLS = 1.2, 1.5

DIFFERS = (
    "In place of the taxi month, pickups drawn from the smoothed density of 50,000 real ones. "
    "The number of rows is public and neighbors differ in one row's place, as in the paper."
)

Setting = dict[str, str | int | float]


@cache
def pickups(n: int) -> GridDataset:
    """n simulated pickups, spread over the city as the real ones are."""
    counts = month(taxi(PICKUP), Grid(CITY, MONTH_CELLS), n, uniform=0.01, smoothing=2, seed=n)
    about = DataInfo("pickups", f"{n:,} simulated pickups", simulated=True, public=True)
    return GridDataset(counts, CITY, about)


def as_rows(grid: GridDataset, seed: int) -> RowsDataset:
    """The same data row by row in random order, as a run has to read them."""
    ticks, counts = grid.positions()
    assert counts is not None
    rows = np.repeat(grid.box.from_unit(from_ticks(ticks)), counts, axis=0)
    np.random.default_rng(seed).shuffle(rows)
    return RowsDataset.from_values(rows, grid.box, grid.about)


def smallest_epsilon(key: str, data: Dataset, k: int) -> float:
    """The smallest epsilon at which the algorithm says that it can answer."""
    try:
        run(key, data, k, MIN_EPSILON, neighbors=Neighbors.REPLACE_ONE, seed=0)
    except Infeasible as refusal:
        return math.nan if refusal.smallest_epsilon is None else refusal.smallest_epsilon
    return MIN_EPSILON


def measure_feasible(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    for k, row in TABLE_2.items():
        for n, paper in zip(SIZES, row, strict=True):
            setting: Setting = {"algorithm": FAITHFUL, "k": k, "n": n, "measure": SMALLEST}
            yield Row(setting, smallest_epsilon(FAITHFUL, pickups(n), k), paper)


def check_feasible(rows: Sequence[Row]) -> Check:
    known = [row for row in rows if row.paper and row.figure > 0]
    if not known:
        return Check(Finding.SKIPPED, "No smallest epsilon was told.")
    ratios = [row.figure / row.paper for row in known if row.paper]
    close = sum(1 / CLOSE <= ratio <= CLOSE for ratio in ratios)
    far = [
        f"k = {row.setting['k']}, N = {row.setting['n']:,} ({row.figure:.2g}, the paper's "
        f"{row.paper:g})"
        for row, ratio in zip(known, ratios, strict=True)
        if not 1 / CLOSE <= ratio <= CLOSE
    ]
    words = (
        f"The smallest epsilon is {min(ratios):.2f} to {max(ratios):.2f} times the paper's, "
        f"within a factor of {CLOSE:g} in {close} of {len(ratios)} cells"
    )
    return Check(
        found(close, len(ratios)), words + (f"; not for {', '.join(far)}." if far else ".")
    )


def measure_time(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Seconds of one run, data in memory row by row; the least of three, after one to warm up."""
    sizes = effort.some(
        (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000),
        quick=(10_000, 100_000, 1_000_000),
    )
    for n in map(int, sizes):
        data = as_rows(pickups(n), effort.seed)
        yield from timed(data, (OURS, FAITHFUL), effort)
    trips = shelf.data("nyc-taxi-trips")
    rows, _ = trips.positions()
    order = np.random.default_rng(effort.seed).permutation(len(rows))
    for part in (4, 2, 1):
        some = trips.box.from_unit(from_ticks(rows[order[: len(rows) // part]]))
        yield from timed(RowsDataset.from_values(some, trips.box, trips.about), (SPLIT,), effort)


def timed(data: Dataset, keys: Sequence[str], effort: Effort) -> Iterator[Row]:
    epsilon, k = 20.0, 5
    for key in keys:
        setting: Setting = {"algorithm": key, "n": data.n, "d": data.d, "k": k, "epsilon": epsilon}
        seconds = []
        try:
            for i in range(4):
                start = time.perf_counter()
                run(key, data, k, epsilon, 0.0, Neighbors.REPLACE_ONE, trial_seed(effort.seed, i))
                seconds.append(time.perf_counter() - start)
        except Infeasible as refusal:
            yield Row({**setting, "absent": str(refusal)}, math.nan)
            continue
        yield Row({**setting, "measure": SECONDS}, min(seconds[1:]))


def check_slope(rows: Sequence[Row], key: str) -> Check:
    """How time grows with the number of rows, on logarithmic axes."""
    times = {
        int(row.setting["n"]): row.figure
        for row in rows
        if row.setting["algorithm"] == key and row.figure > 0
    }
    if len(times) < 2:
        return Check(Finding.SKIPPED, f"{key} was not timed at two sizes.")
    all_along, largest = slope(times, times.values()), max(times)
    last = sorted(times)[-2:]
    at_the_end = slope(last, [times[n] for n in last])
    words = (
        f"{key}: slope {all_along:.2f}, {at_the_end:.2f} between the two largest sizes; "
        f"{times[largest]:.2g} seconds for {largest:,} rows."
    )
    steepest = max(all_along, at_the_end)
    if steepest <= LINEAR:
        return Check(Finding.REPRODUCED, words)
    return Check(Finding.NOT_REPRODUCED if all_along > LINEAR else Finding.DEPENDS, words)


def check_time(rows: Sequence[Row]) -> Check:
    return all_of([check_slope(rows, key) for key in (OURS, FAITHFUL, SPLIT)], rows)


def measured(
    data: Dataset, keys: Sequence[str], k: int, epsilon: float, runs: int, effort: Effort
) -> Iterator[Row]:
    """Mean relative error, number of points and share of negative weights of each algorithm."""
    best = best_cost(data, k, effort.seed)
    for key in keys:
        setting: Setting = {"algorithm": key, "n": data.n, "k": k, "epsilon": epsilon}
        figures: dict[str, list[float]] = {ERROR: [], POINTS: [], NEGATIVE: []}
        try:
            for i in range(runs):
                luck = trial_seed(effort.seed, i)
                result = run(key, data, k, epsilon, 0.0, Neighbors.REPLACE_ONE, luck)
                figures[ERROR].append(relative_error(nicv(data, result.centers), best))
                if result.synopsis is not None:
                    figures[POINTS].append(len(result.synopsis))
                    figures[NEGATIVE].append(float((result.synopsis.weights < 0).mean()))
        except Infeasible as refusal:
            yield Row({**setting, "absent": str(refusal)}, math.nan)
            continue
        for name, values in figures.items():
            if values:
                mean, error = mean_and_error(values)
                yield Row({**setting, "measure": name}, mean, error=error)


@cache
def best_cost(data: Dataset, k: int, seed: int) -> float:
    return nicv(data, baseline(data, k, seed).centers)


def measure_epsilons(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    data = pickups(1_000_000)
    for epsilon in effort.some((0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5), quick=(0.2, 0.5, 1, 5)):
        yield from measured(data, (OURS, FAITHFUL), 5, epsilon, effort.runs(30), effort)


def curve(rows: Sequence[Row], key: str, measure: str, along: str) -> dict[float, float]:
    """The figures of one algorithm along one setting, from small to large."""
    points = {
        float(row.setting[along]): row.figure
        for row in rows
        if row.setting["algorithm"] == key and row.setting.get("measure") == measure
    }
    return dict(sorted(points.items()))


def check_trend(
    rows: Sequence[Row], key: str, measure: str, along: str, rising: bool = True
) -> Check:
    """Whether a figure rises or falls along a setting, by Kendall's exact test of order."""
    points = curve(rows, key, measure, along)
    if len(points) < 4:
        return Check(Finding.SKIPPED, f"{key} answered at too few values of {along} for a trend.")
    figures = list(points.values())
    up, down = (
        kendalltau(list(points), figures, alternative=side).pvalue <= LUCK
        for side in ("greater", "less")
    )
    first, last = min(points), max(points)
    trend = "rising" if up else "falling" if down else "with no trend beyond luck"
    words = (
        f"{key}: {measure} of {figures[0]:.3g} at {along} {first:g} and {figures[-1]:.3g} at "
        f"{last:g}, {trend} over {len(points)} values."
    )
    as_claimed, opposite = (up, down) if rising else (down, up)
    if as_claimed:
        return Check(Finding.REPRODUCED, words)
    return Check(Finding.NOT_REPRODUCED if opposite else Finding.DEPENDS, words)


def check_stages(rows: Sequence[Row], key: str) -> Check:
    """Stages: the error stays where it is for some steps and falls much in others."""
    errors = curve(rows, key, ERROR, "epsilon")
    steps = list(pairwise(errors))
    if len(steps) < 2:
        return Check(Finding.SKIPPED, f"{key} answered at fewer than three epsilons.")
    drops = {step: errors[step[0]] / max(errors[step[1]], 1e-9) for step in steps}
    stays = [f"{a:g} to {b:g}" for (a, b), drop in drops.items() if 1 / STAYS <= drop <= STAYS]
    falls = [f"{a:g} to {b:g}" for (a, b), drop in drops.items() if drop >= FALLS]
    words = (
        f"{key}: the error stays within a factor of {STAYS:g} from epsilon "
        f"{', '.join(stays) or '(nowhere)'} and falls by {FALLS:g} or more from "
        f"{', '.join(falls) or '(nowhere)'}."
    )
    if stays and falls:
        return Check(Finding.REPRODUCED, words)
    return Check(Finding.DEPENDS if stays or falls else Finding.NOT_REPRODUCED, words)


def check_epsilons(rows: Sequence[Row]) -> Check:
    return all_of(
        [
            check_trend(rows, FAITHFUL, ERROR, "epsilon", rising=False),
            check_trend(rows, OURS, ERROR, "epsilon", rising=False),
            check_trend(rows, FAITHFUL, POINTS, "epsilon"),
            check_stages(rows, FAITHFUL),
        ],
        rows,
    )


def measure_clusters(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    data = pickups(1_000_000)
    for k in map(int, effort.some((1, 2, 3, 5, 7, 10), quick=(1, 3, 5, 10))):
        yield from measured(data, (OURS, FAITHFUL), k, 1.0, effort.runs(30), effort)


def check_clusters(rows: Sequence[Row]) -> Check:
    return all_of([check_trend(rows, key, ERROR, "k") for key in (FAITHFUL, OURS)], rows)


def measure_against_2009(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    data = pickups(100_000)
    for epsilon in effort.some((1, 2, 5, 10), quick=(2, 5)):
        yield from measured(data, (OURS, FAITHFUL, NET), 5, epsilon, effort.runs(30), effort)


def check_smaller(rows: Sequence[Row], key: str, measure: str, what: str) -> Check:
    """Whether a figure of the coreset is smaller than that of the 2009 one, at each epsilon."""
    ours, net = (curve(rows, one, measure, "epsilon") for one in (key, NET))
    ratios = [net[e] / max(ours[e], 1e-9) for e in ours if e in net]
    if not ratios:
        return Check(Finding.SKIPPED, f"{key} and {NET} answered at no common epsilon.")
    smaller = sum(ratio > 1 for ratio in ratios)
    return Check(
        found(smaller, len(ratios)),
        f"{key}: its {what} is smaller than that of the 2009 coreset at {smaller} of "
        f"{len(ratios)} epsilons; the latter's is {min(ratios):.3g} to {max(ratios):.3g} times "
        "it.",
    )


def check_negative(rows: Sequence[Row]) -> Check:
    shares = {
        key: list(curve(rows, key, NEGATIVE, "epsilon").values()) for key in (OURS, FAITHFUL, NET)
    }
    if not shares[NET]:
        return Check(Finding.SKIPPED, f"{NET} was not measured.")
    of_ours = max(shares[OURS] + shares[FAITHFUL], default=0.0)
    right = min(shares[NET]) > 0 and of_ours == 0
    return Check(
        Finding.REPRODUCED if right else Finding.NOT_REPRODUCED,
        f"Negative weights: {min(shares[NET]):.0%} to {max(shares[NET]):.0%} of the 2009 coreset, "
        f"{of_ours:.0%} of the others.",
    )


def check_against_2009(rows: Sequence[Row]) -> Check:
    compared = [
        check_smaller(rows, key, measure, what)
        for key in (FAITHFUL, OURS)
        for measure, what in ((ERROR, "error"), (POINTS, "size"))
    ]
    return all_of([*compared, check_negative(rows)], rows)


register(
    Reproduction(
        "004-table2",
        "004",
        "Table 2",
        "The smallest epsilon at which there is a coreset",
        claim="With N rows, a coreset for k clusters needs the epsilons of Table 2: from 0.007 "
        "(a million rows, k = 1) to 3.5 (100,000 rows, k = 10).",
        measure=measure_feasible,
        check=check_feasible,
        algorithms=(FAITHFUL,),
        differs=DIFFERS,
    )
)

register(
    Reproduction(
        "004-fig3-4",
        "004",
        "Fig. 3 and 4",
        "Run time against the number of rows",
        claim="Run time grows linearly with the number of rows: slope 1 on logarithmic axes.",
        measure=measure_time,
        check=check_time,
        algorithms=(OURS, FAITHFUL, SPLIT),
        data=("nyc-taxi-trips",),
        differs=DIFFERS,
    )
)

register(
    Reproduction(
        "004-fig5",
        "004",
        "Fig. 5",
        "Error and size of the coreset against epsilon",
        claim="With epsilon the error falls and the coreset grows; the error falls in stages.",
        measure=measure_epsilons,
        check=check_epsilons,
        algorithms=(OURS, FAITHFUL),
        differs=DIFFERS,
    )
)

register(
    Reproduction(
        "004-fig6",
        "004",
        "Fig. 6",
        "Error against the number of clusters",
        claim="The error grows with k.",
        measure=measure_clusters,
        check=check_clusters,
        algorithms=(OURS, FAITHFUL),
        differs=DIFFERS,
    )
)

register(
    Reproduction(
        "004-fig7",
        "004",
        "Fig. 7",
        "Against the private coreset of 2009",
        claim="The error is smaller than that of the 2009 coreset; so is the coreset, by 20 to 40 "
        "times, and no weight is negative.",
        measure=measure_against_2009,
        check=check_against_2009,
        algorithms=(OURS, FAITHFUL, NET),
        differs=DIFFERS,
    )
)
