"""Paper 002 (Joshi and Thakkar): SubClustering against KMeans Guarantee."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence

import numpy.typing as npt
from scipy.stats import norm

from dpcore.datasets.base import Dataset
from dpcore.papers.contenders import Contender, contest
from dpcore.papers.finding import Check, Effort, Finding, Reproduction, Row, Shelf, register
from dpcore.papers.measurements import Measure, all_of, found
from dpcore.runs.baseline import baseline
from dpcore.study.metrics import cost_gap, nicv

EPSILON = 1.0
#: The sets of the paper, and how many species, growers, diagnoses and digits there are.
CLUSTERS = {"iris": 3, "wine": 3, "breast-cancer": 2, "digits": 10}
#: How many times smaller the paper's cost gap is than its baseline's.
FACTORS = {"iris": 1.1, "wine": 4.13, "breast-cancer": 2.83}
#: The internalK that the paper found best.
BEST_GROUPS = {"wine": 4, "breast-cancer": 4, "digits": 5}

GROUPS = (2, 3, 4, 5)
ROUNDS = 10
GUARANTEE, SUB = "KMeans Guarantee", "SubClustering"
GAP, RATIO = "CostGap", "CostGap of the baseline / of SubClustering"
#: So many standard errors apart, the paper's internalK is told from the best of the others with
#: 95 % confidence, whichever of them that is (one-sided; Bonferroni).
TELLING = float(norm.ppf(1 - 0.05 / (len(GROUPS) - 1)))
#: Gaps below this are equal but for rounding.
NO_GAP = 1e-9

DIFFERS = (
    "The published forms are measured; the paper leaves open how many rounds they run, their "
    "scores and how data are scaled, so a finding is that of many settings. The reference is the "
    "best of several non-private runs, in a public box of half side 1."
)


def gap_measure(data: Dataset, k: int, effort: Effort) -> dict[str, Measure]:
    """CostGap against k-means without privacy."""
    best = nicv(data, baseline(data, k, effort.seed).centers)

    def gap(data: Dataset, centers: npt.ArrayLike) -> float:
        return cost_gap(nicv(data, centers), best)

    return {GAP: gap}


def guarantee(rounds: int, noise: bool) -> Contender:
    settings = {"rounds": rounds, "final_noise": noise}
    return Contender(GUARANTEE, "kmeans-guarantee-published", settings)


def sub(rounds: int, groups: int, noise: bool) -> Contender:
    settings = {"rounds": rounds, "internal_k": groups, "final_noise": noise}
    return Contender(SUB, "subclustering-published", settings)


def mean_gap(
    data: Dataset,
    contender: Contender,
    measures: Mapping[str, Measure],
    effort: Effort,
    **setting: str | int,
) -> Row:
    """The mean CostGap of one contender; small sets need more runs."""
    runs = effort.runs(100 if data.n < 1_000 else 30)
    k = CLUSTERS[data.about.key]
    rows = contest(data, [contender], k, EPSILON, runs, effort.seed, measures=measures, **setting)
    return next(rows)


def measure_gaps(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Both methods on every set, for few rounds and many, with the final noise and without."""
    for key, k in CLUSTERS.items():
        data = shelf.data(key)
        measures = gap_measure(data, k, effort)
        for noise in (False, True):
            last = "final" if noise else "none"
            for rounds in map(int, effort.some((3, 5, 10, 20), quick=(3, 10))):
                where: dict[str, str | int] = {"rounds": rounds, "noise": last}
                base = mean_gap(data, guarantee(rounds, noise), measures, effort, **where)
                yield base
                for groups in map(int, effort.some(GROUPS, quick=(2, 4))):
                    contender = sub(rounds, groups, noise)
                    ours = mean_gap(data, contender, measures, effort, **where, internal_k=groups)
                    yield ours
                    ratio = max(base.figure, NO_GAP) / max(ours.figure, NO_GAP)
                    yield Row({**ours.setting, "measure": RATIO}, ratio, FACTORS.get(key))


def measure_groups(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """SubClustering for every internalK of the paper, beside its baseline."""
    for key, k in CLUSTERS.items():
        data = shelf.data(key)
        measures = gap_measure(data, k, effort)
        yield mean_gap(data, guarantee(ROUNDS, False), measures, effort)
        for groups in GROUPS:
            contender = sub(ROUNDS, groups, False)
            yield mean_gap(data, contender, measures, effort, internal_k=groups)


def check_factor(rows: Sequence[Row], key: str) -> Check:
    """In how many settings the gap is so many times smaller as the paper says, or smaller at all
    where it gives no number."""
    ratios = {
        noise: [
            row.figure
            for row in rows
            if row.setting.get("measure") == RATIO
            and row.setting["data"] == key
            and row.setting["noise"] == noise
        ]
        for noise in ("none", "final")
    }
    plain = ratios["none"]
    if not plain:
        return Check(Finding.SKIPPED, f"{key} was not measured.")
    wanted = FACTORS.get(key, 1.0)
    holds = sum(ratio >= wanted for ratio in plain)
    told = f"the paper's {wanted:g} times or more" if key in FACTORS else "a larger one"
    words = (
        f"{key}: the baseline's gap is {statistics.median(plain):.2f} times that of SubClustering "
        f"in the median, {max(plain):.2f} at most; {told} in {holds} of {len(plain)} settings"
    )
    if ratios["final"]:
        words += f". With the final noise, {statistics.median(ratios['final']):.2f} in the median"
    return Check(found(holds, len(plain)), words + ".")


def check_gaps(rows: Sequence[Row]) -> Check:
    return all_of([check_factor(rows, key) for key in CLUSTERS], rows)


def gaps_by_groups(rows: Sequence[Row], key: str) -> dict[int, Row]:
    return {
        int(row.setting["internal_k"]): row
        for row in rows
        if row.setting["data"] == key and "internal_k" in row.setting
    }


def check_every_group(rows: Sequence[Row], key: str) -> Check:
    """For how many internalK the gap is smaller than the baseline's."""
    gaps = [row.figure for row in gaps_by_groups(rows, key).values()]
    base = [
        row.figure
        for row in rows
        if row.setting["data"] == key and row.setting["algorithm"] == GUARANTEE
    ]
    if not gaps or not base:
        return Check(Finding.SKIPPED, f"{key} was not measured.")
    smaller = sum(gap < base[0] for gap in gaps)
    return Check(
        found(smaller, len(gaps)),
        f"{key}: gaps of {min(gaps):.3g} to {max(gaps):.3g}, the baseline "
        f"{base[0]:.3g}; smaller for {smaller} of {len(gaps)} internalK.",
    )


def check_best_group(rows: Sequence[Row], key: str) -> Check:
    """Whether the paper's best internalK is best here, beyond the luck of the runs."""
    gaps = gaps_by_groups(rows, key)
    if not gaps:
        return Check(Finding.SKIPPED, f"{key} was not measured.")
    wanted = gaps.pop(BEST_GROUPS[key])
    other, rival = min(gaps.items(), key=lambda item: item[1].figure)
    luck = math.hypot(wanted.error or 0, rival.error or 0)
    apart = (rival.figure - wanted.figure) / max(luck, NO_GAP)
    words = (
        f"{key}: a gap of {wanted.figure:.3g} with the paper's best internalK, {BEST_GROUPS[key]}, "
        f"and of {rival.figure:.3g} with the best other, {other}"
    )
    if abs(apart) < TELLING:
        return Check(Finding.DEPENDS, f"{words}, which may be luck.")
    return Check(Finding.REPRODUCED if apart > 0 else Finding.NOT_REPRODUCED, words + ".")


def check_groups(rows: Sequence[Row]) -> Check:
    better = [check_every_group(rows, key) for key in CLUSTERS]
    return all_of(better + [check_best_group(rows, key) for key in BEST_GROUPS], rows)


KEYS = ("kmeans-guarantee-published", "subclustering-published")

register(
    Reproduction(
        "002-fig3",
        "002",
        "Fig. 3",
        "CostGap of SubClustering and of its baseline",
        "The cost gap of SubClustering is smaller than its baseline's: 1.1 times on iris, 4.13 on "
        "wine, 2.83 on breast cancer; it is smaller on digits too.",
        measure_gaps,
        check_gaps,
        KEYS,
        tuple(CLUSTERS),
        DIFFERS,
    )
)

register(
    Reproduction(
        "002-fig4",
        "002",
        "Fig. 4",
        "CostGap of SubClustering against internalK",
        "SubClustering is better than its baseline for every internalK from 2 to 5; 4 is best for "
        "wine and breast cancer, 5 for digits.",
        measure_groups,
        check_groups,
        KEYS,
        tuple(CLUSTERS),
        DIFFERS,
    )
)
