"""Feldman et al.'s findings say what the rows say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpcore.datasets.regions import boroughs
from dpcore.papers import (
    REPRODUCTIONS,
    Conclusion,
    Effort,
    Row,
    current_name,
    kept_outcomes,
    reproduce,
)
from dpcore.papers import feldman2017 as sizes
from dpcore.papers import feldman2017_against as against
from dpcore.papers import feldman2017_levels as levels
from dpcore.papers import feldman2017_time as times
from dpcore.papers.feldman2017 import ERROR, FAITHFUL, NEGATIVE, OURS, POINTS, TABLE_2
from dpcore.papers.feldman2017_against import NET
from dpcore.privacy.explain import LEVELS


def along(name, values, figures, measure=ERROR, key=FAITHFUL, **where):
    return [
        Row({"algorithm": key, **where, name: value, "measure": measure}, figure)
        for value, figure in zip(values, figures, strict=True)
    ]


EPSILONS = (0.5, 1, 2, 4)


# Table 2.


def table(*factors, measure=levels.USABLE):
    """Table 2 times factors, cell by cell, over and over."""
    cells = [
        (k, n, paper)
        for k, row in TABLE_2.items()
        for n, paper in zip(sizes.SIZES, row, strict=True)
    ]
    return [
        Row({"k": k, "n": n, "measure": measure}, factors[i % len(factors)] * paper)
        for i, (k, n, paper) in enumerate(cells)
    ]


@pytest.mark.parametrize(
    ("factors", "finding", "words"),
    [
        ((1.9, 0.6), Conclusion.REPRODUCED, "9 of 9 cells"),
        ((10,), Conclusion.NOT_REPRODUCED, "0 of 9 cells"),
        ((1, 1, 10), Conclusion.NOT_REPRODUCED, "6 of 9 cells"),
    ],
)
def test_table_2_is_judged_by_usable_answers(factors, finding, words):
    check = levels.check_feasible(table(*factors) + table(1, measure=levels.SMALLEST))
    assert check.finding is finding
    assert words in check.words


def test_an_answer_needs_k_points_and_a_cost_near_the_best():
    data = sizes.pickups(100_000)
    first = levels.smallest_epsilon(100_000, 5)
    assert not levels.usable(data, 5, first / 2, 2, 0)
    assert not levels.usable(data, 5, first, 2, 0)  # one point
    assert levels.usable(data, 5, 4 * first, 2, 0)


# Figure 8.


def test_manhattan_is_the_borough_on_the_map():
    assert levels.in_manhattan(np.array([[-73.97, 40.78], [-73.95, 40.65]])).tolist() == [1, 0]
    assert "Manhattan" in boroughs().names


def level_rows(points, outside):
    return [
        row
        for measure, figures in ((POINTS, points), (levels.OUTSIDE, outside))
        for row in along("epsilon", [level.epsilon for level in LEVELS], figures, measure)
    ]


@pytest.mark.parametrize(
    ("outside", "finding"),
    [
        ((17, 6, 3, 0, 0, 0, 0), Conclusion.REPRODUCED),
        ((17, 6, 3, 2, 2, 2, 1), Conclusion.NOT_REPRODUCED),
        ((0, 0, 0, 0, 0, 0, 0), Conclusion.NOT_REPRODUCED),
    ],
)
def test_points_outside_of_manhattan_must_be_there_first_and_gone_last(outside, finding):
    rows = level_rows((68, 53, 44, 32, 23, 14, 2), outside)
    assert levels.check_levels(rows).finding is finding


# Figures 3 and 4.


def timed(exponent, key, k, ns):
    return along("n", ns, [(n / 10_000) ** exponent for n in ns], times.SECONDS, key, k=k)


def test_a_slope_is_that_of_the_logarithms():
    (points,) = sizes.curves(timed(1.6, "a", 1, times.SIZES), "a", times.SECONDS, "n").values()
    rise, square = times.slope(points)
    assert rise == pytest.approx(1.6)
    assert square == pytest.approx(1)
    assert times.slope({1.0: 2.0, 2.0: 2.0}) == (0.0, 0.0)


def slopes(one, five):
    where = {"algorithm": times.AS_PRINTED, "measure": times.SLOPE}
    return [Row({**where, "k": 1}, one), Row({**where, "k": 5}, five)]


@pytest.mark.parametrize(
    ("one", "five", "finding"),
    [
        (1.5, 1.9, Conclusion.REPRODUCED),
        (1.0, 1.0, Conclusion.NOT_REPRODUCED),
        (1.6, 2.2, Conclusion.NOT_REPRODUCED),
    ],
)
def test_both_slopes_must_be_those_of_the_paper(one, five, finding):
    assert times.check_time(slopes(one, five)).finding is finding


def test_the_printed_algorithm_takes_longer_with_more_rows_and_has_no_round_for_too_few():
    cells = np.random.default_rng(0).integers(0, 64, (40_000, 2))
    few, many = (times.seconds_as_printed(cells[:n], 64, 1, 0.8) for n in (4_000, 40_000))
    assert 0 < few < many
    assert math.isnan(times.seconds_as_printed(cells[:100], 64, 5, 0.8))


def test_times_in_four_dimensions_must_be_straight_and_comparable_with_two():
    ns = times.TRIPS_SIZES
    straight = [*timed(1, times.SPLIT, 1, ns), *timed(1, times.SPLIT, 5, ns)]
    near, far = timed(1, FAITHFUL, 1, ns), timed(3, FAITHFUL, 1, ns)
    assert times.check_split(straight + near).finding is Conclusion.REPRODUCED
    assert times.check_split(straight + far).finding is Conclusion.NOT_REPRODUCED


def test_rows_one_by_one_are_the_data_of_the_grid():
    grid = sizes.pickups(1_000)
    rows = times.as_rows(grid, seed=0)
    assert rows.n == grid.n == 1_000
    middle = np.zeros((1, 1, 2))
    assert rows.cost(middle) == pytest.approx(grid.cost(middle), rel=1e-5)


# Figures 5 to 7.


def panel(k, points):
    return along("epsilon", EPSILONS, points, POINTS, k=k, n=100_000)


def test_a_size_that_is_linear_in_log_epsilon_and_stays_at_times_reproduces_figure_5():
    check = sizes.check_epsilons(panel(1, (3, 4, 4, 5)) + panel(5, (10, 20, 30, 40)))
    assert "(R^2 of 0.95 or more, 0.900 at least) in 1 of 2 cells" in check.words
    stages = check.sides[0]
    assert stages.finding is Conclusion.REPRODUCED
    assert "33% of the steps at k = 1, 0% of the steps at k = 5" in stages.words


def test_a_size_that_grows_with_epsilon_itself_is_not_linear_in_its_logarithm():
    rows = panel(1, (1, 2, 40, 800)) + panel(5, (1, 2, 40, 800))
    assert sizes.check_epsilons(rows).finding is Conclusion.NOT_REPRODUCED


def test_the_error_must_rise_with_k_and_faster_at_a_smaller_epsilon():
    def curve(epsilon, step):
        return along("k", (1, 2, 5, 10), [step * k for k in (1, 2, 5, 10)], epsilon=epsilon)

    steeper = sizes.check_clusters(curve(0.5, 0.2) + curve(2, 0.1))
    assert steeper.finding is steeper.sides[0].finding is Conclusion.REPRODUCED
    flatter = sizes.check_clusters(curve(0.5, 0.1) + curve(2, 0.2))
    assert flatter.finding is Conclusion.REPRODUCED
    assert flatter.sides[0].finding is Conclusion.NOT_REPRODUCED
    falling = curve(0.5, -0.1) + curve(2, -0.1)
    assert sizes.check_clusters(falling).finding is Conclusion.NOT_REPRODUCED


def against_2009(error, times_larger, negative):
    ns = against.SIZES[1:]
    return [
        row
        for key, (e, m) in {FAITHFUL: (1.0, 0.0), OURS: (0.1, 0.0), NET: (error, negative)}.items()
        for row in (
            *along("n", ns, [e] * len(ns), ERROR, key),
            *along("n", ns, [m] * len(ns), NEGATIVE, key),
        )
    ] + [Row({"measure": against.TIMES, "of": "least"}, times_larger)]


def test_the_error_decides_figure_7_and_size_and_weights_stand_under_it():
    check = against.check_against_2009(against_2009(5.0, 30.0, 0.4))
    assert [check.finding, *(side.finding for side in check.sides)] == [Conclusion.REPRODUCED] * 3
    check = against.check_against_2009(against_2009(0.5, 2000.0, 0.0))
    assert [check.finding, *(side.finding for side in check.sides)] == [
        Conclusion.NOT_REPRODUCED
    ] * 3
    assert "improved coreset of this project has a smaller error" in check.notes[0]


def test_error_size_and_negative_weights_are_measured_together():
    measured = sizes.measured(sizes.pickups(1_000), (OURS,), 2, 5.0, 2, Effort())
    figures = {row.setting["measure"]: row.figure for row in measured}
    assert set(figures) == {ERROR, POINTS, NEGATIVE}
    assert figures[POINTS] >= 1
    assert figures[NEGATIVE] == 0


def test_the_findings_are_those_of_the_paper():
    names = sorted(name for name in REPRODUCTIONS if name.startswith("feldman2017-"))
    assert names == [
        f"feldman2017-{each}" for each in ("fig3", "fig4", "fig5", "fig6", "fig7", "fig8", "table2")
    ]
    assert current_name("004-fig3-4") == "feldman2017-fig3"


class Brief(Effort):
    """As short as a finding can be measured."""

    def runs(self, full: int) -> int:
        return 1


SMALL = {
    "feldman2017-table2": (levels, {"TABLE_2": {1: TABLE_2[1]}, "STEP": 2.0}),
    "feldman2017-fig3": (times, {"SIZES": (10_000, 200_000)}),
    "feldman2017-fig4": (times, {"TRIPS_SIZES": (10_000, 20_000)}),
    "feldman2017-fig5": (sizes, {"TABLE_2": {1: TABLE_2[1]}, "STEPS": (2.2, 4.8, 10.6)}),
    "feldman2017-fig6": (sizes, {"EPSILONS": (3.0,), "CLUSTERS": (1, 2, 3, 4)}),
    "feldman2017-fig7": (against, {"SIZES": (300_000,)}),
    "feldman2017-fig8": (levels, {"LEVELS": (LEVELS[0], LEVELS[-1])}),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_finding_is_measured_from_its_data_to_its_verdict(monkeypatch, name):
    module, smaller = SMALL[name]
    for constant, value in smaller.items():
        monkeypatch.setattr(module, constant, value)
    *_, outcome = reproduce(name, effort=Brief())
    assert outcome.check.finding is not Conclusion.CANNOT_RUN, outcome.check.words
    measured = [row for row in outcome.rows if "absent" not in row.setting]
    assert measured
    assert all(np.isfinite(row.figure) for row in measured)


def test_kept_figures_repeat_to_the_digit():
    data = sizes.pickups(sizes.SIZES[-1])
    again = sizes.measured(data, (FAITHFUL,), 1, 6.0, 5, Effort())
    known = {
        row.setting["measure"]: row.figure
        for row in kept_outcomes()["feldman2017-fig6"].rows
        if {"algorithm": FAITHFUL, "k": 1, "epsilon": 6.0}.items() <= row.setting.items()
    }
    assert {row.setting["measure"]: float(f"{row.figure:.4g}") for row in again} == known
