"""What a map and a sum cost a Spark cluster, as functions of rows, partitions and grid.

`python -m benchmarks.cluster` prints the table of docs/scale.md. The model is compared with the
event log of a Spark that runs here.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

import dpcore
from benchmarks.table import Row
from dpcore.datasets.engines import SparkEngine, open_source
from dpcore.geometry.domain import Box, FloatArray, Grid

TITLE = "Spark cluster: the model against an event log"
#: Bytes a row of two numbers takes in Parquet, as measured here on 20 million.
ROW = 16.0
#: Bytes of a cell and its count: shuffled (LZ4; assumed), and on their way to the driver in Arrow.
SHUFFLED, COLLECTED = 13.0, 16
#: Rows a second that one core turns into counts; assumed.
SPEED = 3e6
CHECKED_ROWS, CHECKED_SIDE = 2_000_000, 1024


@dataclass(frozen=True)
class MapJob:
    """One map of so many rows: tasks, bytes shuffled, and bytes that the driver holds."""

    rows: float
    #: Bytes that one task reads at most (`spark.sql.files.maxPartitionBytes`).
    partition: float
    side: int
    #: Where rows are: the share of each cell.
    shares: FloatArray

    @property
    def tasks(self) -> int:
        return math.ceil(self.rows * ROW / self.partition)

    @property
    def cells_a_task(self) -> float:
        """How many cells a task expects to find rows in: each is one row of its shuffle."""
        mine = self.rows / self.tasks
        return float(-np.expm1(-mine * self.shares[self.shares > 0]).sum())

    @property
    def shuffled(self) -> float:
        return self.tasks * self.cells_a_task * SHUFFLED

    @property
    def driver(self) -> float:
        """The answer in Arrow, and all counts as an array; the number of rows has no part in it."""
        occupied = float(-np.expm1(-self.rows * self.shares[self.shares > 0]).sum())
        return occupied * COLLECTED + self.side**2 * 8

    @property
    def core_hours(self) -> float:
        return self.rows / SPEED / 3600


def city(side: int) -> FloatArray:
    """Where pickups of a month are: shares of the cells of a grid no finer than the data's."""
    data = dpcore.datasets.load("nyc-month")
    counts = data.histogram(Grid(data.box, side))
    return np.asarray(counts / counts.sum())


def rows() -> Iterator[Row]:
    box = Box((-1, -1), (1, 1), ("lon", "lat"))
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        path = f"{folder}/rows.parquet"
        database.execute(
            "COPY (SELECT random() + random() - 1 AS lon, random() + random() - 1 AS lat "
            f"FROM range({CHECKED_ROWS})) TO '{path}'"
        )
        logs = Path(folder) / "logs"
        logs.mkdir()
        options = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{logs}"}
        options["spark.eventLog.compress"] = "false"
        engine = SparkEngine("local[2]", options)
        counts = engine.grid_counts(open_source(engine, path, box.names), Grid(box, CHECKED_SIDE))
        engine._spark.stop()
        records, shuffled, tasks = _shuffle(logs)
    mine = CHECKED_ROWS / tasks
    slope = 1 - np.abs((2 * np.arange(CHECKED_SIDE) + 1) / CHECKED_SIDE - 1)
    shares = np.outer(slope, slope).ravel() / slope.sum() ** 2
    expected = tasks * float(-np.expm1(-mine * shares).sum())
    yield Row("rows shuffled / expected by the model", records / expected, 1.05)
    yield Row("bytes a row of the shuffle", shuffled / records, SHUFFLED * 1.2, "B")
    yield Row("cells at the driver / cells with rows", np.count_nonzero(counts) / records, 1)


def _shuffle(logs: Path) -> tuple[int, int, int]:
    """Rows and bytes written to shuffles, and the tasks that wrote them, by Spark's event log."""
    records = written = tasks = 0
    for log in logs.rglob("*"):
        if not log.is_file() or log.name.startswith("."):  # check sums
            continue
        for line in filter(None, log.read_text().splitlines()):
            metrics = json.loads(line).get("Task Metrics") or {}
            some = metrics.get("Shuffle Write Metrics", {})
            if some.get("Shuffle Records Written"):
                records += some["Shuffle Records Written"]
                written += some["Shuffle Bytes Written"]
                tasks += 1
    return records, written, tasks


def table() -> Iterator[str]:
    yield "| rows | partition | grid | tasks | shuffled | driver | core hours |"
    yield "|---|---|---|---|---|---|---|"
    for count in (1e10, 1e11, 1e12):
        for partition, side in ((128e6, 1024), (1e9, 1024), (1e9, 256)):
            job = MapJob(count, partition, side, city(side))
            yield (
                f"| {count:.0e} | {partition / 1e6:,.0f} MB | {side}² | {job.tasks:,} "
                f"| {job.shuffled / 1e9:,.1f} GB | {job.driver / 1e6:,.1f} MB "
                f"| {job.core_hours:,.1f} |"
            )


if __name__ == "__main__":
    print("\n".join(table()))
