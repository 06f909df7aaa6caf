"""Helpers of the papers' findings: mean figures over many runs, and counts of where claims hold."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from dpcore.datasets.base import Dataset
from dpcore.errors import Infeasible
from dpcore.papers.check import Check, Conclusion
from dpcore.papers.figure_row import Row
from dpcore.papers.inputs import Shelf
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.metrics import nicv
from dpcore.study.trial_seeds import trial_seed

#: A claim about many cells is reproduced where it holds in this share of them.
MOST = 0.8
#: Means of a few runs that differ by less than this factor count as equal.
TIE = 1.02

#: How good centers are, less being better.
Measure = Callable[[Dataset, npt.ArrayLike], float]
NICV: Mapping[str, Measure] = {"NICV": nicv}


def mean_figures(
    data: Dataset,
    requests: Iterable[Request],
    runs: int,
    *,
    measures: Mapping[str, Measure] = NICV,
    **setting: str | int | float,
) -> Iterator[Row]:
    """The mean of each measure over many runs of each request, and its error.

    A run has the same seed in every cell. What else is said of the setting goes into each row. An
    algorithm that cannot answer gives NaN, and its row says why.
    """
    for request in requests:
        where = {
            "data": data.about.key,
            "d": data.d,
            "k": request.k,
            **setting,
            "epsilon": request.epsilon,
            "algorithm": request.algorithm,
        }
        seeds = [trial_seed(request.seed or 0, i) for i in range(runs)]
        try:
            answers = [run(request.with_seed(seed), data).centers for seed in seeds]
        except Infeasible as refusal:
            yield Row({**where, "absent": str(refusal)}, math.nan)
            continue
        for name, measure in measures.items():
            figures = [measure(data, centers) for centers in answers]
            mean, error = mean_and_error(figures)
            yield Row({**where, "measure": name}, mean, error=error)


def mean_and_error(figures: Sequence[float]) -> tuple[float, float | None]:
    """The mean of some runs, and its standard error where there is more than one."""
    runs = len(figures)
    error = statistics.stdev(figures) / math.sqrt(runs) if runs > 1 else None
    return statistics.fmean(figures), error


def available(shelf: Shelf, key: str) -> tuple[Dataset | None, list[Row]]:
    """A data set, or None and a row that says that it is left out and why."""
    try:
        return shelf.data(key), []
    except FileNotFoundError as missing:
        return None, [Row({"data": key, "absent": str(missing)}, math.nan)]


def figures(rows: Iterable[Row], key: str = "algorithm") -> dict[tuple[Any, ...], dict[Any, float]]:
    """Cells whose settings differ in one key only, and the figures in each by that key."""
    cells: dict[tuple[Any, ...], dict[Any, float]] = {}
    for row in rows:
        if not math.isnan(row.figure):
            cell = tuple((name, value) for name, value in row.setting.items() if name != key)
            cells.setdefault(cell, {})[row.setting[key]] = row.figure
    return cells


@dataclass(frozen=True)
class Duel:
    """The cells in which one algorithm did better than another, counted, and by how much."""

    wins: int
    losses: int
    cells: int
    #: Geometric mean of its figure over the other's: below 1 it did better.
    ratio: float

    @property
    def finding(self) -> Conclusion:
        """Whether it did better. Equal cells speak for neither, but it must win in half of all."""
        if 2 * self.wins < self.cells:
            return conclusion_of(0, self.cells)
        return conclusion_of(self.wins, self.wins + self.losses)

    def __str__(self) -> str:
        ties = self.cells - self.wins - self.losses
        equal = f", {ties} equal" if ties else ""
        average = f"{self.ratio:.3g} times its figure on average"
        return f"in {self.wins} of {self.cells} cells{equal} ({average})"


def duel(rows: Iterable[Row], one: str, other: str) -> Duel:
    """The duel of two series of figures: less than a factor of TIE apart is equal."""
    pairs = [(c[one], c[other]) for c in figures(rows).values() if one in c and other in c]
    wins = sum(a * TIE < b for a, b in pairs)
    losses = sum(b * TIE < a for a, b in pairs)
    logs = [math.log(a / b) for a, b in pairs if a > 0 < b]
    return Duel(wins, losses, len(pairs), math.exp(math.fsum(logs) / max(1, len(logs))))


def conclusion_of(holds: int, cells: int, most: float = MOST) -> Conclusion:
    """The outcome of a claim, by the number of cells in which it holds."""
    if not cells:
        return Conclusion.CANNOT_RUN
    return Conclusion.REPRODUCED if holds >= most * cells else Conclusion.NOT_REPRODUCED


def together(parts: Iterable[tuple[int, int]]) -> Conclusion:
    """The outcome of a claim with several parts, by the cells in which each holds: it must hold in
    most of all cells, and in at least half of those of every part."""
    cases = [(holds, cells) for holds, cells in parts if cells]
    if any(2 * holds < cells for holds, cells in cases):
        return Conclusion.NOT_REPRODUCED
    return conclusion_of(sum(holds for holds, _ in cases), sum(cells for _, cells in cases))


def counted(holds: int, cells: int, words: str, most: float = MOST) -> Check:
    """A claim told as a count: the words, and in how many cells of all it holds."""
    return Check(conclusion_of(holds, cells, most), f"{words} in {holds} of {cells} cells.")


def judged(headline: Check, sides: Sequence[Check] = (), rows: Sequence[Row] = ()) -> Check:
    """The headline claim decides; side claims stand under it, and after them what is left out."""
    absent = dict.fromkeys(
        f"{row.setting.get('algorithm', row.setting.get('data'))}: {row.setting['absent']}"
        for row in rows
        if "absent" in row.setting
    )
    notes = [*headline.notes, *(f"Left out: {each.rstrip('.')}." for each in absent)]
    return Check(headline.finding, headline.words, tuple(sides), tuple(notes))
