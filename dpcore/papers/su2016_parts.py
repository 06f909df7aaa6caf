"""Paper 000, single methods: GkM's blocks, the genetic search without privacy, run time."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Iterator, Sequence

from dpcore.papers.finding import Check, Effort, Reproduction, Row, Shelf, register
from dpcore.papers.measurements import duel, figures, found, judged, mean_figures
from dpcore.papers.su2016 import REPAIRED, SIX, SIX_DIFFER, six_sets
from dpcore.privacy.accounting import MAX_EPSILON
from dpcore.runs.run import run
from dpcore.study.sweep import trial_seed

#: Rows in a block for each of the k centers; GkM-3K has 3.
BLOCK_ROWS, FEW_BLOCK_ROWS = (1, 2, 3, 5, 10, 30, 100), (1, 3, 10, 30)
#: A size of blocks counts as best when no other does better by more than this factor.
NEAR = 1.1
ROUNDS, FEW_ROUNDS = (5, 10, 20, 50, 100), (5, 20)
TIMED = ("dplloyd", "gkm", "gkm-3k", "pgkm", "eugkm", "hybrid")
SEARCHES = ("dplloyd", "pgkm")
KEYS = tuple(dict.fromkeys(key for key, _ in SIX))


def measure_blocks(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    epsilons = effort.some((0.1, 0.2, 0.5, 1.0, 2.0), (0.2, 1.0))
    runs = effort.runs(50)
    for data, k, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        published = round(data.n**0.6 / k, 1)
        for rows in sorted({*effort.some(BLOCK_ROWS, FEW_BLOCK_ROWS), published}):
            yield from mean_figures(
                data,
                ["gkm-3k"],
                k,
                epsilons,
                runs,
                effort.seed,
                parameters={"gkm-3k": {"rows_per_center": rows}},
                rows_per_center=rows,
                blocks="of GkM" if rows == published else "",
            )


def check_blocks(rows: Sequence[Row]) -> Check:
    cells: dict[tuple[object, ...], dict[str, float]] = {}
    for row in rows:
        if math.isnan(row.figure):
            continue
        at = row.setting
        cell = cells.setdefault((at["data"], at["k"], at["epsilon"]), {"best": math.inf})
        cell["best"] = min(cell["best"], row.figure)
        if at["blocks"]:
            cell["published"] = row.figure
        elif at["rows_per_center"] == 3:
            cell["3k"] = row.figure
    smaller = sum(cell["3k"] < cell["published"] for cell in cells.values())
    best = sum(cell["3k"] <= NEAR * cell["best"] for cell in cells.values())
    return judged(
        Check(
            found(smaller, len(cells)),
            f"blocks of 3k rows do better than GkM's, of n^0.6 rows, in {smaller} of "
            f"{len(cells)} cells.",
        ),
        [
            Check(
                found(best, len(cells)),
                f"no other size does better by more than 10 % in {best} of {len(cells)} cells.",
            ),
        ],
        rows,
    )


def measure_searches(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Both searches with so large an epsilon that the noise is nothing."""
    runs = effort.runs(10)
    for data, k, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        for rounds in effort.some(ROUNDS, FEW_ROUNDS):
            yield from mean_figures(
                data,
                SEARCHES,
                k,
                [MAX_EPSILON],
                runs,
                effort.seed,
                parameters={key: {"rounds": rounds} for key in SEARCHES},
                rounds=rounds,
            )


def check_searches(rows: Sequence[Row]) -> Check:
    longest = max((int(row.setting.get("rounds", 0)) for row in rows), default=0)
    equal = duel(rows, "dplloyd", "pgkm")
    last = duel([row for row in rows if row.setting.get("rounds") == longest], *SEARCHES)
    return judged(
        Check(
            equal.finding,
            f"in as many rounds Lloyd does better than the genetic search {equal}.",
        ),
        [
            Check(last.finding, f"so too after {longest} rounds: {last}."),
        ],
        rows,
    )


def measure_time(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Median seconds of one run at epsilon 1."""
    for data, k, absent in six_sets(shelf):
        yield from absent
        if data is None:
            continue
        for key in TIMED:
            seconds = []
            for i in range(effort.runs(10)):
                start = time.perf_counter()
                run(key, data, k, 1.0, seed=trial_seed(effort.seed, i))
                seconds.append(time.perf_counter() - start)
            setting: dict[str, str | int | float] = {
                "data": data.about.key,
                "d": data.d,
                "k": k,
                "algorithm": key,
                "measure": "seconds",
            }
            yield Row(setting, statistics.median(seconds))


def check_time(rows: Sequence[Row]) -> Check:
    cells = list(figures(rows).values())
    slowest = sum(max(by, key=lambda key: by[key]) == "pgkm" for by in cells)
    quicker = duel(rows, "dplloyd", "eugkm")
    longest = max((max(by.values()) for by in cells), default=math.nan)
    return judged(
        Check(
            found(slowest, len(cells)),
            f"the genetic search of PGkM takes longest in {slowest} of {len(cells)} cells; "
            f"no run took more than {longest:.2g} s.",
        ),
        [
            Check(quicker.finding, f"DPLloyd is quicker than EUGkM {quicker}."),
        ],
        rows,
    )


register(
    Reproduction(
        name="su2016-fig3",
        paper="000",
        figure="figure 3",
        title="The size of GkM's blocks",
        claim="GkM does better with many small blocks than with n^0.4 large ones; about 3k rows "
        "in a block are best.",
        measure=measure_blocks,
        check=check_blocks,
        algorithms=("gkm-3k",),
        data=KEYS,
        differs=SIX_DIFFER + REPAIRED + "Rows draw their block, so that sizes vary around the "
        "given one.",
    )
)
register(
    Reproduction(
        name="su2016-fig4",
        paper="000",
        figure="figure 4",
        title="Lloyd and the genetic search without privacy",
        claim="Even without privacy, the genetic search behind PGkM finds worse centers than "
        "Lloyd.",
        measure=measure_searches,
        check=check_searches,
        algorithms=SEARCHES,
        data=KEYS,
        differs=SIX_DIFFER + "Both run at epsilon 1,000,000, where the noise is nothing.",
    )
)
register(
    Reproduction(
        name="su2016-fig7",
        paper="000",
        figure="figure 7",
        title="Run time",
        claim="The genetic search of PGkM takes longest, and DPLloyd less than EUGkM.",
        measure=measure_time,
        check=check_time,
        algorithms=TIMED,
        data=KEYS,
        differs=SIX_DIFFER + "Seconds belong to a machine and a program: only the order of the "
        "methods is compared.",
    )
)
