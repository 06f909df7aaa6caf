"""What findings came to is kept in a file, one by one, and read from it again."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from dpcore.cli import BAD_INPUT, main
from dpcore.datasets.data_folder import data_file
from dpcore.papers import (
    REPRODUCTIONS,
    Check,
    Conclusion,
    ReproductionRun,
    Row,
    Shelf,
    kept_outcomes,
    reproduce,
    su2016,
    su2016_sets,
)
from dpcore.papers.contenders import contest
from dpcore.papers.kept_results import FILE, from_json, to_json
from dpcore.papers.reproduction import _registry

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
        check=lambda rows: Check(Conclusion.NOT_REPRODUCED, f"{len(rows)} rows."),
    )
    monkeypatch.setitem(_registry, "su2016-fig1", made)
    return made


def test_outcomes_survive_being_written_down(small):
    outcome = ReproductionRun(small, ROWS, small.judge(ROWS), "2026-01-02")
    (again,) = from_json(to_json([outcome])).values()
    assert again.check == outcome.check
    assert again.date == "2026-01-02"
    assert again.rows[0] == ROWS[0]
    assert again.rows[1].setting == ROWS[1].setting
    assert math.isnan(again.rows[1].figure)


def test_an_outcome_of_another_claim_is_left_out(small):
    text = to_json([ReproductionRun(small, ROWS)])
    assert from_json(text)
    assert from_json(text.replace(json.dumps(small.claim), '"Another claim."')) == {}


def test_an_outcome_kept_under_an_earlier_name_is_found(small):
    text = to_json([ReproductionRun(small, ROWS)]).replace("su2016-fig1", "000-fig1")
    assert from_json(text)["su2016-fig1"].rows[0] == ROWS[0]


def test_a_finding_that_no_longer_exists_is_left_out():
    text = to_json([ReproductionRun(REPRODUCTIONS["su2016-fig1"])]).replace(
        "su2016-fig1", "su2016-fig0"
    )
    assert from_json(text) == {}


def test_a_finding_takes_the_place_of_what_the_file_says_of_it_and_no_other(small, tmp_path):
    file = tmp_path / "findings.json"
    others = [
        ReproductionRun(REPRODUCTIONS[name], [], date="2026-01-02")
        for name in ("su2016-fig1", "su2016-fig2")
    ]
    file.write_text(to_json(reversed(others)))
    assert main(["reproduce", "su2016-fig1", "--save", str(file)]) == 0
    saved = from_json(file.read_text())
    assert list(saved) == ["su2016-fig1", "su2016-fig2"]
    assert saved["su2016-fig1"].check == Check(Conclusion.NOT_REPRODUCED, "2 rows.")
    assert saved["su2016-fig2"].date == "2026-01-02"


def test_a_finding_that_cannot_be_run_does_not_displace_one_that_was_measured(tmp_path):
    file = tmp_path / "findings.json"
    (name, each), *_ = ((n, r) for n, r in REPRODUCTIONS.items() if "credit" in r.data)
    file.write_text(to_json([ReproductionRun(each, [], date="2026-01-02")]))
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
    assert all(
        outcome.check.finding is not Conclusion.CANNOT_RUN for outcome in kept_outcomes().values()
    ), repair


def test_kept_figures_repeat_to_the_digit(monkeypatch):
    tiger = next(each for each in su2016_sets.SIX if each.key == "tiger")
    monkeypatch.setattr(su2016_sets, "SIX", (tiger,))
    blocks = reproduce("su2016-table1")
    *_, outcome = blocks
    again = from_json(to_json([outcome]))["su2016-table1"].rows
    assert again == [
        row for row in kept_outcomes()["su2016-table1"].rows if row.setting.get("data") == "tiger"
    ]
    data, *_ = tiger.data(Shelf())
    lloyd = next(one for one in su2016.RIVALS if one.contender.algorithm == "dplloyd")
    (fresh,) = contest(data, [lloyd.contender], tiger.k, 0.05, lloyd.runs)
    (known,) = (
        row
        for row in kept_outcomes()["su2016-fig1"].rows
        if row.setting.get("data") == "tiger"
        and row.setting["algorithm"] == "dplloyd"
        and row.setting["epsilon"] == 0.05
    )
    assert known.figure == float(f"{fresh.figure:.4g}")
