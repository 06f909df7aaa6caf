"""A note says who released and why: in the ledger and its history, in no file that leaves."""

import json

import pytest

import dpcore
from dpcore.cli import main
from dpcore.release import Amount, BuiltinData, Ledger, ReleaseNote, ReleasePlan, publish, verify
from dpcore.runs.request import Request


def plan(epsilon=0.5):
    return ReleasePlan(
        "flowers",
        BuiltinData("s1-like"),
        Request("dplloyd", k=2, epsilon=epsilon),
        allowed=Amount.of(1.0),
    )


def test_the_ledger_keeps_a_note_that_no_file_has(tmp_path):
    ledger = Ledger(tmp_path / "books")
    release = publish(plan(), ledger, note=ReleaseNote("Ann of planning", "the May report"))
    assert Ledger(tmp_path / "books").entry(1).note.words() == "Ann of planning: the May report"
    for content in release.files.values():
        assert b"Ann of planning" not in content
        assert b"May report" not in content
    findings = verify(release.files["certificate.json"], release.files)
    assert [each for each in findings if each.holds is False] == []
    assert len(ledger.heads()) == 2


def test_a_release_without_a_note_keeps_none(tmp_path):
    ledger = Ledger(tmp_path / "books")
    made = plan()
    publish(made, ledger)
    assert ledger.entry(1).note == ReleaseNote()
    assert dict(ledger.entry(1).plan) == made.as_dict()


@pytest.mark.parametrize("text", ["x" * 301, "two\nlines"])
def test_a_note_is_two_short_lines(text):
    for both in ((text, ""), ("", text)):
        with pytest.raises(dpcore.BadInput, match="one line"):
            ReleaseNote(*both)


def test_the_command_takes_a_note_and_history_tells_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    words = ["release", "dplloyd", "-k", "2", "--epsilon", "0.5", "--data", "s1-like", "--yes"]
    words += ["--allowed", "1", "--ledger", "books", "--who", "Ann", "--why", "the May report"]
    assert main(words) == 0
    capsys.readouterr()
    assert main(["history", "--ledger", "books"]) == 0
    assert "Ann: the May report" in capsys.readouterr().out
    assert main(["history", "--ledger", "books", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["releases"]
    assert (told["who"], told["why"]) == ("Ann", "the May report")
    assert "kept note" not in told["plan"]
