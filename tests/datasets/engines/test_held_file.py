"""A file in memory answers what the same file on disk does, and never touches the disk."""

from __future__ import annotations

import gc
import gzip
import io
import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from dpcore.datasets.engines import (
    DataFileError,
    DuckDBEngine,
    Engine,
    HeldFile,
    held_file,
    open_source,
)
from dpcore.geometry.domain import Box, Grid
from tests.datasets.engines import reference
from tests.datasets.engines.test_contract import (
    BOX,
    CELLS,
    csv_files,
    damaged,
    parquet_files,
)
from tests.datasets.engines.test_reading import ENDS, LINES, ON_FILES, read_alike

__all__ = ["csv_files", "parquet_files"]


@pytest.mark.parametrize("files", ["csv_files", "parquet_files"])
def test_the_same_file_in_memory_and_on_disk_give_the_same_bits(
    duckdb: Engine, files: str, request: pytest.FixtureRequest
) -> None:
    pattern, _ = request.getfixturevalue(files)
    for path in Path(pattern).parent.iterdir():
        held = HeldFile(path.name, path.read_bytes())
        on_disk, in_memory = (
            open_source(engine, str(name), BOX.names)
            for engine, name in ((duckdb, path), (held, path.name))
        )
        for grid in (Grid(BOX, g) for g in CELLS):
            counts, tally = held.census(in_memory, grid)
            np.testing.assert_array_equal(counts, duckdb.grid_counts(on_disk, grid))
            assert tally == duckdb.tally(on_disk, BOX)
        np.testing.assert_array_equal(
            reference.in_order(held.lattice_rows(in_memory, BOX)),
            reference.in_order(duckdb.lattice_rows(on_disk, BOX)),
        )


@given(LINES, ENDS)
@ON_FILES
def test_any_text_is_read_as_the_reference_reads_it(lines: list[str], end: str) -> None:
    text = ("lon,lat\n" + end.join(lines)).encode()
    read_alike(HeldFile("any.csv", text), "any.csv", text)


def test_lines_cut_by_a_block_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_file, "BLOCK", 7)
    text = "lon,lat\r\n" + "-74,40.8\r\n" * 50 + "-74,40.8"
    for name, content in (("a.csv", text.encode()), ("a.csv.gz", gzip.compress(text.encode()))):
        held = HeldFile(name, content)
        assert held.tally(open_source(held, name), BOX).inside == 51


def test_damaged_files_are_named(tmp_path: Path) -> None:
    for name, (path, why) in damaged(tmp_path).items():
        held = HeldFile(name, path.read_bytes())
        with pytest.raises(DataFileError, match=why) as caught:
            held.tally(open_source(held, name), BOX)
        assert str(caught.value).startswith(name)


def test_a_page_that_cannot_be_unpacked_is_damage() -> None:
    file = io.BytesIO()
    table = pa.table({"lon": np.arange(1e5), "lat": np.arange(1e5)})
    pq.write_table(table, file, compression="zstd", use_dictionary=False)
    content = bytearray(file.getvalue())
    content[50:60] = bytes(10)
    held = HeldFile("torn.parquet", bytes(content))
    with pytest.raises(DataFileError, match="damaged"):
        held.tally(open_source(held, "torn.parquet"), BOX)


def test_what_unpacks_to_more_than_memory_should_hold_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(held_file, "MAX_TEXT", 1 << 20)
    bomb = gzip.compress(b"lon,lat\n" + b"-74,40.8\n" * 200_000)
    held = HeldFile("bomb.csv.gz", bomb)
    with pytest.raises(DataFileError, match="give its path"):
        open_source(held, "bomb.csv.gz")


def test_its_bytes_are_those_of_the_file(duckdb: Engine, tmp_path: Path) -> None:
    content = b"lon,lat\n" + b"-74,40.8\n" * 300_000
    (tmp_path / "a.csv").write_bytes(content)
    on_disk = duckdb.pieces(str(tmp_path / "a.csv"))
    assert on_disk is not None
    assert b"".join(on_disk) == b"".join(HeldFile("a.csv", content).pieces("a.csv")) == content
    assert duckdb.pieces("s3://elsewhere/a.csv") is None


def test_it_knows_no_other_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.csv").write_text("lon,lat\n0,0\n")
    monkeypatch.chdir(tmp_path)
    held = HeldFile("mine.csv", b"lon,lat\n-74,40.8\n-74,40.8\n")
    assert held.tally(open_source(held, "mine.csv"), BOX).inside == 2
    with pytest.raises(DataFileError, match="no such file"):
        open_source(held, str(tmp_path / "mine.csv"))


def test_nothing_is_written_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    lines = "\n".join(f"{x:.9f},40.8" for x in np.linspace(-74.1, -73.9, 200_000))
    held = HeldFile("big.csv", f"lon,lat\n{lines}".encode())
    source = open_source(held, "big.csv")
    held.census(source, Grid(BOX, 1024))
    held.lattice_rows(source, BOX)
    assert os.listdir(tmp_path) == []


def test_progress_is_seen_from_another_thread_while_a_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("lon,lat\n" + "-74.01,40.81\n" * 2_000_000)
    engine = DuckDBEngine()
    source = open_source(engine, str(tmp_path / "a.csv"))
    seen: list[float] = []
    with ThreadPoolExecutor(1) as other:
        # A thread that gets no turn while another reads sees nothing, and looks again.
        for _ in range(100):
            census = other.submit(engine.census, source, Grid(BOX, 1024))
            while not census.done():
                seen.append(engine.progress())
                time.sleep(0.001)
            assert census.result()[1].inside == 2_000_000
            if any(0 < part < 1 for part in seen):
                break
    assert any(0 < part < 1 for part in seen)
    assert engine.progress() == 0


def test_rows_that_do_not_fit_in_memory_go_where_nobody_else_can_read_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = "\n".join(f"{i},{i % 7}" for i in range(300_000))
    (tmp_path / "a.csv").write_text(f"x,y\n{lines}")
    seen: list[tuple[str, int]] = []

    class Small(DuckDBEngine):
        def _prepare(self, database: Any) -> None:
            super()._prepare(database)
            (folder,) = database.execute("SELECT current_setting('temp_directory')").fetchone()
            seen.append((folder, os.stat(folder).st_mode & 0o077))

    engine = Small()
    engine.lattice_rows(open_source(engine, str(tmp_path / "a.csv")), Box((0, 0), (1e6, 8)))
    assert os.listdir(tmp_path) == ["a.csv"]
    ((folder, open_to_others),) = set(seen)
    assert not open_to_others
    assert not folder.startswith(str(tmp_path))
    del engine
    gc.collect()
    assert not os.path.exists(folder)
