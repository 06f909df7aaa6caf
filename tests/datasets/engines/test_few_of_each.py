"""At most so many rows of each id: which ones is drawn, the same in every engine."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.datasets.engines import (
    DataFileError,
    DuckDBEngine,
    Engine,
    Ids,
    divided_rows,
    few_of_each,
    open_source,
    scratch_file,
)
from dpcore.geometry.domain import Box, Grid

BOX = Box((0, 0), (1, 1), ("lon", "lat"))
ROWS = 3


def people(seed: int = 0, n: int = 400) -> pd.DataFrame:
    """Rows of some thirty people, many at the same places, some outside or with nobody's name."""
    rng = np.random.default_rng(seed)
    places = (rng.integers(-1, 9, (n, 2)) / 8).tolist()
    who = rng.geometric(0.15, n)
    names = [None if w % 13 == 0 else f"p:{w}" for w in who]
    return pd.DataFrame(
        {"lon": [x for x, _ in places], "lat": [y for _, y in places], "who": names}
    )


def expected(frame: pd.DataFrame, key: str) -> Counter[tuple[int, ...]]:
    """The lattice cells that remain, drawn as the text of `_few_of_each` says, in plain Python."""
    values = frame[["lon", "lat"]].to_numpy()
    inside = frame[BOX.contains(values) & frame["who"].notna()]
    cells: dict[str, list[tuple[int, ...]]] = {}
    for who, cell in zip(inside["who"], BOX.cells(inside[["lon", "lat"]]).tolist(), strict=True):
        cells.setdefault(who, []).append(tuple(cell))
    left: Counter[tuple[int, ...]] = Counter()
    for who, own in cells.items():
        drawn = sorted(zip(lots(key, who, len(own)), sorted(own), strict=True))
        left.update(cell for _, cell in drawn[:ROWS])
    return left


def lots(key: str, who: object, n: int) -> list[tuple[str, int]]:
    """The lots of n rows of an id: eight digits of a digest, of which each serves four rows."""
    digests = "".join(
        hashlib.md5(f"{key}:{block}:{who}".encode()).hexdigest() for block in range(-(-n // 4))
    )
    return [(digests[8 * i : 8 * i + 8], i) for i in range(n)]


def kept(engine: Engine, path: Path, key: str = "key") -> Counter[tuple[int, ...]]:
    source = open_source(engine, str(path), ("lon", "lat")).told_apart(Ids("who", ROWS, key))
    return Counter(map(tuple, engine.lattice_rows(source, BOX).tolist()))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_every_engine_keeps_the_rows_that_plain_python_keeps(engine, kind, tmp_path):
    frame = people()
    path = tmp_path / f"people.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    assert kept(engine, path) == expected(frame, "key")


def test_every_question_sees_the_same_rows(engine, tmp_path):
    people().to_parquet(path := tmp_path / "people.parquet")
    source = open_source(engine, str(path), ("lon", "lat")).told_apart(Ids("who", ROWS, "key"))
    rows = engine.lattice_rows(source, BOX)
    counts = engine.grid_counts(source, Grid(BOX, 1))
    totals, _ = engine.cluster_totals(source, BOX, np.zeros((1, 2), dtype=np.int64))
    assert counts.sum() == totals.sum() == len(rows)


def test_the_order_of_the_rows_has_no_part_in_the_choice(tmp_path):
    frame = people()
    frame.to_parquet(first := tmp_path / "first.parquet")
    frame.sample(frac=1, random_state=1).to_parquet(second := tmp_path / "second.parquet")
    assert kept(DuckDBEngine(), first) == kept(DuckDBEngine(), second)


def test_another_key_draws_other_rows(tmp_path):
    people().to_parquet(path := tmp_path / "people.parquet")
    assert kept(DuckDBEngine(), path, "one") != kept(DuckDBEngine(), path, "two")


def test_each_row_of_an_id_is_as_likely_as_any_other(tmp_path):
    """Six rows in one place and two in another: three kept rows hold 3/4 of 3 from the first."""
    places = [0.1] * 6 + [0.9] * 2
    frame = pd.DataFrame({"lon": places, "lat": places, "who": "p"})
    frame.to_parquet(path := tmp_path / "one.parquet")
    first = tuple(BOX.cells([0.1, 0.1]).tolist())
    draws = [kept(DuckDBEngine(), path, str(key))[first] for key in range(60)]
    # Hypergeometric: variance 3 * 3/4 * 1/4 * 5/7 = 0.40; four standard deviations of the mean.
    assert np.mean(draws) == pytest.approx(2.25, abs=4 * (0.40 / 60) ** 0.5)


@pytest.mark.parametrize("whose", ["p:1", "p:2", "somebody new"])
def test_one_more_person_changes_no_more_than_their_own_rows(whose, tmp_path):
    frame = people()
    others = frame[frame["who"] != whose]
    added = people(seed=1, n=50).assign(who=whose)
    others.to_parquet(without := tmp_path / "without.parquet")
    pd.concat([added, others]).to_parquet(with_them := tmp_path / "with.parquet")
    before, after = kept(DuckDBEngine(), without), kept(DuckDBEngine(), with_them)
    assert not before - after
    assert 0 < (after - before).total() <= ROWS


def test_a_field_with_nothing_in_it_is_nobody_and_quotes_are_no_part_of_a_name(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text('lon,lat,who\n.1,.1,\n.1,.1,""\n.1,.1, \n' + '.1,.1,"a"\n.1,.1,a\n' * 2)
    assert kept(DuckDBEngine(), path).total() == ROWS


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_number_is_one_id_in_all_files_whatever_type_it_has_there(engine, kind, tmp_path):
    """A writer that misses one id in a month writes all ids of that month as floats."""
    wholes, floats = [20_000_017] * 5, [20_000_017.0] * 5 + [None, float("nan")]
    for i, who in enumerate((wholes, floats)):
        frame = pd.DataFrame({"lon": 0.1, "lat": 0.1, "who": who})
        if kind == "csv":
            frame.to_csv(tmp_path / f"{i}.csv", index=False)
        else:
            table = pa.Table.from_pydict({n: pa.array(list(frame[n])) for n in frame})
            pq.write_table(table, tmp_path / f"{i}.parquet")
    assert kept(engine, tmp_path / f"*.{kind}").total() == ROWS


def test_numbers_too_large_for_a_float_and_fractions_stay_different_ids(tmp_path):
    for i, who in enumerate(([2**60, 2**60 + 1], [0.25, 0.5])):
        frame = pd.DataFrame({"lon": 0.1, "lat": 0.1, "who": who})
        frame.to_parquet(tmp_path / f"{i}.parquet")
    assert kept(DuckDBEngine(), tmp_path / "*.parquet").total() == 4


def test_text_without_a_name_is_nobody_in_every_format(engine, tmp_path):
    who = ["", " ", None, "a", " a", "a "]
    frame = pd.DataFrame({"lon": 0.1, "lat": 0.1, "who": who})
    frame.to_parquet(path := tmp_path / "people.parquet")
    assert kept(engine, path).total() == ROWS


def test_a_column_of_ids_may_hold_anything_but_must_be_there(tmp_path):
    frame = people(n=20).assign(who=pd.Timestamp("2015-01-01"))
    frame.to_parquet(path := tmp_path / "dates.parquet")
    assert kept(DuckDBEngine(), path).total() == ROWS
    with pytest.raises(DataFileError, match="no such column"):
        open_source(DuckDBEngine(), str(path), ("lon", "lat")).told_apart(Ids("whose", 1, "k"))


def test_no_pass_over_all_rows_is_taken_for_one_over_the_kept_ones(tmp_path):
    people(n=20).to_parquet(path := tmp_path / "people.parquet")
    source = open_source(DuckDBEngine(), str(path), ("lon", "lat")).told_apart(Ids("who", 1, "k"))
    with pytest.raises(ValueError, match="a few of each id"):
        DuckDBEngine().census(source, Grid(BOX, 1))


@pytest.mark.parametrize(
    ("kind", "whole", "disk"),
    [
        *((kind, whole, "room") for kind in ("csv", "parquet") for whole in (True, False)),
        ("parquet", True, "a disk that fills up"),
        ("parquet", True, "none"),
        ("csv", False, "none"),
    ],
)
def test_however_many_parts_ids_are_divided_into_the_same_rows_are_kept(
    kind, whole, disk, tmp_path, monkeypatch
):
    frame = people(n=4000)
    if whole:
        frame["who"] = frame["who"].dropna().str.removeprefix("p:").astype("Int64")
    path = tmp_path / f"people.{kind}"
    frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
    asked: list[str] = []
    before = DuckDBEngine._asked
    monkeypatch.setattr(DuckDBEngine, "_asked", lambda *a: asked.append("") or before(*a))
    parts: set[few_of_each.Part] = set()
    take = few_of_each.HeldRows.take
    monkeypatch.setattr(
        few_of_each.HeldRows, "take", lambda held: parts.add(held.part) or take(held)
    )
    monkeypatch.setattr(few_of_each, "MOST_BYTES", 8000)
    if disk != "room":
        monkeypatch.setattr(scratch_file, "MOST_BYTES", 0)
    if disk == "a disk that fills up":
        monkeypatch.setattr(divided_rows, "ROW", 0)
    assert kept(DuckDBEngine(), path) == expected(frame, "key")
    assert len(parts) > 8
    assert len(asked) == 1 if disk == "room" else len(asked) > 8


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("most", [0, 1 << 30], ids=["read again", "divided on disk"])
def test_an_id_with_more_rows_than_a_part_holds_is_read_all_the_same(
    most, whole, tmp_path, monkeypatch
):
    monkeypatch.setattr(scratch_file, "MOST_BYTES", most)
    frame = people(n=40).assign(who=5 if whole else "five")
    frame.to_parquet(path := tmp_path / "one.parquet")
    monkeypatch.setattr(few_of_each, "MOST_BYTES", 1)
    monkeypatch.setattr(few_of_each, "MOST_PARTS", 8)
    assert kept(DuckDBEngine(), path) == expected(frame, "key")


def test_ids_that_share_a_hash_are_told_apart():
    frame = people(n=500)
    frame = frame[BOX.contains(frame[["lon", "lat"]]) & frame["who"].notna()]
    c0, c1 = BOX.cells(frame[["lon", "lat"]]).T
    hashes = pa.array(np.zeros(len(frame), dtype=np.uint64))
    columns = [hashes, pa.array(frame["who"].tolist()), pa.array(c0 << 21 | c1)]
    batch = pa.record_batch(columns, names=["hash", "id", "p0"])
    found = few_of_each.kept_cells(lambda part: [batch], Ids("who", ROWS, "key"), 2, True, 0)
    assert Counter(map(tuple, np.concatenate(list(found)).tolist())) == expected(frame, "key")


def test_of_two_rows_with_equal_lots_the_first_is_kept(tmp_path):
    """Of 300,000 lots some two are the same 32 bits; the rank of the first is the limit."""
    n = 300_000
    drawn = sorted(lots("key", 1, n))
    tied = next(i for i in range(1, n) if drawn[i - 1][0] == drawn[i][0])
    places = np.arange(n) / n
    pd.DataFrame({"lon": places, "lat": 0.5, "who": 1}).to_parquet(path := tmp_path / "one.parquet")
    source = open_source(DuckDBEngine(), str(path), ("lon", "lat")).told_apart(
        Ids("who", tied, "key")
    )
    cells = DuckDBEngine().lattice_rows(source, BOX)[:, 0]
    numbers = sorted(i for _, i in drawn[:tied])
    wanted = BOX.cells(np.stack([places, places * 0 + 0.5], axis=1))[:, 0][np.array(numbers)]
    assert sorted(cells.tolist()) == wanted.tolist()
