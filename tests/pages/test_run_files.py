"""What Explore gives along: private files, and lines and a notebook that repeat the picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.runs.request import Request
from pages.ui import run_files
from pages.ui.choice import Choice
from tests.jupyter import executed
from tests.pages.visits import maps, visited

CHOICE = Choice("nyc-taxi", Request("adaptive", 5, 0.2, seed=3))
UNPROVEN = Choice("nyc-taxi", Request("eugkm-published", 5, 0.2, seed=3))


def labels(**query: object) -> list[str]:
    return [each.proto.label for each in visited(**query).get("download_button")]


def private_centers(**query: object) -> list[list[float]]:
    return [row["at"] for row in maps(visited(**query))[0]["centers"]]


def test_the_notebook_repeats_the_picture(tmp_path: Path) -> None:
    drawn, *_ = maps(visited(seed=3))
    shown = executed(run_files.notebook(CHOICE), tmp_path)
    moved = [row["label"].split("\u00a0")[0] for row in drawn["shifts"]]
    rows = [line.split() for line in shown[-1].splitlines()[1:6]]
    assert [f"{float(row[-1]):.0f}" for row in rows] == moved
    longitudes = [f"{float(row[1]):.4f}" for row in rows]
    assert longitudes == [f"{center['at'][0]:.4f}" for center in drawn["centers"]]


def test_a_file_holds_the_centers_of_the_picture_and_says_that_they_are_simulated() -> None:
    told = json.loads(run_files.centers(CHOICE))
    assert "not for publication" in json.dumps(told)
    found = [each["geometry"]["coordinates"] for each in told["features"]]
    np.testing.assert_allclose(sorted(found), sorted(private_centers(seed=3)), atol=1e-6)
    assert len(json.loads(run_files.points(CHOICE))["features"]) > 100


@pytest.mark.parametrize("make", [run_files.centers, run_files.points])
def test_no_file_is_made_of_centers_that_are_not_private(make: Callable[[Choice], Any]) -> None:
    with pytest.raises(TypeError, match="not private"):
        make(UNPROVEN)


def test_centers_without_a_proof_are_not_offered_as_a_file() -> None:
    assert labels() == ["Centers, GeoJSON", "Published points, GeoJSON", "Open as notebook"]
    assert labels(algorithm="dplloyd") == ["Centers, GeoJSON", "Open as notebook"]
    assert not ALGORITHMS["eugkm-published"].verdict.holds
    assert labels(algorithm="eugkm-published") == ["Open as notebook"]


def test_three_levels_give_the_files_and_lines_of_each() -> None:
    app = visited(three="true", right="Loosest", middle="Strict", seed=3)
    found = [each.proto.label for each in app.get("download_button")]
    assert found == [
        *("Centers at Loosest, GeoJSON", "Published points at Loosest, GeoJSON"),
        *("Centers at Strict, GeoJSON", "Published points at Strict, GeoJSON"),
        "Open as notebook",
    ]
    commands, program = (each.value for each in app.code)
    assert len(commands.splitlines()) == 2
    scope: dict[str, Any] = {}
    exec(program, scope)
    drawn = sorted(row["at"] for row in maps(app)[1]["centers"])
    np.testing.assert_array_equal(sorted(scope["result"].centers.tolist()), drawn)


def test_the_notebook_of_three_levels_repeats_each_picture(tmp_path: Path) -> None:
    strict = Choice("nyc-taxi", Request("adaptive", 5, 0.1, seed=3))
    runs = {"one": [CHOICE], "other": [strict], "both": [CHOICE, strict]}
    for name in runs:
        (tmp_path / name).mkdir()
    shown = {
        name: executed(run_files.notebook(*choices), tmp_path / name)
        for name, choices in runs.items()
    }
    assert shown["both"] == [*shown["one"], *shown["other"]]


def test_lines_for_a_shell_and_python_repeat_the_picture() -> None:
    app = visited(seed=3)
    command, program = (each.value for each in app.code)
    assert command == CHOICE.request.command("nyc-taxi")
    scope: dict[str, Any] = {}
    exec(program, scope)
    found = sorted(scope["result"].centers.tolist())
    np.testing.assert_array_equal(found, sorted(private_centers(seed=3)))
