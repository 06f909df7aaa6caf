"""A ledger, data of one's own with canaries in them, and releases made once for all tests."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpcore.geometry.domain import Box
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    Ledger,
    Release,
    ReleasePlan,
    Unit,
    publish,
)
from dpcore.runs.request import Request
from tests.seeded_noise import seeded_noise

BOX = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
#: Rows in the box. Odd enough not to come up by chance.
ROWS = 19_937


S1 = BuiltinData("s1-like")
#: What describes the run of a plan.
RUN = {each.name for each in fields(Request)}


def taken_from(changes: dict[str, Any], **usual: Any) -> Request:
    """The run that some of these changes describe, which leave the others."""
    return Request(**usual | {each: changes.pop(each) for each in RUN & changes.keys()})


def plan(epsilon: float = 0.5, **changes: Any) -> ReleasePlan:
    """A release of the centers of s1-like, with some things changed."""
    request = taken_from(changes, algorithm="dplloyd", k=3, epsilon=epsilon)
    return ReleasePlan(**{"name": "s1", "data": S1} | changes, request=request)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger")


@pytest.fixture(scope="session")
def patients(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that must not be told apart from one with a row less: 19,937 rows of 4,000 people."""
    rng = np.random.default_rng(89)
    middles = rng.uniform([-74.05, 40.72], [-73.95, 40.88], (6, 2))
    places = middles[rng.integers(6, size=ROWS)] + rng.normal(0, 0.004, (ROWS, 2))
    frame = pd.DataFrame(places, columns=["lon", "lat"]).assign(who=rng.integers(4000, size=ROWS))
    assert BOX.contains(places).all()
    path = tmp_path_factory.mktemp("st-marys-oncology") / "patients-2026.parquet"
    frame.to_parquet(path)
    return path


@pytest.fixture(scope="session")
def plans(patients: Path) -> dict[str, ReleasePlan]:
    """A plan of each kind: by algorithm, unit, relation and number of coordinates."""
    own = FileData(str(patients), ("lon", "lat"), BOX)
    person, all_of_it = Unit("person", "who", 3), Amount.of(10.0, 1e-5)
    trips = BuiltinData("nyc-taxi-trips")
    return {
        "adaptive": ReleasePlan(
            "visits", own, Request("adaptive", 6, 1.0), unit=person, allowed=all_of_it
        ),
        "coreset": ReleasePlan(
            "visits", own, Request("coreset", 6, 1.0, 1e-6), unit=person, allowed=all_of_it
        ),
        "eugkm": ReleasePlan(
            "visits", own, Request("eugkm", 6, 0.5), unit=person, allowed=all_of_it
        ),
        "city": ReleasePlan(
            "city",
            BuiltinData("nyc-taxi"),
            Request("coreset", 5, 1.0, 1e-6),
            unit=Unit("trip"),
            allowed=Amount.of(1.0, 1e-6),
        ),
        "trips": ReleasePlan("trips", trips, Request("coreset", 3, 0.5), unit=Unit("trip")),
        "wine": ReleasePlan(
            "wine", BuiltinData("wine"), Request("dplloyd", 3, 1.0, neighbors="replace-one")
        ),
        "auto": ReleasePlan("iris <b>&", BuiltinData("iris"), Request("auto", 3, 1.0)),
    }


@pytest.fixture(scope="session")
def published(
    plans: dict[str, ReleasePlan], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Release]:
    """A release of each plan, the same in every run: what tests change in it is found or not
    whatever the noise is."""
    books = Ledger(tmp_path_factory.mktemp("ledger"))
    with seeded_noise():
        return {name: publish(plan, books) for name, plan in plans.items()}
