"""Paper 000, the comparisons: six data sets across epsilon, and a family across k and d."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dpcore.datasets.base import Dataset
from dpcore.papers.finding import OUR_WORDS, Check, Effort, Reproduction, Row, Shelf, register
from dpcore.papers.measurements import TIE, all_of, available, duel, figures, found, mean_figures
from dpcore.runs.baseline import baseline
from dpcore.study.metrics import nicv

#: The six data sets of the paper, here, and their k: S1, Gowalla, TIGER, Image, Adult, Lifesci.
SIX = (
    ("s1", 15),
    ("nyc-taxi", 5),
    ("nyc-taxi", 2),
    ("image-rgb", 3),
    ("adult", 5),
    ("gaussians-k3-d10", 3),
)
STAND_IN = {"s1": "s1-like"}
SIX_DIFFER = OUR_WORDS + (
    "Taxi pickups with k = 5 and k = 2 stand in for Gowalla and TIGER, and ten-dimensional "
    "Gaussians for Lifesci. S1 and Adult are read from your folder; without S1, simulated points "
    "like it stand in. "
)
GAUSSIANS_DIFFER = OUR_WORDS + (
    "Simulated here: 10,000 points in well separated clusters for k and d from 2 to 10. "
)
REPAIRED = (
    "Methods that read the exact number of rows are the repaired ones, which pay for a noisy one, "
    "and our EUGkM starts from places drawn among its noisy counts, not from packed spheres only. "
)
EPSILONS, FEW = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0), (0.1, 1.0)
SIDES, FEW_SIDES = range(2, 11), (2, 5, 10)
#: Up to so many dimensions the paper counts as few.
FEW_DIMENSIONS = 3

RIVALS = ("dplloyd", "gkm", "gkm-3k", "pgkm", "eugkm")
PARTS = ("eugkm", "dplloyd")
#: With the exact number of rows, all of epsilon for its counts, and packed spheres to start from.
PUBLISHED = "eugkm-published"


def six_sets(shelf: Shelf) -> Iterator[tuple[Dataset | None, int, list[Row]]]:
    """Each of the six with its k, or None; and rows that say what is absent."""
    for key, k in SIX:
        data, absent = available(shelf, key)
        if data is None and key in STAND_IN:
            data = shelf.data(STAND_IN[key])
            absent = [
                replace(row, setting={**row.setting, "absent": f"{STAND_IN[key]} stands in"})
                for row in absent
            ]
        yield data, k, absent


def across_epsilon(
    shelf: Shelf, effort: Effort, algorithms: Sequence[str], full: int
) -> Iterator[Row]:
    """NICV of the algorithms on the six sets across epsilon."""
    epsilons, runs = effort.some(EPSILONS, FEW), effort.runs(full)
    for data, k, absent in six_sets(shelf):
        yield from absent
        if data is not None:
            yield from mean_figures(data, algorithms, k, epsilons, runs, effort.seed)


def across_k_and_d(shelf: Shelf, effort: Effort, algorithms: Sequence[str]) -> Iterator[Row]:
    """NICV at epsilon 1 on the family of Gaussians, and of k-means without privacy."""
    sides = [int(side) for side in effort.some(SIDES, FEW_SIDES)]
    for d in sides:
        for k in sides:
            data = shelf.data(f"gaussians-k{k}-d{d}")
            rows = list(mean_figures(data, algorithms, k, [1.0], effort.runs(20), effort.seed))
            best = nicv(data, baseline(data, k, effort.seed).centers)
            yield from rows
            yield Row({**rows[0].setting, "algorithm": "non-private"}, best)


def check_rivals(rows: Sequence[Row]) -> Check:
    few = [row for row in rows if row.setting.get("d", 0) in range(1, FEW_DIMENSIONS + 1)]
    many = [row for row in rows if row not in few]
    grid, as_published = (duel(few, key, "dplloyd") for key in ("eugkm", PUBLISHED))
    lloyd = duel(many, "dplloyd", "eugkm")
    blocks = duel(rows, "gkm-3k", "gkm")
    cells = [(dict(cell), by) for cell, by in figures(rows).items() if set(RIVALS) <= set(by)]
    worst = sum(max(by, key=lambda key: by[key]) == "gkm" for _, by in cells)
    searched = sum(
        (by["pgkm"] < by["dplloyd"]) == (str(at["data"]).startswith("s1") and at["epsilon"] < 0.15)
        for at, by in cells
    )
    return all_of(
        [
            Check(grid.finding, f"in up to 3 dimensions EUGkM does better than DPLloyd {grid}."),
            Check(
                as_published.finding,
                f"so does EUGkM as published, with the exact number of rows, {as_published}.",
            ),
            Check(lloyd.finding, f"in more, DPLloyd does better than EUGkM {lloyd}."),
            Check(
                found(worst, len(cells)),
                f"GkM is the worst of all in {worst} of {len(cells)} cells.",
            ),
            Check(blocks.finding, f"GkM-3K does better than GkM {blocks}."),
            Check(
                found(searched, len(cells)),
                "PGkM does better than DPLloyd on S1 below epsilon 0.15 and nowhere else: so in "
                f"{searched} of {len(cells)} cells.",
            ),
        ],
        rows,
    )


def check_hybrid(rows: Sequence[Row]) -> Check:
    cells = [by for by in figures(rows).values() if {*PARTS, "hybrid"} <= set(by)]
    as_good = sum(by["hybrid"] <= TIE * min(by[part] for part in PARTS) for by in cells)
    grid, lloyd = duel(rows, "hybrid", "eugkm"), duel(rows, "hybrid", "dplloyd")
    words = (
        f"Hybrid does as well as the better of EUGkM and DPLloyd in {as_good} of {len(cells)} "
        f"cells. It does better than EUGkM {grid}; than DPLloyd {lloyd}."
    )
    return all_of([Check(found(as_good, len(cells)), words)], rows)


def check_heat(rows: Sequence[Row]) -> Check:
    """How far above k-means without privacy each is, at the borders of the map."""
    at: dict[tuple[str, int, int], float] = {}
    for cell, by in figures(rows).items():
        where = dict(cell)
        for part in PARTS:
            at[part, where["d"], where["k"]] = by[part] - by["non-private"]
    ds, ks = sorted({d for _, d, _ in at}), sorted({k for _, _, k in at})
    by_d = sum(at["eugkm", ds[-1], k] > at["eugkm", ds[0], k] for k in ks)
    by_k = sum(at["dplloyd", d, ks[-1]] > at["dplloyd", d, ks[0]] for d in ds)
    low, high = (ds[0], ks[-1]), (ds[-1], ks[0])
    corners = [at["eugkm", *low] < at["dplloyd", *low], at["dplloyd", *high] < at["eugkm", *high]]
    told = ", ".join(
        f"at d = {d} and k = {k} EUGkM {at['eugkm', d, k]:.3g} and DPLloyd "
        f"{at['dplloyd', d, k]:.3g} above"
        for d, k in (low, high)
    )
    return all_of(
        [
            Check(
                found(by_d, len(ks)),
                f"from d = {ds[0]} to {ds[-1]} EUGkM gets worse for {by_d} of {len(ks)} k.",
            ),
            Check(
                found(by_k, len(ds)),
                f"from k = {ks[0]} to {ks[-1]} DPLloyd gets worse for {by_k} of {len(ds)} d.",
            ),
            Check(
                found(sum(corners), 2),
                "EUGkM is ahead where d is small and k large, DPLloyd where d is large and k "
                f"small: {told} k-means without privacy.",
            ),
        ],
        rows,
    )


register(
    Reproduction(
        name="000-fig1",
        paper="000",
        figure="figure 1",
        title="Existing methods and EUGkM on six data sets",
        claim="EUGkM is the best in two and three dimensions and DPLloyd in more. GkM is the "
        "worst, GkM-3K much better. PGkM overtakes DPLloyd only on S1 and below epsilon 0.15.",
        measure=lambda shelf, effort: across_epsilon(shelf, effort, (*RIVALS, PUBLISHED), 10),
        check=check_rivals,
        algorithms=(*RIVALS, PUBLISHED),
        data=tuple(dict.fromkeys(key for key, _ in SIX)),
        differs=SIX_DIFFER + REPAIRED + "PGkM makes 8 rounds, the paper's rule at most 12.",
    )
)
register(
    Reproduction(
        name="000-fig2",
        paper="000",
        figure="figure 2",
        title="EUGkM and DPLloyd across k and d",
        claim="EUGkM suffers from more dimensions, DPLloyd from more clusters.",
        measure=lambda shelf, effort: across_k_and_d(shelf, effort, PARTS),
        check=check_heat,
        algorithms=PARTS,
        data=("gaussians-k2-d2",),
        differs=GAUSSIANS_DIFFER + REPAIRED,
    )
)
register(
    Reproduction(
        name="000-fig5",
        paper="000",
        figure="figure 5",
        title="Hybrid on six data sets",
        claim="Hybrid does as well as the better of EUGkM and DPLloyd, or better than both.",
        measure=lambda shelf, effort: across_epsilon(shelf, effort, (*PARTS, "hybrid"), 10),
        check=check_hybrid,
        algorithms=(*PARTS, "hybrid"),
        data=tuple(dict.fromkeys(key for key, _ in SIX)),
        differs=SIX_DIFFER + REPAIRED + "rho is the constant 0.225.",
    )
)
register(
    Reproduction(
        name="000-fig6",
        paper="000",
        figure="figure 6",
        title="Hybrid across k and d",
        claim="Whatever k and d, Hybrid does as well as the better of EUGkM and DPLloyd.",
        measure=lambda shelf, effort: across_k_and_d(shelf, effort, (*PARTS, "hybrid")),
        check=check_hybrid,
        algorithms=(*PARTS, "hybrid"),
        data=("gaussians-k2-d2",),
        differs=GAUSSIANS_DIFFER + REPAIRED,
    )
)
