"""One case audited: many runs on both data sets of a pair, and what tells them apart."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from dpcore.algorithms import get
from dpcore.audit.cases import Case
from dpcore.audit.epsilon_bound import CONFIDENCE, Evidence
from dpcore.audit.event_search import evidence
from dpcore.audit.observations import Seen, failure, flattened, result, tabulated
from dpcore.audit.replay import Diverged, Recorder, Replay, loss, repeats, together
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.accounting import ROUNDING
from dpcore.privacy.noise import Noise, SimulatedNoise
from dpcore.runs.run import run

MakeNoise = Callable[[np.random.SeedSequence], Noise]


@dataclass(frozen=True)
class Finding:
    """What the audit measured for one algorithm on one pair."""

    algorithm: str
    verdict: str
    neighbors: str
    pair: str
    #: The claim.
    epsilon: float
    delta: float
    #: With 95 % confidence, epsilon is no smaller.
    lower_bound: float
    evidence: Evidence
    #: What the answers of the dearest run cost on this pair by the law of their noise; infinite
    #: when something besides its answers got out, None when a run cannot be made again from them.
    cost: float | None
    #: The share of runs that ended in an error or a warning.
    failed: float

    def refutes(self, confidence: float = CONFIDENCE) -> bool:
        """Whether the claim is wrong, with this confidence."""
        beyond = self.evidence.bound(confidence, self.delta) > self.epsilon
        too_dear = self.cost is not None and self.cost > self.epsilon * (1 + ROUNDING)
        return beyond or too_dear


def attack(case: Case, runs: int, seed: int = 0, make_noise: MakeNoise = SimulatedNoise) -> Finding:
    """Run a case so many times on each data set of its pair, and find what tells them apart.

    A warning counts as an error: who runs the program sees it.
    """
    root = np.random.SeedSequence([seed, crc32(case.words.encode())])
    tables: list[list[dict[str, FloatArray]]] = []
    dearest: float | None = None
    failed = 0
    public_coins, *own_seeds = root.spawn(3)
    for side, own in enumerate(own_seeds):
        noise_seed, coin_seed = own.spawn(2)
        noise = make_noise(noise_seed)
        coins = np.random.default_rng(public_coins if case.coins_known else coin_seed)
        coin = int(coins.integers(2**62))
        observed = []
        for _ in range(runs):
            seen, cost = _observed(case, side, coin, noise)
            observed.append(seen)
            failed += "error" in seen
            if cost is not None:
                dearest = max(cost, dearest or 0.0)
            if not case.coins_known:
                coin = int(coins.integers(2**62))
        tables.append(observed)
    numbers, names = tabulated(tables[0] + tables[1])
    found = evidence(numbers[:runs], numbers[runs:], names, case.delta)
    return Finding(
        case.algorithm,
        str(get(case.algorithm).verdict),
        str(case.relation),
        case.pair.key,
        case.epsilon,
        case.delta,
        found.bound(delta=case.delta),
        found,
        dearest,
        failed / (2 * runs),
    )


def _observed(
    case: Case, side: int, coin: int, noise: Noise
) -> tuple[dict[str, FloatArray], float | None]:
    """What one run on one of the two data sets lets out, and what its answers cost."""
    recorder = Recorder(noise)
    seen = flattened(_attempt(case, side, coin, recorder))
    if not case.replayable:
        return seen, None
    replay = Replay(recorder.asked)
    try:
        again = flattened(_attempt(case, 1 - side, coin, replay))
        same = len(replay.asked) == len(recorder.asked) and _alike(seen, again)
    except Diverged:
        same = False
    both = recorder.asked[: len(replay.asked)], replay.asked
    first, second = both if side == 0 else both[::-1]
    losses = [loss(a, b) for a, b in zip(first, second, strict=True)]
    # Whether the same answers and coins, on each of the two data sets, give what was published.
    seen["could be the first"] = np.array([float(same or side == 0)])
    seen["could be the second"] = np.array([float(same or side == 1)])
    seen["answers' odds"] = np.array([each.realized for each in losses])
    seen["answers' odds together"] = np.array([math.fsum(each.realized for each in losses)])
    seen["noise repeats itself"] = np.array([float(repeats(first, second))])
    if not same:
        return seen, math.inf
    return seen, together(losses, case.delta)


def _attempt(case: Case, side: int, coin: int, noise: Any) -> Seen:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return result(
                run(
                    case.algorithm,
                    case.pair.data[side],
                    case.k,
                    case.spends or case.epsilon,
                    case.delta,
                    case.relation,
                    coin,
                    noise=noise,
                    regions=case.regions,
                    **case.parameters,
                )
            )
    except Exception as error:
        return failure(error)


def _alike(one: dict[str, FloatArray], other: dict[str, FloatArray]) -> bool:
    return one.keys() == other.keys() and all(
        np.array_equal(value, other[name], equal_nan=True) for name, value in one.items()
    )
