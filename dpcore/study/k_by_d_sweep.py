"""Algorithms across k and d: a family of simulated sets (Su et al. 2016, figures 2 and 6).

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

from dpcore.datasets import load
from dpcore.results.non_private import opened
from dpcore.results.run_result import BaselineResult
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.runs.source_text import Expression, indented
from dpcore.study.metrics import Metric, usual
from dpcore.study.standings import COLUMNS, Standing, row, standing
from dpcore.study.sweep import sweep
from dpcore.study.sweep_plan import SweepPlan, columns, flat, table_csv
from dpcore.study.trials import Trial
from dpcore.study.usual_ranges import SIDES


@dataclass(frozen=True)
class Cell:
    """One trial, and which member of the family it ran on."""

    k: int
    d: int
    trial: Trial

    @property
    def refusal(self) -> str | None:
        """The reason why there is no answer, if so."""
        return self.trial.refusal


@dataclass(frozen=True)
class Family:
    """The same sweep for each k and d, at one level."""

    #: Of each algorithm one, at the first k: other cells have the same at theirs.
    requests: tuple[Request, ...]
    runs: int
    metrics: tuple[str, ...] = field(default_factory=usual)
    ks: tuple[int, ...] = SIDES
    ds: tuple[int, ...] = SIDES

    def __post_init__(self) -> None:
        object.__setattr__(self, "requests", tuple(each.on(self.ks[0]) for each in self.requests))

    @property
    def algorithms(self) -> tuple[str, ...]:
        return tuple(each.algorithm for each in self.requests)

    @property
    def total(self) -> int:
        """The number of trials."""
        return len(self.requests) * self.runs * len(self.ks) * len(self.ds)

    def member(self, k: int, d: int) -> SweepPlan:
        """The sweep of one cell."""
        requests = tuple(each.on(k) for each in self.requests)
        return SweepPlan(f"gaussians-k{k}-d{d}", requests, self.runs, self.metrics)

    def alone(self, algorithm: str) -> Family:
        """The part of one algorithm."""
        return replace(self, requests=tuple(r for r in self.requests if r.algorithm == algorithm))

    def cells(self) -> Iterator[Cell]:
        """Every trial as it finishes, round by round, so that the whole map shows early."""
        for number, d, k in product(range(self.runs), self.ds, self.ks):
            member = self.member(k, d)
            trials = sweep(
                member.requests,
                load(member.data),
                runs=1,
                metrics=self.metrics,
                reference=_reference(member.data, k, member.seed),
                first=number,
            )
            yield from (Cell(k, d, opened(trial)) for trial in trials)

    @property
    def _first(self) -> SweepPlan:
        return self.member(self.ks[0], self.ds[0])

    def command(self) -> str:
        """Lines for a shell that repeat it."""
        line = self._first.command(Expression('"gaussians-k$k-d$d"'), Expression("$k"))
        ks, ds = (" ".join(map(str, sides)) for sides in (self.ks, self.ds))
        return f"for d in {ds}; do for k in {ks}; do\n{line}\ndone; done"

    def python(self) -> str:
        """A program that repeats it."""
        call = self._first.call('dpcore.datasets.load(f"gaussians-k{k}-d{d}")', "k")
        return (
            "import dpcore\n\n"
            f"trials = {{\n    (k, d): list({indented(call)})\n"
            f"    for d in {list(self.ds)}\n    for k in {list(self.ks)}\n}}\n"
        )

    @property
    def shows(self) -> str:
        """Lines that print what the program found."""
        return (
            "from dpcore.study.k_by_d_sweep import Cell, as_csv\n\n"
            "cells = [Cell(k, d, one) for (k, d), some in trials.items() for one in some]\n"
            "print(as_csv(cells))\n"
        )


@lru_cache(maxsize=1024)
def _reference(key: str, k: int, seed: int) -> BaselineResult:
    return baseline(load(key), k, seed)


def standings(
    cells: Iterable[Cell], algorithm: str, metric: Metric
) -> dict[tuple[int, int], Standing]:
    """The standing of the algorithm at each (k, d) at which there is a trial."""
    own: dict[tuple[int, int], list[Trial]] = {}
    for cell in cells:
        own.setdefault((cell.k, cell.d), []).append(cell.trial)
    return {at: standing(algorithm, trials, metric) for at, trials in own.items()}


def advantage(one: Standing | None, other: Standing | None) -> float | None:
    """The ratio of the second figure to the first: above 1 where the first algorithm is better."""
    if one is None or other is None or one.point is None or other.point is None:
        return None
    a, b = one.point.mean, other.point.mean
    return b / a if a > 0 and b > 0 else None


def means_csv(standings: Mapping[str, Mapping[tuple[int, int], Standing]], metric: Metric) -> str:
    """Each algorithm's figures at each (k, d)."""
    rows = (
        {"k": k, "d": d, **row(each, metric)}
        for by_place in standings.values()
        for (k, d), each in by_place.items()
    )
    return table_csv(["k", "d", *COLUMNS], rows)


def as_json(cells: Iterable[Cell]) -> str:
    """Every trial as JSON, with its k and d."""
    return json.dumps([{"k": cell.k, "d": cell.d, **flat(cell.trial)} for cell in cells], indent=1)


def as_csv(cells: Iterable[Cell]) -> str:
    """Every trial, with its k and d."""
    rows = list(cells)
    head = ["k", "d", *columns(cell.trial for cell in rows)]
    return table_csv(head, ({"k": cell.k, "d": cell.d, **flat(cell.trial)} for cell in rows))
