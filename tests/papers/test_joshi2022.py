"""Paper 002's findings say what the rows say."""

import pytest

from dpcore.papers import Effort, Finding, Row, joshi2022, reproduce


def ratios(figures, noise="none"):
    return [
        Row({"data": key, "measure": joshi2022.RATIO, "noise": noise}, figure)
        for key, some in figures.items()
        for figure in some
    ]


def gaps(base, error=0.01, **by_set):
    """The baseline's gap on every set, and SubClustering's for internalK 2 to 5."""
    found = []
    for key, some in by_set.items():
        key = key.replace("_", "-")
        found.append(Row({"data": key, "algorithm": joshi2022.GUARANTEE}, base))
        found += [
            Row({"data": key, "algorithm": joshi2022.SUB, "internal_k": k}, gap, error=error)
            for k, gap in zip(joshi2022.GROUPS, some, strict=True)
        ]
    return found


def test_the_papers_factors_everywhere_reproduce_figure_3():
    figures = {"iris": [1.2] * 5, "wine": [5] * 5, "breast-cancer": [3] * 5, "digits": [2] * 5}
    check = joshi2022.check_gaps(ratios(figures))
    assert check.finding is Finding.REPRODUCED
    assert "5.00 times" in "\n".join(check.lines)


def test_no_better_than_the_baseline_anywhere_refutes_it():
    figures = {key: [0.5] * 5 for key in joshi2022.CLUSTERS}
    check = joshi2022.check_gaps(ratios(figures))
    assert check.finding is Finding.NOT_REPRODUCED
    assert "wine: the baseline's gap is 0.50 times" in "\n".join(check.lines)


def test_it_depends_where_some_settings_reach_the_factor():
    check = joshi2022.check_factor(ratios({"wine": [1, 5, 1, 5]}), "wine")
    assert check.finding is Finding.NOT_REPRODUCED
    assert "2 of 4 settings" in "\n".join(check.lines)


def test_settings_with_the_final_noise_do_not_count_but_are_told():
    rows = ratios({"wine": [1] * 4}) + ratios({"wine": [9] * 4}, noise="final")
    check = joshi2022.check_factor(rows, "wine")
    assert check.finding is Finding.NOT_REPRODUCED
    assert "With the final noise, 9.00" in "\n".join(check.lines)


def test_the_papers_best_internal_k_must_be_best_here_and_beat_the_baseline():
    as_claimed = gaps(
        1.0,
        iris=(0.5, 0.5, 0.5, 0.5),
        wine=(0.5, 0.5, 0.2, 0.5),
        breast_cancer=(0.5, 0.5, 0.2, 0.5),
        digits=(0.5, 0.5, 0.5, 0.2),
    )
    assert joshi2022.check_groups(as_claimed).finding is Finding.REPRODUCED


@pytest.mark.parametrize(
    ("some", "error", "finding"),
    [
        ((0.5, 0.5, 0.2, 0.5), 0.09, Finding.REPRODUCED),
        ((0.5, 0.5, 0.2, 0.5), 0.11, Finding.NOT_REPRODUCED),
        ((0.2, 0.5, 0.5, 0.5), 0.09, Finding.NOT_REPRODUCED),
        ((0.2, 0.5, 0.5, 0.5), 0.11, Finding.NOT_REPRODUCED),
    ],
)
def test_gaps_must_differ_beyond_luck_to_say_which_internal_k_is_best(some, error, finding):
    # The best of three others is told apart at 2.13 standard errors, each of both means.
    rows = gaps(1.0, error, wine=some)
    assert joshi2022.check_best_group(rows, "wine").finding is finding


def test_a_set_that_was_not_measured_is_no_finding():
    assert joshi2022.check_gaps([]).finding is Finding.CANNOT_RUN
    assert joshi2022.check_groups([]).finding is Finding.CANNOT_RUN


@pytest.mark.parametrize("name", ["joshi2022-fig3", "joshi2022-fig4"])
def test_every_finding_runs_and_ends_in_a_verdict(monkeypatch, name):
    monkeypatch.setattr(joshi2022, "CLUSTERS", {"iris": 3})
    *_, outcome = reproduce(name, effort=Effort(quick=True))
    assert outcome.check.finding is not Finding.CANNOT_RUN
    assert "iris" in outcome.check.words
    assert all(row.figure >= 0 for row in outcome.rows)
