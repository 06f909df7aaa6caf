"""What findings are counted with: means over runs, duels, and when a claim holds."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.datasets import load
from dpcore.papers import Check, Conclusion, Row, Shelf
from dpcore.papers.figure_row import setting_words
from dpcore.papers.measurements import (
    NICV,
    available,
    conclusion_of,
    counted,
    duel,
    figures,
    judged,
    mean_figures,
    together,
)
from dpcore.study.trial_seeds import trial_seed


def pairs(*values: tuple[float, float]) -> list[Row]:
    return [
        Row({"epsilon": i, "algorithm": key}, figure)
        for i, both in enumerate(values)
        for key, figure in zip(("a", "b"), both, strict=True)
    ]


def test_a_mean_is_that_of_runs_with_the_shared_seeds():
    data = load("iris")
    (row,) = mean_figures(data, [dpcore.Request("dplloyd", 3, 1.0, seed=5)], 2)
    runs = [dpcore.run("dplloyd", data, 3, 1.0, seed=trial_seed(5, i)).centers for i in range(2)]
    assert row.figure == pytest.approx(np.mean([NICV["NICV"](data, each) for each in runs]))
    assert dict(row.setting) == {
        "data": "iris",
        "d": 4,
        "k": 3,
        "epsilon": 1.0,
        "algorithm": "dplloyd",
        "measure": "NICV",
    }


def test_an_algorithm_that_cannot_answer_says_why_in_its_row():
    (row,) = mean_figures(load("digits"), [dpcore.Request("eugkm", 3, 1.0)], 3)
    assert math.isnan(row.figure)
    assert "64 dimensions" in str(row.setting["absent"])


def test_a_set_that_is_not_there_is_a_row_that_says_so():
    data, (row,) = available(Shelf(), "adult")
    assert data is None
    assert "adult does not ship" in str(row.setting["absent"])
    assert available(Shelf(), "iris")[1] == []


def test_a_duel_counts_wins_losses_and_near_ties():
    outcome = duel(pairs((1, 2), (1, 1.01), (4, 2)), "a", "b")
    assert (outcome.wins, outcome.losses, outcome.cells) == (1, 1, 3)
    assert outcome.ratio == pytest.approx((0.5 * 2 / 1.01) ** (1 / 3))
    assert str(outcome).startswith("in 1 of 3 cells, 1 equal (0.997 times its figure")


@pytest.mark.parametrize(
    ("values", "better"),
    [
        ([(1, 2)] * 5, Conclusion.REPRODUCED),
        ([(2, 1)] * 5, Conclusion.NOT_REPRODUCED),
        ([(1, 2), (2, 1)], Conclusion.NOT_REPRODUCED),
        ([(1, 2), (1, 1), (1, 1)], Conclusion.NOT_REPRODUCED),
        ([(1, 2), (1, 2), (1, 1)], Conclusion.REPRODUCED),
        ([], Conclusion.CANNOT_RUN),
    ],
)
def test_equal_cells_count_for_neither_side_of_a_duel(values, better):
    assert duel(pairs(*values), "a", "b").finding is better


def test_figures_that_are_not_there_are_in_no_cell():
    rows = [*pairs((1, 2)), Row({"epsilon": 0, "algorithm": "c"}, math.nan)]
    assert list(figures(rows).values()) == [{"a": 1, "b": 2}]


def test_four_cells_in_five_are_most():
    assert [conclusion_of(holds, 5) for holds in (4, 3, 1)] == [
        Conclusion.REPRODUCED,
        Conclusion.NOT_REPRODUCED,
        Conclusion.NOT_REPRODUCED,
    ]


def test_the_headline_decides_and_side_claims_stand_under_it():
    yes, no = Check(Conclusion.REPRODUCED, "yes"), Check(Conclusion.NOT_REPRODUCED, "no")
    check = judged(yes, [no, yes])
    assert check.finding is Conclusion.REPRODUCED
    assert check.lines == ["yes", "Not reproduced: no", "Reproduced: yes"]
    assert judged(no, [yes, yes]).finding is Conclusion.NOT_REPRODUCED


def test_a_mixture_is_told_as_a_count():
    check = counted(7, 18, "it is better")
    assert check == Check(Conclusion.NOT_REPRODUCED, "it is better in 7 of 18 cells.")
    assert counted(10, 18, "it is better", most=0.5).finding is Conclusion.REPRODUCED
    assert counted(0, 0, "it is better").finding is Conclusion.CANNOT_RUN


@pytest.mark.parametrize(
    ("parts", "finding"),
    [
        ([(4, 4), (3, 4)], Conclusion.REPRODUCED),
        ([(4, 4), (2, 4)], Conclusion.NOT_REPRODUCED),
        ([(40, 40), (1, 4)], Conclusion.NOT_REPRODUCED),
        ([(4, 4), (0, 0)], Conclusion.REPRODUCED),
        ([(0, 0)], Conclusion.CANNOT_RUN),
    ],
)
def test_a_claim_of_two_parts_holds_in_most_cells_and_in_half_of_each_part(parts, finding):
    assert together(parts) is finding


def test_what_was_left_out_is_said_once():
    gone = Row({"data": "adult", "absent": "no file"}, math.nan)
    notes = judged(Check(Conclusion.REPRODUCED, "yes"), rows=[gone, gone]).notes
    assert notes == ("Left out: adult: no file.",)


def test_a_setting_in_words_names_numbers_and_puts_the_measure_first() -> None:
    setting = {"data": "adult", "n": 100_000, "epsilon": 0.05, "algorithm": "eugkm"}
    words = setting_words({**setting, "measure": "NICV", "hybrid_takes": "grid only"})
    assert words == "NICV · eugkm · adult · rows = 100,000 · ε = 0.05 · hybrid takes: grid only"
