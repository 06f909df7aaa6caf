"""A duel is fair, says who wins a cell, and calls no win significant that chance explains."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import pytest

import dpcore
from dpcore.datasets.generated import gaussians
from dpcore.datasets.rows import from_array
from dpcore.errors import BadInput
from dpcore.study.duels import Bout, MethodDuel, Setting, as_csv, cells_csv, fewest_runs, outcomes
from dpcore.study.metrics import nicv

SMALL = MethodDuel(
    dpcore.Request("eugkm", 2, 0.5, seed=3),
    dpcore.Request("kvariates", 2, 0.5, seed=3),
    2,
    (0.5, 2.0),
    (2,),
    (500,),
    (2, 3),
)


def bouts(number: int, wins: int, losses: int, times: float = 2.0) -> list[Bout]:
    bout = SMALL.bout(Setting(0.1 * (number + 1), 2, 1000, 2), 0)
    good, bad = replace(bout, one=1.0, other=times), replace(bout, one=times, other=1.0)
    return [good] * wins + [bad] * losses


def test_both_methods_run_on_the_same_new_rows_with_the_same_seed() -> None:
    found = list(SMALL.bouts())
    assert len(found) == SMALL.total == 8
    assert len({bout.seed for bout in found}) == 2
    bout = next(b for b in found if b.setting == Setting(2.0, 2, 500, 3) and b.run == 1)
    data = from_array(gaussians(2, 3, 500, bout.seed), (-1, 1))
    for request, figure in ((SMALL.one, bout.one), (SMALL.other, bout.other)):
        again = dpcore.run(request.at(2.0).with_seed(bout.seed), data)
        assert nicv(data, again.centers) == figure


def test_a_method_that_is_always_better_wins_and_by_how_much_is_the_geometric_mean() -> None:
    (found,) = outcomes([*bouts(1, 8, 0), *bouts(1, 2, 0, 8.0)])
    assert (found.wins, found.losses, found.runs) == (10, 0, 10)
    assert found.times == pytest.approx(2 * 4 ** (2 / 10))
    assert found.p == pytest.approx(2 / 2**10)
    assert found.is_significant


def test_a_win_that_chance_explains_is_not_significant() -> None:
    (found,) = outcomes(bouts(1, 6, 4))
    assert found.p == pytest.approx(0.75390625)
    assert not found.is_significant


def test_one_unlikely_cell_among_many_is_not_significant_after_the_correction() -> None:
    alone = outcomes(bouts(0, 8, 0))
    assert alone[0].p == pytest.approx(2 / 2**8)
    assert alone[0].is_significant
    among = outcomes([*bouts(0, 8, 0), *(b for i in range(1, 50) for b in bouts(i, 4, 4))])
    assert not any(each.is_significant for each in among)


@pytest.mark.parametrize("cells", [1, 2, 54])
def test_fewer_runs_than_are_needed_show_nothing_however_they_end(cells: int) -> None:
    enough = fewest_runs(cells)
    for runs, wanted in ((enough - 1, False), (enough, True)):
        others = (bout for i in range(1, cells) for bout in bouts(i, runs // 2, runs // 2))
        first, *_ = outcomes([*bouts(0, runs, 0), *others])
        assert first.is_significant is wanted
    assert (fewest_runs(1), fewest_runs(54)) == (6, 12)


def test_a_cell_in_which_one_cannot_run_says_why_and_counts_for_nobody() -> None:
    duel = MethodDuel(
        dpcore.Request("adaptive", 2, 0.5), dpcore.Request("eugkm", 2, 0.5), 1, ds=(3,)
    )
    (refused, *_) = outcomes(duel.bouts())
    assert refused.refusal is not None
    assert "2 dimensions" in refused.refusal
    assert (refused.wins, refused.losses) == (0, 0)
    assert math.isnan(refused.times)


def test_a_method_does_not_meet_itself() -> None:
    with pytest.raises(BadInput, match="two methods"):
        MethodDuel(SMALL.one, SMALL.one, 1)


def test_the_program_prints_every_bout(capsys: pytest.CaptureFixture[str]) -> None:
    exec(SMALL.python(), {})
    printed = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    own = list(csv.DictReader(io.StringIO(as_csv(SMALL.bouts()))))
    assert [row for row in printed if row["run"]] == own
    cells = list(csv.DictReader(io.StringIO(cells_csv(outcomes(SMALL.bouts())))))
    assert [row["wins"] for row in cells] == ["2"] * 4
