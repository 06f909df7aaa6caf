"""A ranking puts the best first, and says of who cannot answer why."""

from __future__ import annotations

import csv
import io
import math

from dpcore import Request
from dpcore.study.metrics import METRICS
from dpcore.study.standings import as_csv, ranked, standing
from dpcore.study.trials import Trial

NICV = METRICS["nicv"]


def trial(algorithm: str, run: int, nicv: float, seconds: float = 1.0) -> Trial:
    return Trial(Request(algorithm, 3, 1.0), run, {"nicv": nicv}, seconds=seconds)


TRIALS = [
    *(trial("dplloyd", run, float(run)) for run in range(11)),
    trial("eugkm", 0, 2.0),
    Trial(Request("coreset", 3, 1.0), 0, refusal="coreset: it finds balls in 2 to 4 dimensions."),
]
KEYS = ("coreset", "gkm", "dplloyd", "eugkm")


def test_the_best_comes_first_then_who_waits_and_last_who_cannot():
    assert [each.algorithm for each in ranked(KEYS, TRIALS, NICV)] == [
        "eugkm",
        "dplloyd",
        "gkm",
        "coreset",
    ]


def test_a_standing_has_the_mean_the_band_and_the_middle_time():
    found = standing("dplloyd", [*TRIALS, trial("dplloyd", 11, 5.0, seconds=100.0)], NICV)
    assert found.point is not None
    assert (found.point.runs, found.point.mean, found.point.epsilon) == (12, 5.0, 1.0)
    assert found.point.low < 5 < found.point.high
    assert found.seconds == 1.0


def test_a_refusal_is_told_without_the_key_that_the_reader_sees_anyway():
    assert standing("coreset", TRIALS, NICV).refusal == "it finds balls in 2 to 4 dimensions."


def test_who_has_no_trial_yet_has_neither_figure_nor_refusal():
    found = standing("gkm", TRIALS, NICV)
    assert (found.point, found.refusal) == (None, None)
    assert math.isnan(found.seconds)


def test_the_table_says_the_same():
    rows = list(csv.DictReader(io.StringIO(as_csv(ranked(KEYS, TRIALS, NICV), NICV))))
    assert [row["algorithm"] for row in rows] == ["eugkm", "dplloyd", "gkm", "coreset"]
    assert (float(rows[0]["mean"]), rows[0]["verdict"], rows[0]["runs"]) == (2.0, "REPAIRED", "1")
    assert (rows[2]["mean"], rows[2]["refusal"]) == ("", "")
    assert rows[3]["refusal"] == "it finds balls in 2 to 4 dimensions."
