"""The private twin: data drawn from a release, to be explored as often as one likes for free."""

from __future__ import annotations

from dpcore.datasets import Dataset
from dpcore.privacy import Neighbors
from dpcore.release.amounts import Amount
from dpcore.release.contribution import Unit
from dpcore.release.ledger import Ledger
from dpcore.release.plan import TWIN, ReleasePlan
from dpcore.release.sources import DataSource


def twin_plan(
    name: str,
    data: DataSource,
    epsilon: float,
    *,
    neighbors: Neighbors = Neighbors.ADD_REMOVE,
    unit: Unit | None = None,
    allowed: Amount | None = None,
) -> ReleasePlan:
    """The plan of a release whose points a twin can be drawn from: publish it like any other."""
    return ReleasePlan(
        name,
        data,
        "adaptive",
        1,
        epsilon,
        neighbors=neighbors,
        unit=unit or Unit(),
        allowed=allowed or Amount.of(1.0),
        purpose=TWIN,
    )


def twin_of(ledger: Ledger, number: int) -> Dataset:
    """The data drawn from a release, the same ones each time. `about.twin` is set."""
    raise NotImplementedError
