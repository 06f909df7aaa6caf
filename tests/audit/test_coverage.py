"""Every branch of every algorithm whose claim holds is entered by some case of the audit."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.audit.coverage import EXCUSED, Coverage, covered, watched_modules

SOURCE = """
def way(x, items=()):
    for item in items:
        x += item
    return "more" if x > 1 and x < 9 else [y for y in items if y]
"""


@pytest.fixture
def module(tmp_path):
    path = tmp_path / "ways.py"
    path.write_text(SOURCE)
    found = ModuleType("ways")
    found.__file__ = str(path)
    exec(compile(SOURCE, str(path), "exec"), found.__dict__)
    sys.modules["ways"] = found
    yield found
    del sys.modules["ways"]


def test_branches_that_were_not_entered_are_told(module):
    coverage = Coverage([module])
    assert not coverage.entered
    coverage.watch(lambda: module.way(5))
    missing = {branch.words for branch in coverage.missing()}
    assert "x > 1 → false" in missing
    assert "x > 1 → true" not in missing
    assert any("entered" in words for words in missing)
    coverage.watch(lambda: [module.way(0, [0]), module.way(10), module.way(-5, [1])])
    assert coverage.missing() == []


def test_every_algorithm_whose_claim_holds_is_watched():
    names = {module.__name__ for module in watched_modules()}
    assert {type(a).__module__ for a in ALGORITHMS.values() if a.verdict.holds} <= names


def test_every_branch_is_entered_by_some_case_or_excused_with_a_reason():
    coverage = covered()
    missing = [f"{branch.file}:{branch.line}: {branch.words}" for branch in coverage.missing()]
    assert not missing, "add a Room to the algorithm's AuditHints, or an excuse:\n" + "\n".join(
        missing
    )
    assert all(EXCUSED.values())
