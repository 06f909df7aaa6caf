"""Questions that sum over rows of many columns: answered where the rows are, from batches."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import dpcore
from dpcore.datasets import EngineDataset, RowsDataset
from dpcore.datasets import engine as engine_data
from dpcore.datasets.engines import (
    DataFileError,
    DuckDBEngine,
    Engine,
    HeldFile,
    Ids,
    ReadingStopped,
    few_of_each,
    open_source,
    scratch_file,
    stored_rows,
)
from dpcore.geometry.domain import Box
from dpcore.geometry.halved import HalvedCells
from dpcore.queries.moments import LevelQuestion, Offsets, Products

D, ROWS = 8, 5000
BOX = Box.cube(D)
RNG = np.random.default_rng(5)
VALUES = np.clip(RNG.normal(0, 0.4, (ROWS, D)), -1.2, 1.2)
SPILL_FOLDER = "SELECT current_setting('temp_directory')"
CENTERS = RNG.uniform(-0.8, 0.8, (7, D))
QUESTIONS = {
    "level": LevelQuestion(),
    "L1 offsets": Offsets(CENTERS, 0.9, 1, 0.5),
    "L2 offsets": Offsets(CENTERS, RNG.uniform(0.4, 1, 7), 2, 0.5),
    "products": Products(CENTERS[0], 1.1),
}


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wide") / "wide.parquet"
    columns = {name: VALUES[:, axis] for axis, name in enumerate(BOX.names)}
    pq.write_table(pa.table({**columns, "who": np.arange(ROWS) // 4}), path)
    return path


@pytest.fixture
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every data set is too large to be kept in memory, and nobody may try."""
    monkeypatch.setattr(engine_data, "KEPT", 0)

    def refuse(*_: object) -> None:
        raise AssertionError("all rows were read into memory")

    for kind in (Engine, *Engine.__subclasses__()[0].__subclasses__()):
        monkeypatch.setattr(kind, "lattice_rows", refuse)


def opened(engine: Engine, path: Path) -> EngineDataset:
    return EngineDataset(engine, open_source(engine, str(path), BOX.names), BOX)


@pytest.mark.parametrize("name", QUESTIONS)
def test_every_engine_sums_in_batches_what_rows_in_memory_come_to(name, engine, wide, nothing_kept):
    rows = RowsDataset.from_values(VALUES, BOX)
    question = QUESTIONS[name]
    np.testing.assert_array_equal(question.of(opened(engine, wide)), question.of(rows))


def test_every_engine_counts_the_cells_of_a_tree_in_batches(engine, wide, nothing_kept):
    cells = HalvedCells.uniform(D, 9)
    rows = RowsDataset.from_values(VALUES, BOX)
    found = opened(engine, wide).histogram(cells)
    np.testing.assert_array_equal(found, rows.histogram(cells))


def test_no_rows_give_the_sums_of_none(engine, tmp_path, nothing_kept):
    pq.write_table(pa.table({name: [7.0] for name in BOX.names}), tmp_path / "far.parquet")
    data = opened(engine, tmp_path / "far.parquet")
    for question in QUESTIONS.values():
        assert not question.of(data).any()


def test_sums_see_the_rows_that_are_kept_of_each_id(duckdb, wide, nothing_kept):
    source = open_source(duckdb, str(wide), BOX.names).told_apart(Ids("who", 2, "key"))
    counts, _ = duckdb.cluster_totals(source, BOX, np.zeros((1, D), dtype=np.int64))
    answer = LevelQuestion().of(EngineDataset(duckdb, source, BOX))
    assert round(LevelQuestion.read(answer)[0]) == counts.sum()
    assert ROWS // 4 < counts.sum() < ROWS // 2 + 1


@pytest.mark.parametrize("kept", [0, 1 << 20], ids=["in a file", "in memory"])
def test_rows_are_read_once_for_all_questions_that_sum(kept, wide, tmp_path, monkeypatch):
    monkeypatch.setattr(engine_data, "KEPT", kept)
    (path := tmp_path / "copy.parquet").write_bytes(wide.read_bytes())
    data, rows = opened(DuckDBEngine(), path), RowsDataset.from_values(VALUES, BOX)
    for question in QUESTIONS.values():
        np.testing.assert_array_equal(question.of(data), question.of(rows))
        path.unlink(missing_ok=True)


def test_the_file_of_rows_has_no_name_that_anybody_could_open(wide, monkeypatch):
    monkeypatch.setattr(engine_data, "KEPT", 0)
    data = opened(engine := DuckDBEngine(), wide)
    LevelQuestion().of(data)
    assert isinstance(data._stored, stored_rows.StoredRows)
    assert os.listdir(engine._spill) == []
    assert stat.S_IMODE(os.stat(engine._spill).st_mode) == 0o700


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_where_the_disk_has_no_room_every_question_reads_the_rows(
    ending, wide, tmp_path, monkeypatch
):
    monkeypatch.setattr(engine_data, "KEPT", 0)
    monkeypatch.setattr(scratch_file, "MOST_BYTES", D * ROWS)
    path, table = tmp_path / f"wide.{ending}", pq.read_table(wide)
    pyarrow.csv.write_csv(table, path) if ending == "csv" else pq.write_table(table, path)
    data = opened(DuckDBEngine(), path)
    assert data._stored is None
    rows = RowsDataset.from_values(VALUES, BOX)
    for question in QUESTIONS.values():
        np.testing.assert_array_equal(question.of(data), question.of(rows))


@pytest.fixture
def spill_folders(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Where the connections of DuckDB may write. Nothing else finds a place on the disk."""
    folders: set[str] = set()
    connect = duckdb.connect

    @contextmanager
    def watched(*args: object, **options: object) -> Iterator[duckdb.DuckDBPyConnection]:
        with connect(*args, **options) as database:
            yield database
            folders.update(folder for (folder,) in database.sql(SPILL_FOLDER).fetchall())

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a temporary file was made")

    monkeypatch.setattr(duckdb, "connect", watched)
    for name in ("TemporaryFile", "NamedTemporaryFile", "mkstemp", "mkdtemp"):
        monkeypatch.setattr(tempfile, name, refuse)
    return folders


def test_an_upload_is_never_written_to_a_disk(wide, monkeypatch, spill_folders):
    monkeypatch.setattr(engine_data, "KEPT", 0)
    held = HeldFile("wide.parquet", wide.read_bytes())
    data = EngineDataset(held, open_source(held, "wide.parquet", BOX.names), BOX)
    rows = RowsDataset.from_values(VALUES, BOX)
    for question in QUESTIONS.values():
        np.testing.assert_array_equal(question.of(data), question.of(rows))
    assert spill_folders == {""}


def test_an_upload_is_never_written_to_a_disk_to_keep_few_rows_of_each_id(
    wide, monkeypatch, spill_folders
):
    monkeypatch.setattr(engine_data, "KEPT", 0)
    monkeypatch.setattr(few_of_each, "MOST_BYTES", 1 << 14)
    held = HeldFile("wide.parquet", wide.read_bytes())
    source = open_source(held, "wide.parquet", BOX.names).told_apart(Ids("who", 2, "key"))
    data = EngineDataset(held, source, BOX)
    answer = LevelQuestion().of(data)
    assert ROWS // 4 < LevelQuestion.read(answer)[0] < ROWS // 2 + 1
    assert data._stored is None
    assert spill_folders == {""}


def test_a_run_of_the_default_method_is_the_same_on_a_file_that_nobody_holds(
    duckdb, wide, nothing_kept
):
    ours = dpcore.run("auto", opened(duckdb, wide), 3, 1.0, seed=1)
    theirs = dpcore.run("auto", RowsDataset.from_values(VALUES, BOX), 3, 1.0, seed=1)
    np.testing.assert_array_equal(ours.centers, theirs.centers)


def test_spark_collects_answers_and_no_rows(spark, wide, monkeypatch):
    from pyspark.sql import DataFrame

    sizes: list[int] = []
    collect = type(spark._spark.range(1)).toArrow

    def counted(frame: DataFrame) -> pa.Table:
        table = collect(frame)
        sizes.append(table.num_rows * table.num_columns)
        return table

    monkeypatch.setattr(type(spark._spark.range(1)), "toArrow", counted)
    ours = dpcore.run("auto", opened(spark, wide), 3, 1.0, seed=1)
    theirs = dpcore.run("auto", RowsDataset.from_values(VALUES, BOX), 3, 1.0, seed=1)
    np.testing.assert_array_equal(ours.centers, theirs.centers)
    assert len(sizes) > 3
    assert max(sizes) < ROWS


def test_a_damaged_page_is_told_in_our_words_by_questions_that_read_batches(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    columns = {name: VALUES[:, i] for i, name in enumerate(BOX.names)}
    pq.write_table(pa.table(columns), path, compression="none")
    content = bytearray(path.read_bytes())
    content[4:64] = bytes(60)
    path.write_bytes(content)
    source = open_source(DuckDBEngine(), str(path), BOX.names)
    for question in (DuckDBEngine.lattice_rows, DuckDBEngine.stored_rows):
        more = () if question is DuckDBEngine.lattice_rows else (1,)
        with pytest.raises(DataFileError, match=r"rows\.parquet"):
            question(DuckDBEngine(), source, BOX, *more)


def test_a_stop_ends_a_question_that_reads_batches(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    names = BOX.names
    query = ", ".join(f"random() AS {name}" for name in names)
    duckdb.sql(f"COPY (SELECT {query} FROM range(3000000)) TO '{path}' (FORMAT parquet)")
    engine = DuckDBEngine()
    source = open_source(engine, str(path), names)
    read = engine._rows(source, BOX)
    next(read)
    engine.stop()
    with pytest.raises(ReadingStopped):
        list(read)
