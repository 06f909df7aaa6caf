"""Every check is one that its own paper passes, and that can fail.

Each is fed the rows that its paper prints, or that were drawn after its claim; their opposite; and
rows in which everything is equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from dpcore.papers import REPRODUCTIONS, Conclusion, Reproduction, Row

FED = {name: each for name, each in REPRODUCTIONS.items() if each.printed}
#: Papers all of whose findings must come with rows of the paper, and say how it measured them.
COMPLETE = ("su2016", "balcan2017", "joshi2022", "ni2021", "feldman2017")
every_finding = pytest.mark.parametrize("each", FED.values(), ids=FED)


def opposite(rows: Sequence[Row]) -> list[Row]:
    """What was large is small: every comparison and every slope is turned around."""
    return [replace(row, figure=1 / max(row.figure, 1e-12)) for row in rows]


def equal(rows: Sequence[Row]) -> list[Row]:
    return [replace(row, figure=1.0) for row in rows]


@every_finding
def test_a_check_passes_its_own_paper(each: Reproduction) -> None:
    check = each.judge(each.printed)
    assert check.finding is Conclusion.REPRODUCED, check.lines
    for side in check.sides:
        assert side.finding is not Conclusion.NOT_REPRODUCED, side.words


@every_finding
def test_a_check_refuses_the_opposite(each: Reproduction) -> None:
    check = each.judge(opposite(each.printed))
    assert check.finding is Conclusion.NOT_REPRODUCED, check.lines


@every_finding
def test_a_check_refuses_methods_that_are_all_equal(each: Reproduction) -> None:
    check = each.judge(equal(each.printed))
    assert check.finding is Conclusion.NOT_REPRODUCED, check.lines


@every_finding
def test_no_side_claim_holds_whatever_the_rows_say(each: Reproduction) -> None:
    kept = each.judge(each.printed).sides
    turned, same = (each.judge(fed(each.printed)).sides for fed in (opposite, equal))
    for side, *others in zip(kept, turned, same, strict=True):
        if side.finding is Conclusion.REPRODUCED:
            assert Conclusion.NOT_REPRODUCED in [other.finding for other in others], side.words


@pytest.mark.parametrize("each", REPRODUCTIONS.values(), ids=REPRODUCTIONS)
def test_a_check_of_nothing_says_that_nothing_was_measured(each: Reproduction) -> None:
    assert each.judge([]).finding is Conclusion.CANNOT_RUN
    gone = Row({"data": "adult", "absent": "no file"}, math.nan)
    assert each.judge([gone]).words == "no file"


@pytest.mark.parametrize("each", REPRODUCTIONS.values(), ids=REPRODUCTIONS)
def test_a_finding_has_rows_of_its_paper_and_says_how_the_paper_measured(
    each: Reproduction,
) -> None:
    if each.paper in COMPLETE:
        assert each.printed
        assert each.setting.endswith(".")
    assert "text was not at hand" not in each.differs


def test_the_papers_number_stands_in_the_measured_row_of_its_setting() -> None:
    made = replace(next(iter(REPRODUCTIONS.values())), printed=(Row({"k": 2}, 3.0, paper=3.0),))
    assert made.beside(Row({"k": 2, "d": 1}, 1.0)).paper == 3.0
    assert made.beside(Row({"k": 3, "d": 1}, 1.0)).paper is None
    assert made.compared([Row({"k": 2, "d": 1}, 1.0)]) == [Row({"k": 2}, 1.0, 3.0)]
