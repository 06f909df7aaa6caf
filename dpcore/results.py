"""What a run gives back. Whether it is private is its type, so that no export can get it wrong.

`PrivateCenters` come out of an algorithm whose proof holds and out of nothing else;
`NonPrivateCenters` come from looking at the data. Arithmetic on either gives plain arrays, which
no export takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from dpcore.domain import Box, FloatArray
from dpcore.privacy import Neighbors, Transcript, Verdict
from dpcore.synopsis import Coreset, Synopsis

T = TypeVar("T")


@dataclass(frozen=True)
class NonPrivate(Generic[T]):
    """A value that looks at the data without protection: for the eyes of who holds the data."""

    value: T

    def __repr__(self) -> str:
        return "NonPrivate(for your eyes only)"


class Centers(np.lib.mixins.NDArrayOperatorsMixin):
    """Cluster centers in data units, one a row, that behave like an array."""

    private: bool

    def __init__(self, values: npt.ArrayLike, box: Box):
        self._values = np.array(values, dtype=np.float64, ndmin=2)
        self._values.flags.writeable = False
        self.box = box

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False and dtype not in (None, np.float64):
            raise ValueError("a conversion to another type needs a copy")
        return np.array(self._values, dtype=dtype) if copy or dtype else self._values

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [i._values if isinstance(i, Centers) else i for i in inputs]
        return getattr(ufunc, method)(*plain, **options)

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    @property
    def ndim(self) -> int:
        return self._values.ndim

    def tolist(self) -> list[list[float]]:
        return self._values.tolist()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[FloatArray]:
        return iter(self._values)

    def __getitem__(self, index: Any) -> Any:
        return self._values[index]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values!r})"


class PrivateCenters(Centers):
    """Centers that an algorithm with a standing proof gave under a budget."""

    private = True


class NonPrivateCenters(Centers):
    """Centers that anybody could trace to single rows: for your eyes only."""

    private = False


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
