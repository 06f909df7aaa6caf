"""Figures that look at the data: plain where these are public, marked as not private elsewhere."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import dpcore
from dpcore.cli import main
from dpcore.datasets import DataInfo
from dpcore.results.non_private import NonPrivate, opened
from dpcore.study import metrics

ROWS = np.random.default_rng(0).uniform(-1, 1, (200, 2))
OWN = dpcore.datasets.from_array(ROWS, (-1, 1))
PUBLIC = dpcore.datasets.load("s1-like")
CENTERS = [[0.0, 0.0], [0.5, 0.5]]


@pytest.fixture
def own_file(tmp_path) -> str:
    path = tmp_path / "own.csv"
    path.write_text("x,y\n" + "".join(f"{x},{y}\n" for x, y in ROWS.tolist()))
    return str(path)


def test_figures_on_public_data_are_plain_numbers():
    assert isinstance(dpcore.nicv(PUBLIC, CENTERS), float)
    assert isinstance(dpcore.center_shift(PUBLIC, CENTERS, CENTERS), np.ndarray)
    (trial,) = dpcore.sweep(["dplloyd"], PUBLIC, 2, [1.0], runs=1)
    assert isinstance(trial, dpcore.Trial)


def test_figures_on_data_of_ones_own_hide_their_value_until_it_is_asked_for():
    for figure in (
        dpcore.nicv(OWN, CENTERS),
        dpcore.center_shift(OWN, CENTERS, CENTERS),
        *dpcore.sweep(["dplloyd"], OWN, 2, [1.0], runs=1),
    ):
        assert isinstance(figure, NonPrivate)
        assert repr(figure) == "NonPrivate(for your eyes only: .value opens it)"
        assert f"{figure}" == repr(figure)
    assert dpcore.nicv(OWN, CENTERS).value == metrics.nicv(OWN.value, CENTERS)
    (trial,) = dpcore.sweep(["dplloyd"], OWN, 2, [1.0], runs=1)
    assert trial.value.figures["nicv"] > 0


def test_data_of_ones_own_show_no_exact_number_until_they_are_opened():
    assert isinstance(OWN.n, NonPrivate)
    assert OWN.n.value == OWN.value.n == len(ROWS)
    for name in ("histogram", "positions", "cluster_totals", "cost"):
        assert not hasattr(OWN, name)
        assert hasattr(OWN.value, name)
    assert OWN.d == 2
    assert OWN.box == OWN.value.box
    assert isinstance(PUBLIC.n, int)


def test_everything_takes_data_of_ones_own_as_it_takes_public_data():
    shared = dpcore.datasets.from_array(ROWS, (-1, 1), about=DataInfo(public=True))
    own, same = (dpcore.run("dplloyd", data, 2, 1.0, seed=0).centers for data in (OWN, shared))
    np.testing.assert_array_equal(own, same)
    own, same = (dpcore.baseline(data, 2).centers for data in (OWN, shared))
    np.testing.assert_array_equal(own, same)
    (own,), (same,) = (dpcore.sweep(["dplloyd"], d, 2, [1.0], 1) for d in (OWN, shared))
    assert (
        own.value.figures["nicv"]
        == same.figures["nicv"]
        == dpcore.nicv(shared, own_centers(same.seed))
    )


def own_centers(seed: int):
    return dpcore.run("dplloyd", OWN, 2, 1.0, seed=seed).centers


def test_opening_what_is_plain_changes_nothing():
    assert opened(1.5) == opened(NonPrivate(1.5)) == 1.5


def test_who_says_that_data_are_public_gets_plain_numbers():
    shared = dpcore.datasets.from_array(ROWS, (-1, 1), about=DataInfo(public=True))
    assert isinstance(dpcore.nicv(shared, CENTERS), float)


def test_only_built_in_sets_and_twins_are_public(own_file):
    assert not OWN.about.public
    box = ([-1, -1], [1, 1])
    assert not dpcore.datasets.from_file(own_file, ["x", "y"], box).about.public
    assert all(dpcore.datasets.load(key).about.public for key in ("nyc-taxi", "iris", "s1-like"))


def test_a_data_set_in_text_tells_public_facts_only():
    assert repr(OWN) == "<Your data, in the box x0 -1 to 1, x1 -1 to 1>"
    more = dpcore.datasets.from_array(np.vstack([ROWS, ROWS[:1]]), (-1, 1))
    assert repr(more) == repr(OWN)
    assert "pickup" in repr(dpcore.datasets.load("nyc-taxi-trips"))


def sweep(*options: str) -> list[str]:
    return ["sweep", "dplloyd", "-k", "2", "--runs", "2", "--epsilons", "1", *options]


def test_a_sweep_of_ones_own_file_says_in_every_row_that_it_is_not_private(own_file, capsys):
    own = ["--data", own_file, "--columns", "x", "y", "--box", "-1", "-1", "1", "1"]
    assert main([*sweep("--csv"), *own]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert main([*sweep("--json"), *own]) == 0
    rows += json.loads(capsys.readouterr().out)
    assert len(rows) == 4
    assert {row["status"] for row in rows} == {"not private, for your eyes only"}


@pytest.mark.parametrize("shape", ["--csv", "--json"])
def test_a_sweep_of_a_built_in_set_needs_no_such_mark(shape, capsys):
    assert main([*sweep(shape), "--data", "s1-like"]) == 0
    assert "status" not in capsys.readouterr().out


@pytest.mark.parametrize("shape", ["csv", "geojson", "json"])
def test_every_file_of_a_run_says_inside_that_it_is_simulated(shape, tmp_path, capsys):
    path = tmp_path / f"centers.{shape}"
    run = ["run", "dplloyd", "--data", "nyc-taxi", "-k", "2", "--epsilon", "1", "--seed", "7"]
    assert main([*run, "--output", str(path)]) == 0
    assert "simulated, not for publication" in capsys.readouterr().err
    assert "simulated, not for publication" in path.read_text()
    assert main([*run, "--format", shape]) == 0
    assert capsys.readouterr().out == path.read_text() + "\n" * (shape != "csv")


def test_the_estimator_says_that_its_noise_is_simulated():
    model = dpcore.PrivateKMeans(2, bounds=(-1, 1), random_state=0)
    assert "simulated, not for publication" in repr(model)
    assert "simulated" in model.__doc__.split("Parameters")[0]
    assert "simulated" in repr(model.fit(ROWS).result_)
