"""Feldman et al. (2017): from which epsilon there is an answer (table 2), and what each privacy
level leaves on the map (figure 8)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import shapely

from dpcore.algorithms.coreset_faithful import smallest_epsilon
from dpcore.datasets import Dataset, city_shapes
from dpcore.errors import Infeasible
from dpcore.geometry.domain import FloatArray
from dpcore.papers.check import Check, Conclusion
from dpcore.papers.feldman2017 import (
    DATA,
    FAITHFUL,
    POINTS,
    SIZES,
    TABLE_2,
    best_cost,
    pickups,
)
from dpcore.papers.figure_row import Row, Setting, plotted, printed
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.measurements import counted, judged, mean_and_error
from dpcore.papers.reproduction import Reproduction, register
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.explain import LEVELS
from dpcore.runs.run import run
from dpcore.study.metrics import nicv, relative_error
from dpcore.study.trial_seeds import trial_seed

SMALLEST, USABLE = "smallest epsilon with a first round", "smallest epsilon with a usable answer"
#: The paper picks its thresholds approximately: epsilons agree up to this factor.
CLOSE = 2.0
#: Epsilon is tried in steps of this factor.
STEP = 1.1
#: A usable answer has a relative error below this: at most twice the cost without privacy.
USABLE_ERROR = 1.0
#: No answer is looked for beyond this many times the smallest epsilon with a first round.
FARTHEST = 16.0


def usable(data: Dataset, k: int, epsilon: float, runs: int, seed: int) -> bool:
    """Whether the mean run has k points at least, and at most twice the cost without privacy."""
    errors, points = [], []
    for i in range(runs):
        luck = trial_seed(seed, i)
        try:
            result = run(FAITHFUL, data, k, epsilon, 0.0, Neighbors.REPLACE_ONE, luck)
        except Infeasible:
            return False
        errors.append(relative_error(nicv(data, result.centers), best_cost(data, k, seed)))
        points.append(0 if result.synopsis is None else len(result.synopsis))
    return statistics.fmean(points) >= k and statistics.fmean(errors) < USABLE_ERROR


def measure_feasible(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """The smallest epsilon that gives a first round, and the smallest that gives an answer."""
    for k in TABLE_2:
        for n in SIZES:
            setting: Setting = {"algorithm": FAITHFUL, "k": k, "n": n}
            first = smallest_epsilon(n, k)
            yield Row({**setting, "measure": SMALLEST}, first)
            epsilon = first
            while not usable(pickups(n), k, epsilon, effort.runs(5), effort.seed):
                epsilon *= STEP
                if epsilon > FARTHEST * first:
                    epsilon = math.nan
                    break
            yield Row({**setting, "measure": USABLE}, epsilon)


def cells(rows: Sequence[Row], measure: str) -> dict[tuple[int, int], float]:
    return {
        (int(row.setting["k"]), int(row.setting["n"])): row.figure
        for row in rows
        if row.setting.get("measure") == measure and not math.isnan(row.figure)
    }


def check_close(rows: Sequence[Row], measure: str, words: str) -> Check:
    """The number of cells in which an epsilon is near that of the table."""
    figures = cells(rows, measure)
    ratios = {(k, n): e / TABLE_2[k][SIZES.index(n)] for (k, n), e in figures.items()}
    close = sum(1 / CLOSE <= ratio <= CLOSE for ratio in ratios.values())
    range_words = (
        f", {min(ratios.values()):.2f} to {max(ratios.values()):.2f} times the table's,"
        if ratios
        else ""
    )
    return counted(
        close, len(ratios), f"{words}{range_words} is within a factor of {CLOSE:g} of it"
    )


def check_order(rows: Sequence[Row]) -> Check:
    """Whether more rows and fewer clusters need a smaller epsilon."""
    figures = cells(rows, USABLE)
    ks, ns = ({cell[i] for cell in figures} for i in (0, 1))
    pairs = [
        *(((k, more), (k, n)) for k in ks for n, more in pairwise(sorted(ns))),
        *(((k, n), (more, n)) for n in ns for k, more in pairwise(sorted(ks))),
    ]
    values = [(figures[a], figures[b]) for a, b in pairs if a in figures and b in figures]
    return counted(
        sum(a < b for a, b in values),
        len(values),
        "A smaller epsilon is enough with more rows, or with fewer clusters,",
    )


def check_feasible(rows: Sequence[Row]) -> Check:
    return judged(
        check_close(rows, USABLE, "The smallest epsilon with a usable answer"),
        [
            check_order(rows),
            check_close(rows, SMALLEST, "The smallest epsilon with a first round"),
        ],
        rows,
    )


# Figure 8.

INSIDE, OUTSIDE = "points in Manhattan", "points outside of Manhattan"
CLUSTERS = 5


def in_manhattan(lon_lat: FloatArray) -> np.ndarray:
    """The points that lie in Manhattan."""
    (borough,) = (area for area in city_shapes.boroughs() if area.name == "Manhattan")
    return np.asarray(shapely.contains_xy(borough.shape, lon_lat[:, 0], lon_lat[:, 1]))


def measure_levels(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    data = shelf.data("nyc-month")
    for level in LEVELS:
        setting: Setting = {
            "algorithm": FAITHFUL,
            "k": CLUSTERS,
            "level": level.name,
            "epsilon": level.epsilon,
        }
        measurements: dict[str, list[float]] = {POINTS: [], INSIDE: [], OUTSIDE: []}
        try:
            for i in range(effort.runs(5)):
                luck = trial_seed(effort.seed, i)
                result = run(
                    FAITHFUL, data, CLUSTERS, level.epsilon, 0.0, Neighbors.REPLACE_ONE, luck
                )
                assert result.synopsis is not None
                inside = in_manhattan(np.asarray(result.synopsis.points))
                measurements[POINTS].append(len(inside))
                measurements[INSIDE].append(float(inside.sum()))
                measurements[OUTSIDE].append(float((~inside).sum()))
        except Infeasible as refusal:
            yield Row({**setting, "absent": str(refusal)}, math.nan)
            continue
        for measure, values in measurements.items():
            mean, error = mean_and_error(values)
            yield Row({**setting, "measure": measure}, mean, error=error)


def by_level(rows: Sequence[Row], measure: str) -> list[float]:
    """A figure at each level, from the one that leaks most to the one that leaks least."""
    figures = {
        float(row.setting["epsilon"]): row.figure
        for row in rows
        if row.setting.get("measure") == measure
    }
    return [figures[epsilon] for epsilon in sorted(figures, reverse=True)]


def check_falling(rows: Sequence[Row], measure: str, words: str) -> Check:
    """The number of steps of the level at which a figure falls."""
    figures = by_level(rows, measure)
    steps = list(pairwise(figures))
    figure_words = f" ({', '.join(f'{figure:.3g}' for figure in figures)})" if figures else ""
    return counted(
        sum(a > b for a, b in steps), len(steps), f"{words}{figure_words}, the number falls"
    )


def check_levels(rows: Sequence[Row]) -> Check:
    """The number of points falls with the level, and no point outside of Manhattan is left."""
    falling = check_falling(rows, POINTS, "From the lowest level of privacy to the highest")
    outside = by_level(rows, OUTSIDE)
    if falling.finding is Conclusion.CANNOT_RUN or not outside:
        return Check(Conclusion.CANNOT_RUN, "The levels were not measured.")
    ends_outside = outside[0] >= 1 and outside[-1] < 0.5
    words = (
        f"{falling.words} Outside of Manhattan lie {outside[0]:.3g} points at the lowest level and "
        f"{outside[-1]:.3g} at the highest."
    )
    both = ends_outside and falling.finding is Conclusion.REPRODUCED
    return judged(
        Check(Conclusion.REPRODUCED if both else Conclusion.NOT_REPRODUCED, words),
        [check_falling(rows, INSIDE, "In Manhattan alone")],
        rows,
    )


register(
    Reproduction(
        name="feldman2017-table2",
        paper="feldman2017",
        figure="table 2",
        title="The smallest epsilon with a meaningful answer",
        claim="With N rows, k clusters need at least the epsilons of table 2, from 0.007 (a "
        "million rows, k = 1) to 3.5 (100,000 rows, k = 10); below them the results mean nothing "
        "(section 5.4).",
        measure=measure_feasible,
        check=check_feasible,
        algorithms=(FAITHFUL,),
        differs=DATA + "A usable answer has at least k points and at most twice the cost without "
        f"privacy, on the mean of 5 runs; epsilon is tried in steps of {STEP - 1:.0%}. That the "
        "first round comes near the table's epsilon proves little, for the constant of the fewest "
        "rows was chosen so.",
        setting="k = 1, 5, 10 by N = 100,000, 500,000 and 1,000,000, d = 2.",
        printed=tuple(
            made
            for k, row in TABLE_2.items()
            for n, epsilon in zip(SIZES, row, strict=True)
            for made in (
                printed(epsilon, k=k, n=n, measure=USABLE),
                plotted(epsilon, k=k, n=n, measure=SMALLEST),
            )
        ),
    )
)

register(
    Reproduction(
        name="feldman2017-fig8",
        paper="feldman2017",
        figure="figure 8",
        title="Points on the map at each privacy level",
        claim="The higher the privacy level, the fewer points the coreset has: at the lowest level "
        "some lie outside of Manhattan, at the highest all lie in it (section 6, figure 8).",
        measure=measure_levels,
        check=check_levels,
        algorithms=(FAITHFUL,),
        data=("nyc-month",),
        differs="In place of the taxi month, as many pickups drawn from the smoothed density of "
        "50,000 real ones. The paper shows screenshots and does not say the epsilons of its "
        "levels; here they are those of the slider. Mean of 5 runs.",
        setting="Maps of the coreset, of private and of non-private centers at several privacy "
        "levels, k = 5, N = 11,840,734.",
        printed=tuple(
            plotted(figure, epsilon=level.epsilon, level=level.name, measure=measure)
            for i, level in enumerate(LEVELS)
            for measure, figure in (
                (POINTS, 70.0 - 10 * i),
                (INSIDE, 52.0 - 7 * i),
                (OUTSIDE, 18.0 - 3 * i),
            )
        ),
    )
)
