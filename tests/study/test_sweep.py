"""A sweep streams trials that depend on nothing but their own settings."""

from __future__ import annotations

import itertools
import math

import pytest

import dpcore

DATA = dpcore.datasets.load("s1-like")


def key(trial):
    return (
        trial.algorithm,
        trial.epsilon,
        trial.run,
        trial.figures["nicv"],
        trial.figures["relative-error"],
        trial.figures["shift"],
    )


def test_trials_are_the_same_in_any_order_and_company():
    together = list(dpcore.sweep(["eugkm", "dplloyd"], DATA, 5, [0.5, 2.0], runs=3, seed=7))
    alone = list(dpcore.sweep(["dplloyd"], DATA, 5, [2.0, 0.5], runs=3, seed=7))
    assert len(together) == 12
    assert {key(t) for t in alone} <= {key(t) for t in together}


def test_every_curve_has_its_first_point_before_any_has_its_second():
    trials = dpcore.sweep(["eugkm", "dplloyd"], DATA, 5, [0.5, 2.0], runs=2)
    first = list(itertools.islice(trials, 4))
    assert {(t.algorithm, t.epsilon) for t in first} == {
        (a, e) for a in ("eugkm", "dplloyd") for e in (0.5, 2.0)
    }


def test_algorithms_share_seeds():
    trials = list(dpcore.sweep(["eugkm", "dplloyd"], DATA, 5, [0.5], runs=2))
    assert len({t.seed for t in trials}) == 2


def test_an_algorithm_that_cannot_answer_says_why_and_the_others_go_on():
    wide = dpcore.datasets.from_array([[0.1] * 30] * 5000, box=(-1, 1))
    trials = list(dpcore.sweep(["eugkm", "dplloyd"], wide, 2, [1000.0], runs=1))
    by_key = {t.value.algorithm: t.value for t in trials}
    assert "cells" in by_key["eugkm"].refusal
    assert math.isnan(by_key["eugkm"].figures["nicv"])
    assert by_key["dplloyd"].refusal is None
    assert math.isfinite(by_key["dplloyd"].figures["nicv"])


def test_an_algorithm_for_another_relation_says_so_and_the_others_go_on():
    keys = ["eugkm-published", "dplloyd"]
    trials = list(dpcore.sweep(keys, DATA, 5, [1.0], runs=1, neighbors="replace-one"))
    by_key = {t.algorithm: t for t in trials}
    assert "private under add-remove only" in by_key["eugkm-published"].refusal
    assert math.isfinite(by_key["dplloyd"].figures["nicv"])


def test_a_sweep_can_be_left_at_any_time():
    trials = dpcore.sweep(["dplloyd"], DATA, 5, [0.5], runs=1000)
    next(trials)
    trials.close()
    with pytest.raises(StopIteration):
        next(trials)


def test_what_is_wrong_is_refused_when_the_sweep_is_asked_for():
    for wrong in (
        {"epsilons": [0.5, -1]},
        {"runs": 0},
        {"k": 0},
        {"neighbors": "swap"},
        {"metrics": ["speed"]},
        {"algorithms": ["nope"]},
        {"parameters": {"dplloyd": {"rounds": 0}}},
    ):
        asked = {"algorithms": ["dplloyd"], "data": DATA, "k": 5, "epsilons": [1.0]} | wrong
        with pytest.raises(ValueError, match=r"must be|at least|No algorithm|No metric"):
            dpcore.sweep(**asked)


def test_a_sweep_goes_on_where_another_ended():
    whole = list(dpcore.sweep(["dplloyd"], DATA, 5, [0.5], runs=3, seed=7))
    rest = list(dpcore.sweep(["dplloyd"], DATA, 5, [0.5], runs=1, seed=7, first=2))
    assert [key(t) for t in rest] == [key(whole[2])]


def test_requests_sweep_as_their_fields_do():
    requests = [dpcore.Request("dplloyd", 5, e, seed=7, settings={"rounds": 2}) for e in (0.5, 2)]
    by_request = dpcore.sweep(requests, DATA, runs=2)
    own = {"dplloyd": {"rounds": 2}}
    by_name = dpcore.sweep(["dplloyd"], DATA, 5, [0.5, 2], runs=2, seed=7, parameters=own)
    assert [key(t) for t in by_request] == [key(t) for t in by_name]
    with pytest.raises(TypeError, match="Requests say all of their runs"):
        dpcore.sweep(requests, DATA, 5, [1.0])
