"""One call from data to centers: `run`, and the non-private `baseline` beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dpcore.algorithms import get
from dpcore.algorithms.base import MAX_CLUSTERS, Algorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.regions import Regions
from dpcore.privacy.accounting import Budget, Infeasible, Neighbors, Transcript, Verdict
from dpcore.privacy.noise import Noise, SimulatedNoise
from dpcore.queries.curator import Curator
from dpcore.results.run_result import (
    NonPrivateCenters,
    Outcome,
    PrivateCenters,
    ReleasedResult,
    RunResult,
    SimulatedResult,
    UnprovenResult,
)
from dpcore.results.synopsis import Coreset, PrivateCoreset
from dpcore.runs.refusals import public_rows, refusal
from dpcore.runs.regional import check_regions, run_by_region


def run(
    algorithm: str,
    data: Dataset,
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
    **parameters: Any,
) -> RunResult:
    """Run an algorithm once on a data set under a budget.

    With a seed the run repeats exactly. Noise is simulated unless another source is given. An
    algorithm that is purely epsilon-private leaves delta unspent. Everything public is checked
    before any data are read.

    With regions, each part of the map is protected at a level of its own, epsilon at most.
    `progress` is told, after each answer, which part of epsilon is spent.
    """
    system = get(algorithm)
    settings = system.settings(parameters)
    budget = Budget(epsilon, delta)
    relation = _checked_relation(system, neighbors)
    _check_clusters(system, data, k, relation)
    if regions is None and (
        known := refusal(system, data.about.key, public_rows(data, relation), k, epsilon, relation)
    ):
        raise known
    divisible = None if regions is None else check_regions(system, data, regions, epsilon, relation)
    coins, draws = np.random.SeedSequence(seed).spawn(2)
    curator = Curator(
        data,
        budget,
        noise if noise is not None else SimulatedNoise(draws),
        relation,
        np.random.default_rng(coins),
        keep_journal,
        lambda _: progress(_part_asked(curator.transcript)) if progress else None,
    )
    if divisible is None or regions is None:
        outcome = system.run(curator, k, **settings)
    else:
        outcome = run_by_region(divisible, curator, k, regions, settings)
    return _sealed(system, k, settings, outcome, curator, noise)


def _part_asked(transcript: Transcript) -> float:
    """Which part of epsilon was asked with; what was set aside counts as it is used."""
    asked = 0.0
    for charge in transcript:
        inside = [_part_asked(account) for account in charge.inner]
        asked += charge.epsilon * (sum(inside) / len(inside) if inside else 1.0)
    return min(asked / transcript.budget.epsilon, 1.0)


def _checked_relation(system: Algorithm, neighbors: Neighbors | str) -> Neighbors:
    try:
        relation = Neighbors(neighbors)
    except ValueError:
        names = " or ".join(repr(str(r)) for r in Neighbors)
        raise ValueError(f"neighbors must be {names}, not {neighbors!r}.") from None
    if relation not in system.relations:
        only = " or ".join(system.relations)
        raise Infeasible(f"{system.key} is private under {only} only, not under {relation}.")
    return relation


def _check_clusters(system: Algorithm, data: Dataset, k: int, relation: Neighbors) -> None:
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= MAX_CLUSTERS:
        raise ValueError(f"k must be a whole number from 1 to {MAX_CLUSTERS}, not {k!r}.")
    public_n = None if relation.size_is_private else data.n
    if public_n is not None and k > public_n:
        raise ValueError(f"k = {k} centers were asked for, but there are only {public_n} rows.")
    obstacle = system.obstacle(data.d, public_n, k)
    if obstacle:
        raise Infeasible(f"{system.key}: {obstacle}")


def _sealed(
    system: Algorithm,
    k: int,
    settings: dict[str, Any],
    outcome: Outcome,
    curator: Curator,
    noise: Noise | None,
) -> RunResult:
    """The result in the type that says what may be done with it."""
    broken = curator.transcript.unprotected or not system.verdict.holds
    if not np.isfinite(outcome.centers).all():
        raise FloatingPointError(f"{system.key} produced a center that is not a number.")
    values = curator.box.from_unit(outcome.centers)
    if broken:
        kind: type[RunResult] = UnprovenResult
    else:
        kind = SimulatedResult if noise is None or noise.simulated else ReleasedResult
    synopsis = outcome.synopsis
    if isinstance(synopsis, Coreset) and not broken:
        synopsis = PrivateCoreset.of(synopsis)
    return kind(
        algorithm=system.key,
        k=k,
        parameters=settings,
        centers=(NonPrivateCenters if broken else PrivateCenters)(values, curator.box),
        synopsis=synopsis,
        transcript=curator.transcript,
        verdict=Verdict.UNPROVEN if broken else system.verdict,
        facts=outcome.facts,
        steps=curator.steps,
        box=curator.box,
    )
