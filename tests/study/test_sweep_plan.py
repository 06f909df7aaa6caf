"""A sweep is made again by the lines that its plan gives."""

from __future__ import annotations

import csv
import io
import json
import shlex

import pytest

import dpcore
from dpcore import cli
from dpcore.algorithms import get
from dpcore.privacy.accounting import Neighbors
from dpcore.study.sweep_plan import Plan, as_csv, as_json

PLAN = Plan(
    "s1-like",
    ("dplloyd", "eugkm"),
    3,
    (0.5, 1.0),
    2,
    seed=4,
    neighbors=Neighbors.REPLACE_ONE,
    settings=(("dplloyd", (("rounds", 3), ("start", "packing"))),),
    unsquared=True,
)


def asked(plan: Plan) -> list[dpcore.Trial]:
    return list(
        dpcore.sweep(
            plan.algorithms,
            dpcore.datasets.load(plan.data),
            plan.k,
            plan.epsilons,
            plan.runs,
            plan.seed,
            plan.delta,
            plan.neighbors,
            {key: plan.changed(key) for key in plan.algorithms},
            unsquared=plan.unsquared,
        )
    )


def figures(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Without the time a run took, which never repeats."""
    return sorted(
        ({n: v for n, v in row.items() if n != "seconds"} for row in rows), key=lambda r: str(r)
    )


def test_the_shell_lines_repeat_the_trials(capsys: pytest.CaptureFixture[str]):
    rows = []
    for line in PLAN.command().splitlines():
        cli.main(shlex.split(line)[1:])
        rows += list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    own = list(csv.DictReader(io.StringIO(as_csv(asked(PLAN)))))
    assert figures(rows) == figures(own)


def test_the_program_repeats_the_trials():
    scope: dict[str, list[dpcore.Trial]] = {}
    exec(PLAN.python(), scope)
    own = json.loads(as_json(asked(PLAN)))
    again = json.loads(as_json(scope["trials"]))
    assert figures(again) == figures(own)


def test_trials_are_put_in_the_order_of_a_sweep():
    trials = asked(PLAN)
    assert PLAN.ordered(reversed(trials)) == trials


def test_one_line_is_enough_while_nobody_has_settings_of_their_own():
    plain = Plan("s1-like", ("dplloyd", "eugkm"), 3, (0.5,), 2)
    assert plain.command() == (
        "dpcore sweep dplloyd eugkm --data s1-like -k 3 --epsilons 0.5 --runs 2 --seed 0 --csv"
    )


def test_what_is_not_a_number_becomes_null():
    refused = dpcore.Trial("eugkm", 0.1, 0, 0, refusal="Too little.")
    (row,) = json.loads(as_json([refused]))
    assert row["nicv"] is None
    assert row["refusal"] == "Too little."


def test_the_part_of_one_algorithm_is_the_same_whether_defaults_are_named_or_not():
    named = Plan(
        "s1-like", ("dplloyd", "eugkm"), 3, (0.5,), 2, settings=(("dplloyd", (("rounds", 7),)),)
    )
    default = get("dplloyd").settings({})["rounds"]
    bare = Plan("s1-like", ("dplloyd",), 3, (0.5,), 2)
    given = Plan(
        "s1-like", ("dplloyd",), 3, (0.5,), 2, settings=(("dplloyd", (("rounds", default),)),)
    )
    assert given.alone("dplloyd") == bare
    assert named.alone("eugkm").settings == ()
    assert named.alone("dplloyd").changed("dplloyd") == {"rounds": 7}
