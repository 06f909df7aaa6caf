"""Twenty million rows of a file, against the bare query that any use of DuckDB has to pay."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.own_process import spent
from benchmarks.table import Row, seconds
from dpcore.datasets.engines import DuckDBEngine, open_source
from dpcore.geometry.domain import Box, Grid

TITLE = "Engines"
ROWS, WIDE = 20_000_000, 10_000_000
GRID = Grid(Box((-74.1, 40.7), (-73.9, 40.9)), 1024)

MAKE = """
    COPY (SELECT -74 + 0.08 * (random() + random() - 1) AS lon,
                 40.8 + 0.08 * (random() + random() - 1) AS lat FROM range({n})) TO '{path}'
"""
BARE = """
    SELECT least(floor((lon + 74.1::DOUBLE) * 5120::DOUBLE)::BIGINT, 1023) * 1024
         + least(floor((lat - 40.7::DOUBLE) * 5120::DOUBLE)::BIGINT, 1023) AS cell, count(*) AS n
    FROM '{path}' WHERE lon >= -74.1 AND lon < -73.9 AND lat >= 40.7 AND lat < 40.9 GROUP BY cell
"""
SETUP = """
import tempfile
import duckdb, opendp.prelude
import dpcore
from dpcore.datasets.engines import DuckDBEngine, open_source
from dpcore.datasets.files import FileReading
from dpcore.geometry.domain import Box, Grid
from dpcore.release import Amount, FileData, Ledger, ReleasePlan, Unit, publish
dpcore.run("auto", dpcore.datasets.load("iris"), 3, 1.0)
"""
GRID_ONCE = """
box = Box((-74.1, 40.7), (-73.9, 40.9))
engine = DuckDBEngine()
engine.grid_counts(open_source(engine, values["path"], ("lon", "lat")), Grid(box, 1024))
"""
RELEASE = """
box = Box((-74.1, 40.7), (-73.9, 40.9), ("lon", "lat"))
unit = Unit("passenger", "card", 3) if values["ids"] else Unit("trip")
data = FileData(values["path"], ("lon", "lat"), box)
run, allowed = dpcore.Request("adaptive", 10, 1.0), Amount.of(1.0)
plan = ReleasePlan("trips", data, run, unit=unit, allowed=allowed)
with tempfile.TemporaryDirectory() as folder:
    publish(plan, Ledger(folder))
"""
DEFAULT = """
box = Box.cube(10)
dpcore.run("auto", FileReading(values["path"], box.names, box).dataset(), 10, 1.0, seed=1)
"""


def count(path: str) -> None:
    engine = DuckDBEngine()
    engine.grid_counts(open_source(engine, path), GRID)


def bare_count(database: duckdb.DuckDBPyConnection, path: str) -> None:
    database.execute(BARE.format(path=path)).fetchnumpy()


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        path = str(Path(folder) / "trips.parquet")
        database.execute(MAKE.format(n=ROWS, path=path))
        bare = seconds(lambda: database.execute(BARE.format(path=path)).fetchnumpy())
        ours = seconds(lambda: count(path))
        yield Row("20M rows of Parquet to a 1024² grid / the bare SQL", ours / bare, 0.7)

        memory = spent(SETUP, GRID_ONCE, path=path)
        yield Row("its memory above what it imports", memory.peak - memory.before, 200, "MB")

        yield from of_ids(database, path, folder)

        lines = str(Path(folder) / "trips.csv")
        for million in (2, 20):
            database.execute(f"COPY (FROM '{path}' LIMIT {million}000000) TO '{lines}'")
            parser = seconds(partial(bare_count, database, lines))
            ours = seconds(partial(count, lines))
            title = f"{million}M records of plain CSV / DuckDB's own, less strict parser"
            yield Row(title, ours / parser, 1.5)

        database.execute(
            f"COPY (SELECT lon, lat, 'a, b' AS note FROM '{path}' LIMIT 2000000) TO '{lines}'"
        )
        parser = seconds(partial(bare_count, database, lines))
        ours = seconds(lambda: count(lines))
        yield Row("2M records of CSV with quotes / DuckDB's own parser", ours / parser)

        yield from of_many_columns(database, folder)


def of_ids(database: duckdb.DuckDBPyConnection, path: str, folder: str) -> Iterator[Row]:
    """A release of the same rows, each of one of eight million people: 2.5 rows each."""
    people = str(Path(folder) / "people.parquet")
    whose = "CAST(random() * 8000000 AS BIGINT) AS card"
    database.execute(f"COPY (SELECT *, {whose} FROM '{path}') TO '{people}'")
    plain = spent(SETUP, RELEASE, path=people, ids=False)
    with_ids = spent(SETUP, RELEASE, path=people, ids=True)
    title = "a release with at most 3 rows of each id / one without ids"
    yield Row(title, with_ids.whole / plain.whole, 1.5)
    yield Row("its memory, the interpreter and all", with_ids.peak, 600, "MB")


def of_many_columns(database: duckdb.DuckDBPyConnection, folder: str) -> Iterator[Row]:
    wide, box = str(Path(folder) / "wide.parquet"), Box.cube(10)
    value = "greatest(-1, least(1, random() + random() - 1 + (range % {} = 0)::INT / 2)) AS {}"
    columns = ", ".join(value.format(2 + i, name) for i, name in enumerate(box.names))
    database.execute(f"COPY (SELECT {columns} FROM range({WIDE})) TO '{wide}'")
    engine = DuckDBEngine()
    source = open_source(engine, wide, box.names)
    centers = np.random.default_rng(0).integers(-(1 << 21), 1 << 21, (10, 10))
    a_pass = seconds(lambda: engine.cluster_totals(source, box, centers), repeats=3)
    run = spent(SETUP, DEFAULT, path=wide)
    yield Row(
        "auto on 10M rows of 10 columns / exact totals of 10 clusters", run.seconds / a_pass, 4
    )
    yield Row("its memory, the interpreter and all", run.peak, 500, "MB")
