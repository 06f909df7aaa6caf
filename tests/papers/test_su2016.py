"""Claims about paper 000's findings, on rows made by hand and on a small set."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dpcore.papers import REPRODUCTIONS, Effort, Finding, Row, Shelf, reproduce
from dpcore.papers.su2016 import check_heat, check_hybrid, check_rivals
from dpcore.papers.su2016_parts import TIMED, check_searches, check_time

CLAIMED = {
    "eugkm": 1.0,
    "eugkm-published": 1.0,
    "dplloyd": 2.0,
    "pgkm": 3.0,
    "gkm-3k": 4.0,
    "gkm": 9.0,
}
UPSIDE_DOWN = {
    "eugkm": 9.0,
    "eugkm-published": 9.0,
    "dplloyd": 4.0,
    "pgkm": 3.0,
    "gkm-3k": 2.0,
    "gkm": 1.0,
}


def rows(cells: list[dict], key: str = "algorithm") -> list[Row]:
    """Cells of a setting and the figures in it by algorithm, as rows."""
    return [
        Row({**{n: v for n, v in cell.items() if n != "by"}, key: name}, figure)
        for cell in cells
        for name, figure in cell["by"].items()
    ]


def rivals(few: dict, many: dict, small_s1: dict) -> list[Row]:
    taxi = [{"data": "nyc-taxi", "d": 2, "epsilon": e, "by": few} for e in (0.1, 1.0)]
    adult = [{"data": "adult", "d": 6, "epsilon": e, "by": many} for e in (0.1, 1.0)]
    return rows([*taxi, *adult, {"data": "s1", "d": 2, "epsilon": 0.1, "by": small_s1}])


def test_figure_1_is_reproduced_where_every_rival_stands_as_published():
    many = {**CLAIMED, "eugkm": 2.5}
    found = check_rivals(rivals(CLAIMED, many, {**CLAIMED, "pgkm": 1.5}))
    assert found.finding is Finding.REPRODUCED, found.words
    assert "GkM is the worst of all in 5 of 5 cells" in "\n".join(found.lines)


def test_figure_1_upside_down_is_not_reproduced():
    many = {**UPSIDE_DOWN, "eugkm": 3.5, "dplloyd": 10.0}
    found = check_rivals(rivals(UPSIDE_DOWN, many, {**UPSIDE_DOWN, "pgkm": 5.0}))
    assert found.finding is Finding.NOT_REPRODUCED, found.words


def heat(figure: Callable[[str, int, int], float]) -> list[Row]:
    at = [(d, k) for d in (2, 10) for k in (2, 10)]
    return rows(
        [
            {
                "data": f"gaussians-k{k}-d{d}",
                "d": d,
                "k": k,
                "by": {"non-private": 1.0}
                | {key: 1.0 + figure(key, d, k) for key in ("eugkm", "dplloyd")},
            }
            for d, k in at
        ]
    )


def test_figure_2_is_reproduced_where_d_hurts_the_grid_and_k_hurts_lloyd():
    assert check_heat(heat(lambda key, d, k: d if key == "eugkm" else k)).finding == "reproduced"


def test_figure_2_is_not_reproduced_where_it_is_the_other_way_around():
    found = check_heat(heat(lambda key, d, k: 20 - d if key == "eugkm" else 20 - k))
    assert found.finding is Finding.NOT_REPRODUCED


@pytest.mark.parametrize(
    ("hybrid", "finding"),
    [
        ([1.01] * 4, Finding.REPRODUCED),
        ([1.5] * 4, Finding.NOT_REPRODUCED),
        ([0.5, 0.5, 1.5, 1.5], Finding.NOT_REPRODUCED),
    ],
)
def test_hybrid_must_be_as_good_as_the_better_of_its_parts(hybrid, finding):
    cells = [
        {"epsilon": e, "by": {"eugkm": 1.0, "dplloyd": 2.0, "hybrid": figure}}
        for e, figure in enumerate(hybrid)
    ]
    assert check_hybrid(rows(cells)).finding is finding


def blocks(few: float, some: float, published: float) -> list[Row]:
    where = {"data": "s1", "k": 15, "epsilon": 1.0}
    return [
        Row({**where, "rows_per_center": 1, "blocks": ""}, few),
        Row({**where, "rows_per_center": 3, "blocks": ""}, some),
        Row({**where, "rows_per_center": 11, "blocks": "of GkM"}, published),
    ]


def searches(lloyd: float, genetic: float, genetic_late: float) -> list[Row]:
    return rows(
        [
            {"rounds": 5, "by": {"dplloyd": lloyd, "pgkm": genetic}},
            {"rounds": 20, "by": {"dplloyd": lloyd, "pgkm": genetic_late}},
        ]
    )


def test_the_genetic_search_must_be_worse_early_and_late():
    assert check_searches(searches(1, 2, 2)).finding is Finding.REPRODUCED
    assert check_searches(searches(1, 2, 0.5)).finding is Finding.NOT_REPRODUCED
    assert check_searches(searches(2, 1, 1)).finding is Finding.NOT_REPRODUCED


def test_the_order_of_run_times_is_compared_not_seconds():
    seconds = dict.fromkeys(TIMED, 1.0)
    for dplloyd, pgkm, finding in [
        (0.1, 5.0, Finding.REPRODUCED),
        (0.1, 0.5, Finding.NOT_REPRODUCED),
        (2.0, 0.5, Finding.NOT_REPRODUCED),
    ]:
        cell = {"data": "s1", "by": {**seconds, "dplloyd": dplloyd, "pgkm": pgkm}}
        assert check_time(rows([cell])).finding is finding


def test_every_figure_of_the_paper_is_there():
    assert {f"su2016-fig{number}" for number in range(1, 8)} == {
        name for name, each in REPRODUCTIONS.items() if each.paper == "000"
    }


@pytest.fixture
def two_sets(monkeypatch):
    """S1 with three centers, and Adult: neither ships, one has a stand-in."""
    monkeypatch.setattr("dpcore.papers.su2016.SIX", (("s1", 3), ("adult", 5)))
    monkeypatch.setattr("dpcore.papers.su2016.FEW", (1.0,))
    monkeypatch.setattr("dpcore.papers.su2016_parts.FEW_ROUNDS", (2,))


@pytest.mark.parametrize("name", ["su2016-fig3", "su2016-fig4", "su2016-fig5", "su2016-fig7"])
def test_a_quick_run_comes_to_a_verdict(name, two_sets):
    *_, outcome = reproduce(name, Shelf(), Effort(quick=True))
    assert outcome.check.finding is not Finding.CANNOT_RUN


@pytest.mark.parametrize("name", ["su2016-fig2", "su2016-fig6"])
def test_a_corner_of_the_family_comes_to_a_verdict(name, monkeypatch):
    monkeypatch.setattr("dpcore.papers.su2016.FEW_SIDES", (2, 3))
    *_, outcome = reproduce(name, Shelf(), Effort(quick=True))
    assert outcome.check.finding is not Finding.CANNOT_RUN
