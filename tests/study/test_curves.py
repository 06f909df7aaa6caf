"""Curves are means and bands of trials, between what is not private and what looks at no data."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.datasets.rows import from_array
from dpcore.study.curves import Curve, EnoughEpsilon, Point, curve, enough_epsilon, limits
from dpcore.study.metrics import METRICS, mean_distance, nicv
from dpcore.study.trials import Trial

DATA = dpcore.datasets.load("s1-like")
NICV = METRICS["nicv"]


def trial(epsilon: float, run: int, figure: float, algorithm: str = "dplloyd") -> Trial:
    return Trial(dpcore.Request(algorithm, 3, epsilon), run, {"nicv": figure})


def test_a_point_is_the_mean_with_the_first_and_ninth_decile():
    trials = [trial(0.5, run, float(run)) for run in range(11)]
    (point,) = curve("dplloyd", trials, NICV).points
    assert (point.epsilon, point.runs, point.mean, point.low, point.high) == (0.5, 11, 5, 1, 9)


def test_points_come_in_order_of_epsilon_however_trials_came():
    trials = [trial(e, 0, e) for e in (2.0, 0.1, 0.5)]
    assert [p.epsilon for p in curve("dplloyd", trials, NICV).points] == [0.1, 0.5, 2]


def test_a_refused_trial_gives_its_reason_and_no_point():
    refused = Trial(dpcore.Request("dplloyd", 3, 0.1), 0, refusal="Too little.")
    found = curve("dplloyd", [refused, trial(0.5, 0, 1.0)], NICV)
    assert [p.epsilon for p in found.points] == [0.5]
    assert found.refusals == {0.1: "Too little."}


def test_trials_of_others_are_left_out():
    assert not curve("dplloyd", [trial(0.5, 0, 1.0, "eugkm")], NICV).points


def test_the_mean_distance_agrees_with_arithmetic_by_hand():
    data = from_array([[0.0, 0.0], [3.0, 4.0]], box=(-10, 10))
    assert mean_distance(data, [[0.0, 0.0]]) == pytest.approx(0.25, abs=1e-5)


def test_a_sweep_measures_a_costly_figure_only_where_it_is_named():
    asked = {"algorithms": ["dplloyd"], "data": DATA, "k": 3, "epsilons": [1.0], "runs": 1}
    (without,) = dpcore.sweep(**asked)
    (with_it,) = dpcore.sweep(**asked, metrics=["nicv", "mean-distance"])
    assert set(without.figures) == METRICS.keys() - {"mean-distance"} | {"points"}
    squared = with_it.figures["nicv"]
    assert squared < with_it.figures["mean-distance"] < math.sqrt(squared)


def test_a_sweep_compares_with_the_reference_it_is_given():
    reference = dpcore.baseline(DATA, 3, 0)
    asked = {"algorithms": ["dplloyd"], "data": DATA, "k": 3, "epsilons": [1.0], "runs": 1}
    (own,), (given,) = dpcore.sweep(**asked), dpcore.sweep(**asked, reference=reference)
    assert own.figures == given.figures


def test_curves_lie_between_the_non_private_answer_and_the_better_blind_one():
    reference = dpcore.baseline(DATA, 5)
    for key in ("relative-error", "shift", "cost-gap"):
        assert limits(DATA, 5, reference, METRICS[key]).non_private == 0
    found = limits(DATA, 5, reference, NICV)
    center = dpcore.nicv(DATA, DATA.box.center[None])
    assert found.non_private < found.blind <= center


def test_the_center_of_the_box_is_the_blind_answer_where_it_is_the_better_one():
    rng = np.random.default_rng(0)
    data = from_array(rng.normal(0, 0.01, (200, 10)), box=(-1, 1))
    found = limits(data, 2, dpcore.baseline(data, 2), NICV)
    assert found.blind_is_center
    assert found.blind == pytest.approx(nicv(data, data.box.center[None]))


def test_enough_epsilon_is_where_a_target_is_met_from_there_on_and_not_by_a_dip():
    points = [(0.1, 0.9, 1.2), (0.2, 0.3, 0.6), (0.5, 0.7, 0.9), (1.0, 0.4, 0.8), (2.0, 0.1, 0.2)]
    found = Curve("dplloyd", tuple(Point(e, 5, mean, 0.0, high) for e, mean, high in points), {})
    assert enough_epsilon(found, 0.5) == EnoughEpsilon(1.0, 2.0)
    assert enough_epsilon(found, 2.0) == EnoughEpsilon(0.1, 0.1)
    assert enough_epsilon(found, 0.05) == EnoughEpsilon(None, None)
