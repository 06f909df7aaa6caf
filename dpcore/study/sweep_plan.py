"""A sweep as something to keep: what was asked, how to ask it again, its trials as files."""

from __future__ import annotations

import csv
import io
import json
import math
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from dpcore.algorithms import get
from dpcore.privacy.accounting import Neighbors
from dpcore.results.formats import STATUS
from dpcore.study.sweep import Trial

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class Plan:
    """A sweep that can be made again elsewhere."""

    data: str
    algorithms: tuple[str, ...]
    k: int
    epsilons: tuple[float, ...]
    runs: int
    seed: int = 0
    delta: float = 0.0
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    #: Of each algorithm, all or some; defaults need not be named.
    settings: tuple[tuple[str, tuple[tuple[str, Any], ...]], ...] = ()
    unsquared: bool = False

    @property
    def total(self) -> int:
        return len(self.algorithms) * len(self.epsilons) * self.runs

    def changed(self, algorithm: str) -> dict[str, Any]:
        """The settings of an algorithm that are not its defaults."""
        given = dict(dict(self.settings).get(algorithm, ()))
        return {
            p.name: given[p.name]
            for p in get(algorithm).parameters
            if given.get(p.name, p.default) != p.default
        }

    def alone(self, algorithm: str) -> Plan:
        """The part of it that one algorithm has. Equal parts are equal, defaults named or not."""
        own = tuple(self.changed(algorithm).items())
        return replace(self, algorithms=(algorithm,), settings=((algorithm, own),) if own else ())

    def ordered(self, trials: Iterable[Trial]) -> list[Trial]:
        """Trials in the order in which a sweep yields them."""
        return sorted(
            trials,
            key=lambda t: (
                t.run,
                self.epsilons.index(t.epsilon),
                self.algorithms.index(t.algorithm),
            ),
        )

    def command(self) -> str:
        """Lines of a shell that make it again: one, and one for each algorithm with settings."""
        own = [key for key in self.algorithms if self.changed(key)]
        together = [key for key in self.algorithms if key not in own]
        lines = [together, *([key] for key in own)]
        return "\n".join(self._line(keys) for keys in lines if keys)

    def _line(self, keys: Sequence[str]) -> str:
        words = ["dpcore", "sweep", *keys, "--data", self.data, "-k", str(self.k)]
        words += ["--epsilons", *(f"{epsilon:g}" for epsilon in self.epsilons)]
        words += ["--runs", str(self.runs), "--seed", str(self.seed)]
        if self.delta:
            words += ["--delta", repr(self.delta)]
        if self.neighbors is not Neighbors.ADD_REMOVE:
            words += ["--neighbors", str(self.neighbors)]
        if len(keys) == 1:
            for name, value in self.changed(keys[0]).items():
                text = str(value).lower() if isinstance(value, bool) else value
                words += ["--set", f"{name}={text}"]
        if self.unsquared:
            words.append("--unsquared")
        return shlex.join([*words, "--csv"])

    def python(self) -> str:
        """A program that makes it again."""
        lines = [
            f"{list(self.algorithms)!r},",
            f"dpcore.datasets.load({self.data!r}),",
            f"k={self.k},",
            f"epsilons={list(self.epsilons)!r},",
            f"runs={self.runs},",
            f"seed={self.seed},",
        ]
        if self.delta:
            lines.append(f"delta={self.delta!r},")
        if self.neighbors is not Neighbors.ADD_REMOVE:
            lines.append(f"neighbors={str(self.neighbors)!r},")
        if own := {key: changed for key in self.algorithms if (changed := self.changed(key))}:
            lines.append(f"parameters={own!r},")
        if self.unsquared:
            lines.append("unsquared=True,")
        inner = "\n".join(f"    {line}" for line in lines)
        return f"import dpcore\n\ntrials = list(dpcore.sweep(\n{inner}\n))\n"


def plain(row: DataclassInstance) -> dict[str, Any]:
    """A trial as data; what is not a number becomes null."""
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value
        for name, value in asdict(row).items()
    }


def as_json(trials: Iterable[Trial], status: str = "") -> str:
    """Every trial, with its status where there is one: why it is not for others to see."""
    said = {STATUS: status} if status else {}
    return json.dumps([{**plain(trial), **said} for trial in trials], indent=1)


def as_csv(trials: Iterable[Trial], status: str = "") -> str:
    """The same as a table."""
    said = {STATUS: status} if status else {}
    columns = [*(f.name for f in fields(Trial)), *said]
    return table_csv(columns, ({**plain(trial), **said} for trial in trials))


def table_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows under a head; what a row has no value for stays empty."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
