"""What the figures of `auto` amount to: geometric means, lost cells, tails, the distance to the
floor, and whether more rows, more epsilon or a delta ever make it worse."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from benchmarks.accuracy_cells import PARTS, Cell
from benchmarks.table import Row

#: A cell is lost when it is this far behind, and two standard errors.
BEHIND = 0.03
#: What a geometric mean of a peer over `auto` should be, by part.
BARS = {"map": 1.15, "few": 1.15}
#: The median excess over k-means at an epsilon, by part.
EXCESS_BARS = {"map": (0.1, 0.15), "few": (0.5, 0.08), "several": (0.1, 0.3)}
#: A 95th percentile over the median of at least so many runs, where the median is no more than 1.1.
TAIL_BAR, TAIL_MEDIAN, TAIL_RUNS = 1.25, 1.1, 40
PEERS = ("privtree", "ag", "rugnik")
SIBLINGS = ("adaptive", "lift", "eugkm", "coreset")
#: The most cells that a note names.
NAMED = 12


@dataclass(frozen=True)
class Figure:
    """Some runs of one method in one cell."""

    mean: float
    error: float
    median: float
    high: float

    @classmethod
    def of(cls, runs: npt.NDArray[np.float64]) -> Figure:
        error = runs.std(ddof=1) / math.sqrt(len(runs)) if len(runs) > 1 else 0.0
        high = np.percentile(runs, 95)
        numbers = (float(f"{x:.5g}") for x in (runs.mean(), error, np.median(runs), high))
        return cls(*numbers)

    def behind(self, other: Figure) -> bool:
        """Whether it is worse, by more than chance and more than a little."""
        room = max(BEHIND * other.mean, 2 * math.hypot(self.error, other.error))
        return self.mean > other.mean + room


#: By method.
Figures = Mapping[str, Figure]


def summary_rows(
    measured: Mapping[str, Mapping[str, Figures]], before: Mapping[str, Mapping[str, Figures]]
) -> Iterator[Row]:
    """What the figures measured amount to, part by part, and since those kept."""
    for part, cells in measured.items():
        yield from beside_others(part, cells)
        yield from tails(part, cells)
        yield from distances(part, cells)
        yield from worse_steps(part, cells)
        yield from since(part, cells, before.get(part, {}))


def beside_others(part: str, cells: Mapping[str, Figures]) -> Iterator[Row]:
    """Geometric means of others over `auto`, and the cells lost to them."""
    for other in (*PEERS, *SIBLINGS, "public"):
        ratios = [c[other].mean / c["auto"].mean for c in cells.values() if other in c]
        if ratios:
            lost = sum(c["auto"].behind(c[other]) for c in cells.values() if other in c)
            what = "k public points" if other == "public" else other
            yield Row(
                f"{part}: {what} over auto, geometric mean",
                geometric_mean(ratios),
                BARS.get(part, 1.0) if other in PEERS else 1.0,
                at_least=True,
                note=f"{lost} of {len(ratios)} cells lost",
            )
    losses = {
        f"{name} to {other}": c["auto"].mean / figure.mean
        for name, c in cells.items()
        for other, figure in c.items()
        if other not in ("auto", "floor") and c["auto"].behind(figure)
    }
    if any(len(c) > 2 for c in cells.values()):
        yield Row(
            f"{part}: cells lost to any by {BEHIND:.0%} and two standard errors",
            len({name.rsplit(" to ", 1)[0] for name in losses}),
            0,
            unit=f"of {len(cells)}",
            note=worst_of(losses),
        )


def tails(part: str, cells: Mapping[str, Figures]) -> Iterator[Row]:
    ratios = {
        name: c["auto"].high / c["auto"].median
        for name, c in cells.items()
        if c["auto"].median <= TAIL_MEDIAN
    }
    if ratios:
        long = {name: tail for name, tail in ratios.items() if tail > TAIL_BAR}
        yield Row(
            f"{part}: worst tail of {TAIL_RUNS} runs, 95th percentile over median",
            max(ratios.values()),
            TAIL_BAR,
            note=f"{len(long)} of {len(ratios)} cells beyond. {worst_of(long)}",
        )


def distances(part: str, cells: Mapping[str, Figures]) -> Iterator[Row]:
    """Median excess over k-means at each epsilon, beside that of the floor."""
    at, bar = EXCESS_BARS.get(part, (0.0, 0.0))
    for epsilon in sorted({cell.epsilon for cell in PARTS[part]}):
        here = [cells[c.name] for c in PARTS[part] if c.epsilon == epsilon and c.name in cells]
        ours, floor = (
            float(np.median([c[key].mean for c in here])) - 1 for key in ("auto", "floor")
        )
        yield Row(
            f"{part}: median excess at ε={epsilon:g}",
            ours,
            bar if epsilon == at else None,
            unit="",
            note=f"floor {floor:.3g}",
        )


def worse_steps(part: str, cells: Mapping[str, Figures]) -> Iterator[Row]:
    """Steps to more epsilon, to more rows or to a delta that make `auto` worse."""
    measured = [cell for cell in PARTS[part] if cell.name in cells]
    for what, steps in (
        ("epsilon", list(_steps(measured, "epsilon"))),
        ("rows", list(_steps((c for c in measured if c.whole), "n"))),
        ("delta", list(_steps(measured, "delta"))),
    ):
        if not steps:
            continue
        worse = {
            f"{after.name} after {getattr(before, _FIELDS[what]):g}": ratio
            for before, after in steps
            if _of(cells, after).behind(_of(cells, before))
            for ratio in [_of(cells, after).mean / _of(cells, before).mean]
        }
        yield Row(
            f"{part}: steps to more {what} that make it worse",
            len(worse),
            0,
            unit=f"of {len(steps)}",
            note=worst_of(worse),
        )


_FIELDS = {"epsilon": "epsilon", "rows": "n", "delta": "delta"}


def _steps(cells: Iterable[Cell], field: str) -> Iterator[tuple[Cell, Cell]]:
    """Cells that differ in nothing but a field, each with the next greater one."""
    alike: dict[Cell, list[Cell]] = {}
    for cell in cells:
        alike.setdefault(replace(cell, **{field: 0}), []).append(cell)
    for group in alike.values():
        yield from pairwise(sorted(group, key=lambda cell: float(getattr(cell, field))))


def _of(cells: Mapping[str, Figures], cell: Cell) -> Figure:
    return cells[cell.name]["auto"]


def since(part: str, cells: Mapping[str, Figures], before: Mapping[str, Figures]) -> Iterator[Row]:
    """`auto` beside itself as it was when figures were last kept."""
    both = [name for name in cells if name in before]
    if both:
        ratios = {name: cells[name]["auto"].mean / before[name]["auto"].mean for name in both}
        worse = {n: r for n, r in ratios.items() if cells[n]["auto"].behind(before[n]["auto"])}
        yield Row(
            f"{part}: auto over auto as last kept, geometric mean",
            geometric_mean(ratios.values()),
            1.01,
            note=f"{len(worse)} of {len(both)} cells worse. {worst_of(worse)}",
        )


def worst_of(ratios: Mapping[str, float]) -> str:
    """The cells with the largest ratios, and these."""
    worst = sorted(ratios, key=ratios.__getitem__, reverse=True)[:NAMED]
    return "; ".join(f"{name} {ratios[name]:.2f}" for name in worst)


def geometric_mean(ratios: Iterable[float]) -> float:
    return math.exp(float(np.mean(np.log(list(ratios)))))
