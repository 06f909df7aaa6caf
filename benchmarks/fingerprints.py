"""What it costs to know the same rows again, beside what a release reads anyhow."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from benchmarks.table import Row
from dpcore.geometry.domain import Box, IntArray, to_ticks
from dpcore.release import FileData, Unit

TITLE = "Fingerprints of rows"
ROWS, CENTERS = 4_000_000, 5


def rows() -> Iterator[Row]:
    values = np.random.default_rng(0).uniform(0, 1, (ROWS, 4))
    table = pa.table({f"x{i}": values[:, i] for i in range(4)})
    with tempfile.TemporaryDirectory() as folder:
        pa.csv.write_csv(table, Path(folder) / "a.csv")
        pq.write_table(table, Path(folder) / "a.parquet")
        for name in ("a.csv", "a.parquet"):
            for d in (2, 4):
                names = tuple(f"x{i}" for i in range(d))
                data = FileData(f"{folder}/{name}", names, Box((0.0,) * d, (1.0,) * d, names))
                opening, opened = timed(lambda data=data: data.open(Unit()))
                # Two coordinates are counted when they are opened; more are asked where they lie.
                asking, _ = timed(lambda opened=opened, d=d: opened.cluster_totals(places(d)))
                marking, _ = timed(
                    lambda data=data, opened=opened: data.fingerprint_of_rows(
                        b"k" * 32, opened, Unit()
                    )
                )
                a_pass = opening if d == 2 else asking
                what = f"{name.removeprefix('a.')}, {d} columns, {ROWS / 1e6:g} M rows"
                yield Row(f"{what}: fingerprint / one pass of a release", marking / a_pass, 1.0)


def places(d: int) -> IntArray:
    """Centers in the number that a release asks about."""
    return to_ticks(np.random.default_rng(0).uniform(-1, 1, (CENTERS, d)))


def timed(work: Callable[[], object]) -> tuple[float, object]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result
