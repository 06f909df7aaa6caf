"""Sweep plans: a sweep as data, the source text that repeats it, and its trials as files."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from dpcore.errors import BadInput
from dpcore.results.formats import STATUS
from dpcore.runs import source_text
from dpcore.runs.request import Request
from dpcore.runs.source_text import Expression, number
from dpcore.study.metrics import measurable, usual
from dpcore.study.trials import Trial

if TYPE_CHECKING:
    from dpcore.datasets.region_map import Regions


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
    #: Slow algorithms that make fewer runs than the others, and how many each.
    fewer: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if (
            self.requests != across(self.of_each_algorithm, self.epsilons)
            or len({(e.k, e.delta, e.neighbors, e.seed, e.regions) for e in self.requests}) != 1
        ):
            raise BadInput("The requests of a sweep differ in algorithm and epsilon only.")
        if self.fewer and self.regions is not None:
            raise BadInput("A sweep by regions makes the same number of runs of each algorithm.")

    @property
    def total(self) -> int:
        """The number of trials."""
        return sum(self.runs_of(each.algorithm) for each in self.requests)

    def runs_of(self, algorithm: str) -> int:
        """The number of runs that an algorithm makes at each level."""
        return dict(self.fewer).get(algorithm, self.runs)

    @property
    def parts(self) -> list[SweepPlan]:
        """This sweep as sweeps whose algorithms make the same number of runs, the most first."""
        numbers = sorted({self.runs_of(each) for each in self.algorithms}, reverse=True)
        return [
            replace(
                self,
                requests=tuple(e for e in self.requests if self.runs_of(e.algorithm) == runs),
                runs=runs,
                fewer=(),
            )
            for runs in numbers
        ]

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

    @property
    def regions(self) -> Regions | None:
        """The parts of the map that have levels of their own."""
        return self.requests[0].regions

    def command(
        self, data: str | None = None, k: str | None = None, regions: str | None = None
    ) -> str:
        """Lines for a shell that repeat the sweep: one for each number of runs, and one for each
        algorithm with settings.

        Data and k may be other words, such as the variables of a loop. Regions need the name, or
        the GeoJSON file, by which the command line knows them.
        """
        if self.fewer:
            return "\n".join(each.command(data, k, regions) for each in self.parts)
        own = [[each] for each in self.of_each_algorithm if each.changed]
        together = [each for each in self.of_each_algorithm if not each.changed]
        return "\n".join(
            self._line(requests, data or self.data, k or str(self.k), regions)
            for requests in [together, *own]
            if requests
        )

    def _line(self, requests: Sequence[Request], data: str, k: str, regions: str | None) -> str:
        words = ["dpcore", "sweep", *(each.algorithm for each in requests)]
        words += ["--data", data, "-k", k, "--epsilons", *map(number, self.epsilons)]
        words += ["--runs", str(self.runs), "--seed", str(self.seed), *requests[0].options()]
        words += requests[0].region_options(regions)
        if self.metrics != usual():
            words += ["--metrics", *self.metrics]
        return source_text.shell([*words, "--csv"])

    def call(self, data: str | None = None, k: str | None = None) -> str:
        """A call in Python that repeats the sweep; data and k may be other expressions.

        With regions, or with fewer runs of some algorithms, `python` writes the program.
        """
        if self.fewer:
            raise BadInput("One call makes the same number of runs of all: use the program.")
        if self.regions is not None:
            raise BadInput("A call cannot hold the borders of regions: use the program.")
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

    def python(self, regions: str | None = None) -> str:
        """A program that repeats the sweep. Regions need the call that makes them, such as
        `boroughs`."""
        if self.fewer:
            calls = "".join(f"    *{source_text.indented(each.call())},\n" for each in self.parts)
            return f"import dpcore\n\ntrials = [\n{calls}]\n"
        if self.regions is None:
            return f"import dpcore\n\ntrials = list({self.call()})\n"
        largest = max(self.epsilons)
        requests = (
            each.at(largest).expression().removesuffix(")") + ", regions=regions)"
            for each in self.of_each_algorithm
        )
        named: dict[str, Any] = {"runs": self.runs}
        if self.metrics != usual():
            named["metrics"] = self.metrics
        call = source_text.call("dpcore.sweep", Expression("requests"), Expression("data"), **named)
        lines = "".join(f"    {each},\n" for each in requests)
        return (
            f"import dpcore\n\ndata = dpcore.datasets.load({self.data!r})\n"
            f"{self.requests[0].region_lines(regions)}"
            f"first = [\n{lines}]\n"
            f"requests = [each.at(epsilon) for epsilon in {self.epsilons!r} for each in first]\n"
            f"trials = list({call})\n"
        )

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
    metrics = measurable()
    figures = {metrics[key].column: _number_or_none(value) for key, value in trial.figures.items()}
    return plain(trial, BEFORE) | figures | plain(trial, AFTER)


#: Columns on both sides of the figures.
BEFORE, AFTER = ("algorithm", "epsilon", "run", "seed"), ("seconds", "refusal")


def columns(trials: Iterable[Trial]) -> list[str]:
    """The columns of a table of trials."""
    metrics = measurable()
    keys = dict.fromkeys(key for trial in trials for key in trial.figures) or usual()
    return [*BEFORE, *(metrics[key].column for key in keys), *AFTER]


def _number_or_none(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def plain(each: object, names: Iterable[str]) -> dict[str, Any]:
    """Some attributes of an object as data; what is not a number becomes null."""
    return {name: _number_or_none(getattr(each, name)) for name in names}


def as_json(trials: Iterable[Trial], status: str = "") -> str:
    """Every trial as JSON, with its status if it is not for others to see."""
    extra = {STATUS: status} if status else {}
    return json.dumps([{**flat(trial), **extra} for trial in trials], indent=1)


def as_csv(trials: Iterable[Trial], status: str = "") -> str:
    """Every trial as a table."""
    extra, rows = ({STATUS: status} if status else {}), list(trials)
    return table_csv([*columns(rows), *extra], ({**flat(row), **extra} for row in rows))


def table_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows under a head; what a row has no value for stays empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
