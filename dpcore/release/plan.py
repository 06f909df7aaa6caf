"""The plan of a release, made before anything is spent: all of it is public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dpcore.algorithms import Algorithm
from dpcore.privacy import explain
from dpcore.privacy.accounting import Budget, Infeasible, Neighbors
from dpcore.release.amounts import Amount
from dpcore.release.ledger import Claim, ReleaseRefused
from dpcore.release.sources import DataSource
from dpcore.release.unit import Unit
from dpcore.runs.request import Request

#: What a release is made for: to publish, or to explore the data drawn from it.
RELEASE, TWIN = "release", "twin"
LONGEST_NAME = 200
#: What begins a formula in the spreadsheets in which people open centers and points.
FORMULAS = ("=", "+", "-", "@")


@dataclass(frozen=True)
class ReleasePlan:
    """What is to be published, of which data, at what price, out of what total.

    Making one checks it: what no release could be made of raises here, and nothing is read.
    `epsilon` and `delta` are what one *unit* is protected at; `allowed` is what all releases of
    these data may ever cost, fixed with the first of them.
    """

    #: What the user calls the data set: the name of its account, printed on the certificate.
    name: str
    data: DataSource
    algorithm: str
    k: int
    epsilon: float
    delta: float = 0.0
    neighbors: Neighbors = Neighbors.ADD_REMOVE
    parameters: Mapping[str, Any] = field(default_factory=dict)
    unit: Unit = field(default_factory=Unit)
    allowed: Amount = field(default_factory=lambda: Amount.of(1.0))
    purpose: str = RELEASE

    def __post_init__(self) -> None:
        system = self.system
        object.__setattr__(self, "neighbors", self.request.neighbors)
        object.__setattr__(self, "parameters", self.request.parameters)
        object.__setattr__(self, "k", self.request.k)
        if not self.name.strip() or len(self.name) > LONGEST_NAME:
            raise ValueError(f"Name the data set, in at most {LONGEST_NAME} characters.")
        for column in self.data.box.names:
            if column.strip()[:1] in FORMULAS:
                raise ValueError(
                    f"A spreadsheet would take the column name {column!r} for a formula, because "
                    f"it begins with {column.strip()[0]!r}. Rename the column in your data."
                )
        if not system.verdict.holds:
            raise ReleaseRefused(
                f"{system.title} may not be released: its privacy claim does not hold. "
                f"{system.specification['Flaw']}"
            )
        if self.neighbors not in system.relations:
            only = " or ".join(system.relations)
            raise ValueError(f"{system.title} is private under {only}, not {self.neighbors}.")
        if self.delta and not system.uses_delta:
            raise ValueError(f"{system.title} has no use for a delta: leave it at 0.")
        if obstacle := system.obstacle(self.data.box.d, None, self.k):
            raise Infeasible(f"{system.title}: {obstacle}")
        if self.purpose not in (RELEASE, TWIN):
            raise ValueError(
                f"A release is made to publish or to explore, not for {self.purpose!r}."
            )
        self.unit.refuse(self.neighbors)
        _ = self.row_request  # raises where the level is out of range
        if not self.price.within(self.allowed):
            raise ReleaseRefused(
                f"This release would cost {self.price}, and {self.allowed} is allowed in all."
            )

    @cached_property
    def request(self) -> Request:
        """The run as it is meant, at the level of one unit."""
        return Request(
            self.algorithm,
            self.k,
            self.epsilon,
            self.delta,
            self.neighbors,
            settings=self.parameters,
        )

    @property
    def row_request(self) -> Request:
        """The run as it is made, at the level of one row."""
        per_row = self.per_row
        return replace(self.request, epsilon=per_row.epsilon, delta=per_row.delta)

    @property
    def system(self) -> Algorithm:
        return self.request.system

    @property
    def budget(self) -> Budget:
        """What protects one unit."""
        return self.request.budget

    @property
    def per_row(self) -> Budget:
        """What the run may spend on one row, so that one unit is protected at the budget."""
        return self.unit.per_row(self.budget)

    @property
    def price(self) -> Amount:
        """What the ledger is charged."""
        return Amount.of(self.epsilon, self.delta)

    def claim(self, fingerprints: tuple[str, ...] = ()) -> Claim:
        """What is asked of the account."""
        return Claim(
            self.name,
            self.neighbors,
            self.unit,
            self.allowed,
            self.price,
            fingerprints,
            self.data.counted(),
        )

    def statement(self) -> list[str]:
        """What is about to happen, what it costs and what an attacker gains, in sentences."""
        box, unit = self.data.box, self.unit
        ends = ", ".join(
            f"{name} from {low:g} to {high:g}"
            for name, low, high in zip(box.names, box.low, box.high, strict=True)
        )
        fate = "moved to its edge" if self.data.outside == "clip" else "left out"
        said = [
            f"Published will be {self.k} centers of {self.name!r}, found by {self.system.title} "
            f"({self.system.verdict}), and what they were found from, where there is such a thing, "
            "for everybody to see and to keep.",
            f"Only the public box counts: {ends}. What lies outside is {fate}.",
            explain.protected(unit.name, self.neighbors, unit.ids, unit.rows),
            explain.attack(self.epsilon, unit.name, self.neighbors),
            explain.slip(self.delta),
            explain.caution(self.epsilon),
            explain.bill(str(self.price), str(self.allowed)),
            "The noise is drawn by OpenDP, without a seed: nobody can draw it again, you included.",
        ]
        return [sentence for sentence in said if sentence]

    def as_dict(self) -> dict[str, Any]:
        """The plan as data, as ledger and certificate hold it."""
        box = self.data.box
        return {
            "data set": self.name,
            "source": self.data.as_dict(),
            "box": {"names": list(box.names), "low": list(box.low), "high": list(box.high)},
            "geographic": self.data.geographic,
            "unit": self.unit.as_dict(),
            "neighbors": str(self.neighbors),
            "algorithm": self.algorithm,
            "k": self.k,
            "parameters": dict(self.parameters),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "purpose": self.purpose,
        }
