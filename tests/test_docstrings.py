"""Every public name says what it takes, what it gives, and shows an example that runs."""

from __future__ import annotations

import ast
import doctest
import enum
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import dpcore
from tests.public_names import documented

ROOT = Path(dpcore.__file__).parent
SOURCES = sorted([*ROOT.rglob("*.py"), *(ROOT.parent / "pages").rglob("*.py")])
SECTION = r"(?m)^{}\n-+\n"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


PUBLIC = documented()
each_public = pytest.mark.parametrize("name", PUBLIC)


def section(name: str, title: str) -> str:
    """The text of a section of a docstring; empty without it."""
    text = inspect.getdoc(PUBLIC[name]) or ""
    parts = re.split(SECTION.format(title), text)
    return re.split(r"(?m)^\w[\w ]*\n-+\n", parts[1])[0] if len(parts) > 1 else ""


def parameters(each: Any) -> dict[str, inspect.Parameter]:
    """What a caller passes to a function, or to make an object."""
    if inspect.isabstract(each) or (inspect.isclass(each) and issubclass(each, enum.Enum)):
        return {}
    if isinstance(each, type) and issubclass(each, BaseException) and "__init__" not in vars(each):
        return {}
    return dict(inspect.signature(each).parameters)


@each_public
def test_each_parameter_has_a_type_a_default_and_a_meaning(name):
    text = section(name, "Parameters")
    entries = {}
    for line, meaning in re.findall(r"(?m)^(\S.*)\n((?:    .*\n?)+)", text):
        names, _, kind = line.partition(" : ")
        for each in names.split(", "):
            entries[each.lstrip("*")] = (kind, meaning.strip())
    wanted = parameters(PUBLIC[name])
    assert not set(wanted) - set(entries)
    for parameter in wanted.values():
        kind, meaning = entries[parameter.name]
        assert kind, f"{parameter.name} has no type"
        assert meaning.endswith("."), f"{parameter.name} has no meaning"
        optional = parameter.default not in (inspect.Parameter.empty, None)
        # bounds=None is there for scikit-learn, whose constructors take no required argument.
        assert "default=" in kind or not optional, f"{parameter.name} has no default"


@each_public
def test_each_function_says_what_it_returns(name):
    if not inspect.isclass(PUBLIC[name]):
        assert section(name, "Returns") or section(name, "Yields")


@each_public
def test_each_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (example,) = doctest.DocTestFinder(recurse=False).find(PUBLIC[name], name, globs={})
    assert example.examples, f"{name} has no example"
    lines: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=lines.append)
    assert not result.failed, "".join(lines)


def test_the_example_of_the_package_runs():
    assert doctest.testmod(dpcore, optionflags=FLAGS).failed == 0


def test_the_list_of_public_names_holds_functions_and_classes():
    assert {"dpcore.runs.run.run", "dpcore.geometry.domain.Box"} <= set(PUBLIC)
    assert len(PUBLIC) > 50


#: Phrases that a reader has to puzzle over, with what to write in their place.
RIDDLES = {
    r"\b(for|of|to|by) who\b": "name the person: the owner, the caller",
    r"[Ww]hat came of": "the result, the outcome",
    r"[Ww]hat (was|is) asked\b(?! (of|through))": "the question",
    r"in the paper's sense": "as the paper defines it",
    r"for the eyes of": "for the owner of the data",
    r"nobody's business": "say why it is not recorded",
    r"\AThe same\b(?=[,.;:]| (in|at|as|for|with|where|by|from)\b)": "name the thing",
    r"\b([Aa]t most|of|in|by|with) so (many|few)\b(?!.* that)": "name the number, or leave it out",
    r"\A(So|As) (many|few|much)\b": "begin with what the thing is",
    r"(?i)\A((by|in|on|at|for|of) )?(what|how|who|whom|whose|where|which|why|whichever)\b": (
        "a noun: the number, the place, the reason"
    ),
    r"\A(Those|Of|For each|For every|Without|That)\b": "begin with what the thing is",
}


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT.parent)))
def test_docstrings_are_plain(path):
    texts = [
        ast.get_docstring(node) or ""
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
    ]
    found = [riddle for riddle in RIDDLES if any(re.search(riddle, text) for text in texts)]
    assert found == []
