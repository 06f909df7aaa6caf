"""What holds of every algorithm that is registered, whoever wrote it."""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pytest

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import GridDataset, RowsDataset
from dpcore.datasets.base import Dataset
from dpcore.errors import Infeasible
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Neighbors, Verdict
from dpcore.results.centers import NonPrivateCenters, SimulatedCenters
from dpcore.results.run_result import SimulatedResult, UnprovenResult

K, N, DELTA = 3, 900, 1e-6
#: The first that an algorithm can answer at is taken: small data are infeasible for some.
EPSILONS = (1.0, 30.0, 1e3, 1e5)
#: The least part of epsilon that is spent, where not nearly all is: partitions stop where too few
#: rows are left, and what deeper ones would cost stays; the paper's coreset prices k ln n rounds
#: and runs fewer.
LEAST_SPENT = {"highdim": 0.5, "highdim-kmedian": 0.5, "coreset-faithful": 0.0}
BAD_EPSILON = (0, -1.0, math.nan, math.inf, 1e-9, 1e9, "1")
BAD_K = (0, 1001, 2.5, True)
KINDS = ("grid", "rows", "rows in 4-D")
RELATIONS = [(key, relation) for key, system in ALGORITHMS.items() for relation in system.relations]
RUNS = [(*pair, kind) for pair in RELATIONS for kind in KINDS]


@cache
def data(kind: str) -> Dataset:
    d = 4 if kind == "rows in 4-D" else 2
    rng = np.random.default_rng(0)
    middles = rng.uniform(-0.7, 0.7, (K, d))
    values = np.clip(middles[np.arange(N) % K] + 0.1 * rng.standard_normal((N, d)), -0.99, 0.99)
    rows = RowsDataset.from_values(values, Box.cube(d))
    if kind != "grid":
        return rows
    counts = np.histogramdd(values, 64, [(-1, 1)] * 2)[0].astype(np.int64)
    return GridDataset(counts, Box.cube(2))


def run(key, dataset, relation, seed=0):
    """The result at the first epsilon that is feasible, and that epsilon; or skip.

    Of K clusters, or of one where an algorithm finds no more.
    """
    system = ALGORITHMS[key]
    public_n = None if relation.size_is_private else dataset.n
    possible = [k for k in (K, 1) if system.supports(dataset.d, public_n, k)]
    if not possible:
        pytest.skip(str(system.obstacle(dataset.d, public_n, K)))
    delta = DELTA if system.uses_delta else 0.0
    for epsilon in EPSILONS:
        try:
            return dpcore.run(key, dataset, possible[0], epsilon, delta, relation, seed), epsilon
        except Infeasible as refusal:
            reason = str(refusal)
    return pytest.skip(reason)


@cache
def once(key, relation, kind):
    return run(key, data(kind), relation)


@pytest.mark.parametrize(("key", "relation", "kind"), RUNS)
def test_facts_are_plain_values_for_json(key, relation, kind):
    result, _ = once(key, relation, kind)
    assert json.loads(json.dumps(dict(result.facts))) == dict(result.facts)


@pytest.mark.parametrize(("key", "relation", "kind"), RUNS)
def test_the_transcript_adds_up_to_the_claim(key, relation, kind):
    result, epsilon = once(key, relation, kind)
    charged = math.fsum(charge.epsilon for charge in result.transcript)
    if ALGORITHMS[key].verdict.holds:
        least = LEAST_SPENT.get(key, 0.9)
        assert least * epsilon < result.epsilon <= epsilon * (1 + 1e-9)
        assert charged == pytest.approx(result.epsilon, rel=1e-9)
        assert result.delta <= DELTA
    else:
        assert result.epsilon == math.inf
    assert result.neighbors is relation


@pytest.mark.parametrize(("key", "relation", "kind"), RUNS)
def test_centers_are_finite_and_in_the_box(key, relation, kind):
    result, _ = once(key, relation, kind)
    centers = np.asarray(result.centers)
    assert centers.shape == (result.k, data(kind).d)
    assert np.isfinite(centers).all()
    if ALGORITHMS[key].verdict.holds:  # some publications let noise carry centers away
        assert (np.abs(centers) <= 1).all()


@pytest.mark.parametrize(("key", "relation", "kind"), RUNS)
def test_the_type_of_a_result_says_whether_it_is_private(key, relation, kind):
    result, _ = once(key, relation, kind)
    if ALGORITHMS[key].verdict.holds:
        assert type(result) is SimulatedResult
        assert type(result.centers) is SimulatedCenters
    else:
        assert type(result) is UnprovenResult
        assert type(result.centers) is NonPrivateCenters
        assert result.verdict is Verdict.UNPROVEN


@pytest.mark.parametrize(("key", "relation"), RELATIONS)
def test_a_seed_repeats_a_run_exactly(key, relation):
    first, _ = once(key, relation, "rows")
    again, _ = run(key, data("rows"), relation)
    np.testing.assert_array_equal(np.asarray(again.centers), np.asarray(first.centers))
    assert again.transcript.as_dicts() == first.transcript.as_dicts()


@pytest.mark.parametrize("rows", ["none", "one", "equal", "fewer than k"])
@pytest.mark.parametrize("key", [key for key, r in RELATIONS if r is Neighbors.ADD_REMOVE])
def test_hardly_any_rows_give_an_answer_or_a_reason(key, rows):
    values = {
        "none": np.empty((0, 2)),
        "one": [[0.3, -0.4]],
        "equal": np.full((200, 2), 0.25),
        "fewer than k": [[0.3, -0.4], [0.5, 0.5]],
    }[rows]
    dataset = RowsDataset.from_values(values, Box.cube(2))
    result, _ = run(key, dataset, Neighbors.ADD_REMOVE)
    centers = np.asarray(result.centers)
    assert centers.shape == (result.k, 2)
    assert np.isfinite(centers).all()


@pytest.mark.parametrize("key", [key for key, r in RELATIONS if r is Neighbors.REPLACE_ONE])
def test_equal_rows_under_replace_one_give_an_answer_or_a_reason(key):
    dataset = RowsDataset.from_values(np.full((200, 2), 0.25), Box.cube(2))
    result, _ = run(key, dataset, Neighbors.REPLACE_ONE)
    assert np.isfinite(np.asarray(result.centers)).all()


class Unseen(RowsDataset):
    """Fails whatever asks it a question."""

    def _asked(self, *_):
        raise AssertionError("The data were looked at.")

    n = property(_asked)
    positions = cluster_totals = squared_ticks = histogram = margin = _asked


def unseen(d=2):
    return Unseen(np.zeros((1, d), dtype=np.int32), Box.cube(d))


@pytest.mark.parametrize("key", ALGORITHMS)
def test_bad_budgets_and_counts_are_refused_before_the_data_are_read(key):
    relation = ALGORITHMS[key].relations[0]
    if not relation.size_is_private:
        pytest.skip("k is compared with the public number of rows")
    for k, epsilon in [*((k, 1.0) for k in BAD_K), *((K, epsilon) for epsilon in BAD_EPSILON)]:
        with pytest.raises(ValueError, match=r"k must|epsilon must"):
            dpcore.run(key, unseen(), k, epsilon, neighbors=relation)


@pytest.mark.parametrize("key", ALGORITHMS)
def test_bad_parameters_are_refused_before_the_data_are_read(key):
    system = ALGORITHMS[key]
    relation = system.relations[0]
    bad = {"no such parameter": 1}
    for parameter in system.parameters:
        bad[parameter.name] = object() if parameter.high is None else parameter.high * 2 + 1
    for name, value in bad.items():
        with pytest.raises(ValueError, match=name):
            dpcore.run(key, unseen(), K, 1.0, neighbors=relation, **{name: value})


@pytest.mark.parametrize("key", ALGORITHMS)
def test_parameters_say_what_they_mean_and_their_defaults_are_allowed(key):
    system = ALGORITHMS[key]
    assert system.settings({}) == {p.name: p.default for p in system.parameters}
    for parameter in system.parameters:
        assert parameter.meaning.endswith(".")
        if not parameter.choices and not isinstance(parameter.default, bool):
            assert parameter.low is not None
            assert parameter.high is not None


@pytest.mark.parametrize("key", ALGORITHMS)
def test_the_docstring_specifies_what_the_verdict_needs(key):
    system = ALGORITHMS[key]
    needed = {
        Verdict.PROVED: {"Private"},
        Verdict.REPAIRED: {"Flaw", "Repair"},
        Verdict.UNPROVEN: {"Flaw"},
    }[system.verdict]
    assert {"Idea", "Unit", "Relation"} | needed <= set(system.specification)
    assert all(system.specification.values())
    if system.verdict is not Verdict.PROVED:
        assert "Private" not in system.specification


def test_what_does_not_hold_as_published_is_marked_by_its_key():
    unproven = {key for key, system in ALGORITHMS.items() if not system.verdict.holds}
    assert unproven == {key for key in ALGORITHMS if key.endswith("-published")}
