"""Small Parquet files come back as they were, and end with the process that reads them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpcore.results import parquet

COLUMNS = {"center": np.arange(3), "x": np.array([0.1, -2e300, 5e-324]), "y": np.zeros(3)}


def test_columns_come_back_to_the_bit_in_the_order_that_is_asked_for() -> None:
    read = parquet.read(parquet.written(COLUMNS), ["y", "x"])
    assert np.array_equal(read, np.column_stack([COLUMNS["y"], COLUMNS["x"]]))
    assert read.dtype == np.float64


def test_a_file_of_no_rows_has_its_columns() -> None:
    empty = parquet.written({name: values[:0] for name, values in COLUMNS.items()})
    assert parquet.read(empty, ["x", "y"]).shape == (0, 2)


def test_a_column_that_is_not_there_is_an_error() -> None:
    with pytest.raises(KeyError, match="z"):
        parquet.read(parquet.written(COLUMNS), ["x", "z"])


def test_a_column_with_an_empty_place_is_an_error() -> None:
    content = parquet.written({"x": [1.0, None]})
    with pytest.raises(ValueError, match="'x' has empty places"):
        parquet.read(content, ["x"])


def test_a_small_file_that_repeats_one_row_a_million_times_is_refused() -> None:
    content = parquet.written({"x": np.zeros(1 << 20)})
    assert len(content) < 1 << 14
    with pytest.raises(ValueError, match="more than"):
        parquet.read(content, ["x"])
    assert not parquet.holds_only(content, ["x"], numbered=False)


def test_reading_starts_no_thread_that_a_short_process_could_leave_behind(tmp_path: Path) -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("needs /proc, to count the threads of a process")
    (tmp_path / "a.parquet").write_bytes(parquet.written(COLUMNS))
    code = (
        "import os, pathlib, sys; import pyarrow.parquet; "
        "from dpcore.results import parquet;"
        "threads = lambda: len(os.listdir('/proc/self/task'));"
        "content = pathlib.Path(sys.argv[1]).read_bytes(); before = threads();"
        "parquet.read(content, ['x']);"
        "print(threads() - before)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "a.parquet")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0"], done.stderr
