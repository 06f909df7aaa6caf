"""Charges are added up only where they belong to the same rows: under replace-one, where the number
of rows is published, two releases cannot tell how many people live in a strip."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.cli import REFUSED, main
from dpcore.geometry.domain import Box
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    Ledger,
    ReleasePlan,
    ReleaseRefused,
    publish,
    twin_plan,
)
from dpcore.release.ledger_store import DATABASE
from dpcore.runs.request import Request
from tests.release import old_format

WIDE = Box((0.0, 0.0), (1.0, 1.0), ("lon", "lat"))
NARROW = Box((0.0, 0.0), (0.94, 1.0), ("lon", "lat"))


def rows(seed: int = 0) -> pd.DataFrame:
    """400 people in the narrow box and one in the strip beside it."""
    rng = np.random.default_rng(seed)
    places = np.vstack([rng.uniform(0.1, 0.9, (400, 2)), [[0.97, 0.5]]])
    return pd.DataFrame(places, columns=["lon", "lat"]).assign(age=rng.uniform(0.1, 0.9, 401))


@pytest.fixture
def town(tmp_path: Path) -> Path:
    rows().to_csv(path := tmp_path / "town.csv", index=False)
    return path


def plan(path: Path, box: Box = WIDE, neighbors: str = "replace-one", **changes) -> ReleasePlan:
    source = {"columns": box.names, "box": box} | changes
    return ReleasePlan(
        "town", FileData(str(path), **source), Request("dplloyd", 2, 0.1, neighbors=neighbors)
    )


def test_two_releases_cannot_publish_a_strip(town, ledger):
    publish(plan(town, WIDE), ledger)
    with pytest.raises(ReleaseRefused, match=r"one box.*lon from 0 to 1.*exact number"):
        publish(plan(town, NARROW), ledger)
    assert len(ledger.entries()) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"outside": "clip"},
        {"columns": ("lat", "lon"), "box": Box((0, 0), (1, 1), ("lat", "lon"))},
        {"columns": ("lon", "age"), "box": Box((0, 0), (1, 1), ("lon", "age"))},
        {"columns": ("lon",), "box": Box((0,), (1,), ("lon",))},
        {"box": Box((0, 0), (1, 1.5), ("lon", "lat"))},
    ],
)
def test_whatever_makes_other_rows_count_is_refused(changes, town, ledger):
    publish(plan(town), ledger)
    with pytest.raises(ReleaseRefused, match="exact number of counted rows"):
        ledger.check(plan(town, **changes).claim())


def test_a_file_that_holds_the_rows_of_a_strip_is_refused(town, ledger, tmp_path):
    """The same plan, and other rows: the difference would be as exact."""
    publish(plan(town), ledger)
    rows().query("lon < 0.94").to_csv(tmp_path / "west.csv", index=False)
    with pytest.raises(ReleaseRefused, match="not the rows"):
        publish(plan(tmp_path / "west.csv"), ledger)
    town.write_text(town.read_text() + "0.5,0.5,0.5\n")
    with pytest.raises(ReleaseRefused, match="the data changed"):
        publish(plan(town), ledger)
    assert len(ledger.entries()) == 1


def test_the_same_rows_in_another_order_and_file_are_the_same(town, ledger, tmp_path):
    publish(plan(town), ledger)
    mixed = rows().sample(frac=1, random_state=1).to_csv(index=False, lineterminator="\r\n")
    (tmp_path / "mixed.csv.gz").write_bytes(gzip.compress(mixed.encode()))
    publish(plan(tmp_path / "mixed.csv.gz"), ledger)
    assert ledger.account("town").used == Amount.of(0.2)


def test_a_twin_counts_the_same_rows_too(town, ledger):
    publish(plan(town), ledger)
    other = FileData(str(town), ("lon", "lat"), NARROW)
    with pytest.raises(ReleaseRefused, match="exact number"):
        publish(twin_plan("town", other, 0.1, neighbors="replace-one"), ledger)
    same = FileData(str(town), ("lon", "lat"), WIDE)
    assert publish(twin_plan("town", same, 0.1, neighbors="replace-one"), ledger).files


def test_under_add_remove_every_box_protects_every_row(town, ledger):
    publish(plan(town, WIDE, "add-remove"), ledger)
    publish(plan(town, NARROW, "add-remove"), ledger)
    publish(plan(town, neighbors="add-remove", outside="clip"), ledger)
    assert ledger.account("town").used == Amount.of(0.3)


def test_built_in_sets_have_one_box_and_one_list_of_rows(ledger):
    for _ in range(2):
        publish(
            ReleasePlan(
                "w", BuiltinData("wine"), Request("dplloyd", 3, 0.1, neighbors="replace-one")
            ),
            ledger,
        )
    with pytest.raises(ReleaseRefused, match="exact number"):
        publish(
            ReleasePlan(
                "w", BuiltinData("iris"), Request("dplloyd", 3, 0.1, neighbors="replace-one")
            ),
            ledger,
        )


def test_the_command_refuses_the_second_box(town, tmp_path, capsys):
    words = ["release", "dplloyd", "--data", str(town), "--columns", "lon", "lat", "-k", "2"]
    words += ["--epsilon", "0.1", "--name", "town", "--neighbors", "replace-one", "--yes"]
    words += ["--allowed", "1", "--ledger", str(tmp_path / "books")]
    first = [*words, "--box", "0", "0", "1", "1", "--output", str(tmp_path / "1")]
    assert main(first) == 0
    second = [*words, "--box", "0", "0", "0.94", "1", "--output", str(tmp_path / "2")]
    assert main(second) == REFUSED
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith("dpcore: All releases of 'town' count the rows in one box")
    assert not (tmp_path / "2").exists()


@pytest.mark.parametrize("boxes", [[WIDE], [WIDE, WIDE]])
def test_an_old_account_takes_what_its_plans_show_and_nothing_else(boxes, town, ledger, tmp_path):
    for box in boxes:
        publish(plan(town, box), ledger)
    books = Ledger(old_format.write(tmp_path / "old", ledger))
    assert books.account("town").used == Amount.of(0.1 * len(boxes))
    with pytest.raises(ReleaseRefused, match="exact number"):
        publish(plan(town, NARROW), books)
    copy = tmp_path / "copy.csv"
    rows(1).to_csv(copy, index=False)
    with pytest.raises(ReleaseRefused, match="not the rows"):
        publish(plan(copy), books)
    publish(plan(town), books)
    assert len(Ledger(books.folder).heads()) == len(boxes) + 2


def test_an_old_account_with_two_boxes_takes_no_more(town, ledger, tmp_path):
    """What it published cannot be taken back, and nothing is added to it."""
    publish(plan(town, WIDE), ledger)
    old = old_format.write(tmp_path / "old", ledger)
    with sqlite3.connect(old / DATABASE) as database:
        (said,) = database.execute("SELECT plan FROM releases").fetchone()
        other = json.loads(said)
        other["box"]["high"][0] = 0.94
        database.execute(
            "INSERT INTO releases (account, purpose, epsilon, delta, time, plan) "
            "SELECT account, purpose, epsilon, delta, time, ? FROM releases",
            (json.dumps(other),),
        )
    database.close()
    for box in (WIDE, NARROW):
        with pytest.raises(ReleaseRefused, match="differs, or is not known"):
            publish(plan(town, box), Ledger(old))


def test_an_old_account_under_add_remove_goes_on(town, ledger, tmp_path):
    publish(plan(town, WIDE, "add-remove"), ledger)
    books = Ledger(old_format.write(tmp_path / "old", ledger))
    publish(plan(town, NARROW, "add-remove"), books)
    assert books.account("town").used == Amount.of(0.2)
