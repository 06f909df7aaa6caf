"""The table covers everything, the file tells everything, and the command says what broke."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.base import SynopsisAlgorithm, _registry
from dpcore.audit import AuditFinding, Evidence, Findings, Walked, attack, cases_of, findings, table
from dpcore.audit.cases import DELTA, REPLAYS, SWEPT
from dpcore.audit.exact_selection import WALKS
from dpcore.cli import audit as command
from dpcore.cli import main
from dpcore.privacy.accounting import Accounting, Budget, Neighbors
from dpcore.release.unit import Unit
from dpcore.runs.run import run

FINDING = AuditFinding(
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
        epsilons = {case.epsilon for case in cases if not case.regions}
        assert epsilons >= set(algorithm.audit.epsilons)
        assert any(case.delta for case in cases) is algorithm.uses_delta


def test_what_can_run_by_region_is_audited_with_a_level_of_its_own_and_with_a_row_that_moves():
    for algorithm in ALGORITHMS.values():
        cases = [case for case in cases_of(algorithm) if case.regions]
        claims = {(case.pair.key, str(case.relation)): case.epsilon for case in cases}
        assert bool(cases) is isinstance(algorithm, SynopsisAlgorithm)
        person = claims.pop(("in two regions", "add-remove"), None)
        for case in cases:
            if case.pair.rows > 1:
                assert person == sum(case.regions.epsilons(case.spends))
                continue
            quiet, loud = case.regions.epsilons(case.spends)
            assert claims == {
                ("in a quiet region", "add-remove"): quiet,
                ("in the rest of the map", "add-remove"): loud,
                ("within a quiet region", "add-remove"): 2 * quiet,
                ("from region to region", "add-remove"): quiet + loud,
                ("within a quiet region", "replace-one"): quiet,
                ("from region to region", "replace-one"): (quiet + loud) / 2,
            }


def test_the_rows_of_a_person_are_audited_at_what_a_release_with_ids_spends_on_each():
    for algorithm in ALGORITHMS.values():
        every = cases_of(algorithm)
        own = [case for case in every if case.pair.rows > 1 and not case.regions]
        assert len(own) == (Neighbors.ADD_REMOVE in algorithm.relations)
        for case in own:
            unit = Unit("person", "id", case.pair.rows)
            assert case.spends == pytest.approx(unit.per_row(Budget(case.epsilon)).epsilon)


def test_replays_go_through_every_dimension_under_both_relations_as_rows_and_as_counts():
    swept = [case for case in cases_of(ALGORITHMS["dplloyd"]) if case.most_runs == REPLAYS]
    assert {(case.pair.d, case.relation) for case in swept} == {
        (d, relation) for d in SWEPT for relation in Neighbors
    }
    assert {case.k for case in swept} == {1, 2, 3}
    assert {case.pair.cells_per_side for case in swept} == {None, 64}


def facts(key, words):
    """What a run says of itself, on the first data set of the pair of that name."""
    case = next(c for c in cases_of(ALGORITHMS[key]) if words in c.words)
    return run(case.request(seed=0), case.pair.data[0]).facts


def test_every_part_of_an_algorithm_is_reached_on_some_pair():
    assert facts("adaptive", "among 5,000")["stages"] == 3
    assert facts("coreset", "among 20,000")["rounds"] > 1
    assert facts("coreset", f"among 20,000 in 2-D, epsilon 1, delta {DELTA:g}")[
        "accounting of rounds"
    ] == str(Accounting.ZCDP)
    assert facts("coreset-faithful", "lone row, epsilon 80")["rounds"] > 1
    assert facts("coreset-split", "among 3,000")["parts"] == 3
    assert facts("highdim", "48 in 8-D")["projected to"] < 8
    assert facts("hybrid", "among 2,000")["ends with a round of Lloyd"]
    assert facts("net-coreset", "lone row")["nets"] > 1
    assert facts("sparse-mean", "48 in 6-D")["coordinates"] < 6


def test_every_case_has_words_of_its_own():
    words = [case.words for case in table()]
    assert len(set(words)) == len(words)


PAIRS = {f"{c.pair.key}, {c.pair.d}-D, {len(c.pair.one)} rows": c.pair for c in table()}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS)
def test_the_two_data_sets_of_a_pair_are_neighbors(pair):
    one, other = (Counter(map(tuple, side)) for side in (pair.one, pair.other))
    apart = (one - other).total(), (other - one).total()
    assert apart == ((pair.rows, 0) if pair.neighbors is Neighbors.ADD_REMOVE else (1, 1))
    assert [data.n for data in pair.data] == [one.total(), other.total()]


def test_every_case_can_be_sent_to_another_process():
    for case in table():
        assert pickle.loads(pickle.dumps(case)).words == case.words


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


def test_the_committed_findings_refute_no_claim_that_should_hold_and_every_other():
    """An algorithm that is not in the file is not audited yet, and Verdicts says so."""
    report = findings()
    told = {finding.algorithm for finding in report.attacks}
    stale = sorted(told - set(ALGORITHMS))
    assert not stale, f"data/audit.json tells of {', '.join(stale)}, which are not there"
    assert len(told) >= 33, "fewer algorithms are told of than were shipped"
    assert report.runs >= 100
    assert len(report.walks) == 2 * len(WALKS)
    assert command.broken(report) == []
    for key in told:
        refuted = any(f.refutes(report.family_confidence) for f in report.of(key))
        assert refuted is not ALGORITHMS[key].verdict.holds, key


def test_too_few_runs_are_refused(capsys):
    assert main(["audit", "--runs", "7"]) == 2
    assert "--runs must be at least 8" in capsys.readouterr().err


def test_an_algorithm_without_findings_is_not_audited_yet(monkeypatch, capsys):
    class Newest(type(ALGORITHMS["dplloyd"])):
        key = "newest"

    monkeypatch.setitem(_registry, "newest", Newest())
    assert findings().strongest("newest") is None
    assert main(["audit", "--last"]) == 0
    told = capsys.readouterr().out.splitlines()
    assert any(line.startswith("newest") and "not audited yet" in line for line in told)
    assert sum("not audited yet" in line for line in told) == 1


def test_a_fault_in_words_refutes_whatever_the_figures_say():
    broken = replace(FINDING, fault="answer 2 costs twice what it was asked for")
    assert broken.refutes()
    assert Findings.from_json(replace(REPORT, attacks=(broken,)).to_json()).attacks == (broken,)
