"""Data from an address or a pipe are read as the same file on a disk is."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import fsspec
import numpy as np
import pandas as pd
import pytest

import dpcore
from dpcore.cli import main
from dpcore.datasets import from_file
from dpcore.release import Ledger

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame({"lon": RNG.uniform(-74, -73.95, 400), "lat": RNG.uniform(40.72, 40.8, 400)})
BOX = ([-74.1, 40.7], [-73.9, 40.9])
ENDS = ["--box", "-74.1", "40.7", "-73.9", "40.9"]


def pipe(monkeypatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_an_address_is_read_through_fsspec_and_the_rows_are_those_of_the_file():
    with fsspec.open("memory://trips/a.csv", "wb") as file:
        file.write(FRAME.to_csv(index=False).encode())
    assert from_file("memory://trips/a.csv", box=BOX).n.value == 400
    with fsspec.open("memory://a.csv", "wb") as file:
        file.write(FRAME.to_csv(index=False).encode())
    assert from_file("memory://a.csv", box=BOX).n.value == 400
    with pytest.raises(dpcore.DataFileError, match=r"cannot be fetched \(FileNotFoundError\)"):
        from_file("memory://trips/b.csv", box=BOX)


def test_without_fsspec_an_address_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(dpcore.DataFileError, match="pip install fsspec"):
        from_file("s3://bucket/a.csv", box=BOX)


def test_a_file_system_that_is_not_installed_is_named():
    with pytest.raises(dpcore.DataFileError, match="cannot be fetched"):
        from_file("abfs://bucket/a.csv", box=BOX)


@pytest.mark.parametrize("packed", [False, True])
def test_the_command_line_reads_standard_input(packed, monkeypatch, capsys):
    content = FRAME.to_parquet() if packed else FRAME.to_csv(index=False).encode()
    pipe(monkeypatch, content)
    words = ["run", "dplloyd", "--data", "-", "-k", "2", "--epsilon", "1", "--seed", "0", "--json"]
    assert main([*words, *ENDS]) == 0
    assert json.loads(capsys.readouterr().out)["coordinates"] == ["lon", "lat"]


def test_a_release_of_standard_input_needs_yes_and_is_charged(monkeypatch, tmp_path: Path, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["release", "dplloyd", "--data", "-", "-k", "2", "--epsilon", "0.5", "--allowed", "1"]
    words += [*ENDS, "--name", "trips", "--ledger", "books", "--output", "out"]
    pipe(monkeypatch, FRAME.to_csv(index=False).encode())
    assert main(words) == 2
    assert "add --yes" in capsys.readouterr().err
    pipe(monkeypatch, FRAME.to_csv(index=False).encode())
    assert main([*words, "--yes"]) == 0
    account = Ledger("books").account("trips")
    assert account is not None
    assert str(account.used) == "ε 0.5"


def test_a_release_with_latitude_first_is_on_the_map(monkeypatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("trips.csv", index=False)
    words = ["release", "dplloyd", "--data", "trips.csv", "-k", "2", "--epsilon", "0.5"]
    words += ["--allowed", "1", "--columns", "lat", "lon", "--box", "40.7", "-74.1", "40.9"]
    words += ["-73.9", "--name", "trips", "--ledger", "books", "--output", "out", "--yes"]
    assert main(words) == 0
    shapes = json.loads(Path("out/centers.geojson").read_text(encoding="utf-8"))["features"]
    assert all(shape["geometry"]["coordinates"][0] < -73 for shape in shapes)
    assert main(["verify", "out/certificate.json"]) == 0


def test_the_command_line_reads_decimal_commas(tmp_path: Path, capsys):
    path = tmp_path / "a.csv"
    path.write_text("lon;lat\n" + "-74,0;40,8\n" * 50, encoding="utf-8")
    words = ["run", "dplloyd", "--data", str(path), "-k", "1", "--epsilon", "9", "--seed", "0"]
    assert main([*words, *ENDS, "--read-as", "csv-comma"]) == 0
    assert "for your eyes only" not in capsys.readouterr().err
