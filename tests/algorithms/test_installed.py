"""Methods of other packages: found by entry point, run like ours, unproven whatever they say."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MODULE = '''
from dpcore.algorithms.base import Algorithm
from dpcore.privacy.accounting import Verdict
from dpcore.results.run_result import Outcome

class Corners(Algorithm):
    """Idea: Put every center into a corner, without looking at a row.

    Unit: one row.
    """

    key, title, verdict = "corners", "Corners", Verdict.PROVED

    def run(self, curator, k):
        import numpy as np
        return Outcome(np.full((k, curator.d), 0.5))

class Silent(Algorithm):
    """Nothing is said here."""
    key, title = "silent", "Silent"
    def run(self, curator, k):
        raise AssertionError
'''
ENTRIES = """[dpcore.algorithms]
corners = other_methods:Corners
silent = other_methods:Silent
gone = no_such_module:Method
"""


def told(folder: Path, code: str) -> str:
    """What a program says in an environment where such a package is installed."""
    (folder / "other_methods.py").write_text(MODULE)
    info = folder / "other_methods-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other-methods\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRIES)
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), *sys.path])},
    )
    return run.stdout + run.stderr


def test_a_method_of_an_installed_package_runs_like_ours_and_is_unproven(tmp_path: Path) -> None:
    said = told(
        tmp_path,
        """if True:
        import dpcore
        from dpcore.algorithms import installed
        from dpcore.algorithms.references import bibtex, short
        system = dpcore.ALGORITHMS["corners"]
        print("verdict", system.verdict, short(system.paper), installed.FOUND)
        data = dpcore.datasets.load("iris")
        result = dpcore.run("corners", data, k=2, epsilon=1.0)
        print("ran", result.verdict, len(result.centers))
        print("swept", next(dpcore.sweep(["corners"], data, 2, [1.0], 1)).refusal)
        print("problems", sorted(installed.PROBLEMS))
        """,
    )
    assert "verdict UNPROVEN Another package {'corners': 'other_methods:Corners'}" in said
    assert "ran UNPROVEN 2" in said
    assert "swept None" in said
    assert "problems ['gone', 'silent']" in said
    assert "The method 'gone' (no_such_module:Method) is left out. ModuleNotFoundError" in said
    assert "no paragraph that begins with `Idea:`" in said


def test_the_command_line_lists_it_with_where_it_comes_from(tmp_path: Path) -> None:
    said = told(tmp_path, "from dpcore.cli import main; main(['list', 'corners'])")
    assert "Corners (corners): UNPROVEN" in said
    assert "Another package" in said
