"""A table that somebody brings: centers are measured like ours; nonsense is told by its line."""

from __future__ import annotations

import pytest

import dpcore
from dpcore.errors import BadInput
from dpcore.study.brought_results import NAME, BroughtResult, results_of
from dpcore.study.metrics import nicv
from dpcore.study.sweep_plan import as_csv

DATA = dpcore.datasets.load("s1-like")
BEST = dpcore.baseline(DATA, 3)


def read(text: str) -> list[BroughtResult]:
    return results_of(text, DATA, BEST, 0.5)


def test_centers_are_measured_as_those_of_a_run_are() -> None:
    result = dpcore.run("eugkm", DATA, k=3, epsilon=0.5, seed=4)
    names = DATA.box.names
    lines = [",".join(map(repr, map(float, center))) for center in result.centers]
    (found,) = read("\n".join([",".join(names), *lines]))
    (ours,) = dpcore.sweep(["eugkm"], DATA, 3, [0.5], 1, reference=BEST)
    assert (found.algorithm, found.epsilon) == (NAME, 0.5)
    assert found.figures["nicv"] == pytest.approx(nicv(DATA, result.centers))
    assert set(found.figures) == set(ours.figures) - {"points"} | {"mean-distance"}


def test_other_numbers_of_centers_have_no_shift() -> None:
    (found,) = read(f"{','.join(DATA.box.names)}\n0.1,0.2\n")
    assert "shift" not in found.figures


def test_what_a_sweep_writes_reads_back() -> None:
    trials = list(dpcore.sweep(["eugkm", "dplloyd"], DATA, 3, [0.5, 1.0], 2))
    again = read(as_csv(trials))
    assert [(t.algorithm, t.epsilon) for t in again] == [(t.algorithm, t.epsilon) for t in trials]
    for one, other in zip(again, trials, strict=True):
        assert one.figures["nicv"] == other.figures["nicv"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "empty"),
        ("epsilon,nicv\n", "empty"),
        ("a,b\n1,2\n", "has no column 'x0'"),
        ("epsilon,nicv\n1,much\n", "Line 2: nicv must be a number, not 'much'"),
        ("epsilon,nicv\n1,0.5\n-1,0.5\n", "Line 3: epsilon must be above 0"),
        ("epsilon,nicv\n1,inf\n", "Line 2: nicv must be a number"),
        ("x0,x1\n1\n", "Line 2: x1 must be a number, not ''"),
        ("epsilon,nicv\n" + "1,2\n" * 100_001, "more than 100,000 rows"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line_and_column(text: str, why: str) -> None:
    assert DATA.box.names == ("x0", "x1")
    with pytest.raises(BadInput, match=why):
        read(text)
