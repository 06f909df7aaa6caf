"""A release of rows that each have an epsilon of their own: what is paid, said and checked."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore import Box, regions
from dpcore.cli import BAD_INPUT, main
from dpcore.release import (
    Amount,
    Ledger,
    LeveledFileData,
    ReleasePlan,
    Unit,
    publish,
    verify,
)
from tests.release.conftest import taken_from

BOX = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
ENDS = ["--box", "-74.1", "40.7", "-73.9", "40.9"]
LEVELS = (0.1, 1.0)
CERTIFICATE = "certificate.json"


@pytest.fixture(scope="module")
def table(tmp_path_factory) -> Path:
    """2,000 places; the epsilon is 0.05, 0.1, just below 1, 1, or 50 for a fifth of them each."""
    rng = np.random.default_rng(0)
    own = np.tile([0.05, 0.1, math.nextafter(1, 0), 1.0, 50.0], 400)
    places = rng.normal((-74.0, 40.8), 0.02, (2000, 2))
    frame = pd.DataFrame({"lon": places[:, 0], "lat": places[:, 1], "own": own})
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    odd = "".join(f"-74.0,40.8,{each}\n" for each in ("", "none", "nan", "-1", "0"))
    path.write_text(frame.to_csv(index=False) + odd)
    return path


def data(table: Path, **changes) -> LeveledFileData:
    given = {"own": "own", "thresholds": LEVELS} | changes
    return LeveledFileData(str(table), ("lon", "lat"), BOX, **given)


def plan(table: Path, algorithm: str = "adaptive", epsilon: float = 2.0, **changes) -> ReleasePlan:
    rows = data(table, **{k: changes.pop(k) for k in ("own", "thresholds") if k in changes})
    changes = {"allowed": Amount.of(3.0)} | changes
    request = taken_from(changes, algorithm=algorithm, k=3, epsilon=epsilon)
    return ReleasePlan("people", rows, request, **changes)


def test_a_row_goes_where_its_own_epsilon_says_and_what_is_no_number_is_not_read(table):
    rows = data(table).open(Unit())
    low, high = rows.by_level(LEVELS)
    assert (low.n, high.n) == (800, 800)
    frame = pd.read_csv(table).iloc[:2000]
    expected = BOX.cells(frame[frame["own"] == 0.1][["lon", "lat"]].to_numpy())
    assert {tuple(c) for c in expected.tolist()} <= {tuple(c) for c in low._cells.tolist()}


@pytest.mark.parametrize("algorithm", ["adaptive", "eugkm", "coreset"])
def test_the_account_pays_the_largest_threshold_and_the_certificate_holds(
    algorithm, table, tmp_path
):
    release = publish(plan(table, algorithm), Ledger(tmp_path / "books"))
    assert str(release.entry.charged) == "ε 1"
    said = release.certificate
    assert said["own levels"]["thresholds"] == [0.1, 1.0]
    assert "costs the sum of both thresholds" in " ".join(said["own levels"]["statement"])
    (together,) = said["transcript"]["charges"]
    assert [
        inner["epsilon"] <= level for inner, level in zip(together["inner"], LEVELS, strict=True)
    ] == [True, True]
    found = verify(release.files[CERTIFICATE], release.files)
    assert not [each for each in found if each.holds is False]
    assert "LeveledFileData" in release.files["repeat.py"].decode()
    assert "Levels of rows" in release.files["certificate.html"].decode()


def test_verify_notices_other_thresholds_and_other_charges(table, tmp_path):
    release = publish(plan(table), Ledger(tmp_path / "books"))
    for change in (
        lambda said: said["source"].update(thresholds=[0.2, 1.0]),
        lambda said: said["own levels"].update(statement=["Nothing is told of anybody."]),
        lambda said: said["transcript"]["charges"][0]["inner"][0].update(epsilon=0.5),
        lambda said: said["facts"].update(thresholds="0.01, 1"),
    ):
        said = json.loads(release.files[CERTIFICATE])
        change(said)
        found = verify(json.dumps(said).encode(), release.files)
        assert [each for each in found if each.holds is False and "fingerprint" not in each.what]


def test_every_release_costs_a_row_again_and_says_so(table, tmp_path):
    books = Ledger(tmp_path / "books")
    publish(plan(table), books)
    again = plan(table, thresholds=(0.05, 0.5))
    publish(again, books)
    account = books.account("people")
    assert account is not None
    assert account.left == Amount.of(1.5)
    assert any("costs it again" in sentence for sentence in again.statement())


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"thresholds": (1.0, 0.1)}, "rising numbers"),
        ({"thresholds": ()}, "rising numbers"),
        ({"thresholds": (0.10000001, 0.10000002)}, "alike in their first six digits"),
        ({"thresholds": (0.1, 4.0)}, "rising numbers from 1e-06 to 2, the epsilon of the run"),
        ({"own": "lon"}, "Name the column with the epsilon of each row"),
        ({"neighbors": "replace-one"}, "under add-remove only"),
        ({"algorithm": "dplloyd"}, "nothing that can be joined across groups"),
        ({"regions": regions.areas([], BOX)}, "go with no other levels"),
        ({"unit": Unit("person", "own", 2)}, "what is protected is one row"),
    ],
)
def test_what_cannot_be_released_by_levels_of_rows_is_refused(changes, complaint, table):
    with pytest.raises(dpcore.BadInput, match=complaint):
        plan(table, **changes)


def test_rows_outside_the_box_are_dropped_and_never_moved(table):
    with pytest.raises(dpcore.BadInput, match="are dropped outside the box"):
        replace(data(table), outside="clip")


def test_the_command_line_publishes_by_levels_of_rows_and_saves_the_plan(
    table, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path / "books"))
    monkeypatch.chdir(tmp_path)
    rows = ["--data", str(table), "--columns", "lon", "lat", *ENDS, "--name", "people"]
    asked = ["release", "adaptive", "-k", "3", "--epsilon", "1", "--allowed", "2", *rows]
    levels = ["--own-level", "own", "--thresholds", "0.1", "1"]
    assert main([*asked, *levels, "--save-plan", "plan.toml"]) == 0
    assert main(["release", "plan.toml", "--yes", "--output", "out"]) == 0
    said = json.loads(Path("out", CERTIFICATE).read_text())
    assert said["source"]["thresholds"] == [0.1, 1.0]
    capsys.readouterr()
    for wrong, complaint in (
        (["--own-level", "own"], "go together"),
        (["--own-level", "own", "--thresholds", "2"], "rising numbers from 1e-06 to 1"),
        (["--own-level", "mine", "--thresholds", "1"], "mine"),
    ):
        assert main([*asked, *wrong, "--yes", "--output", "other"]) == BAD_INPUT
        assert complaint in capsys.readouterr().err
    assert len(Ledger(tmp_path / "books").entries()) == 1


def test_the_command_line_runs_by_levels_of_rows(table, capsys):
    asked = ["run", "adaptive", "-k", "3", "--epsilon", "1", "--seed", "0", "--data", str(table)]
    asked += ["--columns", "lon", "lat", *ENDS, "--json"]
    assert main([*asked, "--own-level", "own", "--thresholds", "0.1", "1"]) == 0
    shown = json.loads(capsys.readouterr().out)
    rows = data(table).open(Unit())
    same = dpcore.run("adaptive", rows, 3, 1.0, seed=0, thresholds=LEVELS)
    assert shown["centers"] == same.centers.tolist()
    assert shown["facts"]["thresholds"] == "0.1, 1"
    for wrong, complaint in (
        (["--own-level", "own"], "go together"),
        (["--own-level", "own", "--thresholds", "1", "0.1"], "rising numbers"),
        (
            ["--own-level", "own", "--thresholds", "1", "--regions", "boroughs"],
            "do not go together",
        ),
        (["--own-level", "own", "--thresholds", "1", "--data", "iris"], "no levels of rows"),
    ):
        assert main([*asked, *wrong]) == BAD_INPUT
        assert complaint in capsys.readouterr().err


def test_a_saved_plan_keeps_its_areas(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path / "books"))
    monkeypatch.chdir(tmp_path)
    asked = ["release", "adaptive", "-k", "3", "--epsilon", "1", "--allowed", "2"]
    areas = ["--data", "nyc-taxi", "--regions", "boroughs", "--level", "Manhattan=0.2"]
    assert main([*asked, *areas, "--save-plan", "plan.toml"]) == 0
    assert main(["release", "plan.toml", "--yes", "--output", "out"]) == 0
    said = json.loads(Path("out", CERTIFICATE).read_text())
    assert said["facts"]["regions"]["Manhattan"] <= 0.2
    assert said["facts"]["regions"]["Queens"] > 0.9
