"""What is not private cannot be exported: the type checker says so, and so does the program."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import dpcore
from dpcore.geometry.domain import Box
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.release import BuiltinData, FileData, ReleasePlan
from dpcore.release.bundle import bundle
from dpcore.release.certificate import facts
from dpcore.release.published import Published
from dpcore.results import export
from dpcore.results.centers import NonPrivateCenters
from dpcore.results.non_private import NonPrivate
from dpcore.runs.request import Request

ROOT = Path(__file__).parents[2]
PROGRAM = """\
from dpcore.results import export
from dpcore.release.bundle import bundle
from dpcore.release.plan import ReleasePlan
from dpcore.results.centers import (
    NonPrivateCenters,
    PrivateCenters,
    ReleasedCenters,
    SimulatedCenters,
)
from dpcore.results.non_private import NonPrivate
from dpcore.results.run_result import (
    BaselineResult,
    ReleasedResult,
    SimulatedResult,
    UnchargedResult,
    UnprovenResult,
)

def published(centers: ReleasedCenters) -> None: ...
def looked_at(centers: SimulatedCenters) -> None: ...

def allowed(
    plan: ReleasePlan, blue: PrivateCenters, result: ReleasedResult, simulated: SimulatedResult
) -> None:
    export.centers_csv(blue)
    export.centers_parquet(result.centers)
    export.points_csv(result)
    export.points_csv(simulated)
    published(result.centers)
    looked_at(simulated.centers)
    if result.coreset is not None:
        published(result.coreset.kmeans(7))
    if simulated.coreset is not None:
        looked_at(simulated.coreset.reduced(9).kmeans(7))
    bundle(plan, result, "now")

def refused(
    plan: ReleasePlan,
    red: NonPrivateCenters,
    eyes: NonPrivate[PrivateCenters],
    reference: BaselineResult,
    simulated: SimulatedResult,
    uncharged: UnchargedResult,
    unproven: UnprovenResult,
) -> None:
    export.centers_csv(red)
    export.centers_csv(eyes)
    export.centers_parquet(reference.centers)
    export.centers_json(unproven.centers)
    export.centers_geojson(eyes)
    export.points_parquet(unproven)
    export.points_geojson(reference)
    published(simulated.centers)
    published(uncharged.centers)
    looked_at(unproven.centers)
    assert simulated.coreset and uncharged.coreset and unproven.coreset
    published(simulated.coreset.kmeans(7))
    published(uncharged.coreset.kmeans(7))
    export.centers_csv(unproven.coreset.kmeans(7))
    bundle(plan, simulated, "now")
    bundle(plan, uncharged, "now")
    bundle(plan, unproven, "now")
"""


def test_the_type_checker_refuses_every_export_of_what_is_not_private(tmp_path):
    pytest.importorskip("mypy")
    path = tmp_path / "leak.py"
    path.write_text(PROGRAM)
    options = [
        "--config-file",
        str(ROOT / "pyproject.toml"),
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
    ]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, str(path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    complaints = [line for line in run.stdout.splitlines() if "leak.py" in line]
    calls = PROGRAM.splitlines()
    first = calls.index("    export.centers_csv(red)")
    refused = [n for n, line in enumerate(calls[first:], first + 1) if "assert" not in line]
    assert [int(line.split(":")[1]) for line in complaints] == refused
    assert all("[arg-type]" in line for line in complaints)


@pytest.fixture(scope="module")
def city():
    return dpcore.datasets.load("s1-like")


@pytest.mark.parametrize(
    "form",
    [export.centers_csv, export.centers_json, export.centers_geojson, export.centers_parquet],
)
def test_the_program_refuses_what_the_checker_did_not_see(form, city):
    red = dpcore.baseline(city, 3).centers
    assert isinstance(red, NonPrivateCenters)
    for secret in (red, NonPrivate(red), np.asarray(red), dpcore.baseline(city, 3)):
        with pytest.raises(TypeError, match="not private"):
            form(secret)


@pytest.mark.parametrize("form", [export.points_csv, export.points_geojson, export.points_parquet])
def test_points_leave_only_with_the_run_that_vouches_for_them(form, city):
    simulated = dpcore.run("eugkm", city, 3, 1.0, seed=0)
    unproven = dpcore.run("eugkm-published", city, 3, 1.0, seed=0)
    for result in (unproven, simulated.synopsis, NonPrivate(simulated)):
        with pytest.raises(TypeError, match="cannot be exported"):
            form(result)


def test_publish_alone_makes_what_may_leave():
    """In the whole program, one line makes a ReleasedResult, and that class makes its centers; a
    release that is read back from its files makes them again."""
    makers = {
        "ReleasedResult.of(": ["release/publish.py"],
        "ReleasedCenters(": ["release/published_files.py", "results/run_result.py"],
    }
    for call, places in makers.items():
        found = [
            path.relative_to(ROOT / "dpcore").as_posix()
            for path in sorted((ROOT / "dpcore").rglob("*.py"))
            if call in path.read_text().replace("class ReleasedCenters(", "")
        ]
        assert found == places
    assert "ReleasedResult(" not in (ROOT / "dpcore/release/publish.py").read_text()


def test_only_what_is_charged_gets_a_certificate_and_a_map(city):
    plan = ReleasePlan("s1", BuiltinData("s1-like"), Request("eugkm", 3, 1.0))
    simulated = dpcore.run("eugkm", city, 3, 1.0, seed=0)
    uncharged = dpcore.run("eugkm", city, 3, 1.0, noise=ReleaseNoise())
    for result, form in product((simulated, uncharged), (facts, mapped, bundle)):
        with pytest.raises(TypeError):
            form(plan, result, "now")


def mapped(plan, result, time):
    """What the map is drawn from."""
    return Published.by(result)


def test_what_publishes_nothing_beside_its_centers_says_so(city):
    released = dpcore.run("dplloyd", city, 3, 1.0, noise=ReleaseNoise())
    with pytest.raises(ValueError, match="nothing beside"):
        export.points_csv(released)
    assert released.box == Box.cube(2)


@pytest.mark.parametrize("name", ['=HYPERLINK("http://evil","x")', "+1", "-x", "@sum", " =a"])
def test_a_column_that_a_spreadsheet_takes_for_a_formula_is_not_published(name):
    data = FileData("a.csv", (name, "y"), Box((0.0, 0.0), (1.0, 1.0), (name, "y")))
    with pytest.raises(ValueError, match="Rename the column"):
        ReleasePlan("trips", data, Request("adaptive", 5, 1.0))
