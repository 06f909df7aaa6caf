"""Paper 001 (Balcan et al.): k-means in many dimensions against SuLQ and other baselines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dpcore.algorithms.kvariates import PickedRow
from dpcore.datasets import Dataset, RowsDataset
from dpcore.datasets.base import DataInfo
from dpcore.datasets.generated import gaussians
from dpcore.geometry.domain import TICKS, Box, FloatArray, from_ticks
from dpcore.papers.contenders import BOX_CENTER, NON_PRIVATE, Contender, contest, references
from dpcore.papers.finding import (
    OUR_WORDS,
    Check,
    Effort,
    Finding,
    Reproduction,
    Row,
    Shelf,
    register,
)
from dpcore.papers.measurements import all_of, duel, figures, found
from dpcore.privacy.accounting import Neighbors
from dpcore.study.sweep import trial_seed

EPSILON = 1.0
DELTA = 1e-6
#: Rows of each set of clusters: with a fourth of them noise hides what is compared.
ROWS = 20_000
#: A baseline is worse by orders of magnitude from this factor on.
FAR = 100

OURS = Contender("high-dimensional", "highdim")
PUBLISHED = Contender(
    "high-dimensional, published", "highdim-published", neighbors=Neighbors.REPLACE_ONE
)
SULQ_3 = Contender("SuLQ, 3 rounds", "sulq", {"rounds": 3}, DELTA)
SULQ_20 = Contender("SuLQ, 20 rounds", "sulq", {"rounds": 20}, DELTA)
SULQ_PUBLISHED = Contender("SuLQ, published", "sulq-published", delta=DELTA)
AGGREGATE = Contender("sample and aggregate", "sample-aggregate")
PICKS = Contender("k-variates++", "kvariates")
PICKS_PUBLISHED = Contender("k-variates++, published", "kvariates-published")
UNFOLDED = "k-variates++, not folded back into the box"

SEARCHES = (OURS, SULQ_3, SULQ_20, PUBLISHED, SULQ_PUBLISHED)
EVERYONE = (*SEARCHES, AGGREGATE, PICKS, PICKS_PUBLISHED)
KEYS = tuple(dict.fromkeys(each.algorithm for each in EVERYONE))

DIFFERS = OUR_WORDS + (
    "MNIST and CIFAR do not ship: scikit-learn's digits and Gaussian clusters stand in, with far "
    "fewer rows. Costs are per row and in a box of half side 1. SuLQ gets the delta of 1e-6 that "
    "its noise needs. Added rounds of Lloyd are left out of the published form."
)


def gaussian_rows(k: int, d: int) -> Dataset:
    """Well separated clusters; dimensions without a bound, unlike the sets that ship."""
    about = DataInfo(f"gaussians-k{k}-d{d}", f"{k} Gaussian clusters", simulated=True, public=True)
    return RowsDataset.from_values(gaussians(k, d, ROWS), Box.cube(d), about)


def measured(
    data: Dataset, k: int, contenders: Sequence[Contender], effort: Effort
) -> Iterator[Row]:
    yield from references(data, k, EPSILON, effort.seed)
    yield from contest(data, contenders, k, EPSILON, effort.runs(20), effort.seed)


def unfolded_picks(data: Dataset, k: int, rng: np.random.Generator) -> FloatArray:
    """k-variates++ with the plain noise of its paper, and picks left wherever that puts them."""
    centers = np.empty((0, data.d))
    for _ in range(k):
        noise = rng.laplace(0, 2 * k * data.d / EPSILON, data.d)
        centers = np.vstack([centers, PickedRow(centers, rng).of(data) / TICKS + noise])
    return centers


def unfolded_row(data: Dataset, k: int, effort: Effort) -> Row:
    """Its mean cost a row. `nicv` is of no use here: it folds centers back."""
    points = from_ticks(data.positions()[0])
    costs = []
    for i in range(effort.runs(20)):
        centers = unfolded_picks(data, k, np.random.default_rng(trial_seed(effort.seed, i)))
        squares = (centers**2).sum(axis=1) - 2 * points @ centers.T
        costs.append(float((squares.min(axis=1) + (points**2).sum(axis=1)).mean()))
    setting: dict[str, str | int | float] = {
        "data": data.about.key,
        "d": data.d,
        "k": k,
        "epsilon": EPSILON,
        "algorithm": UNFOLDED,
        "measure": "NICV",
    }
    return Row(setting, float(np.mean(costs)))


def measure_table(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    """Every baseline on a small set, a set of pictures and a set of many clusters."""
    sets = (
        (gaussian_rows(4, 3), 4),
        (shelf.data("digits"), 10),
        (gaussian_rows(16, 100), 16),
    )
    for data, k in sets:
        yield from measured(data, k, EVERYONE, effort)
        yield unfolded_row(data, k, effort)


def measure_dimensions(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    for d in effort.some((5, 10, 20, 50, 100, 200, 500), quick=(5, 50, 500)):
        yield from measured(gaussian_rows(8, int(d)), 8, SEARCHES, effort)


def measure_clusters(shelf: Shelf, effort: Effort) -> Iterator[Row]:
    for k in effort.some((2, 4, 8, 16, 32, 64), quick=(2, 8, 64)):
        yield from measured(gaussian_rows(int(k), 50), int(k), SEARCHES, effort)


def beats(rows: Sequence[Row], one: Contender, other: Contender) -> Check:
    """Whether the one costs less than the other in every setting."""
    outcome = duel(rows, one.label, other.label)
    return Check(outcome.finding, f"{one.label} costs less than {other.label} {outcome}.")


def beats_no_data(rows: Sequence[Row]) -> str:
    """Where the middle of the box, which looks at no data, would have been as good."""
    blind = [
        f"{setting['data']} ({cell[BOX_CENTER] / cell[OURS.label]:.2g} of its cost)"
        for named, cell in figures(rows).items()
        if OURS.label in cell and cell.get(BOX_CENTER, float("inf")) <= cell[OURS.label]
        for setting in [dict(named)]
    ]
    if not blind:
        return "It always costs less than the middle of the box, which looks at no data."
    return f"The middle of the box, which looks at no data, costs less on {', '.join(blind)}."


def against_sulq(rows: Sequence[Row]) -> list[Check]:
    """As repaired, against many rounds and few; and as both were published."""
    pairs = ((OURS, SULQ_20), (OURS, SULQ_3), (PUBLISHED, SULQ_PUBLISHED))
    return [beats(rows, one, other) for one, other in pairs]


def far_worse(rows: Sequence[Row], label: str) -> Check:
    """Whether a method costs orders of magnitude more than k-means without privacy."""
    ratios = [
        cell[label] / cell[NON_PRIVATE]
        for cell in figures(rows).values()
        if label in cell and cell.get(NON_PRIVATE, 0) > 0
    ]
    if not ratios:
        return Check(Finding.SKIPPED, f"{label} was not measured.")
    far = sum(ratio >= FAR for ratio in ratios)
    return Check(
        found(far, len(ratios)),
        f"{label}: it costs {min(ratios):.3g} to {max(ratios):.3g} times as much as k-means "
        f"without privacy, {FAR} times or more on {far} of {len(ratios)} sets.",
    )


def concluded(checks: Sequence[Check], rows: Sequence[Row]) -> Check:
    """All checks as one, and what must be said beside them."""
    check = all_of(checks, rows)
    return Check(check.finding, f"{check.words}\n{beats_no_data(rows)}")


def check_search(rows: Sequence[Row]) -> Check:
    return concluded(against_sulq(rows), rows)


def check_table(rows: Sequence[Row]) -> Check:
    others = [beats(rows, OURS, AGGREGATE), far_worse(rows, UNFOLDED)]
    return concluded(against_sulq(rows) + others, rows)


register(
    Reproduction(
        "001-table1",
        "001",
        "Table 1",
        "The cost of every method",
        "The paper's method costs less than SuLQ k-means and sample and aggregate on every set; "
        "k-variates++ is worse by orders of magnitude.",
        measure_table,
        check_table,
        KEYS,
        ("digits",),
        DIFFERS,
    )
)

register(
    Reproduction(
        "001-dimension",
        "001",
        "Effect of dimension",
        "Cost against the number of dimensions, to 500",
        "The paper's method costs less than SuLQ k-means at every number of dimensions.",
        measure_dimensions,
        check_search,
        tuple(dict.fromkeys(each.algorithm for each in SEARCHES)),
        differs=DIFFERS,
    )
)

register(
    Reproduction(
        "001-clusters",
        "001",
        "Effect of clusters",
        "Cost against the number of clusters, to 64",
        "The paper's method costs less than SuLQ k-means at every number of clusters.",
        measure_clusters,
        check_search,
        tuple(dict.fromkeys(each.algorithm for each in SEARCHES)),
        differs=DIFFERS,
    )
)
