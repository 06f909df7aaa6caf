"""The command line: what it prints, what it refuses, and how it ends."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pytest

import dpcore
from dpcore.cli import BAD_INPUT, COMMANDS, REFUSED, main

RUN = ["run", "eugkm", "--data", "s1-like", "-k", "3", "--epsilon", "1", "--seed", "0"]


@pytest.fixture
def trips(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal([-73.98, 40.75], 0.01, (500, 2))
    path = tmp_path / "trips.csv"
    path.write_text("lon,lat,fare\n" + "".join(f"{x},{y},9.5\n" for x, y in rows))
    return str(path)


def test_list_names_every_algorithm_with_its_verdict_and_every_data_set(capsys):
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    for key, algorithm in dpcore.ALGORITHMS.items():
        line = next(line for line in text.splitlines() if line.strip().startswith(f"{key} "))
        assert str(algorithm.verdict) in line
    assert "nyc-month" in text


@pytest.mark.parametrize("words", [["--json"], ["--format", "json"]])
def test_list_as_json_declares_parameters(words, capsys):
    main(["list", *words])
    listed = json.loads(capsys.readouterr().out)
    dplloyd = next(a for a in listed["algorithms"] if a["key"] == "dplloyd")
    assert dplloyd["parameters"][0]["name"] == "rounds"
    assert {d["key"] for d in listed["data"]} >= {"nyc-taxi", "nyc-month"}


def test_run_tells_a_person_what_was_spent_and_on_what(capsys):
    assert main(RUN) == 0
    text = capsys.readouterr().out
    assert "REPAIRED, epsilon 1 used" in text
    assert "50 % → at most 74 %" in text
    assert "number of rows" in text


def test_run_gives_the_centers_of_the_python_call(capsys):
    main([*RUN, "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    data = dpcore.datasets.load("s1-like")
    expected = dpcore.run("eugkm", data, 3, 1.0, seed=0).centers
    np.testing.assert_allclose([[float(r["x0"]), float(r["x1"])] for r in rows], expected)


def test_run_writes_geojson_by_the_ending_of_the_file(tmp_path):
    path = tmp_path / "centers.geojson"
    taxi = ["run", "dplloyd", "--data", "nyc-taxi", "-k", "2", "--epsilon", "1"]
    assert main([*taxi, "--output", str(path)]) == 0
    assert len(json.loads(path.read_text())["features"]) == 2


def test_run_as_json_adds_up(capsys):
    main([*RUN, "--json", "--set", "theta=20"])
    result = json.loads(capsys.readouterr().out)
    assert result["private"] is True
    assert result["parameters"]["theta"] == 20.0
    assert sum(c["epsilon"] for c in result["transcript"]) == pytest.approx(1.0)


def test_a_run_without_a_seed_tells_the_one_that_repeats_it(capsys):
    def one_run(*words: str) -> tuple[dict, str]:
        assert main([*RUN[:-2], "--json", *words]) == 0
        printed = capsys.readouterr()
        return json.loads(printed.out), printed.err

    first, note = one_run()
    again, silence = one_run("--seed", str(first["seed"]))
    assert f"to repeat this run, add --seed {first['seed']}." in note
    assert again == first
    assert not silence
    assert one_run()[0]["seed"] != first["seed"]


def test_a_file_of_ones_own_needs_a_public_box(trips, capsys):
    own = ["run", "dplloyd", "--data", trips, "--columns", "lon", "lat", "-k", "2"]
    assert main([*own, "--epsilon", "1"]) == BAD_INPUT
    assert "box" in capsys.readouterr().err
    box = ["--box", "-74.1", "40.7", "-73.9", "40.9"]
    assert main([*own, "--epsilon", "1", *box, "--format", "csv"]) == 0
    assert capsys.readouterr().out.startswith("center,lon,lat,status\n")


def test_an_empty_map_is_explained_to_who_holds_the_data(tmp_path, capsys):
    path = tmp_path / "swapped.csv"
    path.write_text("lon,lat\n40.8,-74\n")
    box = ["--box", "-74.1", "40.7", "-73.9", "40.9"]
    main(["run", "dplloyd", "--data", str(path), "-k", "1", "--epsilon", "1", *box])
    assert "for your eyes only" in (error := capsys.readouterr().err)
    assert "swapped" in error


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--epsilon", "-1"], "epsilon must be a number"),
        (["-k", "0"], "k must be a whole number"),
        (["--data", "nowhere.csv", "--box", "0", "0", "1", "1"], "nowhere.csv"),
        (["--set", "theta"], "NAME=VALUE"),
        (["--set", "theta=big"], "theta must be a number"),
        (["--set", "rounds=3"], "no parameter 'rounds'"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_exit_code(change, words, capsys):
    assert main([*RUN, *change]) == BAD_INPUT
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (["--seed", "-1"], "a seed is a whole number of at least 0"),
        (["--output", "no/such/folder/centers.csv"], "there is no folder no/such/folder"),
        (["--output", "."], ". is a folder"),
    ],
)
def test_what_no_run_could_follow_is_refused_with_the_other_arguments(change, words, capsys):
    with pytest.raises(SystemExit) as end:
        main([*RUN, *change])
    assert end.value.code == BAD_INPUT
    assert words in capsys.readouterr().err


def test_a_format_that_nobody_writes_is_refused_before_the_run(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("dpcore.cli.run.run", None)
    assert main([*RUN, "--output", str(tmp_path / "centers.xyz")]) == BAD_INPUT
    assert "not 'xyz'" in capsys.readouterr().err


def test_what_the_system_forbids_is_bad_input_and_not_a_refusal_of_ours(monkeypatch, capsys):
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", "centers.csv")

    monkeypatch.setattr("pathlib.Path.write_bytes", forbidden)
    assert main([*RUN, "--output", "centers.csv"]) == BAD_INPUT
    assert capsys.readouterr().err.endswith("dpcore: centers.csv: Permission denied.\n")


@pytest.mark.parametrize("command", [["audit", "dplloyd"], ["reproduce", "su2016-fig1"]])
def test_a_file_that_findings_cannot_be_added_to_is_refused_before_they_are_made(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr("dpcore.cli.audit.attacks", None)
    monkeypatch.setattr("dpcore.cli.reproduce.measure", None)
    for content in ("junk", "[]", '{"su2016-fig1": {}}'):
        (tmp_path / "kept.json").write_text(content)
        assert main([*command, "--save", str(tmp_path / "kept.json")]) == BAD_INPUT
        assert "is not a file that --save wrote" in capsys.readouterr().err


def test_a_question_without_an_answer_has_an_exit_code_of_its_own(capsys):
    assert main(["run", "eugkm", "--data", "digits", "-k", "3", "--epsilon", "1"]) == REFUSED
    assert "cells" in capsys.readouterr().err


def test_sweep_prints_a_table_a_person_can_read(capsys):
    sweep = ["sweep", "eugkm", "dplloyd", "--data", "s1-like", "-k", "3", "--runs", "2"]
    assert main([*sweep, "--epsilons", "0.5", "2"]) == 0
    text = capsys.readouterr().out
    assert "for your eyes only" in text
    assert text.splitlines()[-2].startswith("eugkm")


@pytest.mark.parametrize("shape", ["--json", "--csv"])
def test_sweep_gives_every_trial_to_programs(shape, capsys):
    sweep = ["sweep", "dplloyd", "--data", "s1-like", "-k", "3", "--runs", "2"]
    main([*sweep, "--epsilons", "0.5", "2", shape])
    text = capsys.readouterr().out
    rows = json.loads(text) if shape == "--json" else list(csv.DictReader(io.StringIO(text)))
    assert [float(r["epsilon"]) for r in rows] == [0.5, 2, 0.5, 2]


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"dpcore {dpcore.__version__}\n"


@pytest.mark.parametrize("words", [[], ["run"], ["ledger"]])
def test_help_is_a_command_too(words, capsys):
    texts = []
    for line in (["help", *words], [*words, "--help"]):
        with pytest.raises(SystemExit) as end:
            main(line)
        assert end.value.code == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[1]
    assert texts[0].startswith(" ".join(["usage: dpcore", *words]))


def test_help_on_an_unknown_command_suggests_one(capsys):
    with pytest.raises(SystemExit) as end:
        main(["help", "relase"])
    assert end.value.code == BAD_INPUT
    assert "Did you mean 'release'?" in capsys.readouterr().err


def test_python_m_dpcore_is_the_same_command():
    command = [sys.executable, "-m", "dpcore", "--version"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == f"dpcore {dpcore.__version__}\n"


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("run eugmk --data s1-like -k 3 --epsilon 1", "eugkm"),
        ("run eugkm --data nyc-taxy -k 3 --epsilon 1", "nyc-taxi"),
        ("sweep dploid --data s1-like -k 3", "dplloyd"),
        ("release adaptve --data s1-like -k 3 --epsilon 1 --allowed 1", "adaptive"),
        ("release adaptive --data s1-liek -k 3 --epsilon 1 --allowed 1 --name x", "s1-like"),
        ("reproduce su2016-fg1", "su2016-fig1"),
    ],
)
def test_a_misspelled_name_is_answered_with_the_one_that_was_meant(
    line, meant, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("DPCORE_LEDGER", str(tmp_path))
    assert main(line.split()) == BAD_INPUT
    assert f"Did you mean {meant!r}?" in capsys.readouterr().err


def test_a_file_with_nearly_the_name_of_a_built_in_set_is_read_as_a_file(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "iris.").write_text("x\n1\n")
    main(["run", "dplloyd", "--data", "iris.", "-k", "1", "--epsilon", "1"])
    assert "Did you mean" not in capsys.readouterr().err


def test_a_name_like_no_other_gets_no_suggestion(capsys):
    assert main(["run", "zzz", "--data", "s1-like", "-k", "3", "--epsilon", "1"]) == BAD_INPUT
    assert "Did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["no-such-command"], []])
def test_help_and_usage_errors_import_no_library(words):
    code = f"""
import sys
from dpcore.cli import main
try:
    main({words!r})
except SystemExit:
    print(*sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = set(run.stdout.splitlines()[-1].split())
    assert "dpcore.cli" in loaded
    assert not loaded & {"numpy", "scipy", "pandas", "pyarrow", "duckdb", "sklearn", "opendp"}


def test_a_command_imports_scikit_learn_only_if_it_needs_it():
    code = "import sys; from dpcore.cli import main; main(['list']); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(run.stdout.splitlines()[-1].split()) & {"sklearn", "duckdb", "opendp"}


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_says_what_it_is_for(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: dpcore {command}")
    assert text.split("\n\n")[1][0].isupper()


@pytest.mark.parametrize("command", [[], ["run"], ["sweep"], ["list"]])
def test_help_can_be_asked_for_anywhere(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "usage: dpcore" in capsys.readouterr().out
