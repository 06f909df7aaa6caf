"""A sweep is made again by the lines that its plan gives."""

from __future__ import annotations

import csv
import io
import json
import shlex
from dataclasses import replace
from typing import Any

import pytest

import dpcore
from dpcore import Request, cli
from dpcore.privacy.accounting import Neighbors
from dpcore.study.sweep_plan import SweepPlan, across, as_csv, as_json

EUGKM = Request("eugkm", 3, 0.5, neighbors=Neighbors.REPLACE_ONE, seed=4)
DPLLOYD = replace(EUGKM, algorithm="dplloyd", settings={"rounds": 3, "start": "packing"})
METRICS = ("nicv", "mean-distance", "points")
PLAN = SweepPlan("s1-like", across([DPLLOYD, EUGKM], [0.5, 0.1 + 0.2]), 2, METRICS)
#: One of the two makes fewer runs.
UNEVEN = replace(PLAN, fewer=(("eugkm", 1),))
EITHER = pytest.mark.parametrize("plan", [PLAN, UNEVEN], ids=["even", "uneven"])


def trials_of(plan: SweepPlan) -> list[dpcore.Trial]:
    data = dpcore.datasets.load(plan.data)
    all_runs = dpcore.sweep(plan.requests, data, runs=plan.runs, metrics=plan.metrics)
    return [trial for trial in all_runs if trial.run < plan.runs_of(trial.algorithm)]


def figures(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Without the time a run took, which never repeats."""
    return sorted(
        ({n: v for n, v in row.items() if n != "seconds"} for row in rows), key=lambda r: str(r)
    )


@EITHER
def test_the_shell_lines_repeat_the_trials(plan: SweepPlan, capsys: pytest.CaptureFixture[str]):
    rows = []
    for line in plan.command().splitlines():
        cli.main(shlex.split(line)[1:])
        rows += list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    own = list(csv.DictReader(io.StringIO(as_csv(trials_of(plan)))))
    assert figures(rows) == figures(own)


@EITHER
def test_the_program_repeats_the_trials(plan: SweepPlan):
    scope: dict[str, list[dpcore.Trial]] = {}
    exec(plan.python(), scope)
    own = json.loads(as_json(trials_of(plan)))
    again = json.loads(as_json(scope["trials"]))
    assert figures(again) == figures(own)
    assert len(again) == plan.total


@EITHER
def test_trials_are_put_in_the_order_of_a_sweep(plan: SweepPlan):
    trials = trials_of(plan)
    assert plan.ordered(reversed(trials)) == trials


def test_a_call_and_regions_have_one_number_of_runs_for_all() -> None:
    assert UNEVEN.total == 6
    with pytest.raises(ValueError, match="use the program"):
        UNEVEN.call()


def test_one_line_is_enough_while_nobody_has_settings_of_their_own():
    requests = (Request("dplloyd", 3, 0.5, seed=0), Request("eugkm", 3, 0.5, seed=0))
    plain = SweepPlan("s1-like", requests, 2)
    assert plain.command() == (
        "dpcore sweep dplloyd eugkm --data s1-like -k 3 --epsilons 0.5 --runs 2 --seed 0 --csv"
    )


def test_what_is_not_a_number_becomes_null():
    refused = dpcore.Trial.refused(EUGKM, 0, METRICS, "Too little.")
    (row,) = json.loads(as_json([refused]))
    assert row["nicv"] is None
    assert row["refusal"] == "Too little."


@pytest.mark.parametrize(
    "requests",
    [
        (),
        (EUGKM, DPLLOYD, EUGKM.at(1.0)),
        (EUGKM, DPLLOYD.at(1.0)),
        (EUGKM, DPLLOYD.with_seed(5)),
        (EUGKM, DPLLOYD.on(4)),
        (EUGKM, replace(DPLLOYD, neighbors="add-remove")),
    ],
)
def test_a_plan_is_of_requests_that_differ_in_algorithm_and_level_only(
    requests: tuple[Request, ...],
) -> None:
    with pytest.raises(ValueError, match="differ in algorithm and epsilon only"):
        SweepPlan("s1-like", requests, 2)


def test_old_columns_keep_their_names() -> None:
    trials = list(dpcore.sweep([EUGKM], dpcore.datasets.load("s1-like"), runs=1))
    head = as_csv(trials).splitlines()[0].split(",")
    assert {"nicv", "relative_error", "shift", "points", "seconds", "refusal"} < set(head)
    assert as_csv(trials_of(PLAN)).splitlines()[0] == (
        "algorithm,epsilon,run,seed,nicv,mean_distance,points,seconds,refusal"
    )


def test_a_sweep_by_regions_is_repeated_by_its_command_and_its_program(tmp_path, monkeypatch):
    drawn = dpcore.regions.boroughs().with_levels({"Manhattan": 0.2})
    first = Request("eugkm", 2, 0.5, seed=0, regions=drawn)
    second = Request("adaptive", 2, 0.5, seed=0, regions=drawn, settings={"points": 30})
    plan = SweepPlan("nyc-taxi", across([first, second], (0.5, 1.0)), 1, ("nicv",))
    assert plan.command(regions="boroughs").splitlines()[0] == (
        "dpcore sweep eugkm --data nyc-taxi -k 2 --epsilons 0.5 1 --runs 1 --seed 0 "
        "--regions boroughs --level Manhattan=0.2 --metrics nicv --csv"
    )
    monkeypatch.chdir(tmp_path)
    drawn.save("areas.geojson")
    made = list(dpcore.sweep(plan.requests, dpcore.datasets.load("nyc-taxi"), runs=1))
    for name in ("boroughs", "areas.geojson"):
        said: dict[str, Any] = {}
        exec(plan.python(name), said)
        assert [each.figures["nicv"] for each in said["trials"]] == [
            each.figures["nicv"] for each in made
        ]
    with pytest.raises(ValueError, match="Name the regions"):
        plan.command()
    with pytest.raises(ValueError, match="differ in algorithm and epsilon only"):
        SweepPlan("nyc-taxi", (first, replace(second, regions=None)), 1)
