"""Spark's questions can be followed and stopped from another thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from dpcore.datasets.engines import ReadingStopped, SparkEngine, open_source
from dpcore.errors import DataFileError
from dpcore.geometry.domain import Box, Grid
from tests.waiting import LONG, eventually

BOX = Box((0.0, 0.0), (1.0, 1.0), ("x", "y"))
#: A table that takes minutes to read, and one that does not.
ENDLESS, SHORT = "endless_rows", "few_rows"


@pytest.fixture
def tables(spark: SparkEngine) -> Iterator[None]:
    for name, rows in ((ENDLESS, 10**10), (SHORT, 10)):
        table = spark._spark.range(0, rows, 1, 8).selectExpr("rand() AS x", "rand() AS y")
        table.createOrReplaceTempView(name)
    yield
    for name in (ENDLESS, SHORT):
        spark._spark.catalog.dropTempView(name)


def test_a_stopped_question_ends_and_the_next_one_is_answered(
    spark: SparkEngine, tables: None
) -> None:
    endless, short = (
        open_source(spark, name, BOX.names, format="table") for name in (ENDLESS, SHORT)
    )
    failures: list[Exception] = []

    def count() -> None:
        try:
            spark.grid_counts(endless, Grid(BOX, 4))
        except DataFileError as failure:
            failures.append(failure)

    asking = threading.Thread(target=count)
    asking.start()
    tracker = spark._spark.sparkContext.statusTracker()
    eventually(lambda: bool(tracker.getActiveJobsIds()))
    assert 0 <= spark.progress() < 1
    spark.stop()
    asking.join(LONG)
    assert [type(failure) for failure in failures] == [ReadingStopped]
    assert not tracker.getActiveJobsIds()
    assert spark.grid_counts(short, Grid(BOX, 4)).sum() == 10


def test_progress_counts_the_tasks_that_are_done(spark: SparkEngine, tables: None) -> None:
    context = spark._spark.sparkContext
    assert spark.progress() == 0
    with spark._reading(SHORT):
        spark._spark.table(SHORT).count()
        eventually(lambda: spark.progress() == 1)  # Spark hears of finished tasks a moment later
    assert not list(context.getJobTags())
