"""Across k and d the same trials are made as on each set alone, round by round."""

from __future__ import annotations

import csv
import io
import itertools
import shlex
import subprocess

import pytest

import dpcore
from dpcore import Request, cli
from dpcore.study.k_by_d_sweep import Cell, Family, advantage, as_csv, standings
from dpcore.study.metrics import METRICS
from dpcore.study.trials import Trial

REQUESTS = tuple(Request(key, 2, 1.0, seed=3) for key in ("dplloyd", "eugkm"))
SMALL = Family(REQUESTS, 2, ks=(2, 3), ds=(2, 5))
NICV = METRICS["nicv"]


def figures(cells: list[Cell]) -> set[tuple[int, int, str, int, float, float]]:
    return {
        (
            c.k,
            c.d,
            c.trial.algorithm,
            c.trial.run,
            c.trial.figures["nicv"],
            c.trial.figures["relative-error"],
        )
        for c in cells
    }


def swept(k: int, d: int) -> list[Trial]:
    data = dpcore.datasets.load(f"gaussians-k{k}-d{d}")
    return list(dpcore.sweep(["dplloyd", "eugkm"], data, k, [1.0], 2, seed=3))


def test_the_trials_are_those_of_a_sweep_of_each_member():
    alone = [Cell(k, d, t) for k, d in itertools.product((2, 3), (2, 5)) for t in swept(k, d)]
    together = list(SMALL.cells())
    assert figures(together) == figures(alone)
    assert len(together) == SMALL.total == 16


def test_every_cell_has_its_first_trial_before_any_has_its_second():
    first = list(itertools.islice(SMALL.alone("eugkm").cells(), 4))
    assert {(c.k, c.d, c.trial.run) for c in first} == {(k, d, 0) for k in (2, 3) for d in (2, 5)}


def test_a_member_that_an_algorithm_cannot_run_on_says_why_and_the_others_go_on():
    family = Family((Request("coreset", 5, 20.0, seed=0),), 1, ks=(2,), ds=(2, 5))
    found = standings(family.cells(), "coreset", NICV)
    assert found[2, 2].point is not None
    assert "2 to 4 dimensions" in str(found[2, 5].refusal)


def test_twice_the_figure_of_the_other_is_an_advantage_of_two():
    def at(nicv: float) -> object:
        cell = Cell(2, 2, Trial(Request("eugkm", 2, 1.0), 0, {"nicv": nicv}))
        return standings([cell], "eugkm", NICV)[2, 2]

    assert advantage(at(1.0), at(2.0)) == 2
    assert advantage(at(1.0), None) is None
    assert advantage(at(0.0), at(2.0)) is None


def test_the_program_repeats_the_trials():
    scope: dict[str, dict[tuple[int, int], list[Trial]]] = {}
    exec(SMALL.python(), scope)
    again = [Cell(k, d, t) for (k, d), trials in scope["trials"].items() for t in trials]
    assert figures(again) == figures(list(SMALL.cells()))


def test_the_shell_lines_repeat_the_trials(capsys: pytest.CaptureFixture[str]):
    family = SMALL.alone("dplloyd")
    shown = family.command().replace("dpcore sweep", "echo sweep")
    lines = subprocess.run(["sh", "-c", shown], capture_output=True, text=True, check=True).stdout
    rows = []
    for line in lines.splitlines():
        cli.main(shlex.split(line))
        rows += list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {float(row["nicv"]) for row in rows} == {c.trial.figures["nicv"] for c in family.cells()}
    assert len(rows) == 8


def test_the_table_names_k_and_d():
    rows = list(csv.DictReader(io.StringIO(as_csv(SMALL.cells()))))
    assert [(row["k"], row["d"]) for row in rows[:4]] == [
        ("2", "2"),
        ("2", "2"),
        ("3", "2"),
        ("3", "2"),
    ]
    assert rows[0]["algorithm"] == "dplloyd"
