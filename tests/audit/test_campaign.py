"""The table covers everything, the file tells everything, and the command says what broke."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.audit import Evidence, Finding, Findings, Walked, attack, cases_of, table
from dpcore.audit.pairs import EPSILONS, HUNGRY
from dpcore.cli import audit as command
from dpcore.cli import main
from dpcore.privacy import Neighbors

FINDING = Finding(
    "dplloyd",
    "PROVED",
    "add-remove",
    "lone row",
    1.0,
    0.0,
    0.5,
    Evidence("e", 9, 10, 1, 10),
    1.0,
    0.0,
)
REPORT = Findings("2026-01-02", 20, (FINDING,), (Walked("choice", "add-remove", 1.0, 0.9),))


def test_every_algorithm_is_audited_under_each_of_its_relations_at_two_epsilons_and_with_delta():
    for algorithm in ALGORITHMS.values():
        cases = list(cases_of(algorithm))
        assert {case.relation for case in cases} == set(algorithm.relations)
        assert {case.epsilon for case in cases} == set(HUNGRY.get(algorithm.key, EPSILONS))
        assert any(case.delta for case in cases) is algorithm.uses_delta


def test_every_case_has_words_of_its_own():
    words = [case.words for case in table()]
    assert len(set(words)) == len(words)


PAIRS = {f"{c.pair.key}, {c.pair.d}-D, {len(c.pair.one)} rows": c.pair for c in table()}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_the_two_data_sets_of_a_pair_are_neighbors(pair):
    rows = [sorted(map(tuple, side)) for side in (pair.one, pair.other)]
    shared = 0
    rest = rows[1].copy()
    for row in rows[0]:
        if row in rest:
            rest.remove(row)
            shared += 1
    sizes = len(rows[0]) - shared, len(rows[1]) - shared
    assert sizes == ((1, 0) if pair.neighbors is Neighbors.ADD_REMOVE else (1, 1))
    assert [data.n for data in pair.data] == [len(side) for side in rows]


def test_a_finding_is_the_same_whenever_it_is_made():
    case = next(cases_of(ALGORITHMS["dplloyd"]))
    assert attack(case, 20) == attack(case, 20)
    assert attack(case, 20) != attack(case, 20, seed=1)


def test_a_claim_is_refuted_by_its_answers_or_by_their_price():
    assert not FINDING.refutes()
    assert replace(FINDING, cost=1.01).refutes()
    assert replace(FINDING, evidence=Evidence("e", 900, 1000, 100, 1000)).refutes()
    assert not replace(FINDING, cost=None, epsilon=3.0).refutes()


def test_findings_survive_being_written_down():
    assert Findings.from_json(REPORT.to_json()) == REPORT
    assert json.loads(REPORT.to_json())["attacks"][0]["evidence"]["hits"] == 9


def test_an_infinite_cost_is_written_so_that_any_program_can_read_it():
    report = replace(REPORT, attacks=(replace(FINDING, cost=np.inf),))
    json.loads(report.to_json(), parse_constant=pytest.fail)
    assert Findings.from_json(report.to_json()) == report


def test_the_strongest_attack_is_the_one_nearest_to_its_claim():
    weak = replace(FINDING, lower_bound=0.8, epsilon=4.0)
    report = replace(REPORT, attacks=(weak, FINDING))
    assert report.strongest("dplloyd") == FINDING
    assert report.strongest("eugkm") is None


def test_what_is_broken_is_told_for_claims_that_are_said_to_hold_only():
    beyond = replace(FINDING, evidence=Evidence("e", 10**6, 10**6, 0, 10**6))
    unproven = replace(beyond, verdict="UNPROVEN")
    walked = Walked("choice", "add-remove", 1.0, 1.1)
    report = replace(REPORT, attacks=(FINDING, beyond, unproven), walks=(walked,))
    assert command.broken(report) == [beyond, walked]


def test_the_command_audits_one_algorithm(capsys, tmp_path):
    path = tmp_path / "audit.json"
    arguments = ["audit", "kvariates", "--runs", "8", "--workers", "1", "--save", str(path)]
    assert main([*arguments, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["runs"] == 8
    assert {finding["algorithm"] for finding in told["attacks"]} == {"kvariates"}
    assert json.loads(path.read_text()) == told


def test_findings_on_an_algorithm_give_way_to_newer_ones_and_others_stay():
    other, gone = replace(FINDING, algorithm="eugkm"), replace(FINDING, algorithm="no longer")
    newer = Findings("2026-03-04", 12, (replace(FINDING, lower_bound=0.7),), ())
    found = replace(REPORT, attacks=(other, gone, FINDING)).updated(newer)
    assert found.attacks == (newer.attacks[0], other)
    assert (found.date, found.runs) == ("2026-01-02", 12)
    assert found.walks == REPORT.walks


def test_the_command_puts_what_it_found_in_place_of_what_the_file_says(monkeypatch, tmp_path):
    path = tmp_path / "audit.json"
    path.write_text(
        replace(REPORT, attacks=(FINDING, replace(FINDING, algorithm="eugkm"))).to_json()
    )
    monkeypatch.setattr(command, "attacks", lambda *_: iter([replace(FINDING, lower_bound=0.7)]))
    assert main(["audit", "dplloyd", "--runs", "8", "--save", str(path)]) == 0
    saved = Findings.from_json(path.read_text())
    assert [(f.algorithm, f.lower_bound) for f in saved.attacks] == [
        ("dplloyd", 0.7),
        ("eugkm", 0.5),
    ]


def test_the_command_says_what_it_found_in_words(capsys, monkeypatch):
    monkeypatch.setattr(command, "attacks", lambda *_: iter([replace(FINDING, cost=2.0)]))
    assert main(["audit", "dplloyd", "--runs", "8"]) == command.BROKEN
    told = capsys.readouterr().out
    assert "dplloyd" in told
    assert "REFUTED" in told
    assert "does not prove it" in told


def test_too_few_runs_are_refused(capsys):
    assert main(["audit", "--runs", "7"]) == 2
    assert "--runs must be at least 8" in capsys.readouterr().err
