"""Kept curves: the file is small, complete, and repeats by its seeds."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import load
from dpcore.datasets.builtin import BUILTIN
from dpcore.datasets.data_folder import data_file
from dpcore.results.non_private import opened
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.study import curves, kept_curves
from dpcore.study.kept_curves import FILE, RUNS, from_json
from dpcore.study.metrics import METRICS, usual
from dpcore.study.sweep import sweep
from dpcore.study.sweep_plan import SweepPlan, across
from dpcore.study.usual_ranges import EPSILONS, RIVALS, SEED, K

KEPT = kept_curves.kept_curves()
#: Data that are small enough to be measured; of a month only live runs are shown.
SETS = [key for key, each in BUILTIN.items() if each.rows < 1_000_000]
REMADE = "Make the file again: python data/make_curves.py"


def plan(data: str, *algorithms: str, runs: int = RUNS) -> SweepPlan:
    requests = [Request(key, K, EPSILONS[0], seed=SEED) for key in algorithms]
    return SweepPlan(data, across(requests, EPSILONS), runs)


@pytest.mark.parametrize(
    ("data", "algorithm", "epsilon"),
    [
        ("nyc-taxi", "adaptive", 0.2),
        ("nyc-taxi", "dplloyd", 4.0),
        ("s1-like", "eugkm", 0.05),
        ("s1-like", "auto", 1.0),
        ("iris", "auto", 0.5),
        ("wine", "dplloyd", 0.01),
    ],
)
def test_kept_runs_repeat_by_their_seeds(data: str, algorithm: str, epsilon: float) -> None:
    again = sweep([Request(algorithm, K, epsilon, seed=SEED)], load(data), runs=3)
    for kept, new in zip(KEPT.trials[data, algorithm, epsilon], map(opened, again), strict=False):
        assert (kept.run, kept.seed, kept.refusal) == (new.run, new.seed, new.refusal), REMADE
        assert list(kept.figures) == list(new.figures)
        assert kept.figures == pytest.approx(new.figures, rel=1e-5, abs=1e-7), REMADE


def test_what_curves_lie_between_is_what_is_computed() -> None:
    source = load("s1-like")
    reference = baseline(source, K, SEED)
    for key, metric in METRICS.items():
        known = KEPT.limits_of("s1-like", K, SEED, key)
        assert known is not None, REMADE
        again = curves.limits(source, K, reference, metric, SEED)
        assert known.blind_is_center == again.blind_is_center
        assert known.blind == pytest.approx(again.blind)
        assert known.non_private == pytest.approx(again.non_private)
    assert KEPT.limits_of("s1-like", K, SEED + 1, "nicv") is None
    assert KEPT.limits_of("s1-like", K + 1, SEED, "nicv") is None


def test_every_rival_that_can_run_is_kept_on_every_small_set() -> None:
    for data in SETS:
        d = BUILTIN[data].box.d
        able = [key for key in RIVALS if ALGORITHMS[key].supports(d, None, K)]
        assert able
        found = KEPT.of(plan(data, *able))
        assert len(found) == len(able) * len(EPSILONS) * RUNS, REMADE


def test_trials_come_in_the_order_of_a_sweep() -> None:
    found = KEPT.of(plan("iris", "eugkm", "auto", runs=2))
    again = sweep(["eugkm", "auto"], load("iris"), K, EPSILONS, runs=2)
    order = [(t.algorithm, t.epsilon, t.run, t.seed) for t in map(opened, again)]
    assert [(t.algorithm, t.epsilon, t.run, t.seed) for t in found] == order


def test_only_just_what_was_measured_is_kept() -> None:
    kept = plan("s1-like", "adaptive", "eugkm")
    assert KEPT.of(kept)
    assert KEPT.of(replace(kept, requests=kept.requests[:4], runs=3))
    others = [
        tuple(each.on(3) for each in kept.requests),
        tuple(each.with_seed(1) for each in kept.requests),
        across([Request("dplloyd", K, 1.0, seed=SEED, settings={"rounds": 3})], EPSILONS),
        across([Request("eugkm", K, 1.0, seed=SEED), Request("gkm", K, 1.0, seed=SEED)], EPSILONS),
        across([Request("eugkm", K, 1.0, seed=SEED)], [0.25]),
    ]
    assert not any(KEPT.of(replace(kept, requests=each)) for each in others)
    assert not KEPT.of(replace(kept, runs=RUNS + 1))
    assert not KEPT.of(replace(kept, metrics=usual("mean-distance")))
    assert not KEPT.of(replace(kept, data="nyc-month"))


def test_the_file_is_small_and_reads_back_as_it_was_written() -> None:
    text = data_file(FILE).read_text()
    assert len(text) < 350_000
    told = json.loads(text)
    assert kept_curves.to_json(told["date"], told["sets"]) == text
    assert from_json(text) == KEPT
