"""Feldman et al. (2017): error and size of the private coreset (figures 5 and 6)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal

from scipy.stats import kendalltau, linregress

from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.builtin import CITY, MONTH_CELLS, PICKUP, taxi
from dpcore.datasets.generated import month
from dpcore.datasets.grid import GridDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Grid
from dpcore.papers.check import Check, Conclusion
from dpcore.papers.figure_row import Row, Setting, plotted
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.measurements import counted, judged, mean_and_error
from dpcore.papers.reproduction import Reproduction, register
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.baseline import baseline
from dpcore.runs.run import run
from dpcore.study.metrics import nicv, relative_error
from dpcore.study.trial_seeds import trial_seed

OURS, FAITHFUL = "coreset", "coreset-faithful"
ERROR, POINTS, NEGATIVE = "relative error", "points", "part of the weights that are negative"

SIZES = (100_000, 500_000, 1_000_000)
#: Table 2: by k, the smallest feasible epsilon for each N. Figure 5 begins there (section 5.4).
TABLE_2 = {1: (0.02, 0.01, 0.007), 5: (0.8, 0.3, 0.15), 10: (3.5, 1.0, 0.6)}
#: From there figure 5 goes up in these steps.
STEPS = (1, 1.3, 1.7, 2.2, 2.8, 3.7, 4.8, 6.3, 8.2, 10.6, 13.8, 18)

#: A size is linear in log epsilon where a straight line explains this part of its variance.
STRAIGHT = 0.95
#: A trend is told from luck: in random order, figures would be so well ordered once in 20 times.
LUCK = 0.05
DATA = (
    "In place of the taxi month, pickups drawn from the smoothed density of 50,000 real ones. The "
    "number of rows is public and neighbors differ in one row's place, as in the paper. "
    "PRIVATE-K-MEAN runs with an exponential mechanism in place of RecConcave and without the "
    "factor 9^log* of its fewest rows. "
)


@cache
def pickups(n: int) -> GridDataset:
    """n simulated pickups, spread over the city as the real ones are."""
    counts = month(taxi(PICKUP), Grid(CITY, MONTH_CELLS), n, uniform=0.01, smoothing=2, seed=n)
    about = DataInfo("pickups", f"{n:,} simulated pickups", simulated=True, public=True)
    return GridDataset(counts, CITY, about)


@cache
def best_cost(data: Dataset, k: int, seed: int) -> float:
    return nicv(data, baseline(data, k, seed).centers)


def measured(
    data: Dataset, keys: Sequence[str], k: int, epsilon: float, runs: int, effort: Effort
) -> Iterator[Row]:
    """Mean relative error, number of points and part of negative weights of each algorithm."""
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


def curves(
    rows: Sequence[Row], key: str, measure: str, along: str, by: Sequence[str] = ()
) -> dict[tuple[float, ...], dict[float, float]]:
    """The figures of one algorithm along one setting, from small to large, by some others."""
    curve_of_cell: dict[tuple[float, ...], dict[float, float]] = {}
    for row in rows:
        where = row.setting
        same = where.get("algorithm") == key and where.get("measure") == measure
        if same and {along, *by} <= where.keys():
            cell = tuple(float(where[name]) for name in by)
            curve_of_cell.setdefault(cell, {})[float(where[along])] = row.figure
    return {cell: dict(sorted(curve_of_cell[cell].items())) for cell in sorted(curve_of_cell)}


def ordered(points: dict[float, float], rising: bool = True) -> bool:
    """Whether figures rise or fall along a setting, by Kendall's exact test of order."""
    side: Literal["greater", "less"] = "greater" if rising else "less"
    return bool(kendalltau(list(points), list(points.values()), alternative=side).pvalue <= LUCK)


def check_trends(
    rows: Sequence[Row], measure: str, along: str, by: Sequence[str], words: str, rising: bool
) -> Check:
    """The number of curves of PRIVATE-K-MEAN in which a figure rises or falls."""
    long = [c for c in curves(rows, FAITHFUL, measure, along, by).values() if len(c) > 3]
    return counted(sum(ordered(c, rising) for c in long), len(long), words)


# Figure 5.


def measure_epsilons(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    steps = effort.some(STEPS, quick=(1.7, 2.8, 4.8, 8.2, 13.8))
    for k, least in TABLE_2.items():
        for n, first in zip(SIZES, least, strict=True):
            if effort.quick and n == SIZES[1]:
                continue
            for step in steps:
                epsilon = float(f"{first * step:.3g}")
                yield from measured(pickups(n), (FAITHFUL,), k, epsilon, effort.runs(3), effort)


def straightness(points: dict[float, float]) -> tuple[float, float]:
    """Slope and R^2 of the straight line through the figures against the logarithm."""
    if len(set(points.values())) < 2:
        return 0.0, 0.0
    fit = linregress([math.log(x) for x in points], list(points.values()))
    return float(fit.slope), float(fit.rvalue) ** 2


def check_linear(rows: Sequence[Row]) -> Check:
    """The number of panels in which the size rises linearly with log epsilon."""
    long = {
        cell: straightness(c)
        for cell, c in curves(rows, FAITHFUL, POINTS, "epsilon", ("k", "n")).items()
        if len(c) > 2
    }
    holds = sum(slope > 0 and square >= STRAIGHT for slope, square in long.values())
    least = min((square for _, square in long.values()), default=0.0)
    return counted(
        holds,
        len(long),
        f"The size is linear in log epsilon (R^2 of {STRAIGHT:g} or more, {least:.3f} at least)",
    )


def check_stages(rows: Sequence[Row]) -> Check:
    """Whether the size stays the same from one epsilon to the next oftenest at the smallest k."""
    stays: dict[int, list[bool]] = {}
    for (k, _), points in curves(rows, FAITHFUL, POINTS, "epsilon", ("k", "n")).items():
        sizes = [round(size) for size in points.values()]
        stays.setdefault(int(k), []).extend(few == many for few, many in pairwise(sizes))
    parts = {k: sum(each) / len(each) for k, each in stays.items() if each}
    if len(parts) < 2:
        return Check(Conclusion.CANNOT_RUN, "Stages of the size: too few values of epsilon.")
    shares = ", ".join(f"{part:.0%} of the steps at k = {k}" for k, part in parts.items())
    first, *others = (parts[k] for k in sorted(parts))
    return Check(
        Conclusion.REPRODUCED if first > max(others) else Conclusion.NOT_REPRODUCED,
        f"The size grows in stages, clearest at k = {min(parts)}: it stays the same in {shares}.",
    )


def check_larger(rows: Sequence[Row]) -> Check:
    """Whether the size grows with N and with k where epsilon is the same or less."""
    sizes = curves(rows, FAITHFUL, POINTS, "epsilon", ("k", "n"))
    pairs = [(sizes[cell], sizes[more]) for cell, more in pairwise(sizes) if cell[0] == more[0]]
    steps = [
        (few, max((size for e, size in larger.items() if e <= epsilon), default=math.nan))
        for smaller, larger in pairs
        for epsilon, few in smaller.items()
    ]
    growth = [(few, many) for few, many in steps if not math.isnan(many)]
    return counted(
        sum(many > few for few, many in growth),
        len(growth),
        "The size grows with N at the same epsilon or less",
    )


def check_epsilons(rows: Sequence[Row]) -> Check:
    errors = check_trends(
        rows, ERROR, "epsilon", ("k", "n"), "The error falls as epsilon grows", rising=False
    )
    sides = [check_stages(rows), check_larger(rows), errors]
    return judged(check_linear(rows), sides, last_refusals(rows))


def last_refusals(rows: Sequence[Row]) -> list[Row]:
    """The refusal at the largest epsilon of each panel, which implies the others."""
    refused = [row for row in rows if "absent" in row.setting]
    return list({(row.setting["k"], row.setting["n"]): row for row in refused}.values())


# Figure 6.

EPSILONS = (0.8, 1.5, 3.0, 6.0)
CLUSTERS = (1, 2, 3, 5, 7, 10)


def measure_clusters(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    for epsilon in effort.some(EPSILONS, quick=(0.8, 3.0)):
        for k in map(int, effort.some(CLUSTERS, quick=(1, 3, 5, 10))):
            data = pickups(SIZES[-1])
            yield from measured(data, (FAITHFUL, OURS), k, epsilon, effort.runs(5), effort)


def check_steeper(rows: Sequence[Row]) -> Check:
    """Whether the error grows faster with k at each smaller epsilon."""
    error_curves = curves(rows, FAITHFUL, ERROR, "k", ("epsilon",))
    slopes = [
        float(linregress(list(c), list(c.values())).slope)
        for c in error_curves.values()
        if len(c) > 2
    ]
    steps = list(pairwise(slopes))
    slope_words = ", ".join(f"{slope:.3g}" for slope in slopes)
    return counted(
        sum(a > b for a, b in steps),
        len(steps),
        f"The smaller epsilon, the faster the error grows: by {slope_words} for each cluster more, "
        "from the smallest epsilon to the largest. It is faster",
    )


def check_clusters(rows: Sequence[Row]) -> Check:
    words = "The error grows with the number of clusters"
    return judged(
        check_trends(rows, ERROR, "k", ("epsilon",), words, rising=True),
        [check_steeper(rows)],
        rows,
    )


def rows_of(
    key: str, k: int, n: int, epsilon: float, error: float, points: float, negative: float = 0.0
) -> tuple[Row, ...]:
    """Figures after the paper's claim: its plots print no numbers."""
    where: Setting = {"algorithm": key, "n": n, "k": k, "epsilon": epsilon}
    measures = {ERROR: error, POINTS: points, NEGATIVE: negative}
    return tuple(plotted(figure, **where, measure=measure) for measure, figure in measures.items())


def size_as_claimed(k: int, n: int, step: int) -> float:
    """Linear in log epsilon, in stages of four steps of two at k = 1."""
    more = SIZES.index(n)
    return 3 + more + step // 2 if k == 1 else (3 + more + step) * k


register(
    Reproduction(
        name="feldman2017-fig5",
        paper="feldman2017",
        figure="figure 5",
        title="Error and size of the coreset against epsilon",
        claim="The number of points of the coreset is linear in log epsilon; it grows in stages, "
        "clearest at k = 1 (section 5.3), and the error falls as epsilon grows (section 5.4, "
        "figure 5).",
        measure=measure_epsilons,
        check=check_epsilons,
        algorithms=(FAITHFUL,),
        differs=DATA + "Epsilon goes from the smallest of table 2 to 18 times it; mean of 3 runs.",
        setting="Error and size against epsilon (logarithmic), k = 1, 5, 10, N = 100,000, 500,000 "
        "and 1,000,000, d = 2; mean of 100 runs.",
        printed=tuple(
            row
            for k, least in TABLE_2.items()
            for n, first in zip(SIZES, least, strict=True)
            for i, step in enumerate(STEPS)
            for row in rows_of(FAITHFUL, k, n, first * step, 0.9**i, size_as_claimed(k, n, i))
        ),
    )
)

register(
    Reproduction(
        name="feldman2017-fig6",
        paper="feldman2017",
        figure="figure 6",
        title="Error against the number of clusters",
        claim="The more clusters, the larger the error, and it grows faster at a smaller epsilon "
        "(section 5.4, figure 6).",
        measure=measure_clusters,
        check=check_clusters,
        algorithms=(OURS, FAITHFUL),
        differs=DATA + "The epsilons are chosen here; mean of 5 runs.",
        setting="Error against k for several epsilon, N = 1,000,000, d = 2; mean of 100 runs.",
        printed=tuple(
            row
            for epsilon in EPSILONS
            for k in CLUSTERS
            for row in rows_of(FAITHFUL, k, SIZES[-1], epsilon, 0.1 * k / epsilon, 3.0 * k)
        ),
    )
)
