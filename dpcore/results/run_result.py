"""The results of runs. Whether one is private is its type, so that no export can get it wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Generic, Self

import numpy as np

from dpcore.geometry.domain import Box, FloatArray
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.transcript import Transcript
from dpcore.results.centers import (
    C,
    NonPrivateCenters,
    ReleasedCenters,
    SimulatedCenters,
    UnchargedCenters,
)
from dpcore.results.formats import Places
from dpcore.results.non_private import NonPrivate
from dpcore.results.notebook import Shown
from dpcore.results.steps import RunStep
from dpcore.results.synopsis import Coreset, Synopsis

if TYPE_CHECKING:
    from dpcore.release.ledger import Claim
    from dpcore.runs.request import Request


def in_order(centers: FloatArray) -> FloatArray:
    """Centers by their first coordinate, then by the second, and so on."""
    return centers[np.lexsort(centers.T[::-1])]


@dataclass(frozen=True)
class Outcome:
    """The outcome of an algorithm in unit coordinates; `run` turns it into a RunResult."""

    centers: FloatArray
    synopsis: Synopsis | None = None
    #: Public facts about the run, for people: rounds, cells a side, the branch taken.
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class RunResult(Shown, Generic[C]):
    """Centers, the synopsis published with them, and their cost.

    `run` gives a `SimulatedResult`, an `UnchargedResult` or an `UnprovenResult`, by its noise and
    by the proof of its algorithm. `publish` makes a `ReleasedResult` of the second; only that may
    leave. All that is computed from a result is of the same kind.
    """

    request: Request
    centers: C
    synopsis: Synopsis[C] | None
    transcript: Transcript
    verdict: Verdict
    facts: Mapping[str, Any]
    steps: tuple[RunStep, ...]
    box: Box

    @property
    def algorithm(self) -> str:
        """The key of the algorithm."""
        return self.request.algorithm

    @property
    def k(self) -> int:
        """The number of centers in the request."""
        return self.request.k

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Each parameter of the algorithm with its value."""
        return self.request.parameters

    @property
    def epsilon(self) -> float:
        """The epsilon that the run used; infinite when nothing is proved."""
        return self.transcript.epsilon if self.verdict.holds else float("inf")

    @property
    def delta(self) -> float:
        return self.transcript.delta

    @property
    def neighbors(self) -> Neighbors:
        return self.transcript.neighbors

    @property
    def status(self) -> str:
        """The reason why the result is not for publication; empty for a release."""
        return self.centers.status

    @property
    def coreset(self) -> Coreset[C] | None:
        """The synopsis, where it is a coreset: positive weights only."""
        return self.synopsis if isinstance(self.synopsis, Coreset) else None

    def places(self) -> Places:
        """The centers, for files; refused where they are not private."""
        return self.centers.places()

    def __repr__(self) -> str:
        words = f"{self.algorithm}, k={self.k}, epsilon={self.epsilon:g}, {self.verdict}"
        return f"{type(self).__name__}({words}{', ' * bool(self.status)}{self.status})"


@dataclass(frozen=True, repr=False)
class SimulatedResult(RunResult[SimulatedCenters]):
    """A private result drawn with simulated noise: to look at, not to release."""


@dataclass(frozen=True, repr=False)
class UnchargedResult(RunResult[UnchargedCenters]):
    """A private result drawn with exact noise and secret coins, but charged to no ledger."""


@dataclass(frozen=True, repr=False)
class ReleasedResult(RunResult[ReleasedCenters]):
    """A private result that is charged to a ledger as it leaves. Only `publish` makes one."""

    #: What the ledger was asked to pay.
    claim: Claim

    @classmethod
    def of(cls, result: UnchargedResult, claim: Claim) -> Self:
        """The same result, paid for by a claim that a ledger has accepted.

        Its centers come in the order of their coordinates, which anybody can check.
        """
        same = {field.name: getattr(result, field.name) for field in fields(result)}
        same["centers"] = ReleasedCenters(in_order(np.asarray(result.centers)), result.box)
        if result.synopsis is not None:
            same["synopsis"] = result.synopsis.vouched(ReleasedCenters)
        return cls(**same, claim=claim)


@dataclass(frozen=True, repr=False)
class UnprovenResult(RunResult[NonPrivateCenters]):
    """The output of a procedure whose privacy claim does not hold: for study only."""


@dataclass(frozen=True)
class BaselineResult:
    """The non-private reference: for your eyes only."""

    centers: NonPrivateCenters
    cost: NonPrivate[float]
