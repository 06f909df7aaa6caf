"""Reproductions: a figure or table of a paper, its claim, how to measure it again, and the outcome.

Each has one headline claim, which decides whether it is reproduced, and any number of side claims
with outcomes of their own. A check reads rows and nothing else, so that it can be given the rows
that the paper prints.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType

from dpcore.algorithms.references import NUMBERS, PAPERS, short
from dpcore.errors import BadInput
from dpcore.papers.check import Check, Conclusion
from dpcore.papers.figure_row import Row
from dpcore.papers.inputs import Effort, Shelf


@dataclass(frozen=True)
class Reproduction:
    """One figure or table of a paper, measured again.

    `measure` yields rows as they are measured; `check` reads the rows and nothing else: those
    measured here, those of a file, and those that the paper prints.
    """

    name: str
    #: Key of the paper in `dpcore.algorithms.PAPERS`.
    paper: str
    #: Such as "figure 1" or "table 2".
    figure: str
    title: str
    #: The main claim, with the section of the paper that makes it.
    claim: str
    measure: Callable[[Shelf, Effort], Iterator[Row]]
    check: Callable[[Sequence[Row]], Check]
    #: Keys of the algorithms and data sets that it needs.
    algorithms: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    #: What is different here from the paper: stand-ins, fewer rows, smaller k.
    differs: str = ""
    #: The paper's axes, data, k, epsilon, rows and runs.
    setting: str = ""
    #: Rows with which the check must come out as the paper says: the numbers that the paper prints
    #: (`printed`), and numbers after its claim where it has only a plot (`drawn`).
    printed: tuple[Row, ...] = ()
    #: Names that it once had, besides its name with the key of the paper in front.
    formerly: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Such as "Su et al. (2016), figure 1"."""
        return f"{short(self.paper)}, {self.figure[:1].lower()}{self.figure[1:]}"

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names under which it is found."""
        numbers = [number for number, paper in NUMBERS.items() if paper == self.paper]
        return (*(self.name.replace(self.paper, number, 1) for number in numbers), *self.formerly)

    def judge(self, rows: Sequence[Row]) -> Check:
        """The result of the check on the rows, if any of them has a figure."""
        if all(math.isnan(row.figure) for row in rows):
            reasons = dict.fromkeys(str(row.setting.get("absent", "")) for row in rows)
            return Check(
                Conclusion.CANNOT_RUN, " ".join(filter(None, reasons)) or "Nothing was measured."
            )
        return self.check(rows)

    def beside(self, row: Row) -> Row:
        """A measured row with the number that the paper prints for its setting."""
        setting = row.setting.items()
        for point in self.printed:
            if point.paper is not None and point.setting.items() <= setting:
                return replace(row, paper=point.paper)
        return row

    def compared(self, rows: Sequence[Row]) -> list[Row]:
        """Every number that the paper prints, with the figure measured here, or NaN."""
        return [
            Row(
                point.setting,
                next(
                    (row.figure for row in rows if point.setting.items() <= row.setting.items()),
                    math.nan,
                ),
                point.paper,
            )
            for point in self.printed
            if point.paper is not None
        ]


@dataclass
class ReproductionRun:
    """The rows and the verdict of one reproduction that was run."""

    reproduction: Reproduction
    rows: list[Row] = field(default_factory=list)
    check: Check = field(default_factory=lambda: Check(Conclusion.CANNOT_RUN, "not run"))
    #: The day on which it was measured, such as 2026-01-31.
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())


_registry: dict[str, Reproduction] = {}
_aliases: dict[str, str] = {}
#: Every finding by its name, such as "su2016-fig1".
REPRODUCTIONS: Mapping[str, Reproduction] = MappingProxyType(_registry)


def register(reproduction: Reproduction) -> Reproduction:
    name = reproduction.name
    if name in _registry or name in _aliases:
        raise BadInput(f"Two findings are called {name!r}.")
    _registry[name] = reproduction
    _aliases.update(dict.fromkeys(reproduction.aliases, name))
    return reproduction


def current_name(name: str) -> str | None:
    """The name of the finding that has, or once had, this name; None where there is none."""
    return name if name in _registry else _aliases.get(name)


def reproduce(
    name: str, shelf: Shelf | None = None, effort: Effort | None = None
) -> Iterator[ReproductionRun]:
    """Run one finding, handing out what is known so far after every row, and last the verdict.

    A finding whose data are not there cannot be run, and its outcome says why.
    """
    current = current_name(name)
    if current is None:
        raise BadInput(f"No finding {name!r}. There are: {', '.join(REPRODUCTIONS)}.")
    outcome = ReproductionRun(REPRODUCTIONS[current])
    try:
        for row in outcome.reproduction.measure(shelf or Shelf(), effort or Effort()):
            outcome.rows.append(outcome.reproduction.beside(row))
            yield outcome
    except FileNotFoundError as missing:
        outcome.check = Check(Conclusion.CANNOT_RUN, str(missing))
    else:
        outcome.check = outcome.reproduction.judge(outcome.rows)
    yield outcome


def in_order(names: Iterable[str]) -> list[Reproduction]:
    """Findings by paper, tables before figures, and by their number."""
    reproductions = [REPRODUCTIONS[name] for name in names]
    return sorted(reproductions, key=_place)


def _place(each: Reproduction) -> tuple[int, bool, list[int], str]:
    number = [int(n) for n in re.findall(r"\d+", each.figure)]
    return list(PAPERS).index(each.paper), "table" not in each.figure.lower(), number, each.name
