"""The same table is known again under another name, however its file was written."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore.geometry.domain import Box
from dpcore.release import FileData, Ledger, ReleasePlan, ReleaseRefused, Unit, publish
from dpcore.runs.request import Request

NAMES = ("x", "y", "z")


def table(rows: int = 2_000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    places = pd.DataFrame(rng.normal(0.5, 0.1, (rows, 3)), columns=list(NAMES))
    return places.assign(who=rng.integers(500, size=rows))


def source(path: Path, d: int) -> FileData:
    return FileData(str(path), NAMES[:d], Box((0.0,) * d, (1.0,) * d, NAMES[:d]))


def plan(name: str, path: Path, d: int, unit: Unit | None = None) -> ReleasePlan:
    return ReleasePlan(name, source(path, d), Request("dplloyd", 2, 0.1), unit=unit or Unit())


def text(frame: pd.DataFrame, **options: object) -> bytes:
    return frame.to_csv(index=False, **options).encode()


WRITTEN: dict[str, tuple[str, Callable[[pd.DataFrame], bytes]]] = {
    "in another order": ("b.csv", lambda t: text(t.sample(frac=1, random_state=1))),
    "with other line ends": ("b.csv", lambda t: text(t, lineterminator="\r\n")),
    "with one line end more": ("b.csv", lambda t: text(t) + b"\n"),
    "without the last line end": ("b.csv", lambda t: text(t)[:-1]),
    "compressed": ("b.csv.gz", lambda t: gzip.compress(text(t))),
    "as Parquet": ("b.parquet", lambda t: t.to_parquet()),
    "with semicolons": ("b.csv", lambda t: text(t, sep=";")),
    "with columns in another order": ("b.csv", lambda t: text(t[["who", "z", "y", "x"]])),
    "with one more column": ("b.csv", lambda t: text(t.assign(more=1))),
    "without other columns": ("b.csv", lambda t: text(t[list(NAMES)])),
}


@pytest.mark.parametrize("how", WRITTEN)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_same_table_is_known_again(how, d, ledger, tmp_path):
    first, (name, write) = tmp_path / "a.csv", WRITTEN[how]
    first.write_bytes(text(table()))
    publish(plan("table", first, d), ledger)
    (tmp_path / name).write_bytes(write(table()))
    with pytest.raises(ReleaseRefused, match="under the name 'table'"):
        publish(plan("other", tmp_path / name, d), ledger)
    assert len(ledger.entries()) == 1


def test_rows_are_known_again_whatever_is_kept_of_each_id(ledger, tmp_path):
    person = Unit("person", "who", 2)
    for name, content in (("a.csv", text(table())), ("b.csv.gz", gzip.compress(text(table())))):
        (tmp_path / name).write_bytes(content)
    publish(plan("table", tmp_path / "a.csv", 2, person), ledger)
    with pytest.raises(ReleaseRefused, match="under the name 'table'"):
        publish(plan("other", tmp_path / "b.csv.gz", 2), ledger)
    publish(plan("table", tmp_path / "b.csv.gz", 2, person), ledger)


OTHERS = {
    "one row more": lambda t: pd.concat([t, t.iloc[:1]]),
    "one row less": lambda t: t.iloc[1:],
    "one row moved": lambda t: t.assign(x=[*t["x"][:-1], 0.123]),
    "coordinates of other rows": lambda t: t.assign(x=t["x"].to_numpy()[::-1]),
    "coordinates changed over": lambda t: t.assign(x=t["y"], y=t["x"]),
    "other rows": lambda t: table(seed=1),
}


@pytest.mark.parametrize("how", OTHERS)
@pytest.mark.parametrize("d", [2, 3])
def test_another_table_is_another_one(how, d, ledger, tmp_path):
    for name, frame in (("a", table()), ("b", OTHERS[how](table()))):
        (tmp_path / f"{name}.csv").write_bytes(text(frame))
        publish(plan(name, tmp_path / f"{name}.csv", d), ledger)
    assert [account.name for account in ledger.accounts()] == ["a", "b"]


@pytest.mark.filterwarnings("ignore:For your eyes only")
def test_tables_without_a_counted_row_are_not_the_same(ledger, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_bytes(text(table() + (10 if name == "a" else 20)))
        publish(plan(name, tmp_path / f"{name}.csv", 2), ledger)
    assert len(ledger.accounts()) == 2


def test_no_fingerprint_leaves_and_none_can_be_made_without_the_key(ledger, tmp_path):
    (tmp_path / "a.csv").write_bytes(text(table()))
    release = publish(plan("table", tmp_path / "a.csv", 2), ledger)
    data, unit = source(tmp_path / "a.csv", 2), Unit()
    rows = data.open(unit)
    mark = data.fingerprint_of_rows(ledger.key, rows, unit)
    assert mark is not None
    assert mark.encode() in b"".join(p.read_bytes() for p in ledger.folder.iterdir())
    assert mark != data.fingerprint_of_rows(bytes(32), rows, unit)
    for content in (*release.files.values(), json.dumps(dict(release.entry.plan)).encode()):
        assert mark.removeprefix("rows:").encode() not in content
        for digest in data.fingerprints(ledger.key):
            assert digest.encode() not in content


def test_two_ledgers_know_the_same_table_by_other_marks(tmp_path):
    (tmp_path / "a.csv").write_bytes(text(table()))
    data = source(tmp_path / "a.csv", 2)
    keys = [Ledger(tmp_path / name).key for name in "ab"]
    one, other = (data.fingerprint_of_rows(key, data.open(Unit()), Unit()) for key in keys)
    assert one != other
