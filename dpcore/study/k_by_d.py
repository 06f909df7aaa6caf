"""Algorithms across k and d: a family of simulated sets (Su et al. 2016, figures 2 and 6).

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from itertools import product

from dpcore.datasets import load
from dpcore.results.non_private import opened
from dpcore.results.run_result import BaselineResult
from dpcore.runs.baseline import baseline
from dpcore.study.curves import Metric
from dpcore.study.ranking import COLUMNS, Standing, row, standing
from dpcore.study.sweep import Trial, sweep
from dpcore.study.sweep_plan import Plan, plain, table_csv

#: The sides of the paper's maps.
SIDES = tuple(range(2, 11))


@dataclass(frozen=True)
class Cell:
    """One trial, and which member of the family it ran on."""

    k: int
    d: int
    trial: Trial


@dataclass(frozen=True)
class Family:
    """The same sweep for each k and d. Of the plan, data and k are replaced."""

    plan: Plan
    ks: tuple[int, ...] = SIDES
    ds: tuple[int, ...] = SIDES

    @property
    def total(self) -> int:
        return self.plan.total * len(self.ks) * len(self.ds)

    def member(self, k: int, d: int) -> Plan:
        return replace(self.plan, data=f"gaussians-k{k}-d{d}", k=k)

    def alone(self, algorithm: str) -> Family:
        """The part of it that one algorithm has."""
        return replace(self, plan=self.plan.alone(algorithm))

    def cells(self) -> Iterator[Cell]:
        """Every trial as it finishes, round by round, so that the whole map shows early."""
        for run, d, k in product(range(self.plan.runs), self.ds, self.ks):
            asked = self.member(k, d)
            trials = sweep(
                asked.algorithms,
                load(asked.data),
                k,
                asked.epsilons,
                1,
                asked.seed,
                asked.delta,
                asked.neighbors,
                {key: asked.changed(key) for key in asked.algorithms},
                reference=_reference(asked.data, k, asked.seed),
                unsquared=asked.unsquared,
                first=run,
            )
            yield from (Cell(k, d, opened(trial)) for trial in trials)

    def command(self) -> str:
        """Lines of a shell that make it again."""
        name = self.member(1, 1).data
        line = self.member(1, 1).command().replace(f"{name} -k 1", '"gaussians-k$k-d$d" -k $k')
        ks, ds = (" ".join(map(str, sides)) for sides in (self.ks, self.ds))
        return f"for d in {ds}; do for k in {ks}; do\n{line}\ndone; done"

    def python(self) -> str:
        """A program that makes it again."""
        asked = self.member(1, 1)
        program = asked.python().replace(
            f"load({asked.data!r}),\n    k=1,", 'load(f"gaussians-k{k}-d{d}"),\n    k=k,'
        )
        start, call = program.rstrip().split("trials = ")
        inner = call.replace("\n", "\n    ")
        return (
            f"{start}trials = {{\n    (k, d): {inner}\n"
            f"    for d in {list(self.ds)}\n    for k in {list(self.ks)}\n}}\n"
        )


@lru_cache(maxsize=1024)
def _reference(key: str, k: int, seed: int) -> BaselineResult:
    return baseline(load(key), k, seed)


def standings(
    cells: Iterable[Cell], algorithm: str, metric: Metric
) -> dict[tuple[int, int], Standing]:
    """How the algorithm does at each (k, d) at which there is a trial."""
    own: dict[tuple[int, int], list[Trial]] = {}
    for cell in cells:
        own.setdefault((cell.k, cell.d), []).append(cell.trial)
    return {at: standing(algorithm, trials, metric) for at, trials in own.items()}


def advantage(one: Standing | None, other: Standing | None) -> float | None:
    """How many times the one's figure the other's is: above 1 where the one does better."""
    if one is None or other is None or one.point is None or other.point is None:
        return None
    a, b = one.point.mean, other.point.mean
    return b / a if a > 0 and b > 0 else None


def means_csv(found: Mapping[str, Mapping[tuple[int, int], Standing]], metric: Metric) -> str:
    """Each algorithm's figures at each (k, d)."""
    rows = (
        {"k": k, "d": d, **row(each, metric)}
        for by_place in found.values()
        for (k, d), each in by_place.items()
    )
    return table_csv(["k", "d", *COLUMNS], rows)


def as_csv(cells: Iterable[Cell]) -> str:
    columns = ["k", "d", *(field.name for field in fields(Trial))]
    return table_csv(columns, ({"k": c.k, "d": c.d, **plain(c.trial)} for c in cells))
