"""One tree of errors, drawn where it is declared; exit codes follow from the classes."""

from __future__ import annotations

import argparse
import ast
import inspect
import re
from pathlib import Path

import pytest

import dpcore
from dpcore import cli, errors

ROOT = Path(__file__).parents[1] / "dpcore"
CORE = sorted(ROOT.rglob("*.py"))
TREE = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, errors.DpcoreError)
]
#: Errors that nobody outside of dpcore meets: each is caught, or is a fault of the program.
INTERNAL = {
    "BrokenQuotesError",
    "Diverged",
    "NoRoom",
    "NoRows",
    "PrivacyMapError",
    "TooLarge",
    "TooLong",
    "_Wrong",
}
BUILT_IN = {"Exception", "ValueError", "RuntimeError", "OSError", "PermissionError", "TypeError"}


def test_the_tree_is_drawn_as_it_is():
    drawn = re.findall(r"^ +([│├└─ ]*)([A-Z]\w+) +(\d)?", inspect.getdoc(errors) or "", re.M)
    named = {name: code for _, name, code in drawn}
    assert set(named) == {kind.__name__ for kind in TREE}
    for kind in TREE:
        code = named[kind.__name__]
        assert kind is errors.DpcoreError or int(code) == kind.exit_code


def test_every_error_that_people_meet_is_in_the_tree():
    outside = {
        node.name
        for path in CORE
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and {ast.unparse(base) for base in node.bases} & BUILT_IN
    }
    assert outside - INTERNAL == {"DpcoreError", "BadInput", "Infeasible", "BudgetExceeded"}


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_the_command_line_ends_with_the_exit_code_of_the_class(kind, monkeypatch, capsys):
    def do(arguments):
        raise kind(*["no such column"] * (2 if kind is errors.DataFileError else 1))

    given = argparse.Namespace(do=do, quiet=False)
    monkeypatch.setattr(cli, "arguments_of", lambda words: given)
    assert cli.main([]) == kind.exit_code
    assert capsys.readouterr().err.startswith("dpcore: ")


def test_a_refusal_is_no_error_of_the_operating_system():
    assert not issubclass(dpcore.Refusal, OSError)


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_every_error_of_the_tree_has_a_public_name(kind):
    assert kind is errors.ReadingStopped or getattr(dpcore, kind.__name__) is kind


#: Layers that people call with values of their own.
CALLED = ("classroom", "cli", "papers", "runs", "study")


@pytest.mark.parametrize("layer", CALLED)
def test_what_a_person_typed_is_refused_by_an_error_of_the_tree(layer):
    plain = [
        f"{path.name}:{node.lineno}"
        for path in CORE
        if layer in path.relative_to(ROOT).parts
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Raise) and "ValueError(" in ast.unparse(node)
    ]
    assert plain == []
