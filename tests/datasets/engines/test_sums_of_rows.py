"""Questions that sum over rows of many columns: answered where the rows are, from batches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dpcore
from dpcore.datasets import EngineDataset, RowsDataset
from dpcore.datasets import engine as engine_data
from dpcore.datasets.engines import Engine, Ids, open_source
from dpcore.geometry.domain import Box
from dpcore.geometry.halved import HalvedCells
from dpcore.queries.moments import LevelQuestion, Offsets, Products

D, ROWS = 8, 5000
BOX = Box.cube(D)
RNG = np.random.default_rng(5)
VALUES = np.clip(RNG.normal(0, 0.4, (ROWS, D)), -1.2, 1.2)
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
