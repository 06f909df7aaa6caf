"""What a run gives back. Whether it is private is its type, so that no export can get it wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from dpcore.geometry.domain import Box, FloatArray
from dpcore.privacy.accounting import Neighbors, Transcript, Verdict
from dpcore.results.centers import Centers, NonPrivateCenters, PrivateCenters
from dpcore.results.synopsis import Coreset, Synopsis

__all__ = [
    "BaselineResult",
    "Centers",
    "NonPrivate",
    "NonPrivateCenters",
    "Outcome",
    "PrivateCenters",
    "ReleasedResult",
    "RunResult",
    "SimulatedResult",
    "Step",
    "UnprovenResult",
]

T = TypeVar("T")


@dataclass(frozen=True)
class NonPrivate(Generic[T]):
    """A value that looks at the data without protection: for the eyes of who holds the data."""

    value: T

    def __repr__(self) -> str:
        return "NonPrivate(for your eyes only)"


@dataclass(frozen=True)
class Step:
    """One thing that happened in a run: what was released, and what was true behind it."""

    kind: str
    released: Mapping[str, Any]
    #: The exact answers, only where the curator was told to keep a journal.
    truth: NonPrivate[Mapping[str, Any]] | None = None


@dataclass(frozen=True)
class Outcome:
    """What an algorithm returns, in unit coordinates; `run` turns it into a RunResult."""

    centers: FloatArray
    synopsis: Synopsis | None = None
    #: Public facts about the run, for people: rounds, cells a side, the branch taken.
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RunResult:
    """Centers, what was published with them, and what it cost.

    Comes as `SimulatedResult`, `ReleasedResult` or `UnprovenResult`; only the second may be
    released, and the third holds `NonPrivateCenters`.
    """

    algorithm: str
    k: int
    parameters: Mapping[str, Any]
    centers: PrivateCenters | NonPrivateCenters
    synopsis: Synopsis | None
    transcript: Transcript
    verdict: Verdict
    facts: Mapping[str, Any]
    steps: tuple[Step, ...]
    box: Box

    @property
    def epsilon(self) -> float:
        """What the run spent; infinite when nothing is proved."""
        return self.transcript.epsilon if self.verdict.holds else float("inf")

    @property
    def delta(self) -> float:
        return self.transcript.delta

    @property
    def neighbors(self) -> Neighbors:
        return self.transcript.neighbors

    @property
    def coreset(self) -> Coreset | None:
        """The synopsis, where it is a coreset: positive weights only."""
        return self.synopsis if isinstance(self.synopsis, Coreset) else None


@dataclass(frozen=True)
class SimulatedResult(RunResult):
    """A private result drawn with simulated noise: to look at, not to release."""

    centers: PrivateCenters


@dataclass(frozen=True)
class ReleasedResult(RunResult):
    """A private result drawn with exact noise and no seed."""

    centers: PrivateCenters


@dataclass(frozen=True)
class UnprovenResult(RunResult):
    """The output of a procedure whose privacy claim does not hold: for study only."""

    centers: NonPrivateCenters


@dataclass(frozen=True)
class BaselineResult:
    """The non-private reference: for your eyes only."""

    centers: NonPrivateCenters
    cost: NonPrivate[float]
