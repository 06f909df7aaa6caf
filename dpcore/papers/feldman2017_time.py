"""Feldman et al. (2017): run time against the number of rows (figures 3 and 4)."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.stats import linregress

from dpcore.algorithms._small_ball import by_summed_area_table, candidates
from dpcore.algorithms.coreset import removals
from dpcore.algorithms.coreset_faithful import domain_side, fewest_rows
from dpcore.datasets import Dataset, GridDataset, RowsDataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Grid, IntArray, from_ticks
from dpcore.papers.check import Check, Conclusion
from dpcore.papers.feldman2017 import FAITHFUL, curves, pickups
from dpcore.papers.figure_row import Row, Setting, plotted, printed
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.measurements import counted, judged
from dpcore.papers.reproduction import Reproduction, register
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.run import run
from dpcore.study.trial_seeds import trial_seed

AS_PRINTED, SPLIT = "PRIVATE-K-MEAN as printed", "coreset-split"
SECONDS, SLOPE = "seconds", "slope of log seconds against log N"
#: The slopes that the paper's regression gives for figure 3, by k.
SLOPES = {1: 1.6, 5: 1.7}
#: Section 5.2: about 40 seconds for a million rows and an hour for ten million.
PRINTED_SECONDS = {1_000_000: 40.0, 10_000_000: 3600.0}
EPSILON_2D, EPSILON_4D = 0.8, 1.0
#: Half-widths that are timed, of all that the printed algorithm looks at.
HALF_WIDTHS = 8
#: Slopes this near the printed one agree.
NEAR = 0.25
#: Nearly linear on logarithmic axes: a straight line explains this part of the variance.
STRAIGHT = 0.95
#: Times that differ by less than this factor are comparable.
COMPARABLE = 5.0


def as_rows(grid: GridDataset, seed: int) -> RowsDataset:
    """The same data row by row in random order, as a run has to read them."""
    ticks, counts = grid.positions()
    assert counts is not None
    rows = np.repeat(grid.box.from_unit(from_ticks(ticks)), counts, axis=0)
    np.random.default_rng(seed).shuffle(rows)
    return RowsDataset.from_values(rows, grid.box, grid.about)


def seconds_as_printed(cells: IntArray, side: int, k: int, epsilon: float) -> float:
    """The time that Algorithm 1 would take with GOOD-RADIUS as printed (section 4.3).

    A round looks at every half-width and at all rows that are left. Some half-widths are timed with
    the rows of the first round and with those of the last; in between, time is linear in the rows.
    NaN where there is no first round.
    """
    n = len(cells)
    removed = np.array(removals(n, k, fewest_rows(n, k, epsilon)))
    if not len(removed):
        return math.nan
    remaining_rows = n - np.concatenate([[0], np.cumsum(removed[:-1])])
    first, last = (
        seconds_of_a_half_width(cells[:m], side, w)
        for m, w in ((remaining_rows[0], removed[0]), (remaining_rows[-1], removed[-1]))
    )
    part = (remaining_rows - remaining_rows[-1]) / max(1, remaining_rows[0] - remaining_rows[-1])
    return float(candidates(side) * (last + (first - last) * part).sum())


def seconds_of_a_half_width(cells: IntArray, side: int, t: int) -> float:
    """Processor time of L(r, P) for one half-width r, the mean of some."""
    fullness = by_summed_area_table(cells, side, t)
    some = np.linspace(0, side // 2, HALF_WIDTHS).astype(int)
    fullness(0)
    return seconds_of(lambda _: [fullness(int(radius)) for radius in some], 2) / HALF_WIDTHS


def seconds_of(work: Callable[[int], object], times: int) -> float:
    """The least processor time of some runs."""
    seconds = []
    for i in range(times):
        start = time.process_time()
        work(i)
        seconds.append(time.process_time() - start)
    return min(seconds)


def timed(data: Dataset, key: str, k: int, epsilon: float, seed: int) -> Row:
    """The processor time of a run, the least of three after one to warm up."""
    setting: Setting = {"algorithm": key, "n": data.n, "d": data.d, "k": k, "epsilon": epsilon}

    def work(i: int) -> object:
        return run(key, data, k, epsilon, 0.0, Neighbors.REPLACE_ONE, trial_seed(seed, i))

    try:
        work(3)
        return Row({**setting, "measure": SECONDS}, seconds_of(work, 3))
    except Infeasible as refusal:
        return Row({**setting, "absent": str(refusal)}, math.nan)


def slope(points: dict[float, float]) -> tuple[float, float]:
    """Slope and R^2 of the straight line on logarithmic axes."""
    if len(set(points.values())) < 2:
        return 0.0, 0.0
    fit = linregress([math.log(x) for x in points], [math.log(y) for y in points.values()])
    return float(fit.slope), float(fit.rvalue) ** 2


# Figure 3.

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)


def measure_time(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """The printed algorithm, and PRIVATE-K-MEAN as it runs here."""
    rows: list[Row] = []
    for n in map(int, effort.some(SIZES, quick=(10_000, 100_000, 300_000, 1_000_000))):
        data, side = as_rows(pickups(n), effort.seed), domain_side(n)
        labels = Grid(data.box, side).labels(data.positions()[0])
        cells = np.stack(np.divmod(labels, side), axis=1)
        for k in SLOPES:
            seconds = seconds_as_printed(cells, side, k, EPSILON_2D)
            where: Setting = {"algorithm": AS_PRINTED, "n": n, "d": 2, "k": k}
            where["epsilon"] = EPSILON_2D
            if math.isnan(seconds):
                yield Row(
                    {**where, "absent": f"{n:,} rows have no first round at k = {k}"}, seconds
                )
            else:
                rows.append(Row({**where, "measure": SECONDS}, seconds))
                yield rows[-1]
            yield timed(data, FAITHFUL, k, EPSILON_2D, effort.seed)
    for k in SLOPES:
        times = of_curve(rows, AS_PRINTED, k)
        yield Row({"algorithm": AS_PRINTED, "k": k, "measure": SLOPE}, slope(times)[0])


def of_curve(rows: Sequence[Row], key: str, k: int) -> dict[float, float]:
    """Seconds by the number of rows."""
    return curves(rows, key, SECONDS, "n", ("k",)).get((float(k),), {})


def check_slopes(rows: Sequence[Row]) -> Check:
    """The number of k for which the slope is the printed one."""
    slopes = {
        int(row.setting["k"]): row.figure
        for row in rows
        if row.setting.get("measure") == SLOPE and row.setting.get("algorithm") == AS_PRINTED
    }
    near = sum(abs(figure - SLOPES[k]) <= NEAR for k, figure in slopes.items())
    slope_words = ", ".join(
        f"{figure:.2f} at k = {k} (the paper's {SLOPES[k]:g})" for k, figure in slopes.items()
    )
    return counted(
        near,
        len(slopes),
        f"As printed, the slope is {slope_words}: within {NEAR:g} of the paper's",
        most=1.0,
    )


def check_slower(rows: Sequence[Row]) -> Check:
    """Whether k = 5 takes longer than k = 1 at the same N."""
    one, five = (of_curve(rows, AS_PRINTED, k) for k in SLOPES)
    common = [n for n in five if n in one]
    longer = sum(five[n] > one[n] for n in common)
    return counted(longer, len(common), "With k = 5 it takes longer than with k = 1")


def check_time(rows: Sequence[Row]) -> Check:
    headline = check_slopes(rows)
    notes = []
    for k in SLOPES:
        points = of_curve(rows, FAITHFUL, k)
        if len(points) > 1:
            most = max(points)
            notes.append(
                f"PRIVATE-K-MEAN as it runs here, k = {k}: slope {slope(points)[0]:.2f}, "
                f"{points[most]:.2g} seconds for {most:,.0f} rows."
            )
    return judged(
        Check(headline.finding, headline.words, notes=tuple(notes)), [check_slower(rows)], rows
    )


# Figure 4.

TRIPS_SIZES = (25_000, 50_000, 100_000, 200_000, 400_000)


def drawn_trips(trips: Dataset, n: int, seed: int) -> RowsDataset:
    """n trips drawn with replacement from the real ones."""
    rows = trips.box.from_unit(from_ticks(trips.positions()[0]))
    sample = np.random.default_rng(seed).integers(0, len(rows), n)
    return RowsDataset.from_values(rows[sample], trips.box, trips.about)


def measure_split(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    trips = shelf.data("nyc-taxi-trips")
    for n in map(int, effort.some(TRIPS_SIZES, quick=(25_000, 50_000, 100_000))):
        data = drawn_trips(trips, n, effort.seed)
        for k in SLOPES:
            yield timed(data, SPLIT, k, EPSILON_4D, effort.seed)
        flat = as_rows(pickups(n), effort.seed)
        yield timed(flat, FAITHFUL, 1, EPSILON_4D, effort.seed)


def check_split(rows: Sequence[Row]) -> Check:
    """Times are nearly linear on logarithmic axes, and at k = 1 comparable with two dimensions."""
    fits = {k: slope(of_curve(rows, SPLIT, k)) for k in SLOPES if of_curve(rows, SPLIT, k)}
    linear = sum(rise > 0 and square >= STRAIGHT for rise, square in fits.values())
    split, flat = of_curve(rows, SPLIT, 1), of_curve(rows, FAITHFUL, 1)
    ratios = [split[n] / flat[n] for n in split if n in flat]
    near = sum(1 / COMPARABLE <= ratio <= COMPARABLE for ratio in ratios)
    slope_words = ", ".join(f"slope {rise:.2f} at k = {k}" for k, (rise, _) in fits.items())
    times = f"{min(ratios):.2g} to {max(ratios):.2g}" if ratios else "unknown"
    straight = counted(
        linear, len(fits), f"On logarithmic axes the times lie on a line ({slope_words})", most=1.0
    )
    alike = counted(
        near,
        len(ratios),
        f"At k = 1 they are {times} times those in two dimensions, comparable (a factor of "
        f"{COMPARABLE:g})",
    )
    both = (straight.finding, alike.finding)
    worst = next((each for each in both if each is not Conclusion.REPRODUCED), both[0])
    return judged(Check(worst, f"{straight.words} {alike.words}"), rows=rows)


LOCAL = (
    "Processor time of one core of the machine at hand, so the figures do not repeat to the digit. "
)

register(
    Reproduction(
        name="feldman2017-fig3",
        paper="feldman2017",
        figure="figure 3",
        title="Run time against the number of rows in two dimensions",
        claim="Run time grows with N to the power 1.6 (k = 1) or 1.7 (k = 5): about 40 seconds for "
        "a million rows and an hour for ten million; k = 5 takes longer than k = 1 (section 5.2, "
        "figure 3).",
        measure=measure_time,
        check=check_time,
        algorithms=(FAITHFUL,),
        differs=LOCAL
        + f"The printed algorithm is timed at {HALF_WIDTHS} of its half-widths, in its "
        "first round and its last, and the time of all is computed from these. PRIVATE-K-MEAN as "
        "it runs here tries half-widths a factor of sqrt(2) apart on at most 1,024 cells a side "
        "and takes far less. In place of the taxi month, "
        "pickups drawn from the smoothed density of 50,000 real ones.",
        setting="Seconds against N up to 10,000,000, both logarithmic, k = 1 and 5, epsilon = 0.8, "
        "12 cores, mean of 100 runs.",
        printed=(
            *(printed(x, algorithm=AS_PRINTED, k=k, measure=SLOPE) for k, x in SLOPES.items()),
            *(
                printed(x, algorithm=AS_PRINTED, n=n, measure=SECONDS)
                for n, x in PRINTED_SECONDS.items()
            ),
            *(
                plotted(
                    1e-8 * (1 if k == 1 else 2) * n ** SLOPES[k],
                    algorithm=AS_PRINTED,
                    k=k,
                    n=n,
                    measure=SECONDS,
                )
                for k in SLOPES
                for n in SIZES[:4]
            ),
        ),
        formerly=("feldman2017-fig3-4", "004-fig3-4"),
    )
)

register(
    Reproduction(
        name="feldman2017-fig4",
        paper="feldman2017",
        figure="figure 4",
        title="Run time against the number of rows in four dimensions",
        claim="In four dimensions, split into parts of 10,000 rows, log time is about linear in "
        "log N, and comparable with two dimensions at k = 1 (section 5.2, figure 4).",
        measure=measure_split,
        check=check_split,
        algorithms=(SPLIT, FAITHFUL),
        data=("nyc-taxi-trips",),
        differs=LOCAL
        + "In place of the taxi month, trips drawn again from 50,000 real ones, up to "
        "400,000. The parts are summarized by the improved coreset, and in two dimensions "
        "PRIVATE-K-MEAN is timed as it runs here.",
        setting="Seconds against N, both logarithmic, k = 1 and more, epsilon = 1, d = 4.",
        printed=(
            *(
                plotted(
                    1e-5 * factor * n,
                    algorithm=key,
                    k=k,
                    n=n,
                    measure=SECONDS,
                )
                for key, k, factor in ((SPLIT, 1, 1.2), (SPLIT, 5, 4.0), (FAITHFUL, 1, 1.0))
                for n in TRIPS_SIZES
            ),
        ),
    )
)
