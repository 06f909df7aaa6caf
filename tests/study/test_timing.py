"""Run times grow as they are told to, the least of several counts, and long runs are left out."""

from __future__ import annotations

import csv
import io
import math

import pytest

from dpcore import Request
from dpcore.study import timing
from dpcore.study.timing import Timetable, Timing, as_csv, pace

DPLLOYD, EUGKM = Request("dplloyd", 3, 1.0, seed=0), Request("eugkm", 3, 1.0, seed=0)
SMALL = Timetable((DPLLOYD, EUGKM), 2, sizes=(100, 1000))


def timed(n: int, seconds: float, run: int = 0, request: Request = DPLLOYD) -> Timing:
    return Timing(request, run, n, seconds=seconds)


def test_every_algorithm_is_timed_at_every_size():
    timings = list(SMALL.timings())
    assert [(t.algorithm, t.n, t.run) for t in timings] == [
        (key, n, run) for key in ("dplloyd", "eugkm") for n in (100, 1000) for run in range(2)
    ]
    assert SMALL.total == len(timings)
    assert all(t.seconds > 0 for t in timings)


def test_the_least_time_counts_and_the_slope_is_that_of_the_line():
    timings = [timed(n, (1 + run) * n**1.5, run) for n in (10, 100, 1000) for run in (0, 1)]
    found = pace("dplloyd", [*timings, timed(10, 1.0, request=EUGKM)])
    assert found.seconds == {n: n**1.5 for n in (10, 100, 1000)}
    assert found.slope is not None
    assert found.slope.value == pytest.approx(1.5)
    assert found.slope.uncertainty == pytest.approx(0, abs=1e-6)


def test_a_slope_of_two_sizes_has_no_uncertainty_and_one_of_four_that_of_a_95_percent_interval():
    two = pace("dplloyd", [timed(n, float(n)) for n in (10, 100)])
    assert two.slope is not None
    assert two.slope.uncertainty is None
    # Times are off by factors of 2 in turn: by hand, a standard error of .245 and t = 4.303.
    times = [10.0, 200.0, 1000.0, 20000.0]
    four = pace("dplloyd", [timed(10 ** (i + 1), t) for i, t in enumerate(times)])
    assert four.slope is not None
    x, y = [1, 2, 3, 4], [math.log10(t) for t in times]
    slope = sum((a - 2.5) * b for a, b in zip(x, y, strict=True)) / 5
    rest = [b - sum(y) / 4 - slope * (a - 2.5) for a, b in zip(x, y, strict=True)]
    error = math.sqrt(sum(r * r for r in rest) / 2 / 5)
    assert four.slope.value == pytest.approx(slope)
    assert four.slope.uncertainty == pytest.approx(4.302653 * error, rel=1e-5)


def test_one_size_has_no_slope():
    assert pace("dplloyd", [timed(10, 1.0)]).slope is None


def test_what_would_take_too_long_is_left_out_and_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(timing, "LONGEST", 1e-9)
    found = pace("dplloyd", SMALL.timings())
    assert list(found.seconds) == [100]
    assert "more than" in found.refusals[1000]


def test_an_algorithm_that_cannot_run_says_why():
    refused = Timetable((Request("coreset-split", 3, 1.0),), 1, sizes=(100,))
    (told,) = refused.timings()
    assert told.refusal is not None
    assert told.refusal.startswith("it is for 3 and 4 dimensions")


def test_the_program_times_the_same(capsys: pytest.CaptureFixture[str]):
    own = Request("dplloyd", 3, 1.0, settings={"rounds": 2}), Request("coreset-split", 3, 1.0)
    program = Timetable(own, 2, 2, (100, 1000)).python()
    assert "{'rounds': 2}" in program
    exec(program, {})
    said = [line.split()[:2] for line in capsys.readouterr().out.splitlines()]
    assert said == [[key, n] for n in ("100", "1000") for key in ("dplloyd", "coreset-split")]


def test_the_table_leaves_empty_what_was_not_timed():
    (row,) = csv.DictReader(io.StringIO(as_csv([Timing(DPLLOYD, 0, 10, refusal="Too few.")])))
    expected = {"algorithm": "dplloyd", "n": "10", "run": "0", "seconds": "", "refusal": "Too few."}
    assert row == expected
