"""Where rows come from: the same ones are known again, however they are reached."""

from __future__ import annotations

import json

import duckdb
import pytest

from dpcore.datasets.engines import DuckDBEngine, Format, HeldFile, SparkEngine
from dpcore.release import BuiltinData, FileData, ReleasePlan, Unit, publish
from dpcore.release.repeat_script import script
from dpcore.runs.request import Request
from tests.release.conftest import BOX, ROWS

KEY = b"k" * 32


def own(path, **options) -> FileData:
    return FileData(str(path), ("lon", "lat"), BOX, **options)


@pytest.fixture
def database(patients, tmp_path):
    path = tmp_path / "city.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE visits AS FROM '{patients}'")
    return path


def test_an_upload_is_the_file_that_was_uploaded(patients):
    held = HeldFile("renamed.parquet", patients.read_bytes())
    upload = own("renamed.parquet", engine=held)
    assert upload.fingerprints(KEY) == own(patients).fingerprints(KEY)
    unit = Unit("person", "who", 3)
    assert upload.open(unit).n == own(patients).open(unit).n < ROWS


def test_a_glob_is_its_files_in_any_order(patients, tmp_path):
    (tmp_path / "a.parquet").write_bytes(patients.read_bytes())
    (tmp_path / "b.csv").write_text("lon,lat\n-74.0,40.8\n")
    (tmp_path / "c.csv").write_text("lon,lat\n-74.0,40.7\n")
    both = own(tmp_path / "*.csv").fingerprints(KEY)
    assert set(both) == {
        *own(tmp_path / "b.csv").fingerprints(KEY),
        *own(tmp_path / "c.csv").fingerprints(KEY),
    }


def test_a_table_is_known_by_its_database(database, ledger, tmp_path):
    there = own("visits", engine=DuckDBEngine(str(database)), format="table")
    (tmp_path / "other.duckdb").write_bytes(database.read_bytes())
    other = own("visits", engine=DuckDBEngine(str(tmp_path / "other.duckdb")), format="table")
    assert there.fingerprints(KEY) != other.fingerprints(KEY)
    again = own("main.Visits", engine=DuckDBEngine(str(database)), format="table")
    assert there.fingerprints(KEY) == again.fingerprints(KEY)
    release = publish(ReleasePlan("visits", there, Request("dplloyd", 2, 0.5)), ledger)
    assert release.certificate["source"]["kind"] == "table"
    assert str(database) not in json.dumps(release.certificate)


def test_built_in_sets_are_known_by_their_key_and_have_no_ids():
    one, other = BuiltinData("iris"), BuiltinData("wine")
    assert one.fingerprints(KEY) == BuiltinData("iris").fingerprints(KEY) != other.fingerprints(KEY)
    with pytest.raises(ValueError, match="no column of ids"):
        one.open(Unit("person", "who", 3))
    with pytest.raises(ValueError, match="No built-in set"):
        BuiltinData("nope")


def test_the_program_names_columns_and_box_but_not_the_place(patients):
    odd = own(patients, outside="clip", zones=None)
    plan = ReleasePlan('a "quoted"\n\\ name', odd, Request("adaptive", 2, 0.5))
    text = script({**plan.as_dict(), "dpcore": "1.0"})
    compile(text, "repeat.py", "exec")
    assert "FileData(sys.argv[3], ('lon', 'lat')" in text
    assert "outside='clip'" in text
    assert str(patients) not in text


def test_the_program_for_a_table_asks_the_engine_that_has_it(patients):
    class Tables(SparkEngine):
        def __init__(self) -> None:
            """Starts nothing."""

    table = FileData("clinic.visits", ("lon", "lat"), BOX, engine=Tables(), format=Format.TABLE)
    text = script(
        {**ReleasePlan("visits", table, Request("adaptive", 2, 0.5)).as_dict(), "dpcore": "1.0"}
    )
    compile(text, "repeat.py", "exec")
    assert "format='table', engine='spark')" in text
    assert "clinic" not in text


def test_the_statement_says_what_becomes_of_rows_outside(patients):
    for outside, words in (("drop", "are left out"), ("clip", "moved to its edge")):
        plan = ReleasePlan("a", own(patients, outside=outside), Request("dplloyd", 2, 0.5))
        assert any(words in sentence for sentence in plan.statement())


def test_what_a_row_of_a_built_in_set_is_cannot_be_said_otherwise():
    taxi = BuiltinData("nyc-taxi")
    for name in ("row", "trip"):
        assert (
            ReleasePlan("taxi", taxi, Request("adaptive", 2, 0.5), unit=Unit(name)).unit.name
            == name
        )
    with pytest.raises(ValueError, match="one trip, not one person"):
        ReleasePlan("taxi", taxi, Request("adaptive", 2, 0.5), unit=Unit("person"))
    with pytest.raises(ValueError, match="no column of ids"):
        ReleasePlan("taxi", taxi, Request("adaptive", 2, 0.5), unit=Unit("person", "who", 2))


def test_another_engine_and_format_count_the_same_rows(patients):
    by_duckdb, by_spark = own(patients), own(patients, engine="spark", format="parquet")
    assert by_duckdb.as_dict() != by_spark.as_dict()
    assert by_duckdb.counted() == by_spark.counted()
    assert own(patients, outside="clip").counted() != by_duckdb.counted()
