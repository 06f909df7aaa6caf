"""The notebook of each chart, executed in a real kernel: it prints what the page shows."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpcore.study import duels
from pages.ui.compare import accuracy_duel, run_times
from tests.jupyter import executed
from tests.pages.sweeping import finished, until
from tests.pages.visits import visited, words

Files = dict[str, bytes]
SMALL = {"data": "iris", "algorithm": "dplloyd", "k": 3}
#: A page, its query, its notebook, and the file that has the same numbers.
CHARTS: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "curves": (
        "pages/1_curves.py",
        {**SMALL, "runs": 1, "from": 1.0, "to": 2.0, "with": "eugkm", "dplloyd.rounds": 3},
        "curves-not-private.ipynb",
        "curves-not-private.csv",
    ),
    "rank": (
        "pages/2_compare.py",
        {**SMALL, "runs": 1, "paper": "su2016"},
        "ranking-not-private.ipynb",
        "ranking-runs-not-private.csv",
    ),
    "map": (
        "pages/2_compare.py",
        {"compare": "map", "algorithm": "dplloyd", "cell_runs": 1, "k_to": 3, "d_to": 3},
        "map-not-private.ipynb",
        "map-runs-not-private.csv",
    ),
    "sizes": (
        "pages/2_compare.py",
        {**SMALL, "data": "s1-like", "compare": "size", "size_runs": 1, "coresets": "eugkm"},
        "sizes-not-private.ipynb",
        "sizes-not-private.csv",
    ),
}


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Files:
    """What every download button of the page would hand out."""
    caught: Files = {}
    real = st.download_button

    def button(label: str, data: Any, name: str = "", *rest: Any, **named: Any) -> bool:
        made = data() if callable(data) else data
        caught[name] = made.encode() if isinstance(made, str) else made
        return bool(real(label, made, name, *rest, **named))

    monkeypatch.setattr(st, "download_button", button)
    return caught


def rows(table: str) -> list[dict[str, str]]:
    """The rows of a table but for their times, which are never the same twice."""
    found = [dict(row) for row in csv.DictReader(io.StringIO(table))]
    for row in found:
        del row["seconds"]
    return sorted(found, key=lambda row: (row["algorithm"], row["epsilon"], row["seed"], str(row)))


@pytest.mark.parametrize("name", CHARTS)
def test_a_notebook_gives_the_numbers_that_the_file_of_the_chart_has(
    files: Files, name: str, tmp_path: Path
) -> None:
    page, query, notebook, table = CHARTS[name]
    finished(visited(page, **query))
    printed = executed(files[notebook], tmp_path)[-1]
    assert rows(printed) == rows(files[table].decode())
    assert len(rows(printed)) >= 4


def test_the_notebook_of_kept_curves_gives_the_numbers_that_are_kept(
    files: Files, tmp_path: Path
) -> None:
    query = {"data": "iris", "algorithm": "dplloyd", "runs": 2, "from": 1.0, "with": "eugkm"}
    app = visited("pages/1_curves.py", **query)
    assert "and kept" in words(app)
    printed = rows(executed(files["curves-not-private.ipynb"], tmp_path)[-1])
    kept = rows(files["curves-not-private.csv"].decode())
    assert len(printed) == len(kept) == 12
    for again, before in zip(printed, kept, strict=True):
        figures = {"nicv", "relative_error", "cost_gap", "shift"}
        assert again.keys() == before.keys() > figures
        for name, value in before.items():
            if name in figures:
                assert float(again[name]) == pytest.approx(float(value), rel=1e-5, abs=1e-7)
            else:
                assert again[name] == value


def printed_words(app: AppTest, files: Files, notebook: str, folder: Path) -> list[list[str]]:
    assert not app.exception
    return [line.split() for line in "".join(executed(files[notebook], folder)).splitlines()]


def test_the_notebook_of_the_predictions_prints_them(files: Files, tmp_path: Path) -> None:
    app = visited("pages/2_compare.py", compare="predict", data="iris", k=3)
    printed = printed_words(app, files, "predicted.ipynb", tmp_path)
    table = list(csv.DictReader(io.StringIO(files["predicted.csv"].decode())))
    found = {(key, float(e)): (float(noise), float(bias)) for key, e, noise, bias in printed}
    assert len(table) == len(found) > 20
    for row in table:
        noise, bias = float(row["noise"]), float(row["bias at most"])
        assert found[row["algorithm"], float(row["epsilon"])] == (noise, bias)


def test_the_notebook_of_the_map_of_auto_prints_it(files: Files, tmp_path: Path) -> None:
    app = visited("pages/2_compare.py", compare="auto", k=3)
    printed = printed_words(app, files, "auto.ipynb", tmp_path)
    table = list(csv.DictReader(io.StringIO(files["auto.csv"].decode())))
    assert {(n, d, " ".join(way)) for n, d, *way in printed} == {
        (row["n"], row["d"], row["way"]) for row in table
    }


def test_the_notebook_of_run_times_times_the_same_runs(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_times, "SIZES", (1_000, 3_000))
    query = {"compare": "time", "algorithm": "dplloyd", "timed": "eugkm", "rows": 30_000}
    app = finished(visited("pages/2_compare.py", **query, time_runs=1))
    printed = printed_words(app, files, "run-times.ipynb", tmp_path)
    assert [line[:2] for line in printed] == [
        [key, n] for n in ("1000", "3000") for key in ("dplloyd", "eugkm")
    ]


def test_the_notebook_of_the_attacks_prints_them(files: Files, tmp_path: Path) -> None:
    app = visited("pages/3_verdicts.py", method="eugkm")
    printed = printed_words(app, files, "attacks.ipynb", tmp_path)
    table = list(csv.DictReader(io.StringIO(files["attacks.csv"].decode())))
    assert [line[-1] for line in printed] == [row["lower_bound"] for row in table]
    assert len(table) > 5


def test_the_notebook_of_a_finding_measures_the_figures_of_its_file(
    files: Files, tmp_path: Path
) -> None:
    name = "balcan2017-table1"
    until(visited("pages/2_compare.py", compare="papers", live=name), "Live, in quick form")
    printed = "".join(executed(files[f"{name}-quick.ipynb"], tmp_path))
    table = files[f"{name}-quick.csv"].decode()
    assert printed.strip() == table.strip()
    rows = list(csv.DictReader(io.StringIO(table)))
    told = json.loads(files[f"{name}-quick.json"])
    assert [str(each["measured"]) for each in told] == [row["measured"] for row in rows]
    assert len(rows) == 10


def test_the_notebook_of_a_duel_fights_the_same_bouts(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = {"epsilons": (1.0, 2.0), "ks": (2, 3), "ns": (500,), "ds": (2,)}
    real = duels.MethodDuel
    monkeypatch.setattr(accuracy_duel, "MethodDuel", lambda *rest: real(*rest, **small))
    query = {"compare": "duel", "algorithm": "eugkm", "against": "kvariates", "duel_runs": 2}
    finished(visited("pages/2_compare.py", **query))
    printed = "".join(executed(files["duel.ipynb"], tmp_path))
    table = files["duel-runs.csv"].decode()
    assert printed.strip() == table.strip()
    assert len(table.splitlines()) == 1 + 2 * 4
