"""Sweep plans: a sweep as data, the source text that repeats it, and its trials as files."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from dpcore.errors import BadInput
from dpcore.results.formats import STATUS
from dpcore.runs import source_text
from dpcore.runs.request import Request
from dpcore.runs.source_text import Expression, number
from dpcore.study.metrics import measurable, usual
from dpcore.study.sweep import Trial

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class SweepPlan:
    """A sweep over built-in data that can be repeated elsewhere.

    Its requests are those of some algorithms at each of some levels, and differ in nothing else.
    """

    #: The key of the data.
    data: str
    requests: tuple[Request, ...]
    runs: int
    metrics: tuple[str, ...] = field(default_factory=usual)

    def __post_init__(self) -> None:
        if (
            self.requests != across(self.of_each_algorithm, self.epsilons)
            or len({(each.k, each.delta, each.neighbors, each.seed) for each in self.requests}) != 1
        ):
            raise BadInput("The requests of a sweep differ in algorithm and epsilon only.")

    @property
    def total(self) -> int:
        """How many trials there are."""
        return len(self.requests) * self.runs

    @property
    def k(self) -> int:
        return self.requests[0].k

    @property
    def seed(self) -> int:
        return self.requests[0].seed or 0

    @property
    def algorithms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.algorithm for each in self.requests))

    @property
    def epsilons(self) -> tuple[float, ...]:
        return tuple(dict.fromkeys(each.epsilon for each in self.requests))

    @property
    def of_each_algorithm(self) -> tuple[Request, ...]:
        """The requests at the first level."""
        return tuple(each for each in self.requests if each.epsilon == self.requests[0].epsilon)

    def ordered(self, trials: Iterable[Trial]) -> list[Trial]:
        """Trials in the order in which a sweep yields them."""
        place = {(each.algorithm, each.epsilon): i for i, each in enumerate(self.requests)}
        return sorted(trials, key=lambda each: (each.run, place[each.algorithm, each.epsilon]))

    def command(self, data: str | None = None, k: str | None = None) -> str:
        """Lines for a shell that repeat the sweep: one, and one for each algorithm with settings.

        Data and k may be other words, such as the variables of a loop.
        """
        own = [[each] for each in self.of_each_algorithm if each.changed]
        together = [each for each in self.of_each_algorithm if not each.changed]
        return "\n".join(
            self._line(requests, data or self.data, k or str(self.k))
            for requests in [together, *own]
            if requests
        )

    def _line(self, requests: Sequence[Request], data: str, k: str) -> str:
        words = ["dpcore", "sweep", *(each.algorithm for each in requests)]
        words += ["--data", data, "-k", k, "--epsilons", *map(number, self.epsilons)]
        words += ["--runs", str(self.runs), "--seed", str(self.seed), *requests[0].options()]
        if self.metrics != usual():
            words += ["--metrics", *self.metrics]
        return source_text.shell([*words, "--csv"])

    def call(self, data: str | None = None, k: str | None = None) -> str:
        """A call in Python that repeats the sweep; data and k may be other expressions."""
        named: dict[str, Any] = {
            "k": Expression(k or self.k),
            "epsilons": self.epsilons,
            "runs": self.runs,
            "seed": self.seed,
            **self.requests[0].keywords(),
        }
        if own := {each.algorithm: each.changed for each in self.of_each_algorithm if each.changed}:
            named["parameters"] = own
        if self.metrics != usual():
            named["metrics"] = self.metrics
        source = Expression(data or f"dpcore.datasets.load({self.data!r})")
        return source_text.call("dpcore.sweep", self.algorithms, source, **named)

    def python(self) -> str:
        """A program that repeats the sweep."""
        return f"import dpcore\n\ntrials = list({self.call()})\n"

    @property
    def shows(self) -> str:
        """Lines that print what the program found."""
        return "from dpcore.study.sweep_plan import as_csv\n\nprint(as_csv(trials))\n"


def across(requests: Iterable[Request], epsilons: Iterable[float]) -> tuple[Request, ...]:
    """Each request at each epsilon, in the order in which a sweep runs them."""
    each = tuple(requests)
    return tuple(request.at(epsilon) for epsilon in epsilons for request in each)


def flat(trial: Trial) -> dict[str, Any]:
    """A trial as the row of a table, with a column for each metric."""
    known = measurable()
    row: dict[str, Any] = {name: getattr(trial, name) for name in BEFORE}
    row |= {known[key].column: value for key, value in trial.figures.items()}
    row |= {name: getattr(trial, name) for name in AFTER}
    return {name: _number_or_none(value) for name, value in row.items()}


#: Columns on both sides of the figures.
BEFORE, AFTER = ("algorithm", "epsilon", "run", "seed"), ("seconds", "refusal")


def columns(trials: Iterable[Trial]) -> list[str]:
    """The columns of a table of trials."""
    known = measurable()
    keys = dict.fromkeys(key for trial in trials for key in trial.figures) or usual()
    return [*BEFORE, *(known[key].column for key in keys), *AFTER]


def _number_or_none(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def plain(row: DataclassInstance) -> dict[str, Any]:
    """A dataclass as data; what is not a number becomes null."""
    return {name: _number_or_none(value) for name, value in asdict(row).items()}


def as_json(trials: Iterable[Trial], status: str = "") -> str:
    """Every trial as JSON, with its status if it is not for others to see."""
    said = {STATUS: status} if status else {}
    return json.dumps([{**flat(trial), **said} for trial in trials], indent=1)


def as_csv(trials: Iterable[Trial], status: str = "") -> str:
    """Every trial as a table."""
    said, rows = ({STATUS: status} if status else {}), list(trials)
    return table_csv([*columns(rows), *said], ({**flat(row), **said} for row in rows))


def table_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows under a head; what a row has no value for stays empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
