"""What findings came to is kept in a file, one by one, and read from it again."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from dpcore.cli import BAD_INPUT, main
from dpcore.datasets.data_folder import data_file
from dpcore.papers import REPRODUCTIONS, Check, Finding, Outcome, Row, kept
from dpcore.papers.finding import _registry
from dpcore.papers.kept_results import FILE, from_json, to_json

ROWS = [
    Row({"data": "iris", "k": 3, "epsilon": 0.5, "algorithm": "dplloyd"}, 0.25, 0.2, 0.01),
    Row({"data": "wine", "absent": "not here"}, math.nan),
]


@pytest.fixture
def small(monkeypatch):
    """A finding that is measured at once, in place of a real one."""

    def measure(shelf, effort):
        yield from ROWS

    made = replace(
        REPRODUCTIONS["su2016-fig1"],
        measure=measure,
        check=lambda rows: Check(Finding.NOT_REPRODUCED, f"{len(rows)} rows."),
    )
    monkeypatch.setitem(_registry, "su2016-fig1", made)
    return made


def test_outcomes_survive_being_written_down(small):
    outcome = Outcome(small, ROWS, small.judge(ROWS), "2026-01-02")
    (again,) = from_json(to_json([outcome])).values()
    assert again.check == outcome.check
    assert again.date == "2026-01-02"
    assert again.rows[0] == ROWS[0]
    assert again.rows[1].setting == ROWS[1].setting
    assert math.isnan(again.rows[1].figure)


def test_an_outcome_of_another_claim_is_left_out(small):
    text = to_json([Outcome(small, ROWS)])
    assert from_json(text)
    assert from_json(text.replace(json.dumps(small.claim), '"Another claim."')) == {}


def test_an_outcome_kept_under_an_earlier_name_is_found(small):
    text = to_json([Outcome(small, ROWS)]).replace("su2016-fig1", "000-fig1")
    assert from_json(text)["su2016-fig1"].rows[0] == ROWS[0]


def test_a_finding_that_no_longer_exists_is_left_out():
    text = to_json([Outcome(REPRODUCTIONS["su2016-fig1"])]).replace("su2016-fig1", "su2016-fig0")
    assert from_json(text) == {}


def test_a_finding_takes_the_place_of_what_the_file_says_of_it_and_no_other(small, tmp_path):
    file = tmp_path / "findings.json"
    others = [
        Outcome(REPRODUCTIONS[name], [], date="2026-01-02")
        for name in ("su2016-fig1", "su2016-fig2")
    ]
    file.write_text(to_json(reversed(others)))
    assert main(["reproduce", "su2016-fig1", "--save", str(file)]) == 0
    saved = from_json(file.read_text())
    assert list(saved) == ["su2016-fig1", "su2016-fig2"]
    assert saved["su2016-fig1"].check == Check(Finding.NOT_REPRODUCED, "2 rows.")
    assert saved["su2016-fig2"].date == "2026-01-02"


def test_a_finding_that_cannot_be_run_does_not_displace_one_that_was_measured(tmp_path):
    file = tmp_path / "findings.json"
    (name, each), *_ = ((n, r) for n, r in REPRODUCTIONS.items() if "credit" in r.data)
    file.write_text(to_json([Outcome(each, [], date="2026-01-02")]))
    assert main(["reproduce", name, "--save", str(file)]) == 0
    assert from_json(file.read_text())[name].date == "2026-01-02"


def test_a_quick_look_is_not_kept(tmp_path, capsys):
    file = tmp_path / "findings.json"
    assert main(["reproduce", "su2016-fig1", "--quick", "--save", str(file)]) == BAD_INPUT
    assert "Leave out --quick" in capsys.readouterr().err
    assert not file.exists()


def test_every_finding_is_kept_with_the_claim_it_was_measured_for():
    repair = "run: dpcore reproduce NAME --save data/findings.json"
    claims = {name: told["claim"] for name, told in json.loads(data_file(FILE).read_text()).items()}
    assert claims == {name: each.claim for name, each in REPRODUCTIONS.items()}, repair
    assert all(outcome.check.finding is not Finding.CANNOT_RUN for outcome in kept().values()), (
        repair
    )
