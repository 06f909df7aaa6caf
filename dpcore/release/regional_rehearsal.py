"""The rehearsal of a run by regions, or by levels of rows: the charges of each part.

The charge of all parts together follows from their levels. What the run on one part charges follows
from its level and its own answers, so each is rehearsed by itself, as a run on the whole is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpcore.datasets import area_levels
from dpcore.datasets.leveled_rows import LeveledRows
from dpcore.datasets.region_map import Regions, Window
from dpcore.geometry.domain import LATTICE_CELLS, Box
from dpcore.kmeans.stages import listening
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.privacy.rounding import at_most
from dpcore.release.dataless_curator import DatalessCurator, nobody
from dpcore.release.described import described_plan
from dpcore.release.rehearsal import (
    MOST_SECONDS,
    AsAccount,
    Clock,
    Rehearsed,
    Row,
    TooLong,
    compared,
    first_difference,
    rows_of_account,
)
from dpcore.runs.personal import named, sentences

#: What a run region by region, and one by levels of rows, tells as facts.
FACTS = ("regions", "protection", "points", "resolution")
FACTS_BY_LEVEL = ("thresholds", "protection", "points", "resolution")


@dataclass(frozen=True)
class Part:
    """A region, or a group of rows, and the run on it alone."""

    name: str
    budget: Budget
    #: Cells a side on which its positions are known.
    resolution: int


def rehearse_regions(certificate: Mapping[str, Any], as_account: AsAccount) -> Rehearsed:
    """Compare a certificate's charges with those of its algorithm in each of its regions."""
    plan = described_plan(certificate)
    regions = plan.row_request.regions
    assert regions is not None
    curator = dataless(certificate, 2)
    delta = curator.budget.delta if plan.system.uses_delta else 0.0
    levels = [Budget(own, delta) for own in regions.epsilons(curator.budget.epsilon)]
    curators = curator.side_by_side(regions, levels, divide=lambda _, of: [nobody(2)] * of.n_cells)
    resolution = lattice(certificate)
    parts = [
        Part(name, own.budget, _resolution(resolution, regions, window))
        for name, own, window in zip(regions.names, curators, regions.windows, strict=True)
    ]
    rehearsed = compared_by_part(certificate, as_account, curator, parts, "region")
    return replace(rehearsed, names=frozenset(FACTS), facts=_facts(certificate, regions))


def rehearse_own_levels(certificate: Mapping[str, Any], as_account: AsAccount) -> Rehearsed:
    """Compare a certificate's charges with those of its algorithm for each group of rows."""
    plan = described_plan(certificate)
    thresholds, d = plan.row_thresholds, plan.data.box.d
    curator = dataless(certificate, d)
    delta = curator.budget.delta if plan.system.uses_delta else 0.0
    levels = [Budget(each, delta) for each in thresholds]
    curator._data = LeveledRows(np.empty((0, d), dtype=np.int32), Box.cube(d), np.empty(0))
    curator.by_own_level(levels)
    resolution = lattice(certificate)
    parts = [Part(named(own.epsilon), own, resolution) for own in levels]
    rehearsed = compared_by_part(certificate, as_account, curator, parts, "group")
    facts = {
        "thresholds": ", ".join(map(at_most, thresholds)),
        "protection": " ".join(sentences(thresholds)),
    }
    return replace(rehearsed, names=frozenset(FACTS_BY_LEVEL), facts=facts)


def dataless(certificate: Mapping[str, Any], d: int) -> DatalessCurator:
    """The curator of the whole run, without rows."""
    neighbors = Neighbors(certificate["neighbors"])
    return DatalessCurator(
        d, Budget(*row_budget(certificate)), neighbors, certificate["answers"], {}, 0
    )


def lattice(certificate: Mapping[str, Any]) -> int:
    """Cells a side on which positions are known in the whole box."""
    return min(int(certificate["facts"]["resolution"]), LATTICE_CELLS)


def compared_by_part(
    certificate: Mapping[str, Any],
    as_account: AsAccount,
    curator: DatalessCurator,
    parts: Sequence[Part],
    kind: str,
) -> Rehearsed:
    """The comparison of what all parts cost together, and then of each part by itself."""
    names = {each.get("region") for each in certificate["answers"]}
    if strange := names - {each.name for each in parts}:
        return Rehearsed(f"nothing was asked of a {kind} {min(map(str, strange))!r}")
    expected = as_account(curator.transcript)
    if problem := first_difference(alone(certificate["transcript"]), [alone(expected)]):
        return Rehearsed(problem[1])
    inner = certificate["transcript"]["charges"][0]["inner"]
    done = []
    try:
        with listening(Clock(MOST_SECONDS)):
            for part, account in zip(parts, inner, strict=True):
                own = group_alone(certificate, part.name, part.budget, account)
                rehearsed = compared(own, as_account, part.resolution)
                if rehearsed.difference or not rehearsed.is_certain:
                    return Rehearsed(
                        f"{part.name}: {rehearsed.difference}", is_certain=rehearsed.is_certain
                    )
                done.append(rehearsed)
    except TooLong:
        return Rehearsed(f"it takes longer than {MOST_SECONDS:g} seconds", is_certain=False)
    return Rehearsed(
        None,
        coreset=all(each.coreset for each in done),
        has_noise=all(each.has_noise for each in done),
    )


def row_budget(certificate: Mapping[str, Any]) -> tuple[float, float]:
    return certificate["budget of one row"]["epsilon"], certificate["budget of one row"]["delta"]


def alone(account: Mapping[str, Any]) -> list[Row]:
    """The charges of an account, and the budgets of the accounts inside, but not their charges."""
    return rows_of_account(
        {
            **account,
            "charges": [
                {
                    **charge,
                    **{
                        f"budget {number}": [inner["epsilon"], inner["delta"], inner["accounting"]]
                        for number, inner in enumerate(charge["inner"], start=1)
                    },
                    "inner": [{**inner, "charges": []} for inner in charge["inner"]],
                }
                for charge in account["charges"]
            ],
        }
    )


def group_alone(
    certificate: Mapping[str, Any], name: str, budget: Budget, account: Mapping[str, Any]
) -> dict[str, Any]:
    """The certificate that a run on one region, or on one group of rows, would have alone."""
    return {
        **certificate,
        "budget of one row": {"epsilon": budget.epsilon, "delta": budget.delta},
        "neighbors": str(Neighbors.ADD_REMOVE),
        "answers": [each for each in certificate["answers"] if each.get("region") == name],
        "transcript": account,
    }


def _resolution(of_map: int, regions: Regions, window: Window) -> int:
    """Cells a side on which positions are known in the window of a region."""
    return max(1, of_map * window.side // regions.side)


def _facts(certificate: Mapping[str, Any], regions: Regions) -> dict[str, Any]:
    epsilons = dict(zip(regions.names, regions.epsilons(row_budget(certificate)[0]), strict=True))
    words = " ".join(area_levels.sentences(epsilons, neighbors=Neighbors(certificate["neighbors"])))
    return {"regions": epsilons, "protection": words}
