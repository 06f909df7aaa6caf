"""Figures of merit against hand-computed values."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import dpcore
from dpcore import cli
from dpcore.datasets import DataInfo, RowsDataset
from dpcore.geometry.domain import Box, to_ticks
from dpcore.study.metrics import METRICS, Metric, Solution, cost_gap, nicv, relative_error
from dpcore.study.shifts import center_shift, matched, meters_between
from dpcore.study.sweep_plan import as_csv, as_json

BOX = Box((0.0, 0.0), (10.0, 20.0))


def test_nicv_is_the_mean_squared_distance_in_the_box_scaled_to_two():
    data = RowsDataset.from_values([[2.5, 5.0], [7.5, 15.0]], BOX)
    # In unit coordinates the rows are (-.5, -.5) and (.5, .5); the center is the origin.
    assert nicv(data, [[5.0, 10.0]]) == pytest.approx(0.5, rel=1e-5)
    assert nicv(data, [[2.5, 5.0], [7.5, 15.0]]) == pytest.approx(0.0, abs=1e-10)


def test_nicv_of_no_rows_is_zero():
    assert nicv(RowsDataset.from_values(np.empty((0, 2)), BOX), [[5.0, 10.0]]) == 0


def test_relative_error_can_be_negative_and_cost_gap_cannot():
    assert relative_error(1.1, 1.0) == pytest.approx(0.1)
    assert relative_error(0.9, 1.0) == pytest.approx(-0.1)
    assert cost_gap(0.9, 1.0) == pytest.approx(0.1)


def test_centers_are_matched_one_to_one_for_the_least_total_shift():
    reference = [[1.0, 1.0], [2.0, 2.0], [9.0, 19.0]]
    assert matched(reference[::-1], reference, BOX).tolist() == [2, 1, 0]


def test_a_degree_of_latitude_is_111_kilometers_and_one_of_longitude_less():
    assert meters_between([-74.0, 40.0], [-74.0, 41.0]) == pytest.approx(111_195, rel=1e-4)
    at_40 = meters_between([-74.0, 40.0], [-73.0, 40.0])
    assert at_40 == pytest.approx(111_195 * np.cos(np.radians(40)), rel=1e-3)


def test_shifts_are_told_in_meters_on_a_map_and_in_unit_coordinates_elsewhere():
    box = Box((-74.1, 40.7), (-73.9, 40.9))
    here = RowsDataset.from_values([[-74.0, 40.8]], box, DataInfo(geographic=True))
    assert center_shift(here, [[-74.0, 40.8]], [[-74.0, 40.801]])[0] == pytest.approx(
        111.2, rel=1e-3
    )
    plain = RowsDataset.from_values([[5.0, 5.0]], BOX)
    assert center_shift(plain, [[5.0, 10.0]], [[6.0, 10.0]])[0] == pytest.approx(0.2)


def test_a_trip_moves_as_far_as_the_farther_of_its_two_ends():
    trips = dpcore.datasets.load("nyc-taxi-trips")
    moved = center_shift(trips, [[-74.0, 40.8, -74.0, 40.8]], [[-74.0, 40.8, -74.0, 40.802]])
    assert moved[0] == pytest.approx(222.4, rel=1e-3)


def test_a_metric_is_one_entry(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is then in sweeps, in files and on the command line; on Curves as well, see there."""
    smallest = Metric(
        "smallest-cluster",
        "Smallest cluster",
        "How many rows the smallest cluster has.",
        lambda found, _: float(found.data.cluster_totals(ticks(found)).counts.min()),
    )
    monkeypatch.setitem(METRICS, "smallest-cluster", smallest)
    (trial,) = dpcore.sweep(["dplloyd"], dpcore.datasets.load("s1-like"), 3, [1.0], 1)
    assert trial.figures["smallest-cluster"] > 0
    assert "smallest_cluster" in as_csv([trial]).splitlines()[0]
    assert json.loads(as_json([trial]))[0]["smallest_cluster"] > 0

    line = "sweep dplloyd --data s1-like -k 3 --runs 1 --epsilons 1 --metrics smallest-cluster nicv"
    cli.main(line.split())
    text = capsys.readouterr().out
    assert "mean Smallest cluster" in text
    assert "mean NICV" in text
    assert f"{trial.figures['smallest-cluster']:g}" in text
    cli.main([*line.split(), "--csv"])
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert float(row["smallest_cluster"]) == trial.figures["smallest-cluster"]
    assert float(row["nicv"]) == trial.figures["nicv"]
    assert "shift" not in row


def ticks(found: Solution) -> np.ndarray:
    return to_ticks(found.data.box.to_unit(found.centers))
