"""Paths and bytes of which nobody knows what they are: refused in a sentence, never waited for."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpcore import regions
from dpcore.cli import main
from dpcore.datasets import from_file
from dpcore.datasets.engines import DataFileError, DuckDBEngine, Engine, HeldFile, open_source
from dpcore.datasets.engines.reading_limits import MAX_FILES, MAX_TABLE
from dpcore.datasets.engines.zones import read_zones
from dpcore.errors import LIST_SHOWN, NAME_SHOWN
from dpcore.geometry.domain import Box

BOX = Box((-75.0, 40.0), (-73.0, 41.0), ("lon", "lat"))
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
ADDRESSES = [
    "http://a.example/b.csv",
    "https://a/b.parquet",
    "s3://a/b.csv",
    "gs://a/*.csv",
    "hf://datasets/a/b.csv",
    "HTTPS://A/b.csv",
    "hdfs://a/b.csv",
    "az://a/b.csv",
]


@pytest.fixture(params=["fifo", "device", "socket"])
def special(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """What has the name of a file, and would never end."""
    path = tmp_path / "a.csv"
    if request.param == "socket":
        monkeypatch.chdir(tmp_path)  # the address of a socket must be short
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("a.csv")
            yield path
        return
    if request.param == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    yield path


@POSIX
def test_only_regular_files_are_read(duckdb: Engine, special: Path) -> None:
    refused = "a device, a pipe or a socket"
    with pytest.raises(DataFileError, match=refused):
        duckdb.look(str(special))
    for several in (special.parent, special.parent / "*.csv"):
        with pytest.raises(DataFileError, match=f"{refused}|no such file"):
            duckdb.look(str(several))
    with pytest.raises(DataFileError, match=refused):
        read_zones(str(special))
    with pytest.raises(ValueError, match=refused):
        regions.from_geojson(special, BOX)


def test_a_folder_is_no_table(tmp_path: Path) -> None:
    for read in (read_zones, lambda path: regions.from_geojson(path, BOX)):
        with pytest.raises(ValueError, match="this is a folder"):
            read(str(tmp_path))


def test_a_table_of_zones_or_regions_is_small(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(MAX_TABLE + 1)
    for read in (read_zones, lambda path: regions.from_geojson(path, BOX)):
        with pytest.raises(ValueError, match="larger than 16 MB"):
            read(str(path))


def test_regions_that_would_take_hours_are_refused(tmp_path: Path) -> None:
    def written(ring: list[list[float]], times: int) -> Path:
        feature = {
            "properties": {"name": "a"},
            "geometry": {"type": "Polygon", "coordinates": [ring]},
        }
        path = tmp_path / "regions.geojson"
        path.write_text(json.dumps({"features": [feature] * times}))
        return path

    teeth = [[-75 + i / 5_000, 40.1 + 0.8 * (i % 2)] for i in range(10_000)]
    zigzag = [*teeth, [-73.0, 40.0], [-75.0, 40.0]]
    with pytest.raises(ValueError, match="too intricate"):
        regions.from_geojson(written(zigzag, 1), BOX)
    with pytest.raises(ValueError, match="more than 2,000 features"):
        regions.from_geojson(written([[0, 0]], 2_001), BOX)


@pytest.mark.parametrize("address", ADDRESSES)
def test_without_fsspec_an_address_is_refused_with_what_to_do(
    duckdb: Engine,
    address: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for look in (duckdb.look, lambda path: from_file(path, box=BOX), read_zones):
        with pytest.raises(DataFileError, match="Download it first"):
            look(address)
    box = ["--box", "-75", "40", "-73", "41"]
    assert main(["run", "eugkm", "--data", address, "-k", "1", "--epsilon", "1", *box]) == 2
    assert "Download it first" in capsys.readouterr().err


def test_the_database_fetches_nothing_and_cannot_be_told_to(duckdb: DuckDBEngine) -> None:
    names = (
        "autoinstall_known_extensions",
        "autoload_known_extensions",
        "allow_community_extensions",
        "lock_configuration",
    )
    settings = ", ".join(f"current_setting('{name}') AS {name}" for name in names)
    found = duckdb._run("a", f"SELECT {settings}")
    assert [bool(found[name][0]) for name in names] == [False, False, False, True]
    for query in (
        "SET autoload_known_extensions = true",
        "INSTALL httpfs",
        "SELECT * FROM read_csv('https://a.example/b.csv')",
    ):
        with pytest.raises(DataFileError):
            duckdb._run("a", query)


def test_a_held_file_reaches_no_other(tmp_path: Path) -> None:
    (tmp_path / "other.csv").write_text("secret\n")
    held = HeldFile("a.csv", b"lon,lat\n-74,40.5\n")
    for query in (
        f"SELECT * FROM read_csv('{tmp_path}/other.csv')",
        f"COPY (SELECT 1) TO '{tmp_path}/made.csv'",
        "SELECT * FROM glob('/*')",
    ):
        with pytest.raises(DataFileError):
            held._run("a.csv", query)
    assert os.listdir(tmp_path) == ["other.csv"]


def test_two_questions_to_one_database_do_not_lock_each_other_out(tmp_path: Path) -> None:
    import duckdb as library

    path = str(tmp_path / "trips.duckdb")
    with library.connect(path) as database:
        database.execute("CREATE TABLE trips AS SELECT -74.0 AS lon, 40.5 AS lat")
    with library.connect(path, read_only=True) as other:
        DuckDBEngine(path)._prepare(other)
        engine = DuckDBEngine(path)
        source = open_source(engine, "trips", BOX.names, format="table")
        assert engine.tally(source, BOX).inside == 1


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcore.datasets.engines.duckdb_engine.MAX_FILES", 3)
    for i in range(4):
        (tmp_path / f"{i}.csv").write_text("lon,lat\n")
    with pytest.raises(DataFileError, match="more than 3 files"):
        DuckDBEngine().look(str(tmp_path))
    assert MAX_FILES >= 10_000


@pytest.mark.parametrize("held", [False, True], ids=["on disk", "upload"])
def test_an_error_shows_a_little_of_a_long_name(tmp_path: Path, held: bool) -> None:
    content = ("x" * 100_000 + ",y\n1,2\n").encode()
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    engine = HeldFile("a.csv", content) if held else DuckDBEngine()
    with pytest.raises(DataFileError) as caught:
        open_source(engine, "a.csv" if held else str(path), ["lon" * 50_000, "y"])
    assert len(str(caught.value)) < len(str(path)) + 2 * NAME_SHOWN + 100
    many = ",".join(f"column {i}" for i in range(3_000)).encode()
    with pytest.raises(DataFileError) as caught:
        open_source(HeldFile("a.csv", many), "a.csv")
    assert len(str(caught.value)) < LIST_SHOWN + 200


@pytest.mark.parametrize("size", [131_072, 200_000, 1 << 20, 3 << 20])
def test_a_header_of_one_long_field_is_refused_or_read(
    tmp_path: Path, size: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"x" * size + b",lon,lat\n1,-74,40.5\n")
    box = ["--box", "-75", "40", "-73", "41"]
    main(["run", "eugkm", "--data", str(path), "-k", "1", "--epsilon", "1", *box])
    said = capsys.readouterr().err
    assert len(said.splitlines()) <= 1
    assert len(said) < 1000


def test_rows_given_for_a_path_are_not_in_the_error() -> None:
    for rows in (pd.DataFrame({"lon": [12345.678]}), np.array([12345.678]), [12345.678]):
        with pytest.raises(TypeError, match="takes the path of a file") as caught:
            from_file(rows, box=BOX)  # type: ignore[arg-type]
        assert "12345" not in str(caught.value)


@pytest.mark.parametrize("fault", [MemoryError, RecursionError])
def test_what_is_too_large_or_too_deep_is_a_line_of_the_command(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def read(*_: object, **__: object) -> None:
        raise fault

    monkeypatch.setattr("dpcore.cli.arguments.FileReading.dataset", read)
    command = ["run", "eugkm", "--data", "a.csv", "-k", "1", "--epsilon", "1"]
    assert main([*command, "--box", "0", "0", "1", "1"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("dpcore: ")


@POSIX
def test_the_command_does_not_wait_for_a_pipe_or_read_a_device_to_its_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    code = (
        "import sys; from dpcore.cli import main\n"
        "command = ['run', 'eugkm', '-k', '1', '--epsilon', '1', '--data']\n"
        "main([*command, sys.argv[1], '--box', '-75', '40', '-73', '41'])\n"
        "main([*command, 'nyc-taxi', '--regions', '/dev/zero'])"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "pipe.csv")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert len(done.stderr.splitlines()) == 2
    assert done.stderr.count("not a file") == 2
