"""Claims about merging and growing budgets, on rows made by hand and on data."""

from __future__ import annotations

import re

import pytest

from dpcore.papers import REPRODUCTIONS, Conclusion, Effort, Row, Shelf, reproduce
from dpcore.papers.ni2021 import ALGORITHMS, DISTANCE, PANELS, SQUARED, check

FIGURES = {
    int(each.figure.split()[1]): each for each in REPRODUCTIONS.values() if each.paper == "ni2021"
}


def rows(measure: str = DISTANCE, **by: float) -> list[Row]:
    """The same figures at five values of epsilon, 1 where none is given."""
    return [
        Row(
            {"epsilon": e, "algorithm": key, "measure": measure}, by.get(key.replace("-", "_"), 1.0)
        )
        for e in range(5)
        for key in ALGORITHMS
    ]


def test_the_papers_own_order_is_reproduced():
    found = check(rows(dp_kccm=0.5, average_nk=0.8, allocation_k=1.2), "epsilon")
    assert found.finding is Conclusion.REPRODUCED
    assert "in 5 of 5 cells" in found.words


def test_the_best_of_the_other_three_must_be_beaten():
    found = check(rows(dp_kccm=0.5, allocation_k=0.5), "epsilon")
    assert found.finding is Conclusion.NOT_REPRODUCED
    assert "in 0 of 5 cells" in found.words
    assert found.sides[0].finding is Conclusion.REPRODUCED


def test_figures_with_the_square_do_not_decide_but_are_counted():
    plain = rows(dp_kccm=0.5, average_nk=0.8, allocation_k=1.2)
    squared = rows(SQUARED, dp_kccm=2.0)
    found = check(plain + squared, "k")
    assert found.finding is Conclusion.REPRODUCED
    assert found.sides[-1].finding is Conclusion.NOT_REPRODUCED
    assert "With the square" in found.sides[-1].words


def test_figures_3_to_14_are_twelve_findings_with_the_settings_of_table_2():
    assert sorted(FIGURES) == list(range(3, 15))
    for i, panel in enumerate(PANELS):
        over_epsilon, over_k = FIGURES[3 + i], FIGURES[9 + i]
        assert over_epsilon.data == over_k.data == (panel.key,)
        assert f"k = {panel.k}" in over_epsilon.claim
        assert f"epsilon = {panel.epsilon:g}" in over_k.claim
        assert all(row.setting["k"] == panel.k for row in over_epsilon.printed)
        assert all(row.setting["epsilon"] == panel.epsilon for row in over_k.printed)


def test_the_captions_and_table_2_are_as_printed():
    told = {panel.name: (panel.rows, panel.d, panel.k, panel.epsilon) for panel in PANELS}
    assert told == {
        "Blood": (748, 5, 4, 0.6),
        "Tripadvisor-review": (980, 10, 4, 0.6),
        "Review-ratings": (5454, 24, 4, 0.2),
        "Adult": (32561, 6, 5, 0.2),
        "Electrical": (10000, 13, 5, 0.2),
        "Credit-card": (30000, 24, 5, 0.2),
    }


@pytest.mark.parametrize("panel", PANELS, ids=[panel.key for panel in PANELS])
def test_the_real_files_have_the_rows_and_dimensions_of_table_2(extra_data, panel):
    data = Shelf(extra_data / "papers").data(panel.key)
    assert data.d == panel.d
    # Two of the reviewers in the file are not in the paper's.
    assert data.n - panel.rows == (2 if panel.key == "google-reviews" else 0)


@pytest.mark.parametrize("name", ["ni2021-fig3", "ni2021-fig9"])
def test_real_donors_are_measured_both_ways(extra_data, name):
    *_, outcome = reproduce(name, Shelf(extra_data / "papers"), Effort(quick=True))
    assert {row.setting["measure"] for row in outcome.rows} == {DISTANCE, SQUARED}
    assert len(outcome.rows) == 3 * 2 * len(ALGORITHMS)
    assert outcome.check.finding is Conclusion.NOT_REPRODUCED
    assert re.search(r"in \d of 3 cells", outcome.check.words)


@pytest.mark.parametrize("shelf", [Shelf(), "empty folder"])
def test_without_the_file_the_finding_cannot_be_run_and_says_which(shelf, tmp_path):
    given = shelf if isinstance(shelf, Shelf) else Shelf(tmp_path)
    *_, outcome = reproduce("ni2021-fig3", given)
    assert outcome.check.finding is Conclusion.CANNOT_RUN
    assert "blood" in outcome.check.words.lower()
