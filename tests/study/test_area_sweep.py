"""The level of one area against the error there and on the whole map."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest

import dpcore
from dpcore import regions
from dpcore.cli import BAD_INPUT, main
from dpcore.datasets.divided import rows_in
from dpcore.results.non_private import NonPrivate
from dpcore.study.area_sweep import area_curve, area_sweep
from dpcore.study.metrics import METRICS

TAXI = dpcore.datasets.load("nyc-taxi")
BOROUGHS = regions.boroughs().with_levels({"Queens": 0.5})
ASKED = dpcore.Request("adaptive", 4, 2.0, seed=0, regions=BOROUGHS)
SWEEP = ["sweep", "adaptive", "--data", "nyc-taxi", "-k", "4", "--regions", "boroughs"]


@pytest.fixture(scope="module")
def trials():
    return list(area_sweep(ASKED, TAXI, "Manhattan", [0.002, 2.0], runs=4, metrics=["nicv"]))


def test_a_lower_level_costs_most_in_the_area_itself(trials):
    assert [(trial.run, trial.level) for trial in trials[:3]] == [(0, 0.002), (0, 2.0), (1, 0.002)]
    inside, whole = (area_curve(trials, METRICS["nicv"], where) for where in ("inside", "whole"))
    gains = [curve.points[0].mean / curve.points[1].mean for curve in (inside, whole)]
    assert [point.epsilon for point in inside.points] == [0.002, 2.0]
    assert gains[0] > gains[1] > 1


def test_a_trial_is_the_run_that_its_seed_and_levels_give(trials):
    last = trials[-1]
    drawn = BOROUGHS.with_levels({"Queens": 0.5, "Manhattan": 2.0})
    again = dpcore.run("adaptive", TAXI, 4, 2.0, seed=last.seed, regions=drawn)
    assert dpcore.nicv(TAXI, again.centers) == last.whole["nicv"]


def test_the_rows_of_all_areas_are_all_rows():
    for data in (TAXI, dpcore.datasets.load("nyc-month")):
        parts = [rows_in(data, BOROUGHS, name) for name in BOROUGHS.names]
        assert sum(part.n for part in parts) == data.n
        centers = TAXI.box.to_unit(np.array([[-73.98, 40.75]]))
        assert sum(part.cost(centers[None])[0] for part in parts) == pytest.approx(
            data.cost(centers[None])[0]
        )


def test_on_data_of_ones_own_each_trial_is_not_private():
    rows = np.random.default_rng(0).uniform(-1, 1, (500, 2))
    own = dpcore.datasets.from_array(rows, (-1, 1))
    drawn = regions.boxes({"left": ((-1, -1), (0, 1))}, own.box)
    asked = dpcore.Request("eugkm", 2, 1.0, regions=drawn)
    (trial,) = area_sweep(asked, own, "left", [0.5], runs=1)
    assert isinstance(trial, NonPrivate)


@pytest.mark.parametrize(
    ("asked", "area", "levels", "complaint"),
    [
        (ASKED, "Paris", [1.0], "No region 'Paris'"),
        (ASKED, "Bronx", [3.0], "'Bronx' must be a number from"),
        (ASKED, "Bronx", [], "Give at least one level for 'Bronx'"),
        (dpcore.Request("adaptive", 4, 2.0), "Bronx", [1.0], "needs a request with regions"),
    ],
)
def test_an_impossible_sweep_is_refused_before_any_run(asked, area, levels, complaint):
    with pytest.raises(dpcore.BadInput, match=complaint):
        area_sweep(asked, TAXI, area, levels)


# The command.


def test_the_table_shows_the_error_in_the_area_and_on_the_whole_map(capsys):
    words = [*SWEEP, "--area", "Manhattan", "--epsilons", "0.1", "2", "--runs", "1"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "level of Manhattan" in text
    assert "in Manhattan " in text


def test_a_file_has_every_figure_of_both(capsys):
    levels = ["--epsilons", "0.1", "--most", "2", "--runs", "2", "--csv"]
    assert main([*SWEEP, "--area", "Queens", *levels]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert len(rows) == 2
    assert {"area", "level", "nicv", "nicv_inside", "seconds"} <= set(rows[0])


def test_an_ordinary_sweep_takes_regions_as_they_are(capsys):
    words = [*SWEEP, "--level", "Queens=0.1", "--epsilons", "0.5", "1", "--runs", "1", "--csv"]
    assert main(words) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    drawn = regions.boroughs().with_levels({"Queens": 0.1})
    again = dpcore.run("adaptive", TAXI, 4, 1.0, seed=int(rows[1]["seed"]), regions=drawn)
    assert float(rows[1]["nicv"]) == pytest.approx(dpcore.nicv(TAXI, again.centers))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--most", "2"], "--most needs --area"),
        (["--area", "Bronx", "--json"], "as a table or with --csv"),
        (["--area", "Paris"], "No region 'Paris'"),
    ],
)
def test_arguments_that_do_not_fit_are_one_line(more, words, capsys):
    assert main([*SWEEP, *more]) == BAD_INPUT
    assert words in capsys.readouterr().err
