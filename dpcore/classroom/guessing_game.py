"""The guessing game: is this trip in the data? A coin decides, and a player guesses.

Whoever guesses is right with probability 1/2 by luck, and with at most e^eps / (1 + e^eps) against
an algorithm that is eps-private, whatever else they know. The guesser here knows both data sets
and all public coins, and reads every noisy answer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
from scipy.special import betaincinv

from dpcore.algorithms import ALGORITHMS
from dpcore.audit.replay import Diverged, Recorder, Replay, loss
from dpcore.datasets.base import Dataset
from dpcore.datasets.builtin import CITY, PICKUP, taxi
from dpcore.datasets.rows import from_array
from dpcore.errors import BadInput
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.accounting import Budget
from dpcore.privacy.explain import attacker_certainty
from dpcore.privacy.noise import Noise, SimulatedNoise
from dpcore.privacy.noise_proxy import NoiseProxy, NoiseRequest
from dpcore.queries.curator import Curator
from dpcore.results.steps import SizeNote
from dpcore.results.synopsis import NoisyGrid

#: Made up: far from all others, in the Bronx, where no trip of the sample begins.
TRIP = (-73.92, 40.86)
#: Trips times epsilon at which the grid of Su et al. (2016) goes from 2 x 2 to 3 x 3 cells.
GRID_CHANGES = 90
THETA = 10.0
#: Below the first the sample has too few trips, beyond the second there are hardly any.
LEAST_EPSILON, MOST_EPSILON = 0.002, 10.0
#: Where accuracies are measured.
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
#: Rounds that are scored, and others before them by which a way to guess is chosen.
ROUNDS, PILOT = 1000, 300
CONFIDENCE = 0.95


@runtime_checkable
class CountsOnGrid(Protocol):
    """An algorithm that publishes noisy counts on a grid."""

    def summary(self, curator: Curator, k: int, *, theta: float, starts: int) -> NoisyGrid: ...


@dataclass(frozen=True)
class Contestant:
    """An algorithm that answers, and by how much its noise is reduced."""

    key: str
    title: str
    about: str
    algorithm: str
    #: Noise is drawn for an epsilon so many times as large.
    thinned: float = 1.0

    @property
    def sound(self) -> bool:
        return self.thinned == 1 and ALGORITHMS[self.algorithm].verdict.holds

    def answer(self, data: Dataset, epsilon: float, noise: Noise) -> tuple[NoisyGrid, int | None]:
        """The noisy counts, of which its centers are made, and the noisy number of trips."""
        curator = Curator(data, Budget(epsilon), noise, rng=np.random.default_rng(0))
        system = ALGORITHMS[self.algorithm]
        assert isinstance(system, CountsOnGrid)
        counts = system.summary(curator, 1, theta=THETA, starts=1)
        sizes = [step.note.n for step in curator.steps if isinstance(step.note, SizeNote)]
        return counts, sizes[0] if sizes else None


CONTESTANTS: Mapping[str, Contestant] = MappingProxyType(
    {
        each.key: each
        for each in (
            Contestant("sound", "Sound", "EUGkM with its published flaw mended", "eugkm"),
            Contestant(
                "thin", "Too little noise", "the same, with a quarter of the noise", "eugkm", 4.0
            ),
            Contestant(
                "published",
                "As published",
                "EUGkM as its paper has it: the exact number of trips sizes the grid",
                "eugkm-published",
            ),
        )
    }
)


class ThinNoise(NoiseProxy):
    """Simulated noise for a larger epsilon than requested, so that privacy breaks."""

    def __init__(self, seed: np.random.SeedSequence, thinned: float):
        self._noise = SimulatedNoise(seed)
        self._thinned = thinned

    def answer(self, request: NoiseRequest) -> Any:
        return replace(request, price=request.price * self._thinned).put_to(self._noise)


@dataclass(frozen=True, eq=False)
class TripPair:
    """Two data sets that differ in one trip, both public: rows in degrees, and as data."""

    others: FloatArray
    without: Dataset
    with_it: Dataset


@lru_cache(maxsize=16)
def pair(epsilon: float) -> TripPair:
    """Two data sets around the number of trips at which the published algorithm's grid changes."""
    if not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        raise BadInput(
            f"The game is played at ε from {LEAST_EPSILON:g} to {MOST_EPSILON:g}, "
            f"not at {epsilon:g}."
        )
    n = math.ceil(GRID_CHANGES / epsilon * (1 - 1e-12))
    rows = taxi(PICKUP)
    others = rows[np.random.default_rng(0).permutation(len(rows))[: n - 1]]
    together = np.concatenate([others, [TRIP]])
    ends = CITY.low, CITY.high
    return TripPair(others, from_array(others, ends), from_array(together, ends))


@dataclass(frozen=True, eq=False)
class Round:
    """One answer, and what only the coin knows."""

    there: bool
    #: Noisy counts on a square grid over the city.
    counts: NoisyGrid
    #: The noisy number of trips, where one was asked for.
    size: int | None
    #: How much likelier the answers are with the trip than without, as a logarithm.
    odds: float

    @property
    def own_count(self) -> int:
        """The noisy count of the cell in which the trip would be."""
        cell = self.counts.box.cells(np.array([TRIP]), len(self.counts.counts))[0]
        return int(self.counts.counts[tuple(cell)])


def play(contestant: Contestant, epsilon: float, number: int, seed: int = 0) -> Round:
    """The round of that number; with the same seed always the same one."""
    key = crc32(f"{contestant.key} {epsilon:.6g}".encode())
    coin, draws = np.random.SeedSequence([seed, number, key]).spawn(2)
    there = bool(np.random.default_rng(coin).integers(2))
    both = pair(epsilon)
    own, other = (both.with_it, both.without) if there else (both.without, both.with_it)
    recorder = Recorder(ThinNoise(draws, contestant.thinned))
    counts, size = contestant.answer(own, epsilon, recorder)
    odds = _odds(contestant, other, epsilon, recorder)
    return Round(there, counts, size, odds if there else -odds)


def _odds(contestant: Contestant, other: Dataset, epsilon: float, recorder: Recorder) -> float:
    """The log-likelihood ratio of the answers: their own data set against the other.

    The method is replayed on the other data set with the same answers. If it asks different
    questions there, the other data set cannot have produced them, and the ratio is infinite.
    """
    replay = Replay(recorder.answers)
    try:
        contestant.answer(other, epsilon, replay)
    except Diverged:
        return math.inf
    if len(replay.answers) < len(recorder.answers):
        return math.inf
    pairs = zip(recorder.answers, replay.answers, strict=True)
    return math.fsum(loss(own, answer).realized for own, answer in pairs)


@dataclass(frozen=True)
class Guesser:
    """Says that the trip is there where one number is large enough."""

    words: str
    column: int
    threshold: float

    def right(self, numbers: FloatArray, there: np.ndarray[Any, Any]) -> int:
        return int(((numbers[:, self.column] >= self.threshold) == there).sum())


#: What a guesser may look at.
NUMBERS = (
    "which data set makes the answers likelier",
    "the count of the trip's own cell",
    "the number of trips",
    "the number of cells",
)


def seen(rounds: Sequence[Round]) -> tuple[FloatArray, np.ndarray[Any, Any]]:
    """The numbers that a guesser sees, one row a round, and whether the trip was there."""
    numbers = [
        (each.odds, each.own_count, each.size or 0, len(each.counts.counts)) for each in rounds
    ]
    return np.array(numbers, dtype=np.float64), np.array([each.there for each in rounds])


def best_guesser(rounds: Sequence[Round]) -> Guesser:
    """The number and threshold that would have been right most often in these rounds."""
    numbers, there = seen(rounds)
    candidates = [Guesser(NUMBERS[0], 0, 1e-12)]
    for column in range(1, len(NUMBERS)):
        thresholds = np.unique(numbers[:, column]).tolist()
        candidates += [Guesser(NUMBERS[column], column, t) for t in thresholds]
    return max(candidates, key=lambda guesser: guesser.right(numbers, there))


@dataclass(frozen=True)
class GuesserScore:
    """The success of a guesser, in rounds by which it was not chosen."""

    contestant: str
    epsilon: float
    right: int
    rounds: int
    guesser: str = ""

    @property
    def accuracy(self) -> float:
        return self.right / self.rounds

    @property
    def interval(self) -> tuple[float, float]:
        """Clopper and Pearson's exact interval: 95 times in 100 the true accuracy is inside."""
        doubt, wrong = (1 - CONFIDENCE) / 2, self.rounds - self.right
        low = betaincinv(self.right, wrong + 1, doubt) if self.right else 0.0
        high = betaincinv(self.right + 1, wrong, 1 - doubt) if wrong else 1.0
        return float(low), float(high)

    @property
    def breaks_bound(self) -> bool:
        """Whether even the low end of the interval lies beyond what epsilon allows."""
        return self.interval[0] > attacker_certainty(self.epsilon)


def score(
    contestant: Contestant,
    epsilon: float,
    rounds: int = ROUNDS,
    pilot: int = PILOT,
    seed: int = 0,
) -> GuesserScore:
    """Choose a way to guess on pilot rounds, then score it on others."""
    played = [play(contestant, epsilon, number, seed) for number in range(pilot + rounds)]
    guesser = best_guesser(played[:pilot])
    right = guesser.right(*seen(played[pilot:]))
    return GuesserScore(contestant.key, epsilon, right, rounds, guesser.words)


def scores(rounds: int = ROUNDS, pilot: int = PILOT, seed: int = 0) -> Iterator[GuesserScore]:
    """Every contestant at every epsilon, each as it is finished."""
    for epsilon in EPSILONS:
        for contestant in CONTESTANTS.values():
            yield score(contestant, epsilon, rounds, pilot, seed)
