"""Releasing, checking and looking up from the real command line."""

from __future__ import annotations

import io
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore.cli import BAD_INPUT, REFUSED, main
from dpcore.cli.exit_codes import UNTOLD
from dpcore.errors import NoRowsWarning
from dpcore.release import Amount, FileData, Ledger, Release, ReleasePlan, publish
from dpcore.runs.request import Request
from tests.release.conftest import BOX

S1 = ["release", "dplloyd", "--data", "s1-like", "-k", "2", "--epsilon", "0.6", "--yes"]
BOX_WORDS = [repr(end) for end in (*BOX.low, *BOX.high)]


def dpcore(*words: object, answer: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "import sys; from dpcore.cli import main; sys.exit(main())"]
    return subprocess.run(
        [*command, *map(str, words)], input=answer, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def made(patients, tmp_path_factory) -> tuple[Path, Path]:
    """A ledger and a folder of released files, made by the command and agreed to in words."""
    home = tmp_path_factory.mktemp("home")
    ledger, out = home / "ledger", home / "out"
    words = ["release", "adaptive", "--data", patients, "--columns", "lon", "lat"]
    words += ["--box", *BOX_WORDS, "-k", 6, "--epsilon", 0.9, "--allowed", 1, "--name", "visits"]
    words += ["--unit", "person", "--ids", "who", "--rows", 3]
    run = dpcore(*words, "--ledger", ledger, "--output", out, answer="yes\n")
    assert run.returncode == 0, run.stderr
    assert "This protects one person, identified by 'who'" in run.stderr
    assert "can become at most 72 % sure" in run.stderr
    assert "It cost ε 0.9; ε 0.1 is left for 'visits'." in run.stdout
    return ledger, out


def test_the_files_are_there_and_hold(made):
    assert len((made[1] / "centers.csv").read_text().splitlines()) == 1 + 6
    run = dpcore("verify", made[1] / "certificate.json", "--ledger", made[0])
    assert run.returncode == 0
    assert "0 of" in run.stdout
    assert "holds    certificate.html" in run.stdout
    assert "issued this certificate" in run.stdout
    assert "unknown  that the noise was drawn" in run.stdout


def test_what_was_changed_does_not_hold(made, tmp_path, capsys):
    for file in made[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with (tmp_path / "centers.csv").open("a") as file:
        file.write("7,-74.0,40.8\n")
    assert main(["verify", str(tmp_path / "certificate.json"), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    failing = [each["what"] for each in told if each["holds"] is False]
    assert "centers.csv is the file that was released" in failing


def test_single_files_can_be_named(made, capsys):
    files = [str(made[1] / name) for name in ("certificate.json", "centers.csv")]
    assert main(["verify", *files]) == 0
    assert (
        "unknown  points.csv is the file that was released: it is not here"
        in capsys.readouterr().out
    )


def test_of_two_files_of_one_name_none_goes_unchecked(made, tmp_path, capsys):
    (tmp_path / "centers.csv").write_text("another")
    files = [tmp_path / "centers.csv", made[1] / "centers.csv"]
    assert main(["verify", *map(str, [made[1] / "certificate.json", *files])]) == BAD_INPUT
    assert "Two files are called centers.csv" in capsys.readouterr().err


def test_files_are_published_under_a_name_and_never_under_their_path(patients, tmp_path, capsys):
    words = ["release", "dplloyd", "--data", str(patients), "--columns", "lon", "lat", "-k", "2"]
    words += ["--box", *BOX_WORDS, "--epsilon", "0.5", "--allowed", "1", "--yes"]
    assert main([*words, "--ledger", str(tmp_path)]) == BAD_INPUT
    assert "--name" in capsys.readouterr().err


def test_a_release_whose_files_cannot_be_written_says_that_it_is_paid(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Release, "save", full)
        assert main([*S1, "--ledger", "books", "--allowed", "1"]) == UNTOLD
    assert "Release 1 was made and costs ε 0.6" in capsys.readouterr().err
    assert not (tmp_path / "release-1").exists()
    assert main(["history", "1", "--ledger", "books", "--output", "again"]) == 0
    assert (tmp_path / "again" / "certificate.json").is_file()


def test_a_ledger_that_cannot_be_written_is_told_in_words(tmp_path, monkeypatch, capsys):
    def full(*_: object, **__: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Ledger, "record", full)
    place = ["--ledger", str(tmp_path / "books"), "--output", str(tmp_path / "out")]
    assert main([*S1, "--allowed", "1", *place]) == BAD_INPUT
    assert "disk is full. dpcore history says whether" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_ledger_that_did_not_issue_a_certificate_says_so(made, tmp_path, capsys):
    certificate = str(made[1] / "certificate.json")
    Ledger(tmp_path / "other")
    assert main(["verify", certificate, "--ledger", str(tmp_path / "other")]) == 1
    assert "FAILS    the ledger" in capsys.readouterr().out


def test_to_ask_for_a_ledger_does_not_make_one(made, tmp_path, capsys):
    certificate = str(made[1] / "certificate.json")
    assert main(["verify", certificate, "--ledger", str(tmp_path / "none")]) == 1
    assert "issued this certificate: there is none" in capsys.readouterr().out
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("start", ["", '{"files": '])
def test_a_certificate_nested_without_end_is_no_certificate(start, tmp_path, capsys):
    (tmp_path / "certificate.json").write_text(start + "[" * 200_000)
    assert main(["verify", str(tmp_path / "certificate.json")]) == 1
    assert "FAILS    the certificate can be read" in capsys.readouterr().out


@pytest.mark.parametrize("answer", ["no\n", "\n", "", "y\n"])
def test_nothing_is_spent_without_a_clear_yes(answer, tmp_path, monkeypatch, capsys):
    """Here the ledger is the one that the environment names."""
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert main([*S1[:-1], "--allowed", "1"]) == REFUSED
    assert "not agreed to" in capsys.readouterr().err
    assert (tmp_path / "ledger.sqlite3").is_file()
    assert Ledger(tmp_path).entries() == []


def test_history_tells_what_was_spent_and_what_is_left(made, capsys):
    assert main(["history", "--ledger", str(made[0])]) == 0
    text = capsys.readouterr().out
    assert "visits: protects one person (by who) under add-remove" in text
    assert "ε 0.9 of ε 1 used, ε 0.1 left" in text
    main(["history", "--ledger", str(made[0]), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["accounts"][0]["left"]["epsilon"] == pytest.approx(0.1)
    assert [each["number"] for each in told["releases"]] == [1]


@pytest.mark.parametrize("change", [["-k", "3"], ["--delta", "1e-6"], ["--set", "points=9"]])
def test_a_twin_does_not_take_settings_that_it_would_not_heed(change, tmp_path, capsys):
    words = ["release", "twin", "--data", "s1-like", "--epsilon", "0.2", "--allowed", "1", "--yes"]
    assert main([*words, *change, "--ledger", str(tmp_path)]) == BAD_INPUT
    assert "leave out -k, --delta, --set and --regions" in capsys.readouterr().err


def test_files_that_cannot_be_written_again_are_told_in_one_line(made, tmp_path, capsys):
    (tmp_path / "file").touch()
    words = ["history", "1", "--output", str(tmp_path / "file" / "new"), "--ledger", str(made[0])]
    assert main(words) == BAD_INPUT
    assert capsys.readouterr().err == f"dpcore: {tmp_path / 'file' / 'new'}: Not a directory.\n"


def test_files_can_be_had_again(made, tmp_path):
    assert (
        main(["history", "1", "--ledger", str(made[0]), "--output", str(tmp_path / "again")]) == 0
    )
    again = {p.name: p.read_bytes() for p in (tmp_path / "again").iterdir()}
    assert again == {p.name: p.read_bytes() for p in made[1].iterdir()}


def test_a_second_release_needs_no_total_and_a_third_is_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    books = ["--ledger", str(tmp_path / "books")]
    assert main([*S1, *books]) == BAD_INPUT
    assert "give its lifetime budget with --allowed" in capsys.readouterr().err
    assert main([*S1, *books, "--allowed", "1.2"]) == 0
    capsys.readouterr()
    assert main([*S1, *books, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["folder"] == "release-2"
    assert main([*S1, *books]) == REFUSED
    assert "ε 0 is left" in capsys.readouterr().err
    assert (tmp_path / "release-2" / "certificate.json").is_file()


def test_a_twin_can_be_made_from_the_command_line(tmp_path, capsys):
    words = ["release", "twin", "--data", "s1-like", "--epsilon", "0.2", "--allowed", "1", "--yes"]
    place = ["--ledger", str(tmp_path / "books"), "--output", str(tmp_path / "twin"), "--json"]
    assert main([*words, *place]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["purpose"], told["plan"]["algorithm"]) == ("twin", "adaptive")


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (["--data", "nowhere.csv"], BAD_INPUT, "nowhere.csv"),
        (["--box", "0", "1"], BAD_INPUT, "its own box"),
        (["--rows", "3"], BAD_INPUT, "name the column"),
        (["--ids", "who"], BAD_INPUT, "no column of ids"),
        (["--allowed", "1", "0", "0"], BAD_INPUT, "an epsilon and"),
        (["--allowed", "nan"], BAD_INPUT, "a number of at least 0"),
        (["--allowed", "1", "-1"], BAD_INPUT, "a number of at least 0"),
        (["--allowed", "0.5"], REFUSED, "allowed in all"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_and_costs_nothing(change, code, words, tmp_path, capsys):
    books = ["--ledger", str(tmp_path / "books"), "--output", str(tmp_path / "out")]
    assert main([*S1, "--allowed", "1", *books, *change]) == code
    error = capsys.readouterr().err.splitlines()
    assert words in error[-1]
    assert error[-1].startswith("dpcore: ")
    assert Ledger(tmp_path / "books").entries() == []


def test_an_algorithm_whose_claim_fails_is_refused(tmp_path, capsys):
    words = ["release", "eugkm-published", *S1[2:], "--allowed", "1"]
    assert main([*words, "--ledger", str(tmp_path)]) == REFUSED
    assert "its privacy claim does not hold" in capsys.readouterr().err


def test_a_folder_that_is_there_is_not_written_into(made, capsys):
    assert (
        main([*S1, "--allowed", "1", "--ledger", str(made[0]), "--output", str(made[1])])
        == BAD_INPUT
    )
    assert "name a new folder" in capsys.readouterr().err
    assert len(Ledger(made[0]).entries()) == 1


@pytest.mark.parametrize("command", ["release", "verify", "history"])
def test_help_can_be_asked_for(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert f"usage: dpcore {command}" in capsys.readouterr().out


def test_the_program_that_comes_with_a_release_repeats_it(made, patients, tmp_path):
    books, out = tmp_path / "books", tmp_path / "out"
    run = subprocess.run(
        [sys.executable, str(made[1] / "repeat.py"), str(books), str(out), str(patients)],
        input="yes\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    first, second = (json.loads((f / "certificate.json").read_bytes()) for f in (made[1], out))
    same = ("algorithm", "k", "epsilon", "unit", "box", "source", "parameters", "neighbors")
    assert [first[name] for name in same] == [second[name] for name in same]
    assert (out / "centers.csv").read_bytes() != (made[1] / "centers.csv").read_bytes()
    assert main(["verify", str(out / "certificate.json")]) == 0


# No row counts: a column of another unit, or a box somewhere else.


@pytest.fixture
def elsewhere(tmp_path: Path) -> list[str]:
    """The words that would publish a file of which no row lies in the box."""
    (tmp_path / "a.csv").write_text("lon,lat\n" + "40.75,-74.0\n" * 50)
    words = ["release", "dplloyd", "--data", str(tmp_path / "a.csv"), "--columns", "lon", "lat"]
    words += ["--box", *BOX_WORDS, "-k", "2", "--epsilon", "0.5", "--allowed", "1", "--name", "a"]
    return [*words, "--ledger", str(tmp_path / "books"), "--output", str(tmp_path / "out")]


@pytest.mark.parametrize(("answers", "used"), [("yes\nno\n", "ε 0"), ("yes\nyes\n", "ε 0.5")])
def test_whoever_would_publish_nothing_is_told_and_asked_again(
    answers, used, elsewhere, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    assert main(elsewhere) == (0 if "0.5" in used else REFUSED)
    assert "for your eyes only: no row lies in the box, lon from" in capsys.readouterr().err
    account = Ledger(tmp_path / "books").account("a")
    assert str(account.used if account else Amount()) == used


def test_a_release_that_nobody_watches_goes_on_and_says_it(elsewhere, tmp_path, capsys):
    assert main([*elsewhere, "--yes"]) == 0
    assert "for your eyes only: no row lies in the box" in capsys.readouterr().err
    assert len(Ledger(tmp_path / "books").entries()) == 1


def test_python_is_warned_of_a_release_without_rows(tmp_path):
    (tmp_path / "a.csv").write_text("lon,lat\n" + "40.75,-74.0\n" * 50)
    source = FileData(str(tmp_path / "a.csv"), ("lon", "lat"), BOX)
    plan = ReleasePlan("a", source, Request("dplloyd", 2, 0.5), allowed=Amount.of(1.0))
    with pytest.warns(NoRowsWarning, match="For your eyes only: No row lies in the box"):
        publish(plan, Ledger(tmp_path / "books"))
