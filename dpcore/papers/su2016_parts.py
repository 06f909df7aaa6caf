"""Su et al. (2016), single methods: GkM's two errors, the genetic search, and run time."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Sequence

import numpy as np

from dpcore.algorithms.pgkm import COOLING, MUTATION, children
from dpcore.datasets import Dataset
from dpcore.geometry.domain import TICKS, FloatArray, to_ticks
from dpcore.kmeans.seeding import sphere_packing, uniform_starts
from dpcore.papers.check import Check
from dpcore.papers.contenders import NON_PRIVATE
from dpcore.papers.figure_row import Row, Setting, plotted, printed
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.measurements import (
    TIE,
    conclusion_of,
    counted,
    duel,
    judged,
    mean_and_error,
    together,
)
from dpcore.papers.reproduction import Reproduction, register
from dpcore.papers.su2016 import GRID, LLOYD, PUBLISHED, cells_of
from dpcore.papers.su2016_sets import KEYS, SIX, SIX_DIFFER, six_sets
from dpcore.privacy.accounting import MAX_EPSILON, Neighbors
from dpcore.runs.baseline import baseline
from dpcore.runs.run import run
from dpcore.study.metrics import nicv
from dpcore.study.trial_seeds import trial_seed

#: Rows in a block, as a power of the number of rows; GkM has 0.6, and 1 is one block of all.
POWERS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
OF_GKM = 0.6
TOTAL, AGGREGATE, NOISE = "GkM", "SAG", "Noise"
#: How much more than the best centers an aggregate may cost and still count as highly accurate.
ACCURATE = 1.5

ITERATIONS, FEW_ITERATIONS = (1, 2, 3, 5, 10, 20, 50, 100), (1, 2, 3, 10, 30)
FIRST_FEW = 3
PLAIN_LLOYD, GENE = "Lloyd", "Gene"
POPULATION, PARENTS = 200, 10
TO_BEST = "iterations to the baseline"
SECONDS = "seconds"
TIMED = (LLOYD, PUBLISHED, GRID)


def measure_blocks(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """NICV of GkM by the size of its blocks, and of each of its two errors alone."""
    powers = effort.some(POWERS, (0.1, 0.3, 0.6, 1.0))
    for each, data, source, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        best = np.asarray(baseline(data, each.k, effort.seed).centers)
        where: Setting = {"data": each.key, "d": each.d, "k": each.k, "source": source}
        yield Row({**where, "algorithm": NON_PRIVATE, "measure": "NICV"}, nicv(data, best))
        for power in powers:
            rows = round(data.n**power)
            where |= {"epsilon": 1.0, "power": power, "block_rows": rows}
            for key, costs in errors_of(data, each.k, power, best, effort).items():
                mean, error = mean_and_error(costs)
                yield Row({**where, "algorithm": key, "measure": "NICV"}, mean, error=error)


def errors_of(
    data: Dataset, k: int, power: float, best: FloatArray, effort: Effort
) -> dict[str, list[float]]:
    """NICV of some runs of GkM; of its aggregate without noise; and of its noise on the best
    centers, which is the difference of the two."""
    costs: dict[str, list[float]] = {TOTAL: [], AGGREGATE: [], NOISE: []}
    for i in range(effort.runs(5)):
        seed = trial_seed(effort.seed, i)
        exponent = max(0.0, round(1 - power, 9))
        noisy, exact = (
            run("gkm", data, k, epsilon, 0.0, Neighbors.REPLACE_ONE, seed, exponent=exponent)
            for epsilon in (1.0, MAX_EPSILON)
        )
        rng = np.random.default_rng(seed)
        unit = data.box.to_unit(best)
        scale = noise_scale(data, k, int(noisy.facts["blocks"]))
        moved = np.clip(unit + rng.laplace(0, scale, unit.shape), -1, 1)
        costs[TOTAL].append(nicv(data, noisy.centers))
        costs[AGGREGATE].append(nicv(data, exact.centers))
        costs[NOISE].append(nicv(data, data.box.from_unit(moved)))
    return costs


def noise_scale(data: Dataset, k: int, blocks: int) -> FloatArray:
    """The scale of equation 3 for each coordinate at epsilon 1, with the quartiles as its range."""
    ticks, weights = data.positions()
    if weights is not None:
        ticks = np.repeat(ticks, weights, axis=0)
    low, high = np.quantile(ticks / TICKS, (0.25, 0.75), axis=0)
    return np.asarray(2 * (high - low) * k * data.d / blocks)


def check_blocks(rows: Sequence[Row]) -> Check:
    curves: dict[str, dict[str, dict[float, float]]] = {}
    best: dict[str, float] = {}
    smallest: dict[str, dict[float, bool]] = {}
    for row in rows:
        at = row.setting
        if math.isnan(row.figure):
            continue
        name = str(at["data"])
        if at["algorithm"] == NON_PRIVATE:
            best[name] = row.figure
            continue
        power = float(at["power"])
        curves.setdefault(name, {}).setdefault(str(at["algorithm"]), {})[power] = row.figure
        smallest.setdefault(name, {})[power] = float(at["block_rows"]) >= 3 * float(at["k"])
    noisy = sum(at[NOISE][OF_GKM] > TIE * at[AGGREGATE][OF_GKM] for at in curves.values())
    far = sum(TIE * min(at[TOTAL].values()) < at[TOTAL][OF_GKM] for at in curves.values())
    headline = Check(
        together([(noisy, len(curves)), (far, len(curves))]),
        f"With N^0.4 blocks the noise alone costs more than the aggregate without it on {noisy} of "
        f"{len(curves)} sets, and blocks of another size do better on {far}.",
    )
    steps = [
        at[TOTAL][small] <= at[TOTAL][large]
        for name, at in curves.items()
        for small, large in zip(sorted(at[TOTAL]), sorted(at[TOTAL])[1:], strict=False)
        if smallest[name][small] and at[TOTAL][small] != at[TOTAL][large]
    ]
    sides = [
        counted(sum(steps), len(steps), "with smaller blocks, down to 3k rows, GkM does better"),
        check_poor_blocks(curves, best, smallest),
    ]
    return judged(headline, sides, rows)


def check_poor_blocks(
    curves: dict[str, dict[str, dict[float, float]]],
    best: dict[str, float],
    enough: dict[str, dict[float, bool]],
) -> Check:
    """TIGER: centers of the smallest blocks are poor, and their mean is nearly the best."""
    if "tiger" not in curves or "tiger" not in best:
        return Check(conclusion_of(0, 0), "TIGER was not measured.")
    power = min(power for power, is_enough in enough["tiger"].items() if is_enough)
    ratio = curves["tiger"][AGGREGATE][power] / best["tiger"]
    noise = curves["tiger"][NOISE][OF_GKM] / best["tiger"]
    return Check(
        conclusion_of(int(ratio <= ACCURATE and ratio < noise), 1),
        f"on TIGER the mean of poor centers is highly accurate: with blocks of N^{power:g} rows "
        f"the aggregate costs {ratio:.3g} times the best centers.",
    )


def lloyd_path(data: Dataset, k: int, iterations: int, seed: int) -> list[FloatArray]:
    """Centers after each iteration of Lloyd from a packing, without privacy."""
    centers = sphere_packing(k, data.d, 1, np.random.default_rng(seed))[0]
    path = []
    for _ in range(iterations):
        totals = data.cluster_totals(to_ticks(centers))
        filled = totals.counts > 0
        means = totals.sums / np.maximum(totals.counts, 1)[:, None] / TICKS
        centers = np.where(filled[:, None], means, centers)
        path.append(centers)
    return path


def gene_path(data: Dataset, k: int, iterations: int, seed: int) -> list[FloatArray]:
    """The best candidate of each iteration of the genetic search, without privacy."""
    rng = np.random.default_rng(seed)
    alive = uniform_starts(k, data.d, POPULATION, rng)
    path = []
    for i in range(iterations):
        fittest = alive[np.argsort(data.cost(alive), kind="stable")[:PARENTS]]
        path.append(fittest[0])
        alive = children(fittest, POPULATION, MUTATION * COOLING**i, rng)
    return path


def measure_searches(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Mean NICV of both searches after so many iterations, and when they reach the baseline."""
    counts = [int(count) for count in effort.some(ITERATIONS, FEW_ITERATIONS)]
    runs = {PLAIN_LLOYD: effort.runs(30), GENE: effort.runs(3)}
    for each, data, source, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        where: Setting = {"data": each.key, "d": each.d, "k": each.k, "source": source}
        best = nicv(data, baseline(data, each.k, effort.seed).centers)
        yield Row({**where, "algorithm": NON_PRIVATE, "measure": "NICV"}, best)
        for key, search in ((PLAIN_LLOYD, lloyd_path), (GENE, gene_path)):
            paths = np.array(
                [
                    data.cost(np.array(search(data, each.k, max(counts), seed))) / data.n
                    for seed in (trial_seed(effort.seed, i) for i in range(runs[key]))
                ]
            )
            for count in counts:
                mean, error = mean_and_error(list(paths[:, count - 1]))
                setting = {**where, "iterations": count, "algorithm": key, "measure": "NICV"}
                yield Row(setting, mean, error=error)
            reached = np.flatnonzero(paths.mean(axis=0) <= TIE * best)
            first = float(reached[0] + 1) if len(reached) else math.nan
            yield Row({**where, "algorithm": key, "measure": TO_BEST}, first)


def check_searches(rows: Sequence[Row]) -> Check:
    paths: dict[str, dict[str, dict[int, float]]] = {}
    best = {
        str(row.setting["data"]): row.figure
        for row in rows
        if row.setting.get("algorithm") == NON_PRIVATE
    }
    for row in rows:
        if "iterations" in row.setting and not math.isnan(row.figure):
            at = row.setting
            search = paths.setdefault(str(at["data"]), {}).setdefault(str(at["algorithm"]), {})
            search[int(at["iterations"])] = row.figure
    early = {
        name: all(
            by[PLAIN_LLOYD][count] * TIE < by[GENE][count]
            for count in by[GENE]
            if 1 < count <= FIRST_FEW
        )
        for name, by in paths.items()
    }
    late = {
        name: by[GENE][max(by[GENE])] <= TIE * by[PLAIN_LLOYD][max(by[GENE])]
        for name, by in paths.items()
    }
    strictly = sum(
        by[GENE][max(by[GENE])] * TIE < by[PLAIN_LLOYD][max(by[GENE])] for by in paths.values()
    )
    optimum = sum(
        by[GENE][max(by[GENE])] <= 1.1 * best[name] < by[GENE][min(by[GENE])]
        for name, by in paths.items()
    )
    headline = Check(
        together((sum(part.values()), len(paths)) for part in (early, late)),
        f"Of {len(paths)} sets, Lloyd is ahead in the first {FIRST_FEW} iterations on "
        f"{sum(early.values())}, and Gene has caught up with it at the end on "
        f"{sum(late.values())}; it is better than Lloyd then on {strictly}.",
    )
    side = Check(
        conclusion_of(optimum, len(paths)),
        f"Gene comes to within 10 % of the best k-means without privacy on {optimum} of "
        f"{len(paths)} sets.",
    )
    return judged(headline, [side, check_image(rows)], rows)


def check_image(rows: Sequence[Row]) -> Check:
    """On Image, Lloyd is at the baseline after three iterations and Gene after more than ten."""
    counts = {
        str(row.setting["algorithm"]): row.figure
        for row in rows
        if row.setting.get("measure") == TO_BEST and row.setting["data"] == "image"
    }
    if PLAIN_LLOYD not in counts or math.isnan(counts[PLAIN_LLOYD]):
        return Check(conclusion_of(0, 0), "on Image, Lloyd did not reach the baseline.")
    gene = counts.get(GENE, math.nan)
    reaches = "does not reach it" if math.isnan(gene) else f"after {gene:.3g}"
    later = math.isnan(gene) or gene > counts[PLAIN_LLOYD]
    return Check(
        conclusion_of(int(later), 1),
        f"on Image, Lloyd reaches the baseline after {counts[PLAIN_LLOYD]:.3g} iterations, Gene "
        f"{reaches}.",
    )


def measure_time(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Median processor seconds of one run at epsilon 0.1."""
    for each, data, source, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        for key in TIMED:
            seconds = []
            for i in range(1 + effort.runs(20)):
                start = time.process_time()
                run(key, data, each.k, 0.1, seed=trial_seed(effort.seed, i))
                seconds.append(time.process_time() - start)
            where: Setting = {"data": each.key, "d": each.d, "k": each.k, "source": source}
            where |= {"epsilon": 0.1, "algorithm": key, "measure": SECONDS}
            yield Row(where, statistics.median(seconds[1:]))


def check_time(rows: Sequence[Row]) -> Check:
    quicker, repaired = duel(rows, LLOYD, PUBLISHED), duel(rows, LLOYD, GRID)
    cells = [by for _, by in cells_of(rows)]
    twice = sum(2 * by[LLOYD] <= by[PUBLISHED] for by in cells)
    return judged(
        Check(quicker.finding, f"DPLloyd takes less time than EUGkM {quicker}."),
        [
            counted(twice, len(cells), "DPLloyd takes at most half the time"),
            Check(repaired.finding, f"than our EUGkM it takes less time {repaired}."),
        ],
        rows,
    )


def claimed_blocks() -> Iterator[Row]:
    """Errors after section 5.2: noise falls with smaller blocks, the aggregate hardly suffers."""
    for each in SIX:
        where: Setting = {"data": each.key, "d": each.d, "k": each.k}
        yield plotted(0.1, **where, algorithm=NON_PRIVATE, measure="NICV")
        for power in POWERS:
            where |= {"power": power, "block_rows": round(each.n**power)}
            noise, poor = 0.1 + 5 * power**2, 0.1 + 0.02 * (1 - power)
            by = {NOISE: noise, AGGREGATE: poor, TOTAL: noise + poor - 0.1}
            for key, figure in by.items():
                yield plotted(figure, **where, algorithm=key, measure="NICV")


def claimed_searches() -> Iterator[Row]:
    """After section 5.3, which prints when Image is at its baseline: 3, and more than 10."""
    for each in SIX:
        where: Setting = {"data": each.key, "d": each.d, "k": each.k}
        yield plotted(1.0, **where, algorithm=NON_PRIVATE, measure="NICV")
        for count in ITERATIONS:
            lloyd, gene = 1.05 + 2 * 0.2**count, 1.0 + 3 * 0.7**count
            for key, figure in ((PLAIN_LLOYD, lloyd), (GENE, gene)):
                yield plotted(figure, **where, iterations=count, algorithm=key, measure="NICV")
    image: Setting = {"data": "image", "d": 3, "k": 3}
    yield printed(3, **image, algorithm=PLAIN_LLOYD, measure=TO_BEST)
    yield printed(10, **image, algorithm=GENE, measure=TO_BEST)


def claimed_time() -> Iterator[Row]:
    for each in SIX:
        for key, seconds in zip(TIMED, (0.1, 10.0, 10.0), strict=True):
            where: Setting = {"data": each.key, "d": each.d, "k": each.k, "epsilon": 0.1}
            yield plotted(seconds, **where, algorithm=key, measure=SECONDS)


register(
    Reproduction(
        name="su2016-fig3",
        paper="su2016",
        figure="figure 3",
        title="The two errors of GkM by the size of its blocks",
        claim="N^0.4 blocks are far from optimal: there GkM's error is dominated by its noise, and "
        "much higher than that of the aggregate without noise (section 5.2).",
        measure=measure_blocks,
        check=check_blocks,
        algorithms=("gkm",),
        data=KEYS,
        differs=SIX_DIFFER + "The paper does not name epsilon: here it is 1. The number of rows is "
        "public. Rows draw their block, so that sizes vary around the given one. 5 runs.",
        setting="NICV of GkM, of the aggregate without noise (SAG), and of the noise of equation 3 "
        "on the best centers (Noise), against rows in a block from N^0.1 to N, both on logarithmic "
        "axes, on the six sets.",
        printed=tuple(claimed_blocks()),
    )
)
register(
    Reproduction(
        name="su2016-fig4",
        paper="su2016",
        figure="figure 4",
        title="Lloyd and the genetic search without privacy",
        claim="Gene, PGkM without privacy, overtakes Lloyd as the number of iterations grows and "
        "converges to the global optimum, but Lloyd improves much faster in the first few "
        "(section 5.3).",
        measure=measure_searches,
        check=check_searches,
        algorithms=("dplloyd", "pgkm"),
        data=KEYS,
        differs=SIX_DIFFER + "At the baseline means within 2 % of it. 30 starts of Lloyd, 3 runs "
        "of Gene. Mutations shrink by 5 % in each iteration, as in our PGkM, so that Gene hardly "
        "moves after 50; the paper does not say how large they are. For Image it prints that Gene "
        "needs more than 10 iterations.",
        setting="NICV against the number of iterations on the six sets. Lloyd is the mean of 30 "
        "starts.",
        printed=tuple(claimed_searches()),
    )
)
register(
    Reproduction(
        name="su2016-fig7",
        paper="su2016",
        figure="figure 7",
        title="Run time of DPLloyd and EUGkM",
        claim="DPLloyd takes much less time than EUGkM, which clusters from 30 starts until they "
        "converge (section 6.4).",
        measure=measure_time,
        check=check_time,
        algorithms=TIMED,
        data=KEYS,
        differs=SIX_DIFFER + "Processor seconds belong to a machine and a program, so only the "
        "order of the methods is compared; they do not repeat to the digit. EUGkM is measured as "
        "published; ours runs most of its starts on a coarser grid first, which saves time.",
        setting="Seconds of one run on the six sets at epsilon 0.1, with 5 rounds of DPLloyd and "
        "30 starts of EUGkM.",
        printed=tuple(claimed_time()),
    )
)
