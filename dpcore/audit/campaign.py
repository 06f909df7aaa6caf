"""The full audit: attacks on all cases, exact checks of selections, and a file of findings."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from multiprocessing import get_context
from typing import Any, Self

from dpcore.algorithms import ALGORITHMS
from dpcore.audit.attack import ROUNDING, AuditFinding, attack
from dpcore.audit.cases import Case
from dpcore.audit.epsilon_bound import CONFIDENCE, Evidence
from dpcore.audit.exact_selection import WALKS
from dpcore.datasets.data_folder import data_file
from dpcore.privacy.accounting import Neighbors

FILE = "audit.json"
#: Runs on each data set of a pair.
RUNS = 500


@dataclass(frozen=True)
class Walked:
    """The true epsilon of a selection mechanism on tiny data, and its claim."""

    mechanism: str
    neighbors: str
    claim: float
    worst: float

    @property
    def holds(self) -> bool:
        return self.worst <= self.claim * (1 + ROUNDING)


@dataclass(frozen=True)
class Findings:
    """The findings of an audit, its date, and the least number of runs on each data set. Cases that
    replays settle may have fewer."""

    date: str
    runs: int
    attacks: tuple[AuditFinding, ...]
    walks: tuple[Walked, ...]

    @property
    def family_confidence(self) -> float:
        """The confidence of each attack with which all of them together are right with 95 %
        (Bonferroni)."""
        return 1 - (1 - CONFIDENCE) / max(1, len(self.attacks))

    def of(self, algorithm: str) -> list[AuditFinding]:
        """The attacks on one algorithm."""
        return [finding for finding in self.attacks if finding.algorithm == algorithm]

    def strongest(self, algorithm: str) -> AuditFinding | None:
        """The attack that came nearest to the claim, or farthest beyond; None if there was none."""
        return max(self.of(algorithm), key=lambda f: f.lower_bound / f.epsilon, default=None)

    def updated(self, newer: Self) -> Self:
        """These findings, with newer ones in place of those on the same algorithms.

        Date and number of runs are the lesser of both, so that they hold for every finding.
        """
        redone = {finding.algorithm for finding in newer.attacks}
        others = [
            f for f in self.attacks if f.algorithm in ALGORITHMS and f.algorithm not in redone
        ]
        order = {key: place for place, key in enumerate(ALGORITHMS)}
        attacks = sorted([*others, *newer.attacks], key=lambda finding: order[finding.algorithm])
        return type(self)(
            min(self.date, newer.date),
            min(self.runs, newer.runs),
            tuple(attacks),
            newer.walks or self.walks,
        )

    def to_json(self) -> str:
        """One attack a line, so that two audits can be compared."""
        lines = {
            name: ",\n".join(f"  {json.dumps(_plain(asdict(item)))}" for item in items)
            for name, items in (("attacks", self.attacks), ("walks", self.walks))
        }
        parts = "".join(f',\n "{name}": [\n{text}\n ]' for name, text in lines.items())
        return f'{{"date": "{self.date}", "runs": {self.runs}{parts}\n}}\n'

    @classmethod
    def from_json(cls, text: str) -> Self:
        content = json.loads(text)
        attacks = (
            AuditFinding(**a | {"evidence": Evidence(**a["evidence"]), "cost": _number(a["cost"])})
            for a in content["attacks"]
        )
        walks = (Walked(**walk) for walk in content["walks"])
        return cls(content["date"], content["runs"], tuple(attacks), tuple(walks))


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """The value for JSON, which has no infinity."""
    return {name: "infinite" if value == math.inf else value for name, value in row.items()}


def _number(value: Any) -> float | None:
    return math.inf if value == "infinite" else value


@lru_cache(maxsize=1)
def findings() -> Findings:
    """The findings of the last full audit."""
    return Findings.from_json(data_file(FILE).read_text(encoding="utf-8"))


def today() -> str:
    return datetime.now(UTC).date().isoformat()


def attacks(
    cases: Sequence[Case], runs: int = RUNS, seed: int = 0, workers: int | None = None
) -> Iterator[AuditFinding]:
    """The findings, one by one, in the order of the cases. Every worker is a process of its own
    making: a copy of one that has threads may wait forever for what they held."""
    one = partial(attack, runs=runs, seed=seed)
    with ProcessPoolExecutor(workers or os.cpu_count(), get_context("spawn")) as pool:
        yield from pool.map(one, cases)


def walks() -> Iterator[Walked]:
    """The exact checks, under both relations."""
    for walk in WALKS:
        for neighbors in Neighbors:
            worst = walk.worst(neighbors)
            yield Walked(walk.mechanism, str(neighbors), walk.epsilon, worst)
