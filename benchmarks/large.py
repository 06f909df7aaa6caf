"""Two hundred million rows with ids, in the memory of a small machine.

`python -m benchmarks.large` makes a file of 4.4 GB, which is divided into parts of another 5 GB:
too much for `make bench`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks import history
from benchmarks.engines import RELEASE, SETUP
from benchmarks.own_process import spent
from benchmarks.table import Row, show

TITLE = "Two hundred million rows with ids"
ROWS, PEOPLE = 200_000_000, 80_000_000
#: Rows of two numbers and an id: 2.5 rows of each.
MAKE = f"""
    COPY (SELECT -74 + 0.08 * (random() + random() - 1) AS lon,
                 40.8 + 0.08 * (random() + random() - 1) AS lat,
                 CAST(random() * {PEOPLE} AS BIGINT) AS card
          FROM range({ROWS})) TO '{{path}}' (FORMAT parquet)
"""


def measured() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as database:
        path = str(Path(folder) / "people.parquet")
        database.execute("SET preserve_insertion_order = false")
        database.execute(MAKE.format(path=path))
        with_ids = spent(SETUP, RELEASE, path=path, ids=True)
        plain = spent(SETUP, RELEASE, path=path, ids=False)
    yield Row("a release with at most 3 rows of each id: memory", with_ids.peak, 1000, "MB")
    title = "a release with at most 3 rows of each id / one without ids"
    yield Row(title, with_ids.whole / plain.whole)


if __name__ == "__main__":
    rows = list(measured())
    show(TITLE, rows)
    history.add("large", rows)
