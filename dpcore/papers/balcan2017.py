"""Balcan et al. (2017): k-means in many dimensions against SuLQ and other baselines.

The numbers are those of the supplement. What the paper measured is entered as published; the same
methods with their privacy repaired stand beside.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from dpcore.papers.balcan2017_measures import (
    AGGREGATE,
    EVERYONE,
    GRID,
    GRID_DIMENSIONS,
    OBJECTIVE,
    OURS,
    PICKS,
    PLAIN_PICKS,
    REPAIRED,
    SEARCHES,
    SULQ,
    SULQ_REPAIRED,
    measure_cifar,
    measure_clusters,
    measure_dimensions,
    measure_mnist,
    measure_table,
)
from dpcore.papers.check import Check, Conclusion
from dpcore.papers.contenders import NON_PRIVATE
from dpcore.papers.figure_row import Row, Setting, plotted, printed
from dpcore.papers.measurements import TIE, conclusion_of, counted, figures, judged
from dpcore.papers.reproduction import Reproduction, register

#: Within this factor of k-means without privacy an objective is reasonably good.
REASONABLE = 1.5
#: Noise is too much from this factor on.
FAR = 10

DIFFERS = (
    "SuLQ gets the delta of 1e-6 that its noise needs, and 20 rounds as published. The rounds of "
    "Lloyd that the authors' code adds at the end are left out. Means of 3 runs. "
)
BOTH_DIFFER = DIFFERS + (
    "Beside the methods as published stand those with their privacy repaired, which pay for what "
    "the published ones read for free. "
)


def cells_of(rows: Sequence[Row]) -> list[dict[str, float]]:
    return list(figures(rows).values())


def below(rows: Sequence[Row], one: str, other: str, words: str, factor: float = TIE) -> Check:
    """The number of cells in which the one is smaller by more than a factor."""
    cells = [by for by in cells_of(rows) if one in by and other in by]
    return counted(sum(by[one] * factor < by[other] for by in cells), len(cells), words)


def near_best(rows: Sequence[Row], label: str) -> Check:
    """Whether a method is reasonably good: near k-means without privacy, and not below it."""
    ratios = [
        by[label] / by[NON_PRIVATE] for by in cells_of(rows) if {label, NON_PRIVATE} <= set(by)
    ]
    if not ratios:
        return Check(Conclusion.CANNOT_RUN, f"{label} was not measured.")
    good = sum(1 < ratio <= REASONABLE for ratio in ratios)
    return Check(
        conclusion_of(good, len(ratios)),
        f"{label} is reasonably good: {min(ratios):.3g} to {max(ratios):.3g} times the objective "
        f"of k-means without privacy, at most {REASONABLE:g} times in {good} of {len(ratios)} "
        "cells.",
    )


def check_table(rows: Sequence[Row]) -> Check:
    private = (OURS.label, SULQ.label, GRID.label, PICKS.label, AGGREGATE.label)
    cells = [by for by in cells_of(rows) if {OURS.label, GRID.label} <= set(by)]
    lowest = sum(
        all(
            by[GRID.label] * TIE < by[label]
            for label in private
            if label in by and label != GRID.label
        )
        for by in cells
    )
    words = "Of all private methods as published, Su et al.'s grid has the lowest objective"
    sides = [
        near_best(rows, OURS.label),
        near_best(rows, SULQ.label),
        below(rows, SULQ.label, OURS.label, "SuLQ is below Balcan et al.", 1),
        below(
            rows, OURS.label, PICKS.label, "k-variates++ is 3 times above Balcan et al. or more", 3
        ),
        below(
            rows,
            OURS.label,
            AGGREGATE.label,
            "sample and aggregate is 5 times above Balcan et al. or more",
            5,
        ),
        below(rows, PICKS.label, AGGREGATE.label, "k-variates++ is below sample and aggregate"),
    ]
    return judged(counted(lowest, len(cells), words), sides, rows)


def check_mnist(rows: Sequence[Row]) -> Check:
    cells = {dict(cell)["k"]: by for cell, by in figures(rows).items() if OURS.label in by}
    rivals = {
        k: min(by.get(label, math.inf) for label in (PICKS.label, PLAIN_PICKS))
        for k, by in cells.items()
    }
    far = sum(FAR * cells[k][OURS.label] <= rival < math.inf for k, rival in rivals.items())
    headline = counted(
        far,
        len(cells),
        f"The better form of k-variates++ costs {FAR} times as much as Balcan et al. or more",
    )
    few, many = min(cells, default=0), max(cells, default=0)
    grows = Check(conclusion_of(0, 0), "k was not varied.")
    if few < many:
        times, ours = (
            rivals[many] / rivals[few],
            cells[many][OURS.label] / cells[few][OURS.label],
        )
        grows = Check(
            conclusion_of(int(times > max(TIE, ours)), 1),
            f"from k = {few} to {many} the objective of k-variates++ grows {times:.3g} times, that "
            f"of Balcan et al. {ours:.3g} times.",
        )
    return judged(headline, [grows], rows)


def as_published(rows: Sequence[Row]) -> Check:
    return below(rows, OURS.label, SULQ.label, "As published, Balcan et al. are below SuLQ")


def against_sulq(rows: Sequence[Row]) -> Check:
    """The headline of the figures in which only the two published methods are entered."""
    return judged(as_published(rows), rows=rows)


def check_dimensions(rows: Sequence[Row]) -> Check:
    repaired = below(
        rows, REPAIRED.label, SULQ_REPAIRED.label, "with privacy repaired, they are below SuLQ too"
    )
    few = [row for row in rows if int(row.setting.get("d", 99)) <= GRID_DIMENSIONS]
    grid = below(few, GRID.label, OURS.label, "in 5 dimensions Su et al.'s grid is far below", 2)
    return judged(as_published(rows), [repaired, grid], rows)


def claimed(
    cells: Sequence[Setting], ratios: Mapping[str, float], best: float = 1e5
) -> Iterator[Row]:
    """The same objectives in every cell, as multiples of the best."""
    for cell in cells:
        for label, ratio in ratios.items():
            yield plotted(best * ratio, **cell, algorithm=label, measure=OBJECTIVE)


#: Table 1 of the supplement: n = 100,000, d = 3, k = 4.
TABLE_1 = {
    NON_PRIVATE: 2.636e5,
    GRID.label: 2.638e5,
    SULQ.label: 2.927e5,
    OURS.label: 2.985e5,
    PICKS.label: 1.390e6,
    AGGREGATE.label: 2.831e6,
}
ORDER = {
    NON_PRIVATE: 1.0,
    OURS.label: 3.0,
    SULQ.label: 30.0,
    REPAIRED.label: 3.0,
    SULQ_REPAIRED.label: 30.0,
}
#: What section 6.4 prints for 5 dimensions.
FIVE: Setting = {"data": "gaussians-32", "d": 5, "k": 32}

register(
    Reproduction(
        name="balcan2017-table1",
        paper="balcan2017",
        figure="table 1",
        title="Every method on a small synthetic set",
        claim="Of all private methods Su et al.'s grid has the lowest objective here; Balcan et "
        "al. and SuLQ are both reasonably good (supplement, section 6.2).",
        measure=measure_table,
        check=check_table,
        algorithms=tuple(each.algorithm for each in EVERYONE),
        differs=BOTH_DIFFER + "The paper names no epsilon for this table: 0.5, as in its other "
        "comparisons. Three draws of the set, means uniform in a cube of side 10: with the paper's "
        "100, k-means without privacy would cost 3.00e5 on four clusters apart, and one center in "
        "the middle 2.5e8; the table prints 2.64e5, and 2.83e6 for sample and aggregate, which is "
        "what overlapping clusters and one center cost with a side of 10.",
        setting="Objective (sum of squared distances) on a mixture of Gaussians with n = 100,000, "
        "d = 3 and k = 4.",
        printed=tuple(
            printed(figure, data="gaussians-4", d=3, k=4, algorithm=label, measure=OBJECTIVE)
            for label, figure in TABLE_1.items()
        ),
    )
)
register(
    Reproduction(
        name="balcan2017-fig2",
        paper="balcan2017",
        figure="figure 2",
        title="Against k-variates++ on MNIST",
        claim="k-variates++ ends up adding too much noise for slightly larger k, while the "
        "paper's method performs reasonably well (supplement, section 6.2).",
        measure=measure_mnist,
        check=check_mnist,
        algorithms=(OURS.algorithm, PICKS.algorithm, REPAIRED.algorithm),
        data=("mnist",),
        differs=BOTH_DIFFER + "MNIST is read from your folder; without it, 70,000 digits of 8 x 8 "
        "pixels stand in, made from the 1,797 of scikit-learn. Where the published noise of "
        "k-variates++ is not defined, only its plain noise is measured. The quick form takes "
        "10,000 rows.",
        setting="Objective on a logarithmic axis on MNIST (70,000 x 784) for k = 2 to 5 at "
        "epsilon 0.5.",
        printed=tuple(
            row
            for k in (2, 3, 4, 5)
            for row in claimed(
                [{"data": "mnist", "k": k}], {OURS.label: 1.0, PICKS.label: 10.0 ** (2 * k - 2)}
            )
        ),
    )
)
register(
    Reproduction(
        name="balcan2017-fig3",
        paper="balcan2017",
        figure="figure 3",
        title="Objective on features of CIFAR-10 against k",
        claim="The paper's method has a lower objective than SuLQ for k from 2 to 64 "
        "(supplement, section 6.3).",
        measure=measure_cifar,
        check=against_sulq,
        algorithms=tuple(each.algorithm for each in SEARCHES),
        data=("cifar-10",),
        differs=DIFFERS + "The features of the Inception network cannot be had. CIFAR-10 is read "
        "from your folder, as pixels averaged to 8 x 8 in three colors; without it, 100,000 pieces "
        "of 12 x 12 gray pixels of two photographs stand in (144 dimensions, as in the paper). "
        "Epsilon is 0.5. The quick form takes 10,000 rows and three k.",
        setting="Objective (3e4 to 8e4) against k from 2 to 64 on 100,000 rows of 144 features of "
        "CIFAR-10. Means of 5 runs.",
        printed=tuple(
            claimed([{"data": "cifar-10", "k": k} for k in (2, 4, 8, 16, 32, 64)], ORDER)
        ),
    )
)
register(
    Reproduction(
        name="balcan2017-fig4",
        paper="balcan2017",
        figure="figure 4",
        title="Objective against the number of dimensions",
        claim="The paper's method scales to more dimensions better than SuLQ; in 5 dimensions Su "
        "et al.'s grid has a much lower objective, but cannot be run in more "
        "(supplement, section 6.4).",
        measure=measure_dimensions,
        check=check_dimensions,
        algorithms=tuple(each.algorithm for each in (*SEARCHES, REPAIRED, SULQ_REPAIRED, GRID)),
        formerly=("001-dimension", "balcan2017-dimension"),
        differs=BOTH_DIFFER + "In 5,000 dimensions there are 10,000 rows, for want of memory; the "
        "repaired methods stop at 50 dimensions. The "
        "quick form takes 10,000 rows and stops at 500 dimensions.",
        setting="Objective on logarithmic axes against d = 5, 50, 500 and 5,000, on mixtures of 32 "
        "Gaussians with n = 100,000, k = 32 and epsilon 0.5.",
        printed=(
            printed(1.84e7, **FIVE, algorithm=GRID.label, measure=OBJECTIVE),
            printed(6.43e7, **FIVE, algorithm=OURS.label, measure=OBJECTIVE),
            plotted(6e8, **FIVE, algorithm=SULQ.label, measure=OBJECTIVE),
            *claimed([{"data": "gaussians-32", "d": d, "k": 32} for d in (50, 500, 5000)], ORDER),
        ),
    )
)
register(
    Reproduction(
        name="balcan2017-fig5",
        paper="balcan2017",
        figure="figure 5",
        title="Objective against the number of clusters",
        claim="The paper's method has a lower objective than SuLQ for 8 to 64 clusters "
        "(supplement, section 6.5).",
        measure=measure_clusters,
        check=against_sulq,
        algorithms=tuple(each.algorithm for each in SEARCHES),
        formerly=("001-clusters", "balcan2017-clusters"),
        differs=DIFFERS + "Epsilon is 0.5. The quick form takes 10,000 rows, and 8 and 32 "
        "clusters.",
        setting="Objective (up to 1.2e10) against G = 8, 16, 32 and 64, on mixtures of G Gaussians "
        "in 100 dimensions with n = 100,000 and k = G.",
        printed=tuple(
            claimed([{"data": f"gaussians-{k}", "d": 100, "k": k} for k in (8, 16, 32, 64)], ORDER)
        ),
    )
)
