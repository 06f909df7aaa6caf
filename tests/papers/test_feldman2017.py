"""Paper 004's findings say what the rows say."""

import numpy as np
import pytest

from dpcore.papers import REPRODUCTIONS, Effort, Finding, Row, feldman2017, reproduce
from dpcore.papers.feldman2017 import ERROR, FAITHFUL, NEGATIVE, NET, OURS, POINTS, SPLIT, TABLE_2


def table(*factors):
    """Table 2 times factors, cell by cell, over and over."""
    cells = [
        (k, n, paper)
        for k, row in TABLE_2.items()
        for n, paper in zip(feldman2017.SIZES, row, strict=True)
    ]
    return [
        Row({"k": k, "n": n}, factors[i % len(factors)] * paper, paper)
        for i, (k, n, paper) in enumerate(cells)
    ]


def along(name, values, figures, measure=ERROR, key=FAITHFUL):
    return [
        Row({"algorithm": key, name: value, "measure": measure}, figure)
        for value, figure in zip(values, figures, strict=True)
    ]


EPSILONS = (0.5, 1, 2, 5)


@pytest.mark.parametrize(
    ("factors", "finding"),
    [
        ((1.1, 0.9), Finding.REPRODUCED),
        ((10,), Finding.NOT_REPRODUCED),
        ((1, 1, 10), Finding.NOT_REPRODUCED),
    ],
)
def test_table_2_is_reproduced_where_most_cells_are_near_the_papers(factors, finding):
    assert feldman2017.check_feasible(table(*factors)).finding is finding


def test_cells_far_from_the_papers_are_named():
    words = feldman2017.check_feasible(table(*[1] * 8, 2)).words
    assert "8 of 9 cells" in words
    assert "k = 10, N = 1,000,000 (1.2, the paper's 0.6)" in words


@pytest.mark.parametrize(
    ("exponent", "finding"), [(1, Finding.REPRODUCED), (2, Finding.NOT_REPRODUCED)]
)
def test_time_that_grows_at_most_linearly_reproduces_figures_3_and_4(exponent, finding):
    sizes = (10_000, 100_000, 1_000_000)
    seconds = [(n / 10_000) ** exponent for n in sizes]
    rows = [row for key in (OURS, FAITHFUL, SPLIT) for row in along("n", sizes, seconds, key=key)]
    check = feldman2017.check_time(rows)
    assert check.finding is finding
    assert f"slope {exponent}.00" in "\n".join(check.lines)


def test_time_that_only_bends_upwards_at_the_end_makes_it_depend():
    rows = along("n", (10, 100, 1_000, 10_000), (1, 1, 1, 100))
    assert feldman2017.check_slope(rows, FAITHFUL).finding is Finding.NOT_REPRODUCED


def test_an_error_that_falls_in_stages_while_the_coreset_grows_reproduces_figure_5():
    rows = [
        *along("epsilon", EPSILONS, (9, 8.9, 2, 1.9)),
        *along("epsilon", EPSILONS, (9, 5, 2, 1), key=OURS),
        *along("epsilon", EPSILONS, (3, 5, 7, 9), POINTS),
    ]
    check = feldman2017.check_epsilons(rows)
    assert check.finding is Finding.REPRODUCED
    assert "points of 3 at epsilon 0.5 and 9 at 5" in "\n".join(check.lines)
    assert "from epsilon 0.5 to 1, 2 to 5" in "\n".join(check.lines)


def test_a_smooth_fall_is_no_stage_and_a_rise_is_no_fall():
    smooth = along("epsilon", EPSILONS, (9, 7, 5.5, 4.3))
    assert feldman2017.check_stages(smooth, FAITHFUL).finding is Finding.NOT_REPRODUCED
    rising = along("epsilon", EPSILONS, (1, 2, 3, 4))
    assert (
        feldman2017.check_trend(rising, FAITHFUL, ERROR, "epsilon", rising=False).finding
        is Finding.NOT_REPRODUCED
    )


@pytest.mark.parametrize(
    ("errors", "finding"),
    [
        ((0.1, 0.2, 0.3, 0.4), Finding.REPRODUCED),
        ((0.4, 0.3, 0.2, 0.1), Finding.NOT_REPRODUCED),
        ((0.1, 0.2, 0.4, 0.3), Finding.NOT_REPRODUCED),
    ],
)
def test_the_error_must_rise_with_k(errors, finding):
    rows = along("k", (1, 2, 5, 10), errors)
    assert feldman2017.check_trend(rows, FAITHFUL, ERROR, "k").finding is finding


def against_2009(error, points, negative):
    return [
        row
        for key, (e, p, m) in {
            FAITHFUL: (1.0, 10.0, 0.0),
            OURS: (1.0, 10.0, 0.0),
            NET: (error, points, negative),
        }.items()
        for row in (
            *along("epsilon", EPSILONS, [e] * 4, ERROR, key),
            *along("epsilon", EPSILONS, [p] * 4, POINTS, key),
            *along("epsilon", EPSILONS, [m] * 4, NEGATIVE, key),
        )
    ]


def test_a_smaller_better_positive_coreset_reproduces_figure_7():
    check = feldman2017.check_against_2009(against_2009(5.0, 300.0, 0.4))
    assert check.finding is Finding.REPRODUCED
    assert "30 to 30 times" in "\n".join(check.lines)
    assert "40% to 40% of the 2009 coreset, 0% of the others" in "\n".join(check.lines)


def test_a_larger_worse_one_refutes_it_and_a_larger_better_one_depends():
    refuted = feldman2017.check_against_2009(against_2009(0.1, 3.0, 0.0))
    assert refuted.finding is Finding.NOT_REPRODUCED
    assert (
        feldman2017.check_against_2009(against_2009(0.1, 300.0, 0.4)).finding
        is Finding.NOT_REPRODUCED
    )


def test_nothing_measured_is_no_finding():
    for name in ("table2", "fig3-4", "fig5", "fig6", "fig7"):
        assert REPRODUCTIONS[f"feldman2017-{name}"].check([]).finding is Finding.CANNOT_RUN


def test_rows_one_by_one_are_the_data_of_the_grid():
    grid = feldman2017.pickups(1_000)
    rows = feldman2017.as_rows(grid, seed=0)
    assert rows.n == grid.n == 1_000
    middle = np.zeros((1, 1, 2))
    assert rows.cost(middle) == pytest.approx(grid.cost(middle), rel=1e-5)


def test_error_size_and_negative_weights_are_measured_together():
    measured = feldman2017.measured(feldman2017.pickups(1_000), (OURS,), 2, 5.0, 2, Effort())
    figures = {row.setting["measure"]: row.figure for row in measured}
    assert set(figures) == {ERROR, POINTS, NEGATIVE}
    assert figures[POINTS] >= 1
    assert figures[NEGATIVE] == 0


def test_a_finding_runs_and_ends_in_a_verdict():
    *_, outcome = reproduce("feldman2017-table2", effort=Effort(quick=True))
    assert len(outcome.rows) == 9
    assert all(0 < row.figure < 5 for row in outcome.rows)
    assert outcome.check.finding is Finding.REPRODUCED


class Brief(Effort):
    """As short as a finding can be measured."""

    def runs(self, full: int) -> int:
        return 2


@pytest.mark.parametrize(
    "name", [name for name in REPRODUCTIONS if name.startswith("feldman2017-")]
)
def test_every_finding_is_measured_from_its_data_to_its_verdict(name):
    *_, outcome = reproduce(name, effort=Brief(quick=True))
    assert outcome.check.finding in (
        Finding.REPRODUCED,
        Finding.NOT_REPRODUCED,
        Finding.NOT_REPRODUCED,
    )
    measured = [row for row in outcome.rows if "absent" not in row.setting]
    assert measured
    assert all(np.isfinite(row.figure) for row in measured)
    assert {row.setting["algorithm"] for row in outcome.rows} <= {OURS, FAITHFUL, SPLIT, NET}
