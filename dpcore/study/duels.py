"""Duels: two methods on the same data with the same seeds, cell by cell over epsilon, k, n and d.

Each run of a cell draws new simulated clusters, and both methods cluster them. So the runs of a
cell are pairs, and the sign test asks whether one method wins more of them than a fair coin would:
with w wins in m runs that are no ties, p = P(|B - m/2| >= |w - m/2|) for B binomial(m, 1/2).
Because there are many cells, p is compared with 5 % after the correction of Benjamini and Hochberg:
of the cells that are called significant, at most 5 % are expected to be so by chance.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from scipy.stats import binomtest, false_discovery_control

from dpcore.datasets.base import Dataset
from dpcore.datasets.generated import gaussians
from dpcore.datasets.rows import from_array
from dpcore.errors import BadInput, Infeasible
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.metrics import nicv
from dpcore.study.sweep_plan import plain, table_csv
from dpcore.study.trial_seeds import trial_seed
from dpcore.study.trials import NumberedRun

#: The cells of a duel, and the share of wins by chance that is allowed.
EPSILONS, KS = (0.1, 0.5, 2.0), (2, 5, 10)
NS, DS = (1_000, 10_000), (2, 4, 8)
LEVEL = 0.05


@dataclass(frozen=True)
class Setting:
    """One cell of a duel."""

    epsilon: float
    k: int
    n: int
    d: int


@dataclass(frozen=True)
class Bout(NumberedRun):
    """One run of both methods on the same rows: their NICV, or why there is none."""

    #: The request of the second method; that of the first is `request`.
    rival: Request
    n: int
    d: int
    one: float = math.nan
    other: float = math.nan

    @property
    def setting(self) -> Setting:
        """The cell that it belongs to."""
        return Setting(self.request.epsilon, self.request.k, self.n, self.d)


@dataclass(frozen=True)
class MethodDuel:
    """Two methods that meet in every cell, some times each."""

    #: One request for each method; other cells have the same at their epsilon and k.
    one: Request
    other: Request
    runs: int
    epsilons: tuple[float, ...] = EPSILONS
    ks: tuple[int, ...] = KS
    ns: tuple[int, ...] = NS
    ds: tuple[int, ...] = DS

    def __post_init__(self) -> None:
        if self.one.algorithm == self.other.algorithm:
            raise BadInput(f"A duel needs two methods, not {self.one.algorithm!r} twice.")

    @property
    def settings(self) -> list[Setting]:
        """All cells."""
        cells = product(self.ns, self.ds, self.ks, self.epsilons)
        return [Setting(epsilon, k, n, d) for n, d, k, epsilon in cells]

    @property
    def total(self) -> int:
        """The number of bouts."""
        return self.runs * len(self.settings)

    def bouts(self) -> Iterator[Bout]:
        """Every bout as it finishes, round by round, so that the whole picture shows early."""
        for number in range(self.runs):
            seed = trial_seed(self.one.seed or 0, number)
            for n, d, k in product(self.ns, self.ds, self.ks):
                data = from_array(gaussians(k, d, n, seed), (-1, 1))
                for epsilon in self.epsilons:
                    yield _with_figures(self.bout(Setting(epsilon, k, n, d), number), data)

    def bout(self, setting: Setting, number: int, refusal: str | None = None) -> Bout:
        """A bout in a cell before it is held, or one that cannot be."""
        one, other = (each.at(setting.epsilon).on(setting.k) for each in (self.one, self.other))
        return Bout(one, number, other, setting.n, setting.d, refusal=refusal)

    def python(self) -> str:
        """A program that repeats it and prints every bout."""
        cells = ", ".join(
            f"{name}={getattr(self, name)!r}" for name in ("epsilons", "ks", "ns", "ds")
        )
        return f"""\
import dpcore
from dpcore.study.duels import MethodDuel, as_csv

duel = MethodDuel(
    {self.one.expression()},
    {self.other.expression()},
    runs={self.runs},
    {cells},
)
print(as_csv(duel.bouts()))
"""

    @property
    def shows(self) -> str:
        """Nothing: the program prints what it finds."""
        return ""


def _with_figures(bout: Bout, data: Dataset) -> Bout:
    """A bout after it is held."""
    try:
        one, other = (
            nicv(data, run(request.with_seed(bout.seed), data).centers)
            for request in (bout.request, bout.rival)
        )
    except Infeasible as refusal:
        return replace(bout, refusal=str(refusal))
    return replace(bout, one=one, other=other)


@dataclass(frozen=True)
class CellOutcome:
    """The outcome of a cell: the winner, how often and by how much it won, and whether chance could
    have done it."""

    setting: Setting
    #: Runs that the first and the second method won; the rest are ties.
    wins: int
    losses: int
    runs: int
    #: The geometric mean of the second's NICV over the first's: above 1 where the first is better.
    times: float
    #: By the sign test; 1 where nothing was run.
    p: float
    #: Whether the win stands after the correction for many cells.
    is_significant: bool = False
    #: Why the cell has no result.
    refusal: str | None = None


def fewest_runs(cells: int) -> int:
    """The fewest runs after which a method that won them all, in one cell only, is called better.

    Where all m runs are won, p is 2 / 2^m, which the correction multiplies by the number of cells.
    """
    return math.floor(1 - math.log2(LEVEL / cells)) + 1


def outcomes(bouts: Iterable[Bout]) -> list[CellOutcome]:
    """The outcome of every cell in which there was a bout."""
    cells: dict[Setting, list[Bout]] = {}
    for bout in bouts:
        cells.setdefault(bout.setting, []).append(bout)
    cell_outcomes = [_outcome(setting, some) for setting, some in cells.items()]
    able = [each for each in cell_outcomes if each.refusal is None]
    chances = [each.p for each in able]
    corrected = false_discovery_control(chances).tolist() if able else chances
    significant = {each.setting for each, p in zip(able, corrected, strict=True) if p < LEVEL}
    return [
        CellOutcome(**{**vars(each), "is_significant": each.setting in significant})
        for each in cell_outcomes
    ]


def _outcome(setting: Setting, bouts: list[Bout]) -> CellOutcome:
    refusal = next((bout.refusal for bout in bouts if bout.refusal is not None), None)
    if refusal is not None:
        return CellOutcome(setting, 0, 0, len(bouts), math.nan, 1.0, refusal=refusal)
    wins = sum(bout.one < bout.other for bout in bouts)
    losses = sum(bout.other < bout.one for bout in bouts)
    logs = [math.log(bout.other / bout.one) for bout in bouts if bout.one > 0 and bout.other > 0]
    times = math.exp(math.fsum(logs) / len(logs)) if logs else 1.0
    p = float(binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return CellOutcome(setting, wins, losses, len(bouts), times, p)


#: The columns of the two files.
BOUT = ("epsilon", "k", "n", "d", "run", "seed", "one", "other", "refusal")
CELL = ("epsilon", "k", "n", "d", "wins", "losses", "runs", "times", "p", "significant", "refusal")


def as_csv(bouts: Iterable[Bout]) -> str:
    """Every bout, with its cell."""
    return table_csv(BOUT, map(_row, bouts))


def as_json(bouts: Iterable[Bout]) -> str:
    return json.dumps(list(map(_row, bouts)), indent=1)


def cells_csv(cell_outcomes: Iterable[CellOutcome]) -> str:
    """The outcome of every cell."""
    rows = (
        {
            **asdict(each.setting),
            **{name: getattr(each, name) for name in ("wins", "losses", "runs", "p", "refusal")},
            "times": None if math.isnan(each.times) else each.times,
            "significant": each.is_significant,
        }
        for each in cell_outcomes
    )
    return table_csv(CELL, rows)


def _row(bout: Bout) -> dict[str, Any]:
    return asdict(bout.setting) | plain(bout, ("run", "seed", "refusal", "one", "other"))
