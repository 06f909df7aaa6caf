"""Be the attacker: real trips with and without one of them, any method, any level.

A coin decides which of two data sets a method runs on, and the attacker says which. Three attackers
play the same rounds. One reads the published count around the trip, one the distance from the trip
to the nearest published center, and one the whole release: it knows both data sets and all public
coins, and works out which data set makes the noisy answers likelier. No attacker can do better than
the third one where all that was published are noisy answers.

Each is right at most e^E / (1 + e^E) of the time in the long run, where E is what the method claims
for all that differs: epsilon for one trip and one release, epsilon times trips times releases for
somebody with several trips in data that are published again and again (group privacy and sequential
composition), and for a trip that moves between two areas the sum of their levels (one row removed
in one area and one added in the other).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from zlib import crc32

import numpy as np
from scipy.spatial import KDTree

from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.audit.coupling import AuditedCurator, Coupling
from dpcore.audit.recorded_tree import loss_of
from dpcore.audit.replay import Diverged, Recorder, Replay
from dpcore.classroom.guessing_game import GuesserScore
from dpcore.datasets.base import DataInfo, Dataset
from dpcore.datasets.builtin import CITY, PICKUP, TAXI_ROWS, taxi
from dpcore.datasets.regions import areas, place
from dpcore.datasets.rows import RowsDataset
from dpcore.errors import BadInput
from dpcore.geometry.domain import Box, FloatArray, from_ticks
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.noise import SimulatedNoise
from dpcore.results.run_result import RunResult
from dpcore.results.synopsis import NoisyGrid
from dpcore.runs.request import Request
from dpcore.runs.run import run_request
from dpcore.study.shifts import meters_between

#: What an attacker may look at.
VIEWS = {
    "count": "A count near the trip",
    "center": "The nearest center",
    "release": "The whole release",
}
#: Degrees from the trip to the sides of the square that is counted where a method publishes points
#: and no cells: 500 meters.
REACH = (0.006, 0.0045)
CENTERS = 5
MOST_TRIPS, MOST_RELEASES = 50, 50
#: Rounds by which a threshold is chosen, rounds that are scored, and rounds between two reports.
PILOT, ROUNDS, EVERY = 60, 400, 10
#: The two areas between which a trip moves, and where it begins in each.
HOME, ROAD = "Greenpoint", "Long Island City-Hunters Point"
PLACES = {HOME: (-73.951, 40.73), ROAD: (-73.951, 40.744)}


@dataclass(frozen=True)
class Target:
    """A real trip that the attacker looks for."""

    title: str
    row: int
    at: tuple[float, float]


@lru_cache(maxsize=1)
def targets() -> dict[str, Target]:
    """The loneliest trip of the sample, and one among many."""
    rows = taxi(PICKUP)
    flat = rows * (0.757, 1.0)
    far, _ = KDTree(flat).query(flat, k=20)
    lonely = int(np.asarray(far)[:, -1].argmax())
    crowd = int(((flat - np.array((-73.9855, 40.758)) * (0.757, 1.0)) ** 2).sum(axis=1).argmin())
    return {
        key: Target(title, row, (float(rows[row][0]), float(rows[row][1])))
        for key, title, row in (
            ("lonely", "The loneliest trip", lonely),
            ("crowd", "A trip at Times Square", crowd),
        )
    }


@dataclass(frozen=True)
class AttackSetup:
    """The target of an attack: the method, its level, what differs, and how often it publishes."""

    algorithm: str = "adaptive"
    epsilon: float = 0.2
    target: str = "lonely"
    #: Trips of one person from the same place; all of them are in the data, or none.
    trips: int = 1
    #: How many times the data are published, each time with other noise.
    releases: int = 1
    #: The levels of two areas, between which the trip moves; 0 where it is in the data or not.
    home: float = 0.0
    road: float = 0.0

    def __post_init__(self) -> None:
        if self.algorithm not in attackable(self.moves):
            raise BadInput(f"{self.algorithm!r} cannot be attacked here: choose another method.")
        if self.target not in targets():
            raise BadInput(f"The trip is one of {', '.join(targets())}, not {self.target!r}.")
        if not (1 <= self.trips <= MOST_TRIPS and 1 <= self.releases <= MOST_RELEASES):
            raise BadInput(
                f"A game has 1 to {MOST_TRIPS} trips and 1 to {MOST_RELEASES} releases, "
                f"not {self.trips} and {self.releases}."
            )

    @property
    def moves(self) -> bool:
        """Whether the trip is in one of two areas, rather than in the data or not."""
        return self.home > 0 and self.road > 0

    @property
    def claimed(self) -> float:
        """The epsilon that the method claims for all that differs."""
        if self.moves:
            return self.home + self.road
        return self.epsilon * self.trips * self.releases

    @property
    def at(self) -> tuple[float, float]:
        """The place that the attacker looks at."""
        return PLACES[HOME] if self.moves else targets()[self.target].at

    @property
    def request(self) -> Request:
        if not self.moves:
            return Request(self.algorithm, CENTERS, self.epsilon)
        levels = {HOME: self.home, ROAD: self.road}
        regions = areas([place(HOME), place(ROAD)], CITY)
        most = max(self.epsilon, *levels.values())
        by_area = regions.with_levels(levels | {"elsewhere": self.epsilon})
        return Request(self.algorithm, CENTERS, most, regions=by_area)


def attackable(by_area: bool = False) -> list[str]:
    """The methods that run on these data; by area, those whose results of areas can be joined."""
    return [
        key
        for key, each in ALGORITHMS.items()
        if Neighbors.ADD_REMOVE in each.relations
        and each.obstacle(2, TAXI_ROWS, CENTERS) is None
        and (not by_area or (isinstance(each, SynopsisAlgorithm) and each.verdict.holds))
    ]


@lru_cache(maxsize=8)
def worlds(setup: AttackSetup) -> tuple[Dataset, Dataset]:
    """The two data sets: with the trip, and without it or with it elsewhere."""
    rows = taxi(PICKUP)
    target = targets()[setup.target]
    # A claim must hold for any data, so the attacker takes the number of trips that tells most.
    number = ALGORITHMS[setup.algorithm].telling_rows(TAXI_ROWS, setup.epsilon) - 1
    order = np.random.default_rng(0).permutation(len(rows))
    others = rows[order[order != target.row][:number]]
    if setup.moves:
        return _with(others, PLACES[HOME], 1), _with(others, PLACES[ROAD], 1)
    return _with(others, target.at, setup.trips), _with(others, target.at, 0)


def _with(others: FloatArray, at: tuple[float, float], copies: int) -> Dataset:
    """The other trips, and one trip so many times."""
    about = DataInfo(unit="trip", geographic=True, public=True)
    rows = np.concatenate([others, np.repeat(np.array([at]), copies, axis=0)])
    return RowsDataset.from_values(rows, CITY, about)


@dataclass(frozen=True, eq=False)
class AttackRound:
    """One round: the published answer, the number each attacker reads, and the hidden truth."""

    there: bool
    #: The last release.
    released: RunResult
    #: The part of the map that is counted: the published cell of the place, or a square around it.
    counted: Box
    #: Published trips there, over all releases on average; None without a count.
    count: float | None
    #: Meters from the place to the nearest center, on average.
    center: float
    #: How much likelier all releases are with the trip than without, as a logarithm. None for a
    #: method that draws noise of its own, which nobody can replay.
    odds: float | None

    @property
    def centers(self) -> list[list[float]]:
        """The centers of the last release."""
        return np.asarray(self.released.centers).tolist()

    def reading(self, view: str) -> float | None:
        """The number by which an attacker decides."""
        return {"count": self.count, "center": self.center, "release": self.odds}[view]


def true_count(data: Dataset, part: Box) -> int:
    """The number of trips that truly begin in a part of the map."""
    ticks, _ = data.positions()
    return int(part.contains(data.box.from_unit(from_ticks(ticks))).sum())


def counted_part(released: RunResult, at: tuple[float, float]) -> Box:
    """The published cell that a place lies in, or a square around it."""
    synopsis = released.synopsis
    if not isinstance(synopsis, NoisyGrid):
        return Box(tuple(np.subtract(at, REACH).tolist()), tuple(np.add(at, REACH).tolist()))
    low, high = np.array(CITY.low), np.array(CITY.high)
    side = len(synopsis.counts)
    cell = CITY.cells(np.array([at]), side)[0]
    ends = (low + (high - low) * (cell + more) / side for more in (0, 1))
    first, last = (tuple(end.tolist()) for end in ends)
    return Box(first, last)


def play_round(setup: AttackSetup, number: int, seed: int = 0) -> AttackRound:
    """The round of that number; with the same seed always the same one."""
    key = crc32(repr(setup).encode())
    coin, draws = np.random.SeedSequence([seed, number, key]).spawn(2)
    there = bool(np.random.default_rng(coin).integers(2))
    own, other = worlds(setup) if there else worlds(setup)[::-1]
    counts, centers, odds = [], [], 0.0
    for each in draws.spawn(setup.releases):
        released, gain = _release(setup.request, own, other, each)
        odds += gain
        centers.append(_nearest(released, setup.at))
        if released.synopsis is not None:
            part = counted_part(released, setup.at)
            counts.append(released.synopsis.count(part.low, part.high).value)
    count = math.fsum(counts) / len(counts) if counts else None
    mean = math.fsum(centers) / len(centers)
    loss = None if ALGORITHMS[setup.algorithm].audit.own_noise else odds if there else -odds
    return AttackRound(there, released, counted_part(released, setup.at), count, mean, loss)


def _release(
    request: Request, own: Dataset, other: Dataset, draws: np.random.SeedSequence
) -> tuple[RunResult, float]:
    """A release, and how much likelier its answers are on its data than on the others.

    It is made again on the others with the same answers and coins. Where that fails, or gives
    something else, they cannot have given it.
    """
    seed = int(draws.generate_state(1)[0])
    coupling, recorder = Coupling(seed), Recorder(SimulatedNoise(draws))
    released = _run(request, own, recorder, coupling, seed)
    replay = Replay(recorder.answers)
    try:
        again = _run(request, other, replay, coupling.again(), seed)
    except Diverged:
        return released, math.inf
    if replay.left or not np.array_equal(np.asarray(released.centers), np.asarray(again.centers)):
        return released, math.inf
    pairs = zip(recorder.answers, replay.answers, strict=True)
    return released, math.fsum(loss_of(one, two).realized for one, two in pairs)


def _run(
    request: Request, data: Dataset, noise: Recorder | Replay, coupling: Coupling, seed: int
) -> RunResult:
    return run_request(
        request.with_seed(seed),
        data,
        noise=noise,
        make_secret_coins=coupling.coins,
        make_curator=partial(AuditedCurator, coupling),
    )


def _nearest(released: RunResult, at: tuple[float, float]) -> float:
    centers = np.asarray(released.centers)
    return float(meters_between(centers, np.broadcast_to(at, centers.shape)).min())


@dataclass(frozen=True)
class Threshold:
    """Says that the trip is there where a number lies on one side of a threshold."""

    value: float
    above: bool

    def says(self, reading: float) -> bool:
        return (reading >= self.value) == self.above


def best_threshold(readings: Sequence[float], there: Sequence[bool]) -> Threshold:
    """The threshold that would have been right most often."""
    candidates = [
        Threshold(value, above) for value in sorted({*readings}) for above in (True, False)
    ]
    return max(
        candidates,
        key=lambda each: sum(
            each.says(reading) == truth for reading, truth in zip(readings, there, strict=True)
        ),
    )


@dataclass(frozen=True)
class AttackScores:
    """The part of the rounds so far in which each attacker was right."""

    rounds: int
    scores: tuple[GuesserScore, ...]


def attack_scores(
    setup: AttackSetup, rounds: int = ROUNDS, pilot: int = PILOT, seed: int = 1
) -> Iterator[AttackScores]:
    """The scores of all attackers, every few rounds.

    Pilot rounds choose the thresholds. The attacker who reads the whole release needs none: it
    names the data set that makes the answers likelier.
    """
    first = [play_round(setup, number, seed) for number in range(pilot)]
    there = [each.there for each in first]
    rules = {}
    for view in VIEWS:
        readings = [reading for each in first if (reading := each.reading(view)) is not None]
        if len(readings) == pilot:
            by_odds = view == "release"
            rules[view] = Threshold(1e-12, True) if by_odds else best_threshold(readings, there)
    right = dict.fromkeys(rules, 0)
    for number in range(1, rounds + 1):
        played = play_round(setup, pilot + number, seed)
        for view, rule in rules.items():
            reading = played.reading(view)
            right[view] += reading is not None and rule.says(reading) == played.there
        if number % EVERY == 0 or number == rounds:
            scores = (
                GuesserScore(setup.algorithm, setup.claimed, right[view], number, view)
                for view in VIEWS
                if view in rules
            )
            yield AttackScores(number, tuple(scores))
