"""What a run region by region would have charged: the rehearsal of each region's own run.

The charge of all regions together follows from their levels. What a region's run charges follows
from its level and its own answers, so each is rehearsed by itself, as a run without regions is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpcore.datasets.area_levels import sentences
from dpcore.datasets.region_map import Regions, Window
from dpcore.geometry.domain import LATTICE_CELLS
from dpcore.kmeans.stages import listening
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.release.described import described_plan
from dpcore.release.rehearsal import (
    MOST_SECONDS,
    AsAccount,
    Clock,
    DatalessCurator,
    Rehearsed,
    Row,
    TooLong,
    compared,
    first_difference,
    nobody,
    rows_of_account,
)

#: What a run region by region tells as facts.
FACTS = ("regions", "protection", "points", "resolution")


def rehearse_regions(said: Mapping[str, Any], as_account: AsAccount) -> Rehearsed:
    """Compare a certificate's charges with those of its algorithm in each of its regions."""
    plan = described_plan(said)
    regions = plan.row_request.regions
    assert regions is not None
    facts = _facts(said, regions)
    curator = DatalessCurator(
        2, Budget(*_row(said)), Neighbors(said["neighbors"]), said["answers"], set(), 0
    )
    delta = curator.budget.delta if plan.system.uses_delta else 0.0
    levels = [Budget(own, delta) for own in regions.epsilons(curator.budget.epsilon)]
    parts = curator.side_by_side(regions, levels, divide=lambda _, of: [nobody(2)] * of.n_cells)
    charges = said["transcript"]["charges"]
    if strange := {each.get("region") for each in said["answers"]} - set(regions.names):
        return Rehearsed(f"nothing was asked of a region {min(map(str, strange))!r}")
    expected = as_account(curator.transcript)
    if problem := first_difference(_alone(said["transcript"]), [_alone(expected)]):
        return Rehearsed(problem[1])
    resolution = min(int(said["facts"]["resolution"]), LATTICE_CELLS)
    done = []
    try:
        with listening(Clock(MOST_SECONDS)):
            for region, part in enumerate(parts):
                own = _part_of(said, regions, region, part.budget, charges[0]["inner"][region])
                inside = _resolution(resolution, regions, regions.windows[region])
                found = compared(own, as_account, inside)
                if found.difference or not found.known:
                    where = f"{regions.names[region]}: {found.difference}"
                    return Rehearsed(where, known=found.known)
                done.append(found)
    except TooLong:
        return Rehearsed(f"it takes longer than {MOST_SECONDS:g} seconds", known=False)
    return Rehearsed(
        None, names=frozenset(FACTS), facts=facts, coreset=all(each.coreset for each in done)
    )


def _row(said: Mapping[str, Any]) -> tuple[float, float]:
    return said["budget of one row"]["epsilon"], said["budget of one row"]["delta"]


def _alone(account: Mapping[str, Any]) -> list[Row]:
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


def _part_of(
    said: Mapping[str, Any],
    regions: Regions,
    region: int,
    budget: Budget,
    account: Mapping[str, Any],
) -> dict[str, Any]:
    """What a certificate of the run on one region alone would say."""
    name = regions.names[region]
    return {
        **said,
        "budget of one row": {"epsilon": budget.epsilon, "delta": budget.delta},
        "neighbors": str(Neighbors.ADD_REMOVE),
        "answers": [each for each in said["answers"] if each.get("region") == name],
        "transcript": account,
    }


def _resolution(of_map: int, regions: Regions, window: Window) -> int:
    """Cells a side on which positions are known in the window of a region."""
    return max(1, of_map * window.side // regions.side)


def _facts(said: Mapping[str, Any], regions: Regions) -> dict[str, Any]:
    epsilons = dict(zip(regions.names, regions.epsilons(_row(said)[0]), strict=True))
    words = " ".join(sentences(epsilons, neighbors=Neighbors(said["neighbors"])))
    return {"regions": epsilons, "protection": words}
