"""Joshi and Thakkar's findings say what the rows say."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.algorithms.guarantee import distances
from dpcore.datasets import load
from dpcore.papers import (
    Conclusion,
    Effort,
    Row,
    joshi2022,
    joshi2022_rounds,
    kept_outcomes,
    reproduce,
)
from dpcore.papers.joshi2022 import EXACT, MEAN_GAP, NOISY, RATIO, RAW, SUB, UNIT
from dpcore.queries.unprotected_data import UnprotectedData


def ratios(scale=RAW, noise=NOISY, **by_set):
    return [
        Row(
            {"data": key.replace("_", "-"), "scale": scale, "noise": noise, "measure": RATIO},
            figure,
        )
        for key, figure in by_set.items()
    ]


def by_groups(key, some, error=0.0):
    return [
        Row(
            {
                "data": key,
                "scale": RAW,
                "noise": NOISY,
                "internal_k": count,
                "measure": MEAN_GAP,
                "algorithm": SUB,
            },
            gap,
            error=error,
        )
        for count, gap in zip(joshi2022.GROUPS, some, strict=True)
    ]


def test_a_gap_that_is_almost_the_same_is_enough_on_digits_and_on_no_other_set():
    same = ratios(iris=1.0, wine=1.0, breast_cancer=1.0, digits=1.0)
    check = joshi2022.check_gaps(same)
    assert check.finding is Conclusion.NOT_REPRODUCED
    assert "in 1 of 4 cells" in check.words
    assert "iris 1, wine 1" in check.words


def test_other_readings_stand_under_the_headline_and_do_not_decide():
    rows = ratios(iris=1.2, wine=4, breast_cancer=3, digits=1)
    rows += ratios(UNIT, EXACT, iris=0.1, wine=0.1, breast_cancer=0.1, digits=0.1)
    check = joshi2022.check_gaps(rows)
    assert check.finding is Conclusion.REPRODUCED
    assert check.sides[-1].finding is Conclusion.NOT_REPRODUCED
    assert "without the final noise" in check.sides[-1].words


def test_factors_must_be_about_the_printed_ones_on_every_set():
    check = joshi2022.check_gaps(ratios(iris=1.1, wine=9, breast_cancer=3, digits=1))
    assert check.finding is Conclusion.REPRODUCED
    assert check.sides[0].finding is Conclusion.NOT_REPRODUCED
    assert "in 2 of 3 cells" in check.sides[0].words


@pytest.mark.parametrize(
    ("some", "error", "best"),
    [
        ((0.5, 0.5, 0.2, 0.5), 0.09, True),
        ((0.5, 0.5, 0.2, 0.5), 0.11, False),
        ((0.2, 0.5, 0.5, 0.5), 0.09, False),
    ],
)
def test_gaps_must_differ_beyond_luck_to_say_which_internal_k_is_best(some, error, best):
    # The best of three others is told apart at 2.13 standard errors, each of both means.
    check = joshi2022.check_best(by_groups("wine", some, error), RAW, NOISY)
    assert (check.finding is Conclusion.REPRODUCED) is best


def test_as_they_come_distances_are_those_of_raw_coordinates():
    data = load("iris")
    raw, unit = joshi2022.as_they_come(data)
    a, b = (data.box.from_unit(x) for x in ([[0.1, 0, 0, 0]], [[0, 0, 0, 0.5]]))
    apart = np.linalg.norm(raw.box.to_unit(a) - raw.box.to_unit(b))
    widest = np.subtract(data.box.high, data.box.low).max()
    assert apart == pytest.approx(np.linalg.norm(a - b) * 2 / widest)
    assert raw.n == data.n
    assert unit.tolist() == [1, 1, 1, 1]


def test_rounds_are_counted_until_no_center_moves():
    path = [np.array([[x]]) for x in (0.0, 0.5, 0.75, 0.75, 0.9)]
    assert joshi2022_rounds.rounds_until_still(path) == 3
    assert joshi2022_rounds.rounds_until_still(path[:3]) == 2


def test_a_run_is_looked_at_round_by_round():
    data = load("iris")
    path = joshi2022_rounds.centers_of("subclustering-published", data, 3, seed=1)
    means = UnprotectedData(data).cluster_means(path[0])
    moved = (path[0] != path[1]).any(axis=1)
    assert moved.any()
    assert (distances(means, path[1]) < distances(means, path[0]))[moved].all()
    assert len(joshi2022_rounds.lloyd(data, path[0])) > 2


@pytest.mark.parametrize("name", ["joshi2022-fig3", "joshi2022-fig4", "joshi2022-lemma1-2"])
def test_every_finding_runs_and_ends_in_a_verdict(monkeypatch, name):
    for module in (joshi2022, joshi2022_rounds):
        monkeypatch.setattr(module, "CLUSTERS", {"iris": 3, "wine": 3})
    *_, outcome = reproduce(name, effort=Effort(quick=True))
    assert outcome.check.finding is not Conclusion.CANNOT_RUN
    assert {row.setting["data"] for row in outcome.rows} == {"iris", "wine"}
    assert all(row.figure >= 0 for row in outcome.rows)


def test_the_paper_s_factors_stand_beside_ours(monkeypatch):
    monkeypatch.setattr(joshi2022, "CLUSTERS", {"wine": 3})
    *_, outcome = reproduce("joshi2022-fig3", effort=Effort(quick=True))
    assert [row.paper for row in outcome.rows if row.paper] == [4.13]


def test_kept_figures_repeat_to_the_digit():
    data, unit = joshi2022.readings(load("iris"))[RAW]
    where = {"data": "iris", "scale": RAW, "internal_k": 2, "algorithm": SUB}
    requests = joshi2022.requests_of(SUB, 3, (5.0,), 0, internal_k=2)
    again = joshi2022.curve(data, unit, requests, 30, where)
    for row in list(again)[:2]:
        (known,) = (
            each for each in kept_outcomes()["joshi2022-fig4"].rows if each.setting == row.setting
        )
        assert known.figure == float(f"{row.figure:.4g}")
