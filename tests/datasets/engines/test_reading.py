"""What reading promises beyond the contract: stability, laziness, tables, words that help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb as duckdb_library
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dpcore.datasets.engines import (
    DataFileError,
    DuckDBEngine,
    Engine,
    engine,
    explain_empty,
    guess_columns,
    open_source,
    records,
    spark_workers,
)
from dpcore.datasets.engines.records import Form
from dpcore.datasets.engines.spark_engine import EXACT_IN_FLOAT64, _totals_of_batches
from dpcore.geometry.domain import Box, Grid, cell_ticks
from tests.datasets.engines import reference

BOX = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
GRID = Grid(BOX, 4)
FIELDS = st.sampled_from(["-74,40.8", '"-74","40.8"', "-74;40.8", "lon,lat", '"-74,40.8', "-74,4"])
LINE = FIELDS | st.text('-7.4,0"8 \te\\é', max_size=12)
LINES, ENDS = st.lists(LINE, max_size=8), st.sampled_from(["\n", "\r\n", "\r\r\n", "\n\r\r"])
ON_FILES = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def read_alike(engine: Engine, path: str, text: bytes) -> None:
    """Assert that an engine reads a file as the reference does, or refuses it as that does."""
    try:
        values = reference.csv_values(text, BOX.names).reshape(-1, 2)
    except reference.BrokenQuotesError:
        with pytest.raises(DataFileError, match="quotes do not tell"):
            engine.look(path)
    else:
        assert engine.tally(open_source(engine, path), BOX) == reference.tally(values, BOX)


@given(LINES, ENDS)
@ON_FILES
def test_any_text_is_read_as_the_reference_reads_it(
    duckdb: Engine, tmp_path: Path, lines: list[str], end: str
) -> None:
    text = ("lon,lat\n" + end.join(lines)).encode()
    (tmp_path / "any.csv").write_bytes(text)
    read_alike(duckdb, str(tmp_path / "any.csv"), text)


def test_importing_the_engines_imports_no_engine() -> None:
    code = (
        "import sys, dpcore.datasets.engines; "
        "print({'duckdb', 'pyspark', 'py4j'} & set(sys.modules))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "set()", result.stderr


def test_without_spark_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    with pytest.raises(DataFileError, match=r"pip install 'dpcore\[spark\]'"):
        engine("spark")


def test_an_unknown_engine_is_refused_with_the_ones_there_are() -> None:
    assert isinstance(engine(), DuckDBEngine)
    with pytest.raises(ValueError, match="duckdb, spark"):
        engine("polars")


def test_a_table_of_a_database_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "trips.duckdb")
    with duckdb_library.connect(path) as database:
        database.execute('CREATE TABLE trips AS SELECT -74.0 AS "x ""1""", 40.8::REAL AS y')
    source = open_source(DuckDBEngine(path), "main.trips", ['x "1"', "y"], format="table")
    assert DuckDBEngine(path).tally(source, BOX).inside == 1
    with pytest.raises(DataFileError, match="no such database"):
        DuckDBEngine(str(tmp_path / "none.duckdb"))


def test_a_folder_stands_for_the_files_in_it(duckdb: Engine, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "_done.csv", ".hidden.csv"):
        (tmp_path / name).write_text("lon,lat\n-74,40.8\n")
    assert duckdb.tally(open_source(duckdb, str(tmp_path)), BOX).total == 2
    pq.write_table(pa.table({"lon": [-74.0]}), tmp_path / "c.parquet")
    with pytest.raises(DataFileError, match="files of several formats"):
        duckdb.look(str(tmp_path))


def test_a_box_must_have_as_many_coordinates_as_are_read(duckdb: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("lon,lat\n")
    with pytest.raises(ValueError, match="2 coordinates, but the box has 3"):
        duckdb.lattice_rows(open_source(duckdb, str(tmp_path / "a.csv")), Box.cube(3))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["VendorID", " pickup_longitude", " pickup_latitude"], [1, 2]),
        (["Pickup_longitude", "Pickup_latitude", "PULocationID"], [0, 1]),
        (["End_Lon", "End_Lat", "Start_Lon", "Start_Lat"], [2, 3]),
        (["DOLocationID", "PUlocationID"], [1]),
        (["name", "Latitude", "Longitude"], [2, 1]),
        (["lng", "lat"], [0, 1]),
        (["y", "x", "z"], [1, 0]),
        (["home_lat", "home_lon", "work_lon", "work_lat"], [1, 0]),
        (["home_lon", "work_lat"], []),
    ],
)
def test_columns_of_positions_are_known_by_their_names(names: list[str], found: list[int]) -> None:
    assert guess_columns(names) == tuple(names[i] for i in found)


def test_columns_that_cannot_be_guessed_are_asked_for(duckdb: Engine, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("height,weight\n1,2\n")
    with pytest.raises(DataFileError, match=r"which columns.*height, weight"):
        open_source(duckdb, str(tmp_path / "a.csv"))


def test_zone_ids_need_a_table_that_has_positions(duckdb: Engine, tmp_path: Path) -> None:
    trips, zones = str(tmp_path / "trips.csv"), tmp_path / "zones.csv"
    Path(trips).write_text("PULocationID,fare\n1,10\n")
    with pytest.raises(DataFileError, match=r"zones=.*LocationID, longitude and latitude"):
        open_source(duckdb, trips)
    for text, problem in {
        "LocationID,Borough\n1,EWR\n": "this one has neither",
        "zone,lon,lat\n1,-74,40.8\n": "'LocationID'",
        "LocationID,lon,lat\n1,,\n": "no zone in it has a position",
    }.items():
        zones.write_text(text)
        with pytest.raises(DataFileError, match=problem):
            open_source(duckdb, trips, zones=str(zones))
    with pytest.raises(DataFileError, match="cannot be read"):
        open_source(duckdb, trips, zones=str(tmp_path / "none.csv"))
    zones.write_text("LocationID,lon,lat\n1,-74,40.8\n")
    with pytest.raises(DataFileError, match="beside other coordinates"):
        open_source(duckdb, trips, ["PULocationID", "fare"], zones=str(zones))
    with pytest.raises(DataFileError, match="such as PULocationID"):
        open_source(duckdb, trips, ["fare"], zones=str(zones))


@pytest.mark.parametrize(
    ("rows", "columns", "said"),
    [
        ("-74,40.8", None, None),
        ("", None, "no rows"),
        ("x,y\nnan,", None, "has a number in lon and lat"),
        ("40.8,-74\n40.9,-74\n,", None, "in this order: lat, lon"),
        ("-8236000,4970000\n", None, "same units"),
    ],
)
def test_nothing_in_the_box_is_explained(
    duckdb: Engine, tmp_path: Path, rows: str, columns: None, said: str | None
) -> None:
    (tmp_path / "a.csv").write_text("lon,lat\n" + rows)
    explanation = explain_empty(duckdb, open_source(duckdb, str(tmp_path / "a.csv")), BOX)
    assert explanation is None if said is None else said in (explanation or "")


def test_explaining_names_columns_that_hold_numbers(duckdb: Engine, tmp_path: Path) -> None:
    table = {"lon": ["a", "b"], "lat": ["c", "d"], "east": [1, 2]}
    pq.write_table(pa.table(table), tmp_path / "a.parquet")
    source = open_source(duckdb, str(tmp_path / "a.parquet"))
    assert "Columns of numbers are east." in (explain_empty(duckdb, source, BOX) or "")


def test_a_worker_of_spark_needs_no_dpcore() -> None:
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    travels = cloudpickle.dumps(_totals_of_batches(np.zeros((2, 3), dtype=np.int64)))
    code = (
        "import pickle, sys; sys.modules['dpcore'] = None\n"
        "(totals,) = pickle.load(sys.stdin.buffer)([]); print(totals.num_rows)"
    )
    result = subprocess.run([sys.executable, "-c", code], input=travels, capture_output=True)
    assert result.stdout.strip() == b"2", result.stderr.decode()


def test_a_worker_of_spark_cuts_records_without_dpcore() -> None:
    cloudpickle = pytest.importorskip("pyspark.cloudpickle")
    cut = spark_workers.cut_fields(Form("x,y", ",", 2, (0,)), ["t0"])
    for module in (records, spark_workers):
        cloudpickle.register_pickle_by_value(module)
    travels = cloudpickle.dumps(cut)
    code = (
        "import pickle, sys; sys.modules['dpcore'] = None; import pyarrow as pa\n"
        "lines = pa.array([b'x,y', b'\"a', b'b\",2']), pa.array(['f'] * 3)\n"
        "batch = pa.RecordBatch.from_arrays(list(lines), ['line', 'path'])\n"
        "print(sum(some.num_rows for some in pickle.load(sys.stdin.buffer)([batch])))"
    )
    result = subprocess.run([sys.executable, "-c", code], input=travels, capture_output=True)
    assert result.stdout.strip() == b"1", result.stderr.decode()


def test_a_worker_of_spark_is_exact_in_any_dimension() -> None:
    d = EXACT_IN_FLOAT64 + 1
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 1 << 21, (50, d), dtype=np.int32)
    centers = rng.integers(-(1 << 21), 1 << 21, (3, d))
    centers[2] = centers[0]
    centers[2, 0] -= 1
    batch = pa.RecordBatch.from_arrays(list(cells.T), [f"c{i}" for i in range(d)])
    (totals,) = _totals_of_batches(centers)([batch])
    ticks = cell_ticks(cells)
    labels = ((ticks[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(totals["n"], np.bincount(labels, minlength=3))
    np.testing.assert_array_equal(totals["s7"], [ticks[labels == j, 7].sum() for j in range(3)])


def test_a_table_of_spark_has_one_address_by_whatever_name_it_is_asked_for(
    spark: Any, tmp_path: Path
) -> None:
    place = (tmp_path / "visits").as_uri()
    spark._spark.sql(f"CREATE TABLE visits USING parquet LOCATION '{place}' AS SELECT 1.0 AS lon")
    try:
        names = "visits", "default.visits", "spark_catalog.default.visits"
        assert len({spark.address(name) for name in names}) == 1
        assert spark.address("other") not in {spark.address(name) for name in names}
    finally:
        spark._spark.sql("DROP TABLE visits")


def test_a_frame_of_spark_is_data_as_it_is(spark: Engine) -> None:
    import numpy as np
    from pyspark.sql import SparkSession

    import dpcore

    rows = np.random.default_rng(0).uniform(-1, 1, (300, 2))
    session = SparkSession.builder.getOrCreate()
    frame = session.createDataFrame(rows.tolist(), ["b", "a"])
    data = dpcore.datasets.from_array(frame, (-1, 1), columns=["a", "b"])
    assert data.box.names == ("a", "b")
    assert data.n.value == 300
    expected = dpcore.datasets.from_array(rows[:, ::-1], (-1, 1))
    grid = dpcore.Grid(data.box, 16)
    assert (data.value.histogram(grid) == expected.value.histogram(grid)).all()
