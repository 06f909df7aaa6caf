"""The function `run`: from data to private centers in one call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.datasets.own import AnyData, opened_data
from dpcore.datasets.region_map import Regions
from dpcore.errors import BadInput
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.privacy.noise import Noise, SimulatedNoise
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.secret_coins import MakeSecretCoins, SecretCoins
from dpcore.privacy.transcript import Transcript
from dpcore.queries.curator import Curator
from dpcore.randomness.coins import Coins, SystemCoins
from dpcore.results.centers import Centers, NonPrivateCenters, SimulatedCenters, UnchargedCenters
from dpcore.results.run_result import (
    Outcome,
    RunResult,
    SimulatedResult,
    UnchargedResult,
    UnprovenResult,
)
from dpcore.runs.area_runs import AreaRuns
from dpcore.runs.personal import check_thresholds, run_by_own_level
from dpcore.runs.refusals import public_rows, refusal
from dpcore.runs.regional import run_by_region
from dpcore.runs.request import Request

#: What describes a run beside a request: k, epsilon, delta, neighbors, seed, regions, parameters.
_NOTHING_ELSE: tuple[Any, ...] = (None, None, 0.0, Neighbors.ADD_REMOVE, None, None, {})


def run(
    algorithm: str | Request,
    data: AnyData,
    k: int | None = None,
    epsilon: float | None = None,
    delta: float = 0.0,
    neighbors: Neighbors | str = Neighbors.ADD_REMOVE,
    seed: int | None = None,
    *,
    noise: Noise | None = None,
    keep_journal: bool = False,
    regions: Regions | None = None,
    kept: AreaRuns | None = None,
    thresholds: Sequence[float] = (),
    progress: Callable[[float], None] | None = None,
    **parameters: Any,
) -> RunResult:
    """Run an algorithm once on a data set under a budget.

    The run is described by a `Request` alone, or by the arguments of one: the algorithm's key, k,
    epsilon, delta, neighbors, seed and regions, and the algorithm's parameters by name.

    With a seed the run repeats exactly. Noise is simulated unless another source is given; only
    `dpcore.release.publish` makes a result that may leave. An algorithm that is purely
    epsilon-private leaves delta unspent. Everything public is checked before any data are read.

    With release noise all coins come from the operating system, and there is no seed: whoever
    knows the coins by which rows draw their blocks can tell rows apart.

    With regions, each part of the map is protected at a level of its own, epsilon at most.
    After each answer, `progress` gets the share of epsilon that is spent.

    Parameters
    ----------
    algorithm : str or Request
        A key of `dpcore.ALGORITHMS`, or a request, which says all of its run.
    data : Dataset or OwnData
        From `dpcore.datasets.load`, `from_array` or `from_file`.
    k : int or None, default=None
        Number of centers.
    epsilon : float or None, default=None
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
    kept : AreaRuns or None, default=None
        Simulated runs on single regions, so that only those whose level changed are made again.
    thresholds : sequence of float, default=()
        Public levels by which rows that have an epsilon of their own are grouped.
    progress : callable or None, default=None
        Called with the spent part of epsilon, from 0 to 1, after each answer.
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
    if not isinstance(algorithm, Request):
        # The request refuses None.
        k, epsilon = cast(int, k), cast(float, epsilon)
        request = Request(
            algorithm, k, epsilon, delta, neighbors, seed, settings=parameters, regions=regions
        )
    elif (k, epsilon, delta, neighbors, seed, regions, parameters) == _NOTHING_ELSE:
        request = algorithm
    else:
        raise TypeError("A request says all of its run: give nothing else that describes one.")
    return run_request(
        request,
        data,
        noise=noise,
        keep_journal=keep_journal,
        kept_runs=kept,
        thresholds=thresholds,
        progress=progress,
    )


def run_request(
    request: Request,
    data: AnyData,
    *,
    noise: Noise | None = None,
    keep_journal: bool = False,
    kept_runs: AreaRuns | None = None,
    thresholds: Sequence[float] = (),
    progress: Callable[[float], None] | None = None,
    make_secret_coins: MakeSecretCoins = SecretCoins,
    make_curator: Callable[..., Curator] = Curator,
    booking: Callable[[Transcript], None] | None = None,
) -> RunResult:
    """The run of a request, with what only audits and releases may say of it.

    `make_secret_coins` and `make_curator` let an audit put others in the place of a run's own, with
    simulated noise only. `booking` gets the transcript before the first question, for a caller that
    must charge a run that fails.
    """
    data = opened_data(data)
    request.check_data(data)
    if thresholds:
        if request.regions is not None:
            raise BadInput("Levels of rows and of regions do not go together: leave out one.")
        check_thresholds(request.system, data, thresholds, request.epsilon, request.neighbors)
    coins, source = _randomness(
        request.seed, noise, make_secret_coins is not SecretCoins or make_curator is not Curator
    )
    if not (request.regions or thresholds) and (
        problem := refusal(
            request.system,
            data.about.key,
            public_rows(data, request.neighbors),
            request.k,
            request.epsilon,
            request.neighbors,
        )
    ):
        raise problem
    curator: Curator = make_curator(
        data,
        request.budget,
        source,
        request.neighbors,
        coins,
        keep_journal=keep_journal,
        watch=lambda _: progress(_part_asked(curator.transcript)) if progress else None,
        make_secret_coins=make_secret_coins,
    )
    if booking is not None:
        booking(curator.transcript)
    if request.regions is not None:
        divisible = cast(SynopsisAlgorithm, request.system)  # as the request has checked
        runs = None
        if kept_runs is not None and _repeatable(request.seed, noise, keep_journal, make_curator):
            visible = request.regions.at_resolution(data.resolution)
            runs = kept_runs.of(data, visible, cast(int, request.seed))
        outcome = run_by_region(
            divisible, curator, request.k, request.regions, request.parameters, runs
        )
    elif thresholds:
        joinable = cast(SynopsisAlgorithm, request.system)
        outcome = run_by_own_level(joinable, curator, request.k, thresholds, request.parameters)
    else:
        outcome = request.system.run(curator, request.k, **request.parameters)
    return _sealed(request, outcome, curator, source)


def _repeatable(
    seed: int | None, noise: Noise | None, keep_journal: bool, make_curator: Any
) -> bool:
    """Whether the runs on regions may be kept: simulated ones with a seed, without the truth."""
    return seed is not None and noise is None and not keep_journal and make_curator is Curator


def _part_asked(transcript: Transcript) -> float:
    """The part of epsilon that the questions used; shares set aside count once they are used."""
    spent = 0.0
    for charge in transcript:
        inside = [_part_asked(account) for account in charge.inner]
        spent += charge.epsilon * (sum(inside) / len(inside) if inside else 1.0)
    return min(spent / transcript.budget.epsilon, 1.0)


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


def _sealed(request: Request, outcome: Outcome, curator: Curator, noise: Noise) -> RunResult:
    """The result in the type that says what may be done with it.

    Only noise of the very class ReleaseNoise counts as such: any other object may do anything.
    """
    system = request.system
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
        request=request,
        centers=centers(values, curator.box),
        synopsis=None if outcome.synopsis is None else outcome.synopsis.vouched(centers),
        transcript=curator.transcript,
        verdict=Verdict.UNPROVEN if broken else system.verdict,
        facts=outcome.facts,
        steps=curator.steps,
        box=curator.box,
    )
