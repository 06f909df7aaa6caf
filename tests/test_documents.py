"""The documents tell the truth: their examples run, and what they name exists."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpcore.classroom import lesson_plans
from dpcore.cli import COMMANDS, main, whole_parser
from pages.server import settings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DOCUMENTS = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG", "SECURITY")),
    ROOT / "data" / "README.md",
    *sorted(DOCS.rglob("*.md")),
]
each_document = pytest.mark.parametrize(
    "path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix()
)
BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)
#: Options that make an example short, or let it go on without a person.
SHORTER = {"sweep": ["--runs", "1"], "release": ["--yes"], "audit": ["--runs", "2"]}
#: Measuring again, auditing and serving take long; their own tests run them.
LONG = ("reproduce", "audit", "dashboard")
#: What the examples of a document print, among other things.
PRINTED = {
    "README.md": ("PROVED 0.5", "at most 3 rows", "Manhattan 0.5", "0 of", "checks fail", "left"),
    "docs/cli.md": ("It cost ε 0.5",),
    "docs/areas.md": ("in Manhattan",),
    "docs/auto.md": ("On a map",),
}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def blocks(path: Path) -> list[tuple[str, str, str]]:
    """Language, title and text of each block of code."""
    return BLOCK.findall(path.read_text(encoding="utf-8"))


def commands(text: str) -> Iterator[str]:
    """The lines of a shell block, with continued lines joined and comments removed."""
    for line in text.replace("\\\n", " ").splitlines():
        if line := re.sub(r"(^|\s)#.*", "", line).strip():
            yield line


def spoken(path: Path) -> set[str]:
    """Every command line of `dpcore` that a document shows, in a block or in a sentence."""
    text = path.read_text(encoding="utf-8")
    inline = set(re.findall(r"`(dpcore [a-z][^`]*)`", BLOCK.sub("", text)))
    shown = [
        line for language, _, code in blocks(path) if language == "sh" for line in commands(code)
    ]
    return inline | {line[line.index("dpcore ") :] for line in shown if is_ours(line)}


def is_ours(line: str) -> bool:
    return line.startswith("dpcore ") or "| dpcore " in line


#: Documents with examples; those of the gallery are run when the site is built.
EXAMPLES = [
    path
    for path in DOCUMENTS
    if path.parent.name != "gallery"
    and any(
        language == "python" or (language == "sh" and any(map(is_ours, commands(code))))
        for language, _, code in blocks(path)
    )
]


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
    for name in ("trips.csv", "trips.csv.gz"):
        pd.DataFrame({"lon": lon, "lat": lat}).to_csv(tmp_path / name, index=False)
    people = pd.DataFrame({"lon": lon, "lat": lat, "epsilon": 1.0})
    people.to_csv(tmp_path / "people.csv", index=False)
    (tmp_path / ".local/share/bash-completion/completions").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path / "books"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def run_line(line: str) -> None:
    """Run one line of a shell block; in this process unless it needs a shell."""
    if re.search(r"[|>]", line):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        run = subprocess.run(
            ["bash", "-ec", line], env=os.environ | {"PATH": path}, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stderr
        return
    command, *options = shlex.split(line)[1:]
    if command not in LONG:
        assert main([command, *options, *SHORTER.get(command, [])]) == 0, line


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_the_examples_of_a_document_run_one_after_the_other(path, folder, capsys):
    rows = np.random.default_rng(0).uniform(0, 1, (500, 2))
    names: dict[str, Any] = (
        {"X": rows, "low": (0, 0), "high": (1, 1)} if path.stem == "README" else {}
    )
    for language, title, code in blocks(path):
        if title:
            (folder / title).write_text(code, encoding="utf-8")
        if language == "python" and 'engine="spark"' not in code:  # Spark's has a test of its own
            exec(compile(code, path.name, "exec"), names)
        if language == "sh":
            for line in filter(is_ours, commands(code)):
                run_line(line)
    printed = "".join(capsys.readouterr())
    for text in PRINTED.get(name_of(path), ()):
        assert text in printed


def test_the_documents_with_examples_are_found():
    assert {"README.md", "docs/cli.md", "docs/tutorials/analyst.md"} <= set(map(name_of, EXAMPLES))


@each_document
def test_each_block_of_code_says_its_language(path):
    known = {"python", "sh", "toml", "text", "bibtex"}
    assert {language for language, _, _ in blocks(path)} <= known


@each_document
def test_each_command_and_option_that_a_document_names_exists(path):
    for line in spoken(path):
        words = line.replace("…", "").split()
        if words[1] == "COMMAND":
            continue
        assert words[1] in {*COMMANDS, "help"}, line
        known = options_of(whole_parser(), words[1:])
        options = {word.partition("=")[0] for word in words[2:] if word.startswith("--")}
        assert options <= known, line


def options_of(command: argparse.ArgumentParser, words: list[str]) -> set[str]:
    """The options of a command, and of the action of it that comes next."""
    known = set(command._option_string_actions)
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction) and words and words[0] in action.choices:
            known |= options_of(action.choices[words[0]], words[1:])
    return known


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (path, line)
        for path in EXAMPLES
        for _, _, code in blocks(path)
        for line in commands(code)
        if line.startswith("dpcore ")
    ],
    ids=lambda each: name_of(each) if isinstance(each, Path) else each,
)
def test_every_command_line_is_understood(path, line):
    words = shlex.split(line.partition(" > ")[0])[1:]
    if not any(word.endswith(".toml") for word in words):
        assert whole_parser().parse_args(words).do


@each_document
def test_each_module_and_file_that_a_document_names_exists(path):
    text = path.read_text(encoding="utf-8")
    for name in set(re.findall(r"(?<![\w./@-])dpcore(?:\.\w+)+(?![\w/-]|\.\w)", text)):
        if name.endswith((".toml", ".org", ".json")) or name in ("dpcore.example", "dpcore.zip"):
            continue
        assert found(name), name
    for file in set(
        re.findall(r"`((?:dpcore|pages|tests|data|docs|benchmarks|static)/[\w./-]+)`", text)
    ):
        assert (ROOT / file).exists(), file
    for target in re.findall(r"make ([a-z-]+)`", text):
        assert target in targets(), target


def targets() -> set[str]:
    """What `make` can make."""
    lines = re.findall(r"^([a-z -]+):(?!=)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return {target for line in lines for target in line.split()}


def found(name: str) -> bool:
    """Whether a dotted name leads to a module, or to something in one."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            value = import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[end:]:
            if not hasattr(value, attribute):
                return False
            value = getattr(value, attribute)
        return True
    return False


@pytest.mark.parametrize("path", DOCUMENTS[:5], ids=name_of)
def test_every_file_that_a_document_links_to_is_there(path):
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_the_lesson_of_the_documentation_is_one():
    ((_, _, lesson),) = blocks(DOCS / "lessons.md")
    assert lesson_plans.parse("what-noise-buys", lesson).steps


def test_the_roles_in_the_security_document_are_accepted(tmp_path, monkeypatch):
    ((_, _, roles),) = blocks(ROOT / "SECURITY.md")
    (tmp_path / "roles.toml").write_text(roles)
    monkeypatch.setenv(settings.ROLES, str(tmp_path / "roles.toml"))
    assert settings.roles().four_eyes


def test_the_changelog_sorts_changes_by_kind():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", text)[0] == "[Unreleased]"
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"(?m)^### (.+)$", text)) <= kinds


def test_the_whole_parser_knows_every_command():
    assert whole_parser().format_help().count("\n    ") >= len(COMMANDS)
