"""Files that nobody vouches for: a process of its own reads them, and may die of it."""

from __future__ import annotations

import gc
import gzip
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpcore.datasets import from_file
from dpcore.datasets.engines import (
    DataFileError,
    DuckDBEngine,
    Engine,
    Ids,
    IsolatedEngine,
    ReadingStopped,
    isolated,
    open_source,
)
from dpcore.datasets.engines.reading_limits import MAX_COLUMNS, ReadingLimits
from dpcore.geometry.domain import Box, Grid
from tests.datasets.engines import reference
from tests.waiting import LONG, eventually

BOX = Box((-75.0, 40.0), (-73.0, 41.0), ("lon", "lat"))
#: What takes a process longer than any test waits: two hundred million short lines.
ENDLESS = gzip.compress(b"lon,lat\n") + 200 * gzip.compress(b"1\n" * 1_000_000)
NARROW = ReadingLimits(memory=400 << 20, computing=60, seconds=600)


def text(n: int = 500) -> bytes:
    points = np.random.default_rng(0).uniform((-75.2, 39.9), (-72.8, 41.1), (n, 2))
    lines = [f"{x:.6f},{y:.6f},{i % 7}" for i, (x, y) in enumerate(points)]
    return "\n".join(["lon,lat,who", *lines, "odd", "nan,inf,1"]).encode()


def process_of(engine: IsolatedEngine) -> subprocess.Popen[bytes]:
    assert engine._process is not None
    return engine._process._process


def gone(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{number}/stat")  # a process that nobody waited for is a zombie
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.fixture(scope="module")
def engines_of_one_file(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("isolated") / "a.csv"
    path.write_bytes(text())
    return {
        "here": (DuckDBEngine(), str(path)),
        "path": (IsolatedEngine(), str(path)),
        "upload": (IsolatedEngine("a.csv", text()), "a.csv"),
    }


@pytest.mark.parametrize("way", ["path", "upload"])
def test_every_answer_is_that_of_the_engine_in_this_process(
    engines_of_one_file: dict[str, Any], way: str
) -> None:
    centers = np.array([[-900_000, 100], [500_000, 0]])
    answers = []
    for engine, path in (engines_of_one_file["here"], engines_of_one_file[way]):
        source = open_source(engine, path, BOX.names, clip=True)
        few = source.told_apart(Ids("who", 2, "key"))
        counts, tally = engine.census(source, Grid(BOX, 64))
        totals = engine.cluster_totals(source, BOX, centers)
        answers.append(
            [
                *(counts, tally, engine.tally(source, BOX), *totals),
                engine.grid_counts(few, Grid(BOX, 16)),
                engine.squared_ticks(source, BOX),
                reference.in_order(engine.lattice_rows(source, BOX)),
                b"".join(engine.pieces(path)),
            ]
        )
    for one, other in zip(*answers, strict=True):
        np.testing.assert_array_equal(one, other)


def test_zones_are_read_by_the_process(tmp_path: Path) -> None:
    (tmp_path / "zones.csv").write_text("LocationID,longitude,latitude\n1,-74,40.5\n2,,\n")
    engine = IsolatedEngine("a.csv", b"PULocationID\n1\n1\n2\n")
    source = open_source(engine, "a.csv", zones=str(tmp_path / "zones.csv"))
    assert source.zones is not None
    assert source.zones.positions == ((1, -74.0, 40.5),)
    assert engine.tally(source, BOX).inside == 2
    with pytest.raises(DataFileError, match="zones cannot be read"):
        open_source(engine, "a.csv", zones=str(tmp_path / "none.csv"))


def test_a_refusal_is_the_same_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and no more")
    said = []
    for engine in (DuckDBEngine(), IsolatedEngine()):
        with pytest.raises(DataFileError) as caught:
            engine.look(str(tmp_path / "a.parquet"))
        said.append((str(caught.value), caught.value.path))
    assert said[0] == said[1]


def test_stopping_ends_the_process_and_what_it_was_asked() -> None:
    engine = IsolatedEngine("a.csv.gz", ENDLESS)
    failures: list[Exception] = []

    def look() -> None:
        try:
            engine.look("a.csv.gz")
        except DataFileError as failure:
            failures.append(failure)

    asking = threading.Thread(target=look)
    asking.start()
    eventually(lambda: engine._process is not None)
    number = process_of(engine).pid
    engine.stop()
    asking.join(LONG)
    assert [type(failure) for failure in failures] == [ReadingStopped]
    assert gone(number)


def test_after_a_stop_the_next_question_is_answered() -> None:
    engine = IsolatedEngine("a.csv", text())
    source = open_source(engine, "a.csv", BOX.names)
    engine.stop()
    process_of(engine).wait()
    assert engine.tally(source, BOX).total == 502


@pytest.mark.parametrize("signal_", [signal.SIGKILL, signal.SIGSEGV, signal.SIGABRT])
def test_a_process_that_dies_is_told_in_a_sentence(signal_: signal.Signals) -> None:
    engine = IsolatedEngine("a.csv.gz", ENDLESS)
    failures: list[str] = []

    def look() -> None:
        try:
            engine.look("a.csv.gz")
        except DataFileError as failure:
            failures.append(str(failure))

    asking = threading.Thread(target=look)
    asking.start()
    eventually(lambda: engine._process is not None)
    process_of(engine).send_signal(signal_)
    asking.join(LONG)
    (said,) = failures
    assert said.startswith("a.csv.gz: the process that read it ended.")


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
def test_a_file_that_takes_too_much_is_refused_with_the_limit() -> None:
    large = gzip.compress(b"lon,lat\n" + b"-74.123456,40.654321\n" * 8_000_000, 1)
    for limits, content, said in (
        (ReadingLimits(2 << 30, 1, LONG), ENDLESS, "more than 1 seconds of computing"),
        (ReadingLimits(2 << 30, 60, 1.5), ENDLESS, "more than 1.5 seconds"),
        (NARROW, large, "memory"),
    ):
        engine = IsolatedEngine("a.csv.gz", content, limits)
        with pytest.raises(DataFileError, match=said):
            engine.tally(open_source(engine, "a.csv.gz", BOX.names), BOX)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read as Linux tells it")
def test_a_bomb_takes_neither_time_nor_memory_of_this_process() -> None:
    """Only a thread that computes holds the others up: what this process computes while a line of
    20 MB is split and counted bounds how long it stands still."""
    bomb = gzip.compress(b"lon,lat\n" + b"x" * (20 << 20) + b"\n" + b"1\n" * 2_000_000)
    engine = IsolatedEngine("bomb.csv.gz", bomb)
    source = open_source(engine, "bomb.csv.gz", BOX.names)
    before, used = resident(), time.process_time()
    tally = engine.tally(source, BOX)
    assert tally.inside == 0
    assert time.process_time() - used < 0.3
    assert resident() - before < 10 << 20


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_when_nobody_holds_the_data_the_process_and_its_folder_are_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "a.csv").write_bytes(text())
    engine = IsolatedEngine()
    engine.look(str(tmp_path / "a.csv"))
    number = process_of(engine).pid
    assert len(os.listdir(tmp_path)) == 2
    del engine
    gc.collect()
    eventually(lambda: gone(number))
    eventually(lambda: os.listdir(tmp_path) == ["a.csv"])


def test_a_process_without_questions_ends_and_another_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(isolated, "IDLE", 0.05)
    engine = IsolatedEngine("a.csv", text())
    source = open_source(engine, "a.csv", BOX.names)
    eventually(lambda: engine._process is None)
    assert engine.tally(source, BOX).total == 502


def test_when_this_program_is_killed_the_process_ends(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(ENDLESS)
    code = (
        "import sys, threading; from dpcore.datasets.engines import IsolatedEngine\n"
        "engine = IsolatedEngine('a.csv.gz', open(sys.argv[1], 'rb').read())\n"
        "threading.Thread(target=engine.look, args=['a.csv.gz']).start()\n"
        "while engine._process is None: pass\n"
        "print(engine._process._process.pid, flush=True)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "a.csv.gz")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        number = int(program.stdout.readline())
        program.kill()
    eventually(lambda: gone(number))


def test_an_answer_that_is_no_message_is_a_death(monkeypatch: pytest.MonkeyPatch) -> None:
    for answers in ("print('hello')", "print('[' * 99999)", 'print(\'{"arrays": [["O", [1]]]}\')'):
        monkeypatch.setattr("dpcore.datasets.engines.process.START", answers)
        with pytest.raises(DataFileError, match="the process that read it ended"):
            IsolatedEngine("a.csv", text()).look("a.csv")


def test_an_answer_larger_than_the_limit_is_refused() -> None:
    limits = ReadingLimits(NARROW.memory, 60, 60, answer=2_000)
    engine = IsolatedEngine("a.csv", text(), limits)
    source = open_source(engine, "a.csv", BOX.names, clip=True)
    with pytest.raises(DataFileError, match="more memory than may be used"):
        engine.lattice_rows(source, BOX)
    assert engine.tally(source, BOX).total == 502


def test_data_of_many_coordinates_are_asked_where_they_are(tmp_path: Path) -> None:
    points = np.random.default_rng(0).uniform(-1, 1, (300, 3))
    (tmp_path / "a.csv").write_text(
        "\n".join(["a,b,c", *(",".join(map(str, point)) for point in points)])
    )
    both = [
        from_file(tmp_path / "a.csv", list("abc"), (-1, 1), engine=engine).value
        for engine in (DuckDBEngine(), IsolatedEngine())
    ]
    (one, other) = ([*data.cost(points[None, :4]), data.n] for data in both)
    assert one == other


def test_limits_of_columns_hold_for_every_way_to_read(duckdb: Engine, tmp_path: Path) -> None:
    names = ",".join(f"c{i}" for i in range(MAX_COLUMNS + 1))
    (tmp_path / "wide.csv").write_text(f"{names}\n")
    for engine, path in ((duckdb, str(tmp_path / "wide.csv")), (IsolatedEngine(), "")):
        with pytest.raises(DataFileError, match=f"at most {MAX_COLUMNS:,} columns"):
            engine.look(path or str(tmp_path / "wide.csv"))
