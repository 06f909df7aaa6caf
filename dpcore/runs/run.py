"""One call from data to centers: `run`, and the non-private `baseline` beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpcore.algorithms import get
from dpcore.algorithms.base import MAX_CLUSTERS, Algorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.own import AnyData
from dpcore.datasets.regions import Regions
from dpcore.errors import BadInput
from dpcore.privacy.accounting import Budget, Infeasible, Neighbors, Transcript, Verdict
from dpcore.privacy.noise import Noise, SimulatedNoise
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.secret_coins import MakeSecretCoins, SecretCoins
from dpcore.queries.curator import Curator
from dpcore.randomness.coins import Coins, SystemCoins
from dpcore.results.non_private import opened
from dpcore.results.run_result import (
    Centers,
    NonPrivateCenters,
    Outcome,
    RunResult,
    SimulatedCenters,
    SimulatedResult,
    UnchargedCenters,
    UnchargedResult,
    UnprovenResult,
)
from dpcore.runs.refusals import public_rows, refusal
from dpcore.runs.regional import check_regions, run_by_region


def run(
    algorithm: str,
    data: AnyData,
    k: int,
    epsilon: float,
    delta: float = 0.0,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    seed: int | None = None,
    *,
    noise: Noise | None = None,
    keep_journal: bool = False,
    regions: Regions | None = None,
    progress: Callable[[float], None] | None = None,
    make_secret_coins: MakeSecretCoins = SecretCoins,
    make_curator: Callable[..., Curator] = Curator,
    booking: Callable[[Transcript], None] | None = None,
    **parameters: Any,
) -> RunResult:
    """Run an algorithm once on a data set under a budget.

    With a seed the run repeats exactly. Noise is simulated unless another source is given; only
    `dpcore.release.publish` makes a result that may leave. An algorithm that is purely
    epsilon-private leaves delta unspent. Everything public is checked before any data are read.

    With release noise all coins come from the operating system, and there is no seed: whoever
    knows the coins by which rows draw their blocks can tell rows apart. `make_secret_coins` and
    `make_curator` let an audit put others in their place, with simulated noise only.

    With regions, each part of the map is protected at a level of its own, epsilon at most.
    `progress` is told, after each answer, which part of epsilon is spent. `booking` gets the
    transcript before the first question, for who must know what was asked if the run fails.

    Parameters
    ----------
    algorithm : str
        A key of `dpcore.ALGORITHMS`.
    data : Dataset or OwnData
        From `dpcore.datasets.load`, `from_array` or `from_file`.
    k : int
        Number of centers.
    epsilon : float
        The privacy budget.
    delta : float, default=0.0
        For algorithms that can use it.
    neighbors : {"add-remove", "replace-one"}, default="add-remove"
        Which two data sets an attacker must not be able to tell apart.
    seed : int or None, default=None
        Repeats the run exactly. Whoever knows it can remove the noise.
    noise : Noise or None, default=None
        The source of noise; simulated if None.
    keep_journal : bool, default=False
        Keep what each step computed, for the classroom. It is not private.
    regions : Regions or None, default=None
        Parts of a map with privacy levels of their own.
    progress : callable or None, default=None
        Called with the spent part of epsilon, from 0 to 1, after each answer.
    make_secret_coins : callable, default=SecretCoins
        For audits only.
    make_curator : callable, default=Curator
        For audits only.
    booking : callable or None, default=None
        Called with the transcript before the first question.
    **parameters : int, float, str or bool
        Settings of the algorithm; `dpcore list` shows them.

    Returns
    -------
    RunResult
        Centers, transcript, synopsis and verdict. Its type says whether the result is simulated,
        not yet charged, or not private.

    Raises
    ------
    ValueError
        If an argument is not valid.
    Infeasible
        If the algorithm cannot answer for these data at this budget.

    Examples
    --------
    >>> import dpcore
    >>> data = dpcore.datasets.load("s1-like")
    >>> result = dpcore.run("eugkm", data, k=3, epsilon=1.0, seed=0)
    >>> result.centers.shape
    (3, 2)
    >>> print(result.verdict, result.epsilon)
    REPAIRED 1.0
    """
    data = opened(data)
    system = get(algorithm)
    settings = system.settings(parameters)
    budget = Budget(epsilon, delta)
    relation = _checked_relation(system, neighbors)
    _check_clusters(system, data, k, relation)
    coins, source = _randomness(
        seed, noise, make_secret_coins is not SecretCoins or make_curator is not Curator
    )
    if regions is None and (
        known := refusal(system, data.about.key, public_rows(data, relation), k, epsilon, relation)
    ):
        raise known
    divisible = None if regions is None else check_regions(system, data, regions, epsilon, relation)
    curator: Curator = make_curator(
        data,
        budget,
        source,
        relation,
        coins,
        keep_journal,
        lambda _: progress(_part_asked(curator.transcript)) if progress else None,
        make_secret_coins,
    )
    if booking is not None:
        booking(curator.transcript)
    if divisible is None or regions is None:
        outcome = system.run(curator, k, **settings)
    else:
        outcome = run_by_region(divisible, curator, k, regions, settings)
    return _sealed(system, k, settings, outcome, curator, source)


def _part_asked(transcript: Transcript) -> float:
    """Which part of epsilon was asked with; what was set aside counts as it is used."""
    asked = 0.0
    for charge in transcript:
        inside = [_part_asked(account) for account in charge.inner]
        asked += charge.epsilon * (sum(inside) / len(inside) if inside else 1.0)
    return min(asked / transcript.budget.epsilon, 1.0)


def _randomness(seed: int | None, noise: Noise | None, other_coins: bool) -> tuple[Coins, Noise]:
    """Public coins and noise: of a seed, or for a release the operating system's alone."""
    if isinstance(noise, ReleaseNoise):
        if seed is not None or other_coins:
            raise BadInput(
                "A run with release noise takes no seed and no coins from outside: whoever knows "
                "them can undo the privacy. Leave out seed, or use simulated noise."
            )
        return SystemCoins(), noise
    coins, draws = np.random.SeedSequence(seed).spawn(2)
    return np.random.default_rng(coins), SimulatedNoise(draws) if noise is None else noise


def _checked_relation(system: Algorithm, neighbors: Neighbors | str) -> Neighbors:
    try:
        relation = Neighbors(neighbors)
    except ValueError:
        names = " or ".join(repr(str(r)) for r in Neighbors)
        raise BadInput(f"neighbors must be {names}, not {neighbors!r}.") from None
    if relation not in system.relations:
        only = " or ".join(system.relations)
        raise Infeasible(f"{system.key} is private under {only} only, not under {relation}.")
    return relation


def _check_clusters(system: Algorithm, data: Dataset, k: int, relation: Neighbors) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= MAX_CLUSTERS:
        raise BadInput(f"k must be a whole number from 1 to {MAX_CLUSTERS}, not {k!r}.")
    public_n = None if relation.size_is_private else data.n
    if public_n is not None and k > public_n:
        raise BadInput(f"k = {k} centers were asked for, but there are only {public_n} rows.")
    obstacle = system.obstacle(data.d, public_n, k)
    if obstacle:
        raise Infeasible(f"{system.key}: {obstacle}")


def _sealed(
    system: Algorithm,
    k: int,
    settings: dict[str, Any],
    outcome: Outcome,
    curator: Curator,
    noise: Noise,
) -> RunResult:
    """The result in the type that says what may be done with it.

    Only noise of the very class ReleaseNoise counts as such: any other object may do anything.
    """
    broken = curator.transcript.unprotected or not system.verdict.holds
    if not np.isfinite(outcome.centers).all():
        raise FloatingPointError(f"{system.key} produced a center that is not a number.")
    values = curator.box.from_unit(outcome.centers)
    kind: type[RunResult] = UnprovenResult
    centers: type[Centers] = NonPrivateCenters
    if not broken:
        exact = type(noise) is ReleaseNoise
        kind = UnchargedResult if exact else SimulatedResult
        centers = UnchargedCenters if exact else SimulatedCenters
    return kind(
        algorithm=system.key,
        k=k,
        parameters=settings,
        centers=centers(values, curator.box),
        synopsis=None if outcome.synopsis is None else outcome.synopsis.vouched(centers),
        transcript=curator.transcript,
        verdict=Verdict.UNPROVEN if broken else system.verdict,
        facts=outcome.facts,
        steps=curator.steps,
        box=curator.box,
    )
