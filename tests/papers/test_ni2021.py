"""Claims about merging and growing budgets, on rows made by hand and on data."""

from __future__ import annotations

import re

import pytest

from dpcore.papers import REPRODUCTIONS, Effort, Finding, Row, Shelf, reproduce
from dpcore.papers.ni2021 import ALGORITHMS, check


def rows(**by: float) -> list[Row]:
    """The same figures at five values of epsilon, 1 where none is given."""
    return [
        Row({"epsilon": e, "algorithm": key}, by.get(key.replace("-", "_"), 1.0))
        for e in range(5)
        for key in ALGORITHMS
    ]


def test_the_papers_own_order_is_reproduced():
    assert check(rows(average_nk=0.9, dp_kccm=0.5)).finding is Finding.REPRODUCED


def test_the_opposite_order_is_not():
    found = check(rows(allocation_k=0.8, average_nk=1.2, dp_kccm=1.5))
    assert found.finding is Finding.NOT_REPRODUCED
    assert "beats average_k in 5 of 5 cells (0.8 times its figure on average)" in "\n".join(
        found.lines
    )


def test_a_growing_budget_alone_that_matches_the_best_method_refutes_a_side_claim():
    found = check(rows(allocation_k=0.5, average_nk=0.9, dp_kccm=0.5))
    assert Finding.NOT_REPRODUCED in [side.finding for side in found.sides]
    assert "Not reproduced: a growing budget alone (allocation_k) is no improvement" in "\n".join(
        found.lines
    )


def test_figures_3_to_14_are_there_two_for_each_set():
    numbers = [
        int(number)
        for each in REPRODUCTIONS.values()
        if each.paper == "003"
        for number in re.findall(r"\d+", each.figure)
    ]
    assert sorted(numbers) == list(range(3, 15))


def test_real_donors_are_measured_both_ways(extra_data, monkeypatch):
    monkeypatch.setattr("dpcore.papers.ni2021.EPSILONS", (1.0,))
    shelf = Shelf(extra_data / "papers")
    *_, outcome = reproduce("ni2021-fig3-9", shelf, Effort(quick=True))
    assert {row.setting["measure"] for row in outcome.rows} == {"NICV", "distance"}
    assert len(outcome.rows) == 2 * len(ALGORITHMS)
    assert outcome.check.finding is not Finding.CANNOT_RUN


@pytest.mark.parametrize("shelf", [Shelf(), "empty folder"])
def test_without_the_file_the_finding_is_skipped_and_says_which(shelf, tmp_path):
    given = shelf if isinstance(shelf, Shelf) else Shelf(tmp_path)
    *_, outcome = reproduce("ni2021-fig3-9", given)
    assert outcome.check.finding is Finding.CANNOT_RUN
    assert "blood" in outcome.check.words.lower()
