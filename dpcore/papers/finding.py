"""A paper's finding, as data: what it claims, how it is measured here, and whether it came out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from types import MappingProxyType

from dpcore.datasets import load
from dpcore.datasets.base import Dataset
from dpcore.datasets.paper_sets import EXTRA
from dpcore.errors import BadInput


class Finding(StrEnum):
    """What became of a claim when it was measured again."""

    REPRODUCED = "reproduced"
    NOT_REPRODUCED = "not reproduced"
    DEPENDS = "depends"
    SKIPPED = "skipped"


#: Said of a finding beside which no figure of its paper stands.
OUR_WORDS = (
    "The paper's text was not at hand: the claim is in our words, after summaries, and no figure "
    "of the paper stands beside ours. "
)


@dataclass(frozen=True)
class Row:
    """One measured figure: the setting it belongs to, what was measured, and the paper's figure
    where it prints one."""

    setting: Mapping[str, str | int | float]
    figure: float
    paper: float | None = None
    #: Its standard error, where it is a mean of several runs.
    error: float | None = None


@dataclass(frozen=True)
class Check:
    """What the measurements say of the claim, in words with numbers."""

    finding: Finding
    words: str


@dataclass(frozen=True)
class Shelf:
    """Where the data of a reproduction come from: built-in sets, and a folder for others."""

    folder: Path | None = None

    def data(self, key: str) -> Dataset:
        """A data set, or FileNotFoundError when it does not ship and is not in the folder."""
        if key not in EXTRA:
            return load(key)
        if self.folder is None:
            raise FileNotFoundError(f"{key} does not ship: name the folder that holds it")
        return EXTRA[key].read(self.folder)


@dataclass(frozen=True)
class Effort:
    """How much is run: few repetitions to see the shape, or many to be sure."""

    quick: bool = False
    seed: int = 0

    def runs(self, full: int) -> int:
        return max(3, full // 10) if self.quick else full

    def some(self, values: Sequence[float], quick: Sequence[float]) -> Sequence[float]:
        """All values, or the few that a quick look takes."""
        return quick if self.quick else values


@dataclass(frozen=True)
class Reproduction:
    """One figure or table of a paper, measured again.

    `measure` yields rows as they are measured; `check` reads the rows and nothing else.
    """

    name: str
    paper: str
    figure: str
    title: str
    claim: str
    measure: Callable[[Shelf, Effort], Iterator[Row]]
    check: Callable[[Sequence[Row]], Check]
    #: Keys of the algorithms and data sets that it needs.
    algorithms: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    #: What is different here from the paper: stand-ins, fewer rows, smaller k.
    differs: str = ""


@dataclass
class Outcome:
    """The rows and the verdict of one reproduction that was run."""

    reproduction: Reproduction
    rows: list[Row] = field(default_factory=list)
    check: Check = Check(Finding.SKIPPED, "not run")
    #: The day on which it was measured, such as 2026-01-31.
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())


_registry: dict[str, Reproduction] = {}
#: Every finding by its name, such as "000-fig1".
REPRODUCTIONS: Mapping[str, Reproduction] = MappingProxyType(_registry)


def register(reproduction: Reproduction) -> Reproduction:
    if reproduction.name in _registry:
        raise BadInput(f"Two findings are called {reproduction.name!r}.")
    _registry[reproduction.name] = reproduction
    return reproduction


def reproduce(
    name: str, shelf: Shelf | None = None, effort: Effort | None = None
) -> Iterator[Outcome]:
    """Run one finding, handing out what is known so far after every row, and last the verdict.

    A data set that is not there skips the finding, and says so.
    """
    if name not in REPRODUCTIONS:
        raise BadInput(f"No finding {name!r}. There are: {', '.join(REPRODUCTIONS)}.")
    outcome = Outcome(REPRODUCTIONS[name])
    try:
        for row in outcome.reproduction.measure(shelf or Shelf(), effort or Effort()):
            outcome.rows.append(row)
            yield outcome
    except FileNotFoundError as missing:
        outcome.check = Check(Finding.SKIPPED, str(missing))
    else:
        outcome.check = outcome.reproduction.check(outcome.rows)
    yield outcome


def in_order(names: Iterable[str]) -> list[Reproduction]:
    """Findings by paper, and within a paper by the number of the figure."""
    found = [REPRODUCTIONS[name] for name in names]
    return sorted(found, key=lambda each: [int(n) for n in re.findall(r"\d+", each.name)])
