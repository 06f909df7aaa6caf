"""The attack on one case: many runs on both data sets of a pair, and what tells them apart."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from dpcore.algorithms import get
from dpcore.audit.cases import Case
from dpcore.audit.coupling import AuditedCurator, Coupling, Phantoms
from dpcore.audit.epsilon_bound import CONFIDENCE, Evidence
from dpcore.audit.event_search import evidence
from dpcore.audit.independent_totals import by_account
from dpcore.audit.law import Laws
from dpcore.audit.observations import Seen, failure, flattened, result, tabulated
from dpcore.audit.recorded_tree import loss_of
from dpcore.audit.replay import (
    Diverged,
    RecordedAnswer,
    Recorder,
    Replay,
    ReplayLoss,
    as_priced,
    moved_too_far,
    repeats,
    together,
)
from dpcore.datasets.base import Dataset
from dpcore.geometry.domain import FloatArray
from dpcore.privacy.noise import Noise, SimulatedNoise
from dpcore.privacy.transcript import Transcript
from dpcore.runs.run import run_request

MakeNoise = Callable[[np.random.SeedSequence], Noise]
#: Every so many runs, noise on cells of which there are very many is drawn by the shortcut.
SHORTCUT = 2
#: The number of runs that are repeated on quite other data as well.
STRANGERS = 6
#: Relative room for float additions.
ROUNDING = 1e-9


@dataclass(frozen=True)
class AuditFinding:
    """A finding of the audit: what it measured for one algorithm on one pair."""

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
    #: What a replay or the noise itself showed to be wrong, in words; or nothing.
    fault: str = ""

    def refutes(self, confidence: float = CONFIDENCE) -> bool:
        """Whether the claim is wrong, with this confidence."""
        beyond = self.evidence.bound(confidence, self.delta) > self.epsilon
        too_dear = self.cost is not None and self.cost > self.epsilon * (1 + ROUNDING)
        return beyond or too_dear or bool(self.fault)


class Heard(NamedTuple):
    """The observation of one run, the cost of its answers, and its fault, if any."""

    seen: dict[str, FloatArray]
    cost: float | None
    fault: str
    answers: Sequence[RecordedAnswer]


def attack(
    case: Case, runs: int, seed: int = 0, make_noise: MakeNoise = SimulatedNoise
) -> AuditFinding:
    """Run a case so many times on each data set of its pair, and find what tells them apart.

    A warning counts as an error: who runs the program sees it.
    """
    runs = min(runs, case.most_runs or runs)
    root = np.random.SeedSequence([seed, crc32(case.words.encode())])
    tables: list[list[dict[str, FloatArray]]] = []
    dearest: float | None = None
    fault, phantoms, reported = "", Phantoms(), Phantoms()
    public_coins, *own_seeds = root.spawn(3)
    laws = Laws(int(public_coins.generate_state(1)[0]))
    for side, own in enumerate(own_seeds):
        noise_seed, coin_seed = own.spawn(2)
        noise = make_noise(noise_seed)
        secret = np.random.default_rng(coin_seed)
        public = np.random.default_rng(public_coins) if case.coins_known else secret
        coin = int(public.integers(2**62))
        observed = []
        for number in range(runs):
            coupling = Coupling(int(secret.integers(2**62)), number % SHORTCUT > 0)
            outcome = _heard(case, side, coin, coupling, noise, number < STRANGERS)
            observed.append(outcome.seen)
            laws.hear(outcome.answers)
            phantoms.add(coupling.phantoms.seen, coupling.phantoms.mean)
            reported.add(coupling.reported.seen, coupling.reported.mean)
            fault = fault or outcome.fault
            if outcome.cost is not None:
                dearest = max(outcome.cost, dearest or 0.0)
            if not case.coins_known:
                coin = int(public.integers(2**62))
        tables.append(observed)
    numbers, names = tabulated(tables[0] + tables[1])
    measured = evidence(numbers[:runs], numbers[runs:], names, case.delta)
    return AuditFinding(
        case.algorithm,
        verdict=str(get(case.algorithm).verdict),
        neighbors=str(case.relation),
        pair=case.pair.key,
        epsilon=case.epsilon,
        delta=case.delta,
        lower_bound=measured.bound(delta=case.delta),
        evidence=measured,
        cost=dearest,
        failed=sum("error" in seen for table in tables for seen in table) / (2 * runs),
        fault=fault or laws.fault((phantoms, reported)),
    )


def _heard(
    case: Case, side: int, coin: int, coupling: Coupling, noise: Noise, strange: bool
) -> Heard:
    recorder, data = Recorder(noise), case.pair.data
    seen = flattened(attempt(case, data[side], coin, recorder, coupling))
    outcome = Heard(seen, None, "", recorder.answers)
    if not case.replayable or coupling.is_opaque:
        return outcome
    replay, published = Replay(recorder.answers), dict(seen)
    why = _divergence(case, data[1 - side], coin, replay, coupling, published)
    why = why and f"on the neighbor, with the same answers, {why}"
    both = recorder.answers[: len(replay.answers)], replay.answers
    first, second = both if side == 0 else both[::-1]
    losses = [loss_of(a, b) for a, b in zip(first, second, strict=True)]
    # Whether the same answers and coins, on each of the two data sets, give what was published.
    seen["could be the first"] = np.array([float(not why or side == 0)])
    seen["could be the second"] = np.array([float(not why or side == 1)])
    seen["answers' odds"] = np.array([each.realized for each in losses])
    seen["answers' odds together"] = np.array([math.fsum(each.realized for each in losses)])
    seen["noise repeats itself"] = np.array([float(repeats(first, second))])
    if why:
        return outcome._replace(cost=math.inf, fault=why)
    accounts = [answer.account for answer in recorder.answers]
    cost = _total(case, losses, accounts, coupling.transcript)
    priced = [as_priced(each, answer) for each, answer in zip(losses, first, strict=True)]
    charged = _total(case, priced, accounts, coupling.transcript)
    if strange:
        other = Replay(recorder.answers)
        why = _divergence(case, case.pair.stranger, coin, other, coupling, published)
        if why:
            return outcome._replace(cost=cost, fault=f"on other data, with the same answers, {why}")
    fault = moved_too_far(losses, first, case.moves)
    if not fault and charged > case.allowed * (1 + ROUNDING):
        fault = f"answers that a row moves were asked for epsilon {charged:.6g} in all"
    return outcome._replace(cost=cost, fault=fault)


def _divergence(
    case: Case,
    data: Dataset,
    coin: int,
    replay: Replay,
    coupling: Coupling,
    published: dict[str, FloatArray],
) -> str:
    """The difference between a run on other data, with recorded answers, and the recorded one, in
    words."""
    try:
        again = flattened(attempt(case, data, coin, replay, coupling.again()))
    except Diverged as diverged:
        return str(diverged)
    if replay.left:
        return "it asked fewer questions"
    differing = _differing(published, again)
    return f"it let out another {differing}" if differing else ""


def _total(
    case: Case,
    losses: Sequence[ReplayLoss],
    accounts: Sequence[Transcript | None],
    whole: Transcript | None,
) -> float:
    """The epsilon of losses, by the account that paid for each or by the best single rule."""
    best = together(losses, case.delta)
    if whole is None:
        return best
    of_account: dict[int, list[ReplayLoss]] = defaultdict(list)
    for each, account in zip(losses, accounts, strict=True):
        of_account[id(account)].append(each)
    return min(best, by_account(whole, of_account))


def attempt(case: Case, data: Dataset, coin: int, noise: Any, coupling: Coupling) -> Seen:
    """The observation of a run of a case on some data, even if it is an error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return result(
                run_request(
                    case.request(coin),
                    data,
                    noise=noise,
                    thresholds=case.thresholds,
                    make_secret_coins=coupling.coins,
                    make_curator=partial(AuditedCurator, coupling),
                )
            )
    except Exception as error:
        return failure(error)


def _differing(one: dict[str, FloatArray], other: dict[str, FloatArray]) -> str:
    """The differences between what two runs reveal."""
    for name in [*one, *other]:
        if name not in one or name not in other:
            return name
        if not np.array_equal(one[name], other[name], equal_nan=True):
            return name
    return ""
