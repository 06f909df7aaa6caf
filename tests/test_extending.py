"""Adding to the project takes what CONTRIBUTING says, and nothing else.

Each addition is made in a temporary copy: an algorithm as one module, a data set and a metric as
one entry each, a page as one file and one line. Then the command line, the pages and the tests that
hold for everything registered are run there.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PARTS = ("app.py", "data", "dpcore", "pages", "pyproject.toml", "tests", ".streamlit")

ALGORITHM = '''"""The heaviest cells of a noisy grid."""

from __future__ import annotations

import numpy as np

from dpcore.algorithms.base import Algorithm, Parameter, register
from dpcore.geometry.domain import Grid
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.losses import Pure
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome


@register
class HeaviestCells(Algorithm):
    """The k cells of a coarse grid that hold most rows, by their noisy counts.

    Idea: Rows are divided at random into two parts. Each part votes for cells by noisy counts.

    Unit: one row.

    Relation: add/remove; replace-one with doubled noise.

    Private: A row lies in one part and in one cell of it, so it changes one count by 1. The parts
    are disjoint, so each may spend the whole budget.
    """

    key = "heaviest-cells"
    title = "Heaviest cells"
    paper = "ours"
    verdict = Verdict.PROVED
    parameters = (Parameter("side", "Cells along each coordinate.", 2, 1, 8),)

    def obstacle(self, d: int, n: int | None, k: int) -> str | None:
        return None if d <= 8 and k <= 2**d else "there are fewer cells than centers."

    def run(self, curator: Curator, k: int, *, side: int) -> Outcome:
        grid = Grid(curator.box, max(side, int(np.ceil(k ** (1 / curator.d)))))
        votes = np.zeros(grid.n_cells, dtype=np.int64)
        for part in curator.in_parts(2, curator.budget):
            votes += part.noisy_counts(grid, Pure(curator.budget.epsilon), "rows in each cell")
        heaviest = np.argsort(-votes, kind="stable")[:k]
        return Outcome(grid.centers()[heaviest])
'''

DATA_SET = """    BuiltinSet(
        _info(
            "two-lines",
            "Two lines",
            "200 simulated points on two lines.",
            "point",
            simulated=True,
        ),
        Box.cube(2),
        lambda: np.stack([np.linspace(-0.9, 0.9, 200), np.repeat([-0.5, 0.5], 100)], axis=1),
        200,
    ),
"""

METRIC = """        Metric(
            "worst-shift",
            "Worst center shift",
            "How far the one of the centers lies that is farthest from its non-private partner.",
            lambda found, best: float(
                np.max(center_shift(found.data, found.centers, best.centers))
            ),
        ),
"""

PAGE = '''"""A page that says hello."""

from __future__ import annotations

import streamlit as st

from pages.ui import frame


def main() -> None:
    frame.frame("Hello")
    st.title("Hello, reader")


main()
'''
PAGE_LINE = '    ("pages/9_hello.py", "Hello", ":material/waving_hand:"),\n'

#: Opens pages in the copy, and prints what it sees there as JSON.
OPEN = """
import json, sys, time
from streamlit.testing.v1 import AppTest

seen = {}
for name, file, query, awaited in json.loads(sys.argv[1]):
    app = AppTest.from_file("app.py", default_timeout=600)
    if file != "app.py":
        app = app.switch_page(file)
    for key, value in query.items():
        app.query_params[key] = value
    end = time.monotonic() + 300
    while True:
        app.run()
        assert not app.exception, app.exception
        elements = [*app.title, *app.markdown, *app.caption, *app.warning]
        text = "\\n".join(str(each.value) for each in elements)
        text += "\\n".join(each.proto.body for each in app.get("html"))
        tables = [each.proto for each in app.get("bidi_component")]
        text += "\\n".join(each.json for each in tables if each.component_name == "verdict-table")
        charts = "\\n".join(each.proto.spec for each in app.get("plotly_chart"))
        if awaited in text + charts or time.monotonic() > end:
            break
        time.sleep(0.1)
    options = {str(o) for each in [*app.selectbox, *app.multiselect] for o in each.options}
    links = [each.proto.label for each in app.get("page_link")]
    seen[name] = {"text": text, "charts": charts, "options": sorted(options), "links": links}
print(json.dumps(seen))
"""
RUN = {"algorithm": "heaviest-cells", "data": "two-lines", "k": "2"}
CURVE = RUN | {"metric": "worst-shift", "runs": "1", "from": "1.0", "to": "1.0"}
VISITS = (
    ("Explore", "app.py", RUN, "Blue"),
    ("Curves", "pages/1_curves.py", CURVE, "finished"),
    ("Compare", "pages/2_compare.py", RUN | {"paper": "ours"}, "heaviest-cells"),
    ("Verdicts", "pages/3_verdicts.py", {"paper": "ours"}, "Heaviest cells"),
    ("Its own page", "pages/3_verdicts.py", {"method": "heaviest-cells"}, "Heaviest cells"),
    ("Hello", "pages/9_hello.py", {}, "Hello, reader"),
)


class Copy:
    """A copy of the project with one addition of each kind."""

    def __init__(self, folder: Path):
        self.folder = folder
        for part in PARTS:
            source, target = ROOT / part, folder / part
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, target)
        (folder / "dpcore/algorithms/heaviest_cells.py").write_text(ALGORITHM)
        (folder / "pages/9_hello.py").write_text(PAGE)
        self._insert("dpcore/datasets/builtin.py", "    gaussian_family(5, 4),\n", DATA_SET)
        self._insert("dpcore/study/metrics.py", '        Metric(\n            "cost-gap",', METRIC)
        self._insert("pages/ui/frame.py", '    ("pages/5_learn.py"', PAGE_LINE)

    def _insert(self, file: str, before: str, lines: str) -> None:
        text = (self.folder / file).read_text()
        assert text.count(before) == 1
        (self.folder / file).write_text(text.replace(before, lines + before))

    def run(self, *arguments: str) -> str:
        """Run Python in the copy and return what it prints."""
        environment = os.environ | {
            "PYTHONPATH": str(self.folder),
            "DPCORE_LEDGER": str(self.folder / "ledger"),
            "DPCORE_DATA": str(self.folder),
        }
        run = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("extended"))


@pytest.fixture(scope="module")
def seen(copy: Copy) -> dict[str, Any]:
    return json.loads(copy.run("-c", OPEN, json.dumps(VISITS)).splitlines()[-1])


def test_the_copy_is_what_runs(copy: Copy) -> None:
    printed = copy.run("-c", "import dpcore; print(dpcore.__file__)")
    assert Path(printed.strip()).is_relative_to(copy.folder)


def test_a_new_algorithm_and_a_new_data_set_are_listed_and_run(copy: Copy) -> None:
    listed = copy.run("-m", "dpcore", "list")
    assert "heaviest-cells" in listed
    assert "two-lines" in listed
    line = "run heaviest-cells --data two-lines -k 2 --epsilon 1 --seed 0 --json"
    result = json.loads(copy.run("-m", "dpcore", *line.split()))
    assert result["private"]
    assert len(result["centers"]) == 2


def test_a_new_metric_is_measured_by_sweeps_and_drawn_on_curves(copy: Copy, seen) -> None:
    line = "sweep heaviest-cells --data two-lines -k 2 --epsilons 1 --runs 1 --csv"
    (trial,) = csv.DictReader(copy.run("-m", "dpcore", *line.split()).splitlines())
    assert float(trial["worst_shift"]) >= 0
    assert "Worst center shift" in seen["Curves"]["charts"]


@pytest.mark.parametrize("page", ["Explore", "Curves", "Compare"])
def test_they_can_be_chosen_on_every_page_that_runs_algorithms(page, seen) -> None:
    options = "\n".join(seen[page]["options"])
    assert "Heaviest cells" in options
    assert "Two lines" in options


def test_the_new_algorithm_is_drawn_on_the_pages(seen) -> None:
    assert "Blue:" in seen["Explore"]["text"]
    assert "finished" in seen["Curves"]["text"]
    assert "Heaviest cells" in seen["Curves"]["charts"]
    assert "heaviest-cells" in seen["Compare"]["charts"]


def test_its_verdict_is_shown_with_the_word_that_nobody_audited_it_yet(seen) -> None:
    line = seen["Verdicts"]["text"].partition(">Heaviest cells<")[2].partition("</tr>")[0]
    assert ">Proved<" in line
    assert ">not audited<" in line
    own = seen["Its own page"]["text"]
    assert "PROVED" in own.partition("Heaviest cells")[2].splitlines()[0]
    assert "Not audited yet." in own


def test_a_new_page_is_in_the_menu_of_every_page(seen) -> None:
    assert "Hello, reader" in seen["Hello"]["text"]
    for page in seen.values():
        assert "Hello" in page["links"]


def test_no_test_of_everything_registered_fails_for_them(copy: Copy) -> None:
    named = "heaviest or HeaviestCells or two-lines or 9_hello or simulated_says_so"
    suites = (
        "tests/algorithms/test_all.py",
        "tests/audit/test_seam.py",
        "tests/audit/test_claims_by_replay.py",
        "tests/audit/test_claims_by_events.py",
        "tests/datasets/test_builtin.py",
        "tests/test_architecture.py",
    )
    printed = copy.run("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", named, *suites)
    assert int(printed.split(" passed")[0].split()[-1]) > 20
