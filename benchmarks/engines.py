"""Twenty million rows of a file, against the bare query that any use of DuckDB has to pay."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from benchmarks.table import Row, seconds
from dpcore.datasets.engines import DuckDBEngine, open_source
from dpcore.geometry.domain import Box, Grid

TITLE = "Engines"
ROWS = 20_000_000
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
MEMORY = """
import re
from pathlib import Path

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

interpreter = peak()
from dpcore.geometry.domain import Box, Grid
from dpcore.datasets.engines import DuckDBEngine, open_source
source = open_source(DuckDBEngine(), {path!r})
DuckDBEngine().grid_counts(source, Grid(Box((-74.1, 40.7), (-73.9, 40.9)), 1024))
print(peak() - interpreter)
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
        yield Row("20M rows of Parquet to a 1024² grid / the bare SQL", ours / bare, 1.3)

        # A process of its own, since a peak is never unlearned.
        command = [sys.executable, "-c", MEMORY.format(path=path)]
        measured = subprocess.run(command, capture_output=True, text=True, check=True)
        yield Row("its memory above the interpreter", float(measured.stdout), 400, "MB")

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

        wide, box = str(Path(folder) / "wide.parquet"), Box.cube(10)
        columns = ", ".join(f"2 * random() - 1 AS {name}" for name in box.names)
        database.execute(f"COPY (SELECT {columns} FROM range(2000000)) TO '{wide}'")
        engine = DuckDBEngine()
        source = open_source(engine, wide, box.names)
        centers = np.random.default_rng(0).integers(-(1 << 21), 1 << 21, (10, 10))
        time = seconds(lambda: engine.cluster_totals(source, box, centers))
        yield Row("exact totals of 10 clusters, 2M rows of 10 columns", time, unit="s of processor")
