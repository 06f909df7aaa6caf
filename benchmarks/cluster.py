"""What a map and a sum cost a Spark cluster, as functions of rows, partitions and grid.

`python -m benchmarks.cluster` prints the table of docs/scale.md. The model is compared with the
event log of a Spark that runs here.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

import dpcore
from benchmarks.table import Row
from dpcore.datasets.engines import DuckDBEngine, SparkEngine, open_source
from dpcore.geometry.domain import Box, FloatArray, Grid

TITLE = "Spark cluster: the model against an event log"
#: Bytes a row of two numbers takes in Parquet, as measured here on 20 million.
ROW = 16.0
#: Bytes of a cell and its count: shuffled (LZ4), and on their way to the driver.
SHUFFLED, COLLECTED = 5.0, 12
#: Rows a second that one core turns into counts.
SPEED = 3e6
CHECKED_ROWS, CHECKED_SIDE = 20_000_000, 1024
#: A Spark that a small machine has room for.
OPTIONS = {"spark.driver.memory": "2g", "spark.eventLog.compress": "false"}
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


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
        """How many cells a task expects to find rows in: it sends each with its count."""
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
    grid = Grid(Box((-1, -1), (1, 1), ("lon", "lat")), CHECKED_SIDE)
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        path = f"{folder}/rows.parquet"
        database.execute(
            "COPY (SELECT random() + random() - 1 AS lon, random() + random() - 1 AS lat "
            f"FROM range({CHECKED_ROWS})) TO '{path}'"
        )
        logs = Path(folder) / "logs"
        logs.mkdir()
        logging = {"spark.eventLog.enabled": "true", "spark.eventLog.dir": f"file://{logs}"}
        ours = _cpu()
        engine = SparkEngine("local[2]", {**OPTIONS, **logging})
        source = open_source(engine, path, grid.box.names)
        spent, answers = [_cpu() - ours], []
        for _ in range(3):
            before = _cpu()
            answers.append(engine.grid_counts(source, grid))
            spent.append(_cpu() - before)
        scanned = _cpu()
        engine._spark.sql(f"SELECT count(*) FROM parquet.`{path}` WHERE lon >= -1").collect()
        scanned = _cpu() - scanned
        engine._spark.stop()
        shuffled, tasks = _shuffle(logs)
        exact = DuckDBEngine().grid_counts(open_source(DuckDBEngine(), path), grid)
    slope = 1 - np.abs((2 * np.arange(CHECKED_SIDE) + 1) / CHECKED_SIDE - 1)
    shares = np.outer(slope, slope).ravel() / slope.sum() ** 2
    cells = tasks * float(-np.expm1(-CHECKED_ROWS * len(answers) / tasks * shares).sum())
    yield Row("cells that differ from DuckDB's", np.count_nonzero(answers[-1] != exact), 0, "")
    most = 1.2 * SHUFFLED
    yield Row("bytes shuffled for each cell that a task meets", shuffled / cells, most, "B")
    seconds = f"{CHECKED_ROWS // 10**6}M rows, processor time of Spark and its workers"
    yield Row(f"{seconds}: starting", spent[0], None, "s")
    for number, each in enumerate(spent[1:], start=1):
        yield Row(f"{seconds}: question {number}", each, 5 if number > 1 else None, "s")
    yield Row("  the last / Spark's own count of rows with a filter", spent[-1] / scanned)
    speed = CHECKED_ROWS / spent[-1]
    yield Row("rows a second and core", speed / 1e6, SPEED / 1e6, "M", at_least=True)


def _cpu() -> float:
    """Processor seconds of this process and all that it has started, alive or not."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        process = int(file.parent.name)
        children.setdefault(int(fields[1]), []).append(process)
        ticks[process] = sum(map(int, fields[11:15]))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += ticks[process]
        waiting += children.get(process, [])
    return total / TICKS_A_SECOND


def _shuffle(logs: Path) -> tuple[int, int]:
    """Bytes written to shuffles, and the tasks that wrote them, by Spark's event log."""
    written = tasks = 0
    for log in logs.rglob("*"):
        if not log.is_file() or log.name.startswith("."):  # check sums
            continue
        for line in filter(None, log.read_text().splitlines()):
            metrics = json.loads(line).get("Task Metrics") or {}
            some = metrics.get("Shuffle Write Metrics", {})
            if some.get("Shuffle Records Written"):
                written += some["Shuffle Bytes Written"]
                tasks += 1
    return written, tasks


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
