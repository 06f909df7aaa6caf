"""The cases of the audit: every algorithm, on neighbors whose difference is hard to hide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpcore.algorithms import ALGORITHMS, Algorithm, get
from dpcore.algorithms.base import Room, SynopsisAlgorithm
from dpcore.audit.area_pairs import (
    HALVES,
    loud_region,
    other_own_level,
    own_level,
    person_in_two_regions,
    quiet_region,
    region_to_region,
    within_region,
)
from dpcore.audit.pairs import (
    ADD_REMOVE,
    NAMED,
    REPLACE_ONE,
    SWEPT_ROWS,
    Pair,
    anywhere,
    one_among,
    pairs,
    rows_of_a_person,
)
from dpcore.datasets.region_map import Regions
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.request import Request


@dataclass(frozen=True)
class Case:
    """One algorithm on one pair, and the claim it is held to."""

    algorithm: str
    pair: Pair
    epsilon: float
    delta: float = 0.0
    k: int = 2
    parameters: Mapping[str, Any] = field(default_factory=dict)
    #: Under which relation it runs: that of the pair, unless a claim about another is tested.
    neighbors: Neighbors | None = None
    #: Halves of the square with levels of their own, and what a run on both of them may spend. What
    #: it claims for a row follows from where the row lies.
    levels: Mapping[str, float] = field(default_factory=dict)
    spends: float | None = None
    #: The public thresholds by which rows with an epsilon of their own are grouped.
    thresholds: tuple[float, ...] = ()
    #: Whether the attacker knows the public coins. Where not, they are tossed anew in every run.
    coins_known: bool = True
    #: Whether all noisy answers count as released, so that a run can be made again from them.
    replayable: bool = True
    #: Where replays say all that there is to say.
    most_runs: int | None = None

    @property
    def relation(self) -> Neighbors:
        return self.neighbors or self.pair.neighbors

    @property
    def moves(self) -> int:
        """The number of steps from neighbor to neighbor that the pair is apart, by the relation of
        the run: under add-remove, and in the runs on regions, a row that is replaced is one removed
        and one added."""
        two_steps = self.relation is ADD_REMOVE or self.levels
        replaced = self.pair.neighbors is REPLACE_ONE and two_steps
        return self.pair.rows * (2 if replaced else 1)

    @property
    def allowed(self) -> float:
        """The most that the questions which the pair moves may cost together: each of its rows may
        be in a part of its own, and under levels the claim says what they come to."""
        if self.levels or self.thresholds:
            return self.epsilon
        return (self.spends or self.epsilon) * self.moves

    @property
    def regions(self) -> Regions | None:
        return HALVES.with_levels(self.levels) if self.levels else None

    def request(self, seed: int | None = None) -> Request:
        """A run of the case."""
        return Request(
            self.algorithm,
            self.k,
            self.spends or self.epsilon,
            self.delta,
            self.relation,
            seed,
            settings=self.parameters,
            regions=self.regions,
        )

    @property
    def words(self) -> str:
        at_delta = f", delta {self.delta:g}" if self.delta else ""
        usual = get(self.algorithm).audit.settings if self.algorithm in ALGORITHMS else {}
        own = "".join(
            f", {name} {value}" for name, value in self.parameters.items() if name not in usual
        )
        for_k = f", k {self.k}" if self.k > 2 else ""
        return f"{self.algorithm}, {self.pair.key}, epsilon {self.epsilon:g}{at_delta}{for_k}{own}"


DELTA = 1e-6
#: Pairs with the most to tell, which are tried at a large epsilon too.
TELLING_PAIRS = ("lone row", "corner to corner")
#: Dimension and number of centers: the first that an algorithm supports are taken.
SHAPES = ((2, 2), (2, 1), (3, 2), (8, 2))
#: Dimensions in which replays look for what depends on them, and the numbers of centers there.
SWEPT, CENTERS = (1, 2, 3, 4, 5, 6, 7, 8, 20), (3, 1, 2)
#: Replays tell what one run can tell: more runs would tell it again.
REPLAYS, FEW = 16, 4


def cases_of(algorithm: Algorithm) -> Iterator[Case]:
    """Every relation, pair and epsilon of one algorithm."""
    d, k = next(shape for shape in SHAPES if algorithm.supports(shape[0], 100, shape[1]))
    hints = algorithm.audit
    usual, large = hints.epsilons
    deltas = (0.0, DELTA) if algorithm.uses_delta else (0.0,)
    for epsilon, delta in [(usual, 0.0), (large, 0.0), *[(usual, delta) for delta in deltas[1:]]]:
        for pair in pairs(d, epsilon):
            telling = epsilon == usual or pair.key in TELLING_PAIRS
            if telling and pair.neighbors in algorithm.relations:
                yield _case(algorithm, pair, epsilon, delta, k)
    for room in hints.rooms:
        for delta in deltas:
            for pair in _filling(room, algorithm.relations):
                centers = next(n for n in (room.k, 1) if algorithm.supports(room.d, 100, n))
                case = _case(algorithm, pair, room.epsilon or usual, delta, centers)
                settings = {**case.parameters, **room.settings}
                yield replace(case, parameters=settings, most_runs=room.runs)
    yield from _swept(algorithm, usual, large, deltas)
    if ADD_REMOVE in algorithm.relations:
        pair = rows_of_a_person(d)
        yield replace(_case(algorithm, pair, usual, 0.0, k), spends=usual / pair.rows)
    if isinstance(algorithm, SynopsisAlgorithm):
        for pair, claim in (
            (quiet_region(), usual),
            (region_to_region(), usual + large),
            (within_region(), 2 * usual),
            (loud_region(), large),
        ):
            case = _case(algorithm, pair, claim, 0.0, k)
            if claim == large:
                case = replace(case, parameters={**case.parameters, **hints.regional})
            yield replace(case, neighbors=ADD_REMOVE, levels={"west": usual}, spends=large)
        person = person_in_two_regions()
        case = _case(algorithm, person, (usual + large) / 2, 0.0, k)
        share = {"west": usual / person.rows}
        yield replace(case, levels=share, spends=large / person.rows)
        for pair, claim in ((region_to_region(), (usual + large) / 2), (within_region(), usual)):
            case = _case(algorithm, pair, claim, 0.0, k)
            yield replace(case, levels={"west": usual}, spends=large)
        for pair, claim in (
            (own_level(usual, large, usual), usual),
            (own_level(usual, large, large), large),
            (other_own_level(usual, large), usual + large),
        ):
            case = _case(algorithm, pair, claim, 0.0, k)
            # Rows with an epsilon each cannot be counted first, so that some runs take long.
            runs = FEW if hints.counts_first else None
            case = replace(case, thresholds=(usual, large), spends=large, most_runs=runs)
            yield replace(case, neighbors=ADD_REMOVE)


def _filling(room: Room, relations: Sequence[Neighbors]) -> Iterator[Pair]:
    """The pairs that fill a room."""
    if room.pair in NAMED:
        yield NAMED[room.pair](room.rows, room.d)
        return
    for neighbors in relations:
        yield one_among(room.rows, room.d, neighbors)


def _swept(
    algorithm: Algorithm, usual: float, large: float, deltas: Sequence[float]
) -> Iterator[Case]:
    """One row anywhere in data of every dimension, for some numbers of centers."""
    for place, d in enumerate(SWEPT):
        center_count = CENTERS[place % len(CENTERS)]
        k = next((k for k in (center_count, 1) if algorithm.supports(d, SWEPT_ROWS, k)), None)
        for neighbors in algorithm.relations if k else ():
            for delta in deltas:
                epsilon = usual if (place + (neighbors is ADD_REMOVE)) % 2 else large
                pair = anywhere(d, neighbors)
                case = _case(algorithm, pair, epsilon, delta, k or 1)
                yield replace(case, most_runs=REPLAYS)
                if d == 2:
                    counted = replace(pair, key=f"{pair.key}, counted", cells_per_side=64)
                    yield replace(case, pair=counted, most_runs=REPLAYS)


def _case(algorithm: Algorithm, pair: Pair, epsilon: float, delta: float, k: int) -> Case:
    hints = algorithm.audit
    if hints.counts_first and pair.d == 2 and not pair.is_about_order and pair.own is None:
        pair = replace(pair, cells_per_side=64)
    is_open = not hints.own_noise
    return Case(
        algorithm.key,
        pair,
        epsilon,
        delta,
        k,
        hints.settings,
        coins_known=is_open,
        replayable=is_open,
    )


def table() -> list[Case]:
    """All cases of the audit."""
    return [case for algorithm in ALGORITHMS.values() for case in cases_of(algorithm)]
