"""Su et al. (2016), the comparisons: table 1, figure 1 across epsilon, figure 2 across k and d."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpcore.papers.check import Check
from dpcore.papers.contenders import NON_PRIVATE, Contender, contest
from dpcore.papers.figure_row import Row, Setting, plotted, printed
from dpcore.papers.inputs import Effort, Shelf
from dpcore.papers.measurements import (
    TIE,
    conclusion_of,
    counted,
    duel,
    figures,
    judged,
    together,
)
from dpcore.papers.reproduction import Reproduction, register
from dpcore.papers.su2016_sets import KEYS, SIX, SIX_DIFFER, six_sets
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.baseline import baseline
from dpcore.runs.run import run
from dpcore.study.metrics import nicv

REPAIRED = (
    "EUGkM and Hybrid spend 5 % of epsilon on a noisy number of rows, as GkM does, and start from "
    "greedy k-means++ on the noisy counts; EUGkM as published is entered beside them. "
)
GAUSSIANS_DIFFER = (
    "The synthetic sets are generated again: 10,000 rows in k well separated Gaussian clusters of "
    "equal size. "
)
EPSILONS, FEW = (0.05, 0.1, 0.2, 0.7, 2.0), (0.05, 0.7)
SIDES, FEW_SIDES = (2, 4, 7, 10), (2, 10)
#: Up to so many dimensions, and up to such an epsilon, the paper calls them low and small.
FEW_DIMENSIONS, SMALL = 3, 0.2
#: PGkM is better than DPLloyd on S1 below this epsilon only.
GENES_BELOW = 0.15

LLOYD, GRID, PUBLISHED = "dplloyd", "eugkm", "eugkm-published"
BLOCKS, SMALL_BLOCKS, GENES = "gkm", "gkm-3k", "pgkm"
INTERACTIVE = (LLOYD, BLOCKS, SMALL_BLOCKS, GENES)
THETAS = (2.0, 5.0, 20.0, 50.0)
#: Errors below this are none but for rounding.
NO_ERROR = 1e-7


@dataclass(frozen=True)
class ContenderRuns:
    """A contender with its number of runs in the full measurement."""

    contender: Contender
    runs: int


def entry(algorithm: str, runs: int, label: str = "", **parameters: Any) -> ContenderRuns:
    return ContenderRuns(Contender(label or algorithm, algorithm, parameters), runs)


RIVALS = (
    entry(LLOYD, 20),
    entry(BLOCKS, 10),
    entry(SMALL_BLOCKS, 10),
    entry(GENES, 3),
    entry(GRID, 5),
    entry(PUBLISHED, 5),
)
MAPPED = (
    entry(LLOYD, 10),
    entry(BLOCKS, 5),
    entry(SMALL_BLOCKS, 5),
    entry(GENES, 3),
    entry(GRID, 3),
    *(entry(GRID, 3, f"eugkm, theta {theta:g}", theta=theta) for theta in THETAS),
)


def across_epsilon(shelf: Shelf, effort: Effort, entries: Sequence[ContenderRuns]) -> Iterator[Row]:
    """NICV of the contenders on the six sets across epsilon, and of k-means without privacy."""
    for each, data, source, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        best = nicv(data, baseline(data, each.k, effort.seed).centers)
        for epsilon in effort.some(EPSILONS, FEW):
            setting: Setting = {"data": each.key, "d": each.d, "k": each.k, "source": source}
            setting |= {"epsilon": epsilon, "algorithm": NON_PRIVATE, "measure": "NICV"}
            yield Row(setting, best)
            for one in entries:
                yield from contest(
                    data,
                    [one.contender],
                    each.k,
                    epsilon,
                    effort.runs(one.runs),
                    effort.seed,
                    source=source,
                )


def across_k_and_d(shelf: Shelf, effort: Effort, entries: Sequence[ContenderRuns]) -> Iterator[Row]:
    """NICV at epsilon 1 above that of k-means without privacy, on the family of Gaussians."""
    sides = [int(side) for side in effort.some(SIDES, FEW_SIDES)]
    for d in sides:
        for k in sides:
            data = shelf.data(f"gaussians-k{k}-d{d}")
            best = nicv(data, baseline(data, k, effort.seed).centers)
            for one in entries:
                runs = effort.runs(one.runs)
                for row in contest(data, [one.contender], k, 1.0, runs, effort.seed):
                    setting = {**row.setting, "measure": EXCESS}
                    yield Row(setting, row.figure - best, error=row.error)


EXCESS = "NICV above the baseline"


def measure_blocks(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """The numbers of rows, dimensions and blocks, with the number of rows public."""
    for each, data, source, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        setting: Setting = {"data": each.key, "source": source}
        yield Row({**setting, "measure": "rows"}, data.n)
        yield Row({**setting, "measure": "dimensions"}, data.d)
        for key in (BLOCKS, SMALL_BLOCKS):
            result = run(key, data, each.k, 1.0, neighbors=Neighbors.REPLACE_ONE, seed=effort.seed)
            yield Row({**setting, "measure": f"blocks of {key}"}, float(result.facts["blocks"]))


def check_blocks(rows: Sequence[Row]) -> Check:
    compared = [row for row in rows if row.paper is not None]
    equal = sum(abs(row.figure - row.paper) <= 1 for row in compared if row.paper is not None)
    return judged(
        counted(equal, len(compared), "rows, dimensions and blocks are the paper's to within 1"),
        rows=rows,
    )


#: A setting, and the figures in it by algorithm.
Cell = tuple[Mapping[str, Any], Mapping[Any, float]]


def cells_of(rows: Sequence[Row]) -> list[Cell]:
    return [(dict(cell), by) for cell, by in figures(rows).items()]


def won(cells: Sequence[Cell], one: str, other: str) -> int:
    """The number of cells in which the one is smaller than the other by more than a tie."""
    return sum(by[one] * TIE < by[other] for _, by in cells)


def check_rivals(rows: Sequence[Row]) -> Check:
    cells = [(at, by) for at, by in cells_of(rows) if {LLOYD, PUBLISHED} <= set(by)]
    low = [(at, by) for at, by in cells if at["d"] <= FEW_DIMENSIONS]
    small = [(at, by) for at, by in low if at["epsilon"] <= SMALL]
    many = [(at, by) for at, by in cells if at["d"] > FEW_DIMENSIONS]
    ahead, behind = won(small, PUBLISHED, LLOYD), won(many, LLOYD, PUBLISHED)
    headline = Check(
        together([(ahead, len(small)), (behind, len(many))]),
        f"In up to {FEW_DIMENSIONS} dimensions and up to epsilon {SMALL:g}, EUGkM does better than "
        f"DPLloyd in {ahead} of {len(small)} cells; in more dimensions DPLloyd does better in "
        f"{behind} of {len(many)}, at any epsilon.",
    )
    return judged(headline, [*check_interactive(rows), *check_grid(rows, low)], rows)


def check_grid(rows: Sequence[Row], low: Sequence[Cell]) -> list[Check]:
    """EUGkM with its privacy repaired, and the gap that closes as epsilon grows."""
    ratios: dict[str, dict[float, float]] = {}
    for at, by in low:
        ratios.setdefault(at["data"], {})[at["epsilon"]] = by[LLOYD] / by[PUBLISHED]
    closing = sum(by[max(by)] * TIE < by[min(by)] for by in ratios.values())
    repaired = [row for row in rows if row.setting.get("d", 99) in range(FEW_DIMENSIONS + 1)]
    repaired = [row for row in repaired if float(row.setting["epsilon"]) <= SMALL]
    better = duel(repaired, GRID, LLOYD)
    return [
        counted(closing, len(ratios), "the gap between the two closes as epsilon grows")
        if ratios
        else Check(conclusion_of(0, 0), "no set of few dimensions was measured."),
        Check(better.finding, f"so does EUGkM with its privacy repaired, {better}."),
    ]


def check_interactive(rows: Sequence[Row]) -> list[Check]:
    cells = [(at, by) for at, by in cells_of(rows) if set(INTERACTIVE) <= set(by)]
    genes = [(at, by) for at, by in cells if at["data"] == "s1" and at["epsilon"] < GENES_BELOW]
    others = [cell for cell in cells if cell not in genes]
    first = sum(all(by[LLOYD] * TIE < by[key] for key in INTERACTIVE[1:]) for _, by in others)
    worst = sum(all(by[key] * TIE < by[BLOCKS] for key in by if key != BLOCKS) for _, by in cells)
    blobs = [(at, by) for at, by in cells if at["data"] in ("tiger", "lifesci")]
    return [
        counted(
            first, len(others), "but for S1 below 0.15, DPLloyd is the best interactive method"
        ),
        counted(won(genes, GENES, LLOYD), len(genes), "on S1 below 0.15, PGkM beats DPLloyd"),
        counted(worst, len(cells), "GkM is the worst of all"),
        counted(won(cells, SMALL_BLOCKS, BLOCKS), len(cells), "GkM-3K beats GkM"),
        counted(
            won(blobs, SMALL_BLOCKS, GENES),
            len(blobs),
            "on TIGER and Lifesci, GkM-3K beats PGkM",
            most=0.5,
        ),
    ]


def growth(
    rows: Sequence[Row], key: str, along: str, across: str, times: bool = False
) -> dict[int, float]:
    """The growth of a figure from one border of the map to the other: the difference, or the
    logarithm of the ratio."""
    at = {
        (int(row.setting[across]), int(row.setting[along])): row.figure
        for row in rows
        if row.setting["algorithm"] == key
    }
    ends = sorted({side for _, side in at})
    lines = sorted({line for line, _ in at})
    if times:
        return {
            line: math.log(max(at[line, ends[-1]], NO_ERROR) / max(at[line, ends[0]], NO_ERROR))
            for line in lines
        }
    return {line: at[line, ends[-1]] - at[line, ends[0]] for line in lines}


def more_growth(
    rows: Sequence[Row], one: str, other: str, along: str, across: str, times: bool = False
) -> list[bool]:
    """Whether the one grows, and more than the other, for each line across the map."""
    ours, theirs = (growth(rows, key, along, across, times) for key in (one, other))
    return [ours[line] > max(0.0, theirs.get(line, 0.0)) for line in ours]


def check_map(rows: Sequence[Row]) -> Check:
    by_d = more_growth(rows, GRID, LLOYD, "d", "k", times=True)
    by_k = more_growth(rows, LLOYD, GRID, "k", "d", times=True)
    more = more_growth(rows, LLOYD, GRID, "k", "d")
    headline = Check(
        together([(sum(by_d), len(by_d)), (sum(by_k), len(by_k))]),
        f"From few dimensions to many, the error of EUGkM grows more times than DPLloyd's for "
        f"{sum(by_d)} of {len(by_d)} k; from few clusters to many, that of DPLloyd grows more "
        f"times for {sum(by_k)} of {len(by_k)} d.",
    )
    cells = cells_of(rows)
    thetas = [key for _, by in cells[:1] for key in by if str(key).startswith("eugkm, theta")]
    ten = sum(by[GRID] <= statistics.median([by[key] for key in thetas]) for _, by in cells)
    same = sum(len({by[key] for key in (GRID, *thetas)}) == 1 for _, by in cells)
    ten -= same
    worst = sum(
        all(by[key] < by[BLOCKS] for key in (LLOYD, SMALL_BLOCKS, GENES, GRID)) for _, by in cells
    )
    return judged(
        headline,
        [
            counted(
                ten,
                len(cells) - same,
                "theta 10 does at least as well as the median of the other thetas",
            ),
            Check(
                conclusion_of(sum(more), len(more)),
                "from few clusters to many, DPLloyd loses more NICV than EUGkM for "
                f"{sum(more)} of {len(more)} d.",
            ),
            counted(worst, len(cells), "GkM is worse than all others"),
            counted(won(cells, SMALL_BLOCKS, BLOCKS), len(cells), "GkM-3K beats GkM"),
            counted(won(cells, LLOYD, GENES), len(cells), "DPLloyd beats PGkM"),
        ],
        rows,
    )


def claimed_rivals() -> Iterator[Row]:
    """NICV after the claims of section 5.1; Adult-num at 0.05 is printed in section 6.4."""
    for each in SIX:
        for epsilon in (0.05, 0.1, 0.5, 2.0):
            grid = 1 + (0.02 if each.d <= FEW_DIMENSIONS else 2.0) / epsilon
            by = {NON_PRIVATE: 1.0, GRID: grid, PUBLISHED: grid, LLOYD: 1 + 0.3 / epsilon}
            genes = 0.9 if each.key == "s1" and epsilon < GENES_BELOW else 3.0
            blobs = each.key in ("tiger", "lifesci")
            by |= {GENES: genes * by[LLOYD], SMALL_BLOCKS: (2.5 if blobs else 4) * by[LLOYD]}
            by[BLOCKS] = 10 * max(by.values())
            for key, figure in by.items():
                where: Setting = {"data": each.key, "d": each.d, "k": each.k}
                where |= {"epsilon": epsilon, "algorithm": key, "measure": "NICV"}
                if (each.key, epsilon, key) == ("adult", 0.05, PUBLISHED):
                    where = {"data": "adult", "d": 6, "k": 5, "epsilon": 0.05, "measure": "NICV"}
                    yield printed(0.370, **where, algorithm=key)
                else:
                    yield plotted(figure * (0.01 if each.key == "adult" else 1), **where)


def claimed_map() -> Iterator[Row]:
    """Errors after section 5.1: EUGkM grows with d, DPLloyd with k."""
    for d in (2, 10):
        for k in (2, 10):
            grid, lloyd = 0.01 * 3**d * (1 + 0.01 * k), 0.2 * d * k**2
            by = {LLOYD: lloyd, GRID: grid, GENES: 2 * lloyd, SMALL_BLOCKS: 2 * lloyd}
            by |= {f"eugkm, theta {theta:g}": 1.2 * grid for theta in THETAS}
            by[BLOCKS] = 10 * max(by.values())
            for key, figure in by.items():
                where: Setting = {"data": f"gaussians-k{k}-d{d}", "d": d, "k": k, "epsilon": 1.0}
                yield plotted(figure, **where, algorithm=key, measure=EXCESS)


#: Table 1: rows, dimensions, and the blocks of GkM and GkM-3K.
TABLE_1 = {
    "s1": (5_000, 2, 30, 111),
    "gowalla": (107_091, 2, 103, 7_139),
    "tiger": (16_281, 2, 48, 2_714),
    "image": (34_112, 3, 65, 3_790),
    "adult": (48_841, 6, 75, 3_256),
    "lifesci": (26_733, 10, 59, 2_970),
}
COUNTED = ("rows", "dimensions", f"blocks of {BLOCKS}", f"blocks of {SMALL_BLOCKS}")

register(
    Reproduction(
        name="su2016-table1",
        paper="su2016",
        figure="table 1",
        title="The six data sets, and how many blocks GkM makes of them",
        claim="GkM makes N^0.4 blocks of the rows, GkM-3K makes N/3k (section 4.1.2).",
        measure=measure_blocks,
        check=check_blocks,
        algorithms=(BLOCKS, SMALL_BLOCKS),
        data=KEYS,
        differs=SIX_DIFFER + "Blocks are rounded down here, to the nearest in the paper.",
        setting="Six data sets of 5,000 to 107,091 rows in 2 to 10 dimensions, with k from 2 to "
        "15, and synthetic sets of 10,000 rows.",
        printed=tuple(
            printed(figure, data=key, measure=measure)
            for key, paper_figures in TABLE_1.items()
            for measure, figure in zip(COUNTED, paper_figures, strict=True)
        ),
    )
)
register(
    Reproduction(
        name="su2016-fig1",
        paper="su2016",
        figure="figure 1",
        title="Interactive methods and EUGkM on six data sets",
        claim="On the four sets of two and three dimensions, EUGkM clearly outperforms DPLloyd at "
        "small epsilon; on Adult-num and Lifesci DPLloyd does better at almost every epsilon "
        "(section 5.1).",
        measure=lambda shelf, effort: across_epsilon(shelf, effort, RIVALS),
        check=check_rivals,
        algorithms=tuple(one.contender.algorithm for one in RIVALS),
        data=KEYS,
        differs=SIX_DIFFER
        + REPAIRED
        + "PGkM makes 8 rounds, the paper's rule more where N times epsilon is above 64,000. Runs: "
        "20 of DPLloyd, 10 of GkM, 3 of PGkM, 5 of EUGkM.",
        setting="NICV against epsilon from 0.05 to 2, both on logarithmic axes, on the six sets of "
        "table 1. Means of 3,000 runs of DPLloyd, 100 of GkM and PGkM, 10 of EUGkM.",
        printed=tuple(claimed_rivals()),
    )
)
register(
    Reproduction(
        name="su2016-fig2",
        paper="su2016",
        figure="figure 2",
        title="Every method across k and d, and EUGkM for several theta",
        claim="EUGkM is more sensitive to the number of dimensions, and DPLloyd to the number of "
        "clusters (section 5.1).",
        measure=lambda shelf, effort: across_k_and_d(shelf, effort, MAPPED),
        check=check_map,
        algorithms=(*INTERACTIVE, GRID),
        data=("gaussians-k2-d2",),
        differs=GAUSSIANS_DIFFER
        + REPAIRED
        + "The paper says that theta = 10 works well in most cases, but not which others it tried: "
        "2, 5, 20 and 50 are chosen here. 16 of the 81 cells, for k and d of 2, 4, 7 and 10, and "
        "4 in the quick form. Runs: 10 of DPLloyd, 5 of GkM, 3 of PGkM, 3 of EUGkM.",
        setting="NICV above that of k-means without privacy, for k and d from 2 to 10 at "
        "epsilon 1, on 81 synthetic sets of 10,000 rows.",
        printed=tuple(claimed_map()),
    )
)
