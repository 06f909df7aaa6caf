"""The declarations of an algorithm, and the registry that pages, CLI and audit read."""

from __future__ import annotations

import inspect
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from dpcore._suggestion import did_you_mean
from dpcore.algorithms.references import PAPERS, REFERENCES
from dpcore.errors import BadInput
from dpcore.privacy.accounting import Neighbors, Verdict

if TYPE_CHECKING:
    from dpcore.errors import Infeasible
    from dpcore.queries.curator import Curator
    from dpcore.results.run_result import Outcome
    from dpcore.results.synopsis import Synopsis

MAX_CLUSTERS = 1000


@dataclass(frozen=True)
class Parameter:
    """A public setting of an algorithm: what it means and what it may be."""

    name: str
    meaning: str
    default: int | float | str | bool
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """The value in the default's type, or a ValueError that names the allowed range."""
        if self.choices:
            if value not in self.choices:
                raise BadInput(
                    f"{self.name} must be one of {', '.join(self.choices)}, not {value!r}."
                )
            return value
        if isinstance(self.default, bool):
            if not isinstance(value, bool):
                raise BadInput(f"{self.name} must be true or false, not {value!r}.")
            return value
        kind = int if isinstance(self.default, int) else float
        try:
            converted = kind(value)
        except (TypeError, ValueError, OverflowError):
            converted = math.nan
        low = -math.inf if self.low is None else self.low
        high = math.inf if self.high is None else self.high
        if converted != value or not low <= converted <= high:
            noun = "a whole number" if kind is int else "a number"
            raise BadInput(f"{self.name} must be {noun} from {low:g} to {high:g}, not {value!r}.")
        return converted


#: The parameter of methods that publish a coreset of points.
POINTS = Parameter(
    "points",
    "Points to publish at most, by merging near ones; 0 publishes all. Centers are found with all "
    "of them.",
    0,
    0,
    1_000_000,
)


class PublishesPoints(StrEnum):
    """Whether an algorithm publishes weighted points beside its centers."""

    NEVER = "never"
    #: Unless noise hides where the rows are.
    USUALLY = "usually"
    ALWAYS = "always"


class CountsInWeights(StrEnum):
    """The noisy counts that a weight of a published coreset is made of."""

    UNKNOWN = "unknown"
    #: The last count of its cell.
    LAST = "last"
    #: The last count of its cell, or of several cells that were pooled.
    LAST_OR_POOLED = "last or pooled"
    #: A count of its cell, or of cells that every round counted and pooled.
    ANY_ROUND = "any round"


@dataclass(frozen=True)
class Room:
    """Data on which the audit enters a part of an algorithm that small ones leave out."""

    rows: int
    d: int
    k: int = 2
    #: Where the usual one does not enter it.
    epsilon: float | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: One row more among so many, or a pair that the audit knows by this name.
    pair: str = "one among"
    #: Runs at most, where one takes long.
    runs: int | None = None


@dataclass(frozen=True)
class AuditHints:
    """Hints that let the audit attack all of an algorithm, and soon.

    Without any of it an algorithm is audited as well, though perhaps not in every branch: what
    matters to a verdict (secret coins, noise on cells that nobody counts one by one) the audit
    hears from the curator.
    """

    #: Settings that keep runs on a few rows short without leaving out a part of the algorithm.
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: Where few rows leave a part out: trees grow, balls are removed, rows are projected.
    rooms: tuple[Room, ...] = ()
    #: A usual epsilon, and a large one, at which what is not hidden by noise shows soonest.
    epsilons: tuple[float, float] = (1.0, 4.0)
    #: More settings, where it runs by region.
    regional: Mapping[str, Any] = field(default_factory=dict)
    #: It counts rows on a fine grid before all else: given as counts they take a tenth of the time.
    counts_first: bool = False
    #: It takes noise from its coins, as publications do that know no curator.
    own_noise: bool = False


class Algorithm(ABC):
    """A differentially private k-means system.

    The class docstring is its specification, in labelled paragraphs: `Idea:`, `Unit:`,
    `Relation:`, then `Private:` (the proof) or `Flaw:` and `Repair:`, and `Reconstructed:`.
    """

    key: ClassVar[str]
    title: ClassVar[str]
    #: Key of `dpcore.algorithms.references.PAPERS`.
    paper: ClassVar[str]
    #: Keys of the other works that it comes from.
    sources: ClassVar[tuple[str, ...]] = ()
    verdict: ClassVar[Verdict]
    relations: ClassVar[tuple[Neighbors, ...]] = tuple(Neighbors)
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    #: Whether it can use, or needs, a delta above 0.
    uses_delta: ClassVar[bool] = False
    publishes_points: ClassVar[PublishesPoints] = PublishesPoints.NEVER
    #: Whether these points are a coreset: their weights are positive.
    publishes_coreset: ClassVar[bool] = False
    audit: ClassVar[AuditHints] = AuditHints()

    @abstractmethod
    def run(self, curator: Curator, k: int, *_: Any, **parameters: Any) -> Outcome:
        """k centers in unit coordinates, asked of the curator and of nothing else."""

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        """The reason why it cannot run on such data, in words, or None. n is given only where
        public."""
        return None

    def too_few_rows(
        self, n: int, k: int, epsilon: float, neighbors: Neighbors
    ) -> Infeasible | None:
        """The reason why a public number of rows is too small at this epsilon, or None."""
        return None

    def telling_rows(self, n: int, epsilon: float) -> int:
        """The largest number of rows in the plane, up to n, at which one row more or less changes
        how a run is made; n where a run does not look at the exact number."""
        return n

    def supports(self, d: int, n: int | None, k: int) -> bool:
        return self.obstacle(d, n, k) is None

    @property
    def idea(self) -> str:
        return self.specification["Idea"]

    @property
    def specification(self) -> Mapping[str, str]:
        """The labelled paragraphs of the docstring."""
        return specification(type(self))

    @property
    def works(self) -> tuple[str, ...]:
        """The keys of the works to cite for it: its paper first."""
        return self.paper, *self.sources

    def settings(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter with its value, given or default, checked."""
        by_name = {p.name: p for p in self.parameters}
        for name in values:
            if name not in by_name:
                names = ", ".join(by_name) or "none"
                raise BadInput(f"{self.key} has no parameter {name!r}; it has: {names}.")
        return {name: p.check(values.get(name, p.default)) for name, p in by_name.items()}


class SynopsisAlgorithm(Algorithm):
    """An algorithm that publishes a synopsis and clusters it.

    Synopses of the regions of a map make up one of the whole map.
    """

    publishes_points = PublishesPoints.ALWAYS
    #: By which `dpcore verify` works out the noise in the weights again, where it is known.
    counts_in_weights = CountsInWeights.UNKNOWN

    @abstractmethod
    def summary(self, curator: Curator, k: int, *_: Any, **parameters: Any) -> Synopsis:
        """The synopsis that `run` publishes beside its centers, without looking for these."""

    def summaries(
        self, curators: Sequence[Curator], k: int, *_: Any, **parameters: Any
    ) -> Sequence[Synopsis]:
        """The summary of each of several disjoint parts of the data.

        Each asks its own curator and reads its own answers alone. An algorithm may ask all of them
        first, and then read all answers at once.
        """
        return [self.summary(curator, k, **parameters) for curator in curators]


def specification(cls: type[Algorithm]) -> Mapping[str, str]:
    """The labelled paragraphs of a class docstring, joined to single lines."""
    text = inspect.getdoc(cls) or ""
    parts = re.split(r"(?m)^(Idea|Unit|Relation|Private|Flaw|Repair|Reconstructed):\s*", text)
    return {
        label: re.sub(r"\s+", " ", body).strip()
        for label, body in zip(parts[1::2], parts[2::2], strict=True)
    }


_registry: dict[str, Algorithm] = {}
#: Every algorithm by its key. Pages, CLI, audit and tests loop over it.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(_registry)


def register(cls: type[Algorithm]) -> type[Algorithm]:
    """Class decorator: put an instance into ALGORITHMS."""
    if cls.key in _registry:
        raise BadInput(f"Two algorithms are called {cls.key!r}.")
    if cls.paper not in tuple(PAPERS):
        raise BadInput(f"{cls.key}: no paper {cls.paper!r}.")
    if unknown := set(cls.sources) - set(REFERENCES):
        raise BadInput(f"{cls.key}: no references {unknown}.")
    _registry[cls.key] = cls()
    return cls


def get(key: str) -> Algorithm:
    """An algorithm by its key, or an error that lists the keys."""
    try:
        return ALGORITHMS[key]
    except KeyError:
        raise BadInput(
            f"No algorithm {key!r}.{did_you_mean(key, ALGORITHMS)} "
            f"There are: {', '.join(ALGORITHMS)}."
        ) from None
