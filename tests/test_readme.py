"""What the README shows runs, and prints what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpcore.cli import main, parser

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
#: Examples in Python, in their order. Spark's is run by the tests of engines.
PYTHON = [body for language, body in BLOCKS if language == "python" and "spark" not in body]
COMMANDS = [
    line.split("#")[0].strip()
    for language, body in BLOCKS
    if language == "sh"
    for line in body.splitlines()
    if line.startswith("dpcore ")
]
#: Options that make an example short, or let it go on without a person.
SHORTER = {"sweep": ["--runs", "1"], "release": ["--yes"]}
#: Measuring again, auditing and serving take long; their own tests run them.
LONG = ("reproduce", "audit", "dashboard")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the examples read."""
    rng = np.random.default_rng(0)
    lon, lat = rng.normal([[-73.98], [40.75]], 0.01, (2, 500))
    frames = {
        "trips": {"pickup_longitude": lon, "pickup_latitude": lat},
        "rides": {"lon": lon, "lat": lat, "card": np.arange(500) // 4},
    }
    for name, columns in frames.items():
        (tmp_path / name).mkdir()
        pd.DataFrame(columns).to_parquet(tmp_path / name / "1.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path / "books"))
    return tmp_path


def test_the_python_examples_run_one_after_the_other(folder, capsys):
    rows = np.random.default_rng(0).uniform(0, 1, (500, 2))
    names: dict[str, Any] = {"X": rows, "low": (0, 0), "high": (1, 1)}
    for code in PYTHON:
        exec(compile(code, "README", "exec"), names)
    printed = capsys.readouterr().out
    assert "PROVED 0.5" in printed
    assert "at most 3 rows" in printed
    assert "Manhattan 0.5" in printed
    assert (folder / "published" / "certificate.json").is_file()


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_line_is_understood(line):
    words = shlex.split(line)[1:]
    assert parser(words).parse_args(words).do


def test_the_command_lines_run_one_after_the_other(folder, capsys):
    for line in COMMANDS:
        command, *options = shlex.split(line)[1:]
        if command not in LONG:
            assert main([command, *options, *SHORTER.get(command, [])]) == 0, line
    printed = capsys.readouterr().out
    assert "0 of" in printed
    assert "checks fail" in printed
    assert "1.5 left" in printed


@pytest.mark.parametrize(
    "document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"]
)
def test_every_file_that_a_document_links_to_is_there(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / target).exists(), target


def test_the_changelog_sorts_changes_by_kind():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", text)[0] == "[Unreleased]"
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"(?m)^### (.+)$", text)) <= kinds
