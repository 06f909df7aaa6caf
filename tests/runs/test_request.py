"""A request is checked once, is a key, and repeats its run as a line and as a program."""

from __future__ import annotations

import json
import shlex
from typing import Any

import numpy as np
import pytest

import dpcore
from dpcore import Request, cli
from dpcore.algorithms import get
from dpcore.privacy.accounting import Neighbors
from dpcore.runs.source_text import number

DATA = dpcore.datasets.load("s1-like")
ODD = Request(
    "dplloyd", 3, 0.1 + 0.2, neighbors="replace-one", seed=4, settings={"start": "uniform"}
)
MAP = dpcore.datasets.load("nyc-taxi")
BOROUGHS = dpcore.regions.boroughs(MAP.box).with_levels({"Brooklyn": 0.25})


def test_a_request_names_its_run_in_full() -> None:
    by_request = dpcore.run(ODD, DATA).centers
    by_name = dpcore.run(
        "dplloyd", DATA, 3, 0.1 + 0.2, neighbors="replace-one", seed=4, start="uniform"
    ).centers
    np.testing.assert_array_equal(by_request, by_name)


@pytest.mark.parametrize("more", [{"k": 3}, {"epsilon": 1.0}, {"seed": 0}, {"rounds": 3}])
def test_beside_a_request_nothing_else_describes_the_run(more: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="A request says all of its run"):
        dpcore.run(ODD, DATA, **more)


def test_requests_are_equal_whether_defaults_are_named_or_not() -> None:
    defaults = get("dplloyd").settings({})
    bare = Request("dplloyd", np.int64(3), 1, seed=np.uint8(2))
    named = Request("dplloyd", 3, 1.0, 0, "add-remove", 2, dict(reversed(defaults.items())))
    assert {bare: "found"}[named] == "found"
    assert bare.changed == {}
    assert bare.parameters == defaults
    assert bare != named.with_seed(3) != named.at(epsilon=2.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"algorithm": "kmeans++"}, "No algorithm"),
        ({"k": True}, "k must be a whole number from 1 to 1000"),
        ({"epsilon": 0}, "epsilon must be a number from"),
        ({"delta": 0.5}, "delta must be a number from"),
        ({"neighbors": "swap"}, "neighbors must be 'add-remove' or 'replace-one'"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"settings": {"rounds": 0}}, "rounds must be a whole number from 1"),
        ({"settings": {"speed": 3}}, "dplloyd has no parameter 'speed'"),
        ({"regions": BOROUGHS}, "nothing that can be joined across regions"),
        (
            {"algorithm": "adaptive", "regions": BOROUGHS, "epsilon": 0.1},
            "The level of 'Brooklyn' must be a number from",
        ),
    ],
)
def test_what_no_run_can_have_is_refused_where_it_is_written(
    change: dict[str, Any], message: str
) -> None:
    usual: dict[str, Any] = {"algorithm": "dplloyd", "k": 3, "epsilon": 1.0}
    with pytest.raises(ValueError, match=message):
        Request(**(usual | change))
    with pytest.raises(ValueError, match=message):
        dpcore.run(
            **usual | {"data": DATA} | {n: v for n, v in change.items() if n != "settings"},
            **change.get("settings", {}),
        )


def test_what_certain_data_have_no_answer_for_is_said_before_they_are_read() -> None:
    request = Request("eugkm-published", 3, 1.0, neighbors=Neighbors.REPLACE_ONE)
    with pytest.raises(dpcore.Infeasible, match="private under add-remove only"):
        request.check_data(DATA)
    with pytest.raises(dpcore.Infeasible, match="it finds balls in 2 to 4 dimensions"):
        Request("coreset", 3, 1.0).check_data(dpcore.datasets.load("wine"))


def line_of(request: Request, data: str, capsys: pytest.CaptureFixture[str], **named: str) -> Any:
    cli.main([*shlex.split(request.command(data, **named))[1:], "--json"])
    return json.loads(capsys.readouterr().out)["centers"]


def test_the_line_repeats_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert line_of(ODD, "s1-like", capsys) == dpcore.run(ODD, DATA).centers.tolist()


def test_the_program_repeats_the_run() -> None:
    scope: dict[str, Any] = {}
    exec(ODD.python("s1-like"), scope)
    np.testing.assert_array_equal(scope["result"].centers, dpcore.run(ODD, DATA).centers)


def test_regions_are_repeated_by_their_name(capsys: pytest.CaptureFixture[str]) -> None:
    request = Request("eugkm", 3, 0.5, seed=1, regions=BOROUGHS)
    own = dpcore.run(request, MAP).centers
    assert line_of(request, "nyc-taxi", capsys, regions="boroughs") == own.tolist()
    scope: dict[str, Any] = {}
    exec(request.python("nyc-taxi", "boroughs"), scope)
    np.testing.assert_array_equal(scope["result"].centers, own)
    with pytest.raises(ValueError, match="Name the regions"):
        request.command("nyc-taxi")


@pytest.mark.parametrize("value", [0.5, 1.0, 0.1 + 0.2, 1 / 3, 1e-6])
def test_a_number_is_written_so_that_it_reads_back_the_same(value: float) -> None:
    assert float(number(value)) == value
    assert len(number(value)) <= len(repr(value))
