"""What the README shows runs, and says what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from dpcore.cli import parser

TEXT = (Path(__file__).parents[1] / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)


def test_the_first_python_example_runs_as_it_stands(capsys):
    code = next(body for language, body in BLOCKS if language == "python")
    exec(compile(code, "README", "exec"), {})
    assert "PROVED 0.5" in capsys.readouterr().out


@pytest.mark.parametrize(
    "line",
    [
        line.split("#")[0].strip()
        for language, body in BLOCKS
        if language == "sh"
        for line in body.splitlines()
        if line.startswith("dpcore ")
    ],
)
def test_every_command_line_is_understood(line):
    words = shlex.split(line)[1:]
    assert parser(words).parse_args(words).do


def test_every_picture_and_page_it_names_is_there():
    for target in re.findall(r"\]\(([^)#:]+)\)", TEXT):
        assert (Path(__file__).parents[1] / target).exists(), target
