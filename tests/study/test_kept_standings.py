"""Kept standings: the file is small, complete, and repeats by its seeds."""

from __future__ import annotations

import json

import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.datasets import load
from dpcore.datasets.builtin import BUILTIN
from dpcore.datasets.data_folder import data_file
from dpcore.privacy.explain import LEVELS
from dpcore.runs.baseline import baseline
from dpcore.runs.request import Request
from dpcore.study import kept_standings
from dpcore.study.kept_standings import FILE, RUNS, from_json, measured_cell
from dpcore.study.metrics import nicv
from dpcore.study.standings import SHORTLIST_LENGTH, shortlist
from dpcore.study.usual_ranges import SEED, K

KEPT = kept_standings.kept_standings()
#: Data that are small enough to be measured; of a month only live runs are shown.
SETS = [key for key, each in BUILTIN.items() if each.rows < 1_000_000]


@pytest.mark.parametrize(
    ("data", "algorithm", "epsilon"),
    [
        ("iris", "dplloyd", 1.0),
        ("s1-like", "eugkm", 0.2),
        ("nyc-taxi", "adaptive", 0.1),
        ("gaussians-k5-d4", "auto", 0.2),
    ],
)
def test_a_kept_cell_repeats_by_its_seeds(data: str, algorithm: str, epsilon: float) -> None:
    source = load(data)
    reference = baseline(source, K, SEED)
    again = measured_cell(source, algorithm, epsilon, RUNS, reference)
    cell = KEPT.cells[data, algorithm, epsilon]
    assert cell.runs == again.runs
    for key, three in again.figures.items():
        assert cell.figures[key] == pytest.approx(three, rel=1e-3, abs=1e-6)
    standing = cell.standing(algorithm, epsilon, "nicv")
    assert standing is not None
    assert standing.point is not None
    assert standing.point.mean >= nicv(source, reference.centers) * 0.99


def test_every_method_is_kept_at_every_level_or_at_the_middle_one_where_it_is_slow() -> None:
    assert {data for data, *_ in KEPT.cells} == set(SETS)
    for data in SETS:
        for algorithm in ALGORITHMS:
            epsilons = [e for d, a, e in KEPT.cells if (d, a) == (data, algorithm)]
            assert epsilons in ([level.epsilon for level in LEVELS], [0.2])


def test_the_file_is_small_and_reads_back_as_it_was_written() -> None:
    text = data_file(FILE).read_text()
    assert len(text) < 300_000
    told = json.loads(text)
    assert kept_standings.to_json(told["date"], told["sets"], told["times"]) == text
    assert from_json(text) == KEPT


def test_only_just_what_was_measured_is_kept() -> None:
    request = Request("eugkm", K, 0.2, seed=SEED)
    assert KEPT.of("iris", request) is KEPT.cells["iris", "eugkm", 0.2]
    for other in (
        request.on(3),
        request.at(0.21),
        request.with_seed(1),
        Request("eugkm", K, 0.2, seed=SEED, settings={"starts": 3}),
    ):
        assert KEPT.of("iris", other) is None


def test_of_large_sets_the_time_of_every_run_is_known() -> None:
    assert {*KEPT.times, *SETS} == {*BUILTIN}
    able = {key for key, each in ALGORITHMS.items() if each.supports(2, None, K)}
    for key in KEPT.times:
        known = {each for each in able if (KEPT.seconds(key, each) or 0) > 0}
        assert able - known <= {"highdim-published"}  # it refuses, whatever the budget


def test_the_shortlist_holds_what_it_claims_and_runs_on_the_data() -> None:
    for d in (2, 4, 13, 64):
        first = shortlist(d, 5)
        assert len(first) == SHORTLIST_LENGTH
        assert all(ALGORITHMS[key].verdict.holds for key in first)
        assert all(ALGORITHMS[key].supports(d, None, 5) for key in first)
