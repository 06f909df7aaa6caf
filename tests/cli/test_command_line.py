"""The command line as programs and people meet it: codes, words, shells, other systems."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dpcore import __version__
from dpcore.cli import COMMANDS, main
from dpcore.cli.exit_codes import EXIT_CODES
from dpcore.release import Ledger

ROOT = Path(__file__).parents[2]
DPCORE = [sys.executable, "-m", "dpcore"]
RELEASE = ["release", "dplloyd", "--data", "nyc-taxi", "-k", "2", "--epsilon", "0.5"]
RELEASE += ["--allowed", "1", "--yes", "--ledger", "books"]


def run(folder: Path, *words: str, stdout=subprocess.PIPE, **environment: str):
    return subprocess.run(
        [*DPCORE, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


def usage_error(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a wrong command line is told."""
    with pytest.raises(SystemExit) as error:
        main(words)
    assert error.value.code == 2
    return capsys.readouterr().err


def test_an_unknown_option_is_answered_with_the_help_of_its_command(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", "adaptive", "--data", "iris", "-k", "3", "--epsilon", "1", "--sede", "2"])
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert "dpcore run: unrecognized arguments: --sede 2. Did you mean '--seed'?" in told
    assert "`dpcore run --help`" in told


@pytest.mark.parametrize(("system", "code"), [("win32", 0), ("linux", 2)])
def test_a_reader_that_leaves_is_no_error_on_windows_either(system, code, monkeypatch, capsys):
    class Closed(io.StringIO):
        def flush(self):  # as Windows says it, of a pipe that nobody reads
            raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(sys, "stdout", Closed())
    assert main(["list"]) == code


#: What Windows lacks, and how it is told from others. Other libraries are loaded before, for they
#: would look for what Windows alone has.
WITHOUT_UNIX = """
import importlib, os, pkgutil, sys
import asyncio, concurrent.futures, multiprocessing, sqlite3, subprocess, tempfile
import duckdb, jinja2, numpy, opendp.prelude, pandas, platformdirs, pyarrow.dataset
import pyarrow.parquet, scipy.ndimage, scipy.optimize, scipy.sparse, scipy.spatial, scipy.special
import shapely, sklearn.cluster, sklearn.datasets, threadpoolctl
threadpoolctl.ThreadpoolController._load_libraries = lambda self: None
for name in ("fcntl", "grp", "pwd", "resource", "syslog", "termios"):
    sys.modules[name] = None
flags = ["O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_NONBLOCK"]
for name in [*flags, "fork", "geteuid", "getuid", "nice", "posix_fallocate"]:
    if hasattr(os, name):
        delattr(os, name)
sys.platform = "win32"
import dpcore
for module in pkgutil.walk_packages(dpcore.__path__, "dpcore."):
    if not module.name.endswith(("__main__", "spark_workers", "spark_engine")):
        importlib.import_module(module.name)
from dpcore.cli import main
common = ["--ledger", "books"]
places = ((-74 + i % 40 / 1000, 40.72 + i % 50 / 1000) for i in range(2000))
with open("a.csv", "w", encoding="utf-8") as file:
    print("lon,lat", *(f"{lon},{lat}" for lon, lat in places), sep="\\n", file=file)
data = ["--data", "a.csv", "--columns", "lon", "lat", "--box", "-74.1", "40.7", "-73.9", "40.9"]
release = ["release", "adaptive", *data, "-k", "2", "--epsilon", "0.5", "--allowed", "1"]
codes = [
    main([*release, "--name", "a", "--yes", "--output", "out", *common]),
    main(["verify", "out", *common]),
    main(["history", *common]),
    main(["ledger", "check", *common]),
    main(["ledger", "backup", "b.zip", *common]),
    main(["ledger", "restore", "b.zip", "--ledger", "other"]),
]
print(*codes)
"""


def test_nothing_needs_what_windows_lacks(tmp_path: Path):
    assert printed_by(WITHOUT_UNIX, tmp_path).splitlines()[-1] == "0 0 0 0 0 0"


# What is paid is never lost in print.


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_paid_release_whose_message_cannot_be_written_has_a_code_of_its_own(more, tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = run(tmp_path, *RELEASE, *more, stdout=full)
    said = ended.stderr.decode()
    assert ended.returncode == 4
    assert "Release 1 was made and costs ε 0.5" in said
    assert "dpcore history 1" in said
    assert len(Ledger(tmp_path / "books").entries()) == 1
    assert run(tmp_path, "history", "1", "--ledger", "books", "--output", "again").returncode == 0


def test_a_full_disk_after_any_other_command_is_said_once(tmp_path: Path):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = run(tmp_path, "list", stdout=full)
    assert ended.returncode == 2
    assert ended.stderr.decode().count("\n") == 1


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437"])
def test_no_encoding_of_the_output_stops_a_command(encoding, tmp_path: Path):
    ended = run(tmp_path, *RELEASE, PYTHONIOENCODING=encoding)
    assert ended.returncode == 0, ended.stderr
    assert run(tmp_path, "history", "--ledger", "books", PYTHONIOENCODING=encoding).returncode == 0
    assert run(tmp_path, "list", PYTHONIOENCODING=encoding).returncode == 0


def test_redirected_output_is_utf8(tmp_path: Path):
    ended = run(tmp_path, *RELEASE, PYTHONUTF8="0", LC_ALL="C", PYTHONCOERCECLOCALE="0")
    assert "ε" in ended.stdout.decode("utf-8")


# Quiet, complete, and from a plan.


def test_quiet_says_nothing_but_errors(tmp_path: Path):
    ended = run(tmp_path, "--quiet", *RELEASE)
    assert ended.returncode == 0
    assert not ended.stderr
    refused = run(tmp_path, *RELEASE, "--quiet", "--epsilon", "3")
    assert refused.returncode == 3
    assert refused.stderr.decode().count("\n") == 1
    unasked = run(tmp_path, "--quiet", *(word for word in RELEASE if word != "--yes"))
    assert unasked.returncode == 2
    assert "add --yes" in unasked.stderr.decode()


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_shell_completes_every_command_and_option(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for command in COMMANDS:
        assert command in script
    assert "epsilon" in script
    if shell == "bash" and shutil.which("bash"):
        checked = subprocess.run(["bash", "-n"], input=script.encode(), capture_output=True)
        assert not checked.stderr


PLAN = """\
algorithm = "adaptive"
data = "nyc-taxi"
k = 3
epsilon = 0.5
allowed = 1.0
ledger = "books"
output = "out"
yes = true

[set]
points = 100
"""


def test_a_release_comes_from_a_plan_and_options_take_the_place_of_its_own(tmp_path: Path):
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    assert run(tmp_path, "release", "plan.toml", "--epsilon", "0.25").returncode == 0
    said = json.loads((tmp_path / "out/certificate.json").read_text(encoding="utf-8"))
    assert (said["algorithm"], said["k"], said["epsilon"]) == ("adaptive", 3, 0.25)
    assert said["parameters"]["points"] == 100


def test_a_plan_that_was_saved_makes_the_same_release(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a b.csv").write_text("lat,lon\n" + "40.8,-74\n" * 99, encoding="utf-8")
    words = ["release", "adaptive", "--data", "a b.csv", "--columns", "lat", "lon", "--box"]
    words += ["40.7", "-74.1", "40.9", "-73.9", "-k", "2", "--epsilon", "0.5", "--allowed", "2"]
    words += ["--name", 'so-called "Ελλάδα"', "--set", "points=50", "--unit", "trip"]
    assert main([*words, "--save-plan", "plan.toml"]) == 0
    assert not Path("books").exists()
    for ask, out in (([*words], "one"), (["release", "plan.toml"], "two")):
        assert main([*ask, "--yes", "--ledger", "books", "--output", out]) == 0
    told = [
        json.loads(Path(out, "certificate.json").read_text(encoding="utf-8"))
        for out in ("one", "two")
    ]
    for key in ("data set", "source", "box", "unit", "k", "epsilon", "parameters", "allowed"):
        assert told[0][key] == told[1][key]


def test_a_saved_plan_keeps_its_areas_and_their_levels(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["release", "adaptive", "--data", "nyc-taxi", "-k", "3", "--epsilon", "1"]
    words += ["--allowed", "4", "--regions", "boroughs", "--level", "Manhattan=0.5"]
    assert main([*words, "--save-plan", "plan.toml"]) == 0
    for ask, out in (([*words], "one"), (["release", "plan.toml"], "two")):
        assert main([*ask, "--yes", "--ledger", "books", "--output", out]) == 0
    one, two = (
        json.loads(Path(out, "certificate.json").read_text(encoding="utf-8"))["areas"]
        for out in ("one", "two")
    )
    assert one["statement"] == two["statement"]
    assert "0.5" in str(one["statement"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("k = 3", "say which algorithm"),
        ('algorithm = "adaptive"\nepsilom = 1', "Did you mean 'epsilon'"),
        ('algorithn = "adaptive"', "Did you mean 'algorithm'"),
        ("k = ", "no TOML file"),
    ],
)
def test_a_plan_that_is_wrong_says_where(text, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("plan.toml").write_text(text, encoding="utf-8")
    assert main(["release", "plan.toml"]) == 2
    assert words in capsys.readouterr().err
    assert main(["release", "nothing.toml"]) == 2


# True messages.


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "eugkm", "-k", "3", "--epsilon", "1,5"], "Write a decimal point: 1.5"),
        (["run", "eugkm", "-k", "three", "--epsilon", "1"], "'three' is not a whole number"),
        (["run", "eugkm", "-k", "3", "--epsilon", "one"], "'one' is not a number"),
        (
            ["run", "eugkm", "-k", "3", "--epsilon", "1", "--seed", "1.5"],
            "whole number of at least 0",
        ),
    ],
)
def test_a_number_that_is_none_is_told_in_words(words, said, capsys):
    with pytest.raises(SystemExit) as ended:
        main([*words, "--data", "iris"])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["run", "adaptve", "--data", "nyc-taxi"], 2, "Did you mean 'adaptive'"),
        (["run", "eugkm", "--data", "nyc-tax"], 2, "Did you mean 'nyc-taxi'"),
        (["run", "eugkm", "--data", "no.csv", "--box", "0", "1"], 2, "there is no such file"),
        (["run", "eugkm", "--data", "no.csv", "--box", "0", "0", "1"], 2, "low ends, then"),
        (["run", "eugkm", "--data", "t.csv", "--columns", "x", "y"], 2, "give the public box"),
        (
            ["run", "eugkm", "--data", "t.csv", "--columns", "x", "z", "--box", "0", "0", "9", "9"],
            2,
            "there is no such column",
        ),
        (["run", "eugkm", "--data", "iris", "--box", "0", "1"], 2, "has its own box"),
        (["run", "eugkm", "--data", "iris", "--set", "x"], 2, "--set takes NAME=VALUE"),
        (["run", "eugkm", "--data", "digits"], 3, "eugkm"),
        (["run", "eugkm", "--data", "iris", "--json", "--format", "csv"], 2, "Choose one"),
        (["run", "eugkm", "--data", "iris", "--level", "a=1"], 2, "--level needs --regions"),
        (["sweep", "eugkm", "--data", "iris", "--metrics", "nicvv"], 2, "Did you mean 'nicv'"),
        (["run", "eugkm-published", "--data", "nyc-taxi", "--format", "csv"], 3, "not private"),
    ],
)
def test_messages_are_one_line_and_name_what_is_wrong(
    words, code, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    epsilon = "--epsilons" if words[0] == "sweep" else "--epsilon"
    assert main([*words, "-k", "2", epsilon, "1"]) == code
    told = capsys.readouterr().err
    assert said in told
    assert told.strip().count("\n") == 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["relase", "eugkm"], "Did you mean 'release'?"),
        (["run", "eugkm", "--data", "iris", "-k", "2", "--epsilon", "1", "--sed", "1"], None),
        (
            ["run", "eugkm", "--data", "iris", "--epsilom", "1", "--epsilon", "1", "-k", "1"],
            "Did you mean '--epsilon'?",
        ),
        (
            ["run", "eugkm", "--data", "iris", "-k", "2", "--epsilon", "1", "--outside", "dorp"],
            "Did you mean 'drop'?",
        ),
    ],
)
def test_a_misspelled_command_option_or_choice_gets_a_suggestion(words, meant, capsys):
    assert (meant or "") in usage_error(words, capsys)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "dpcore: name a command, such as list, run or release."),
        (["run"], "the following arguments are required: algorithm, -k, --epsilon, --data."),
        (
            ["run", "eugkm", "-k", "2", "--epsilon", "1", "--data", "iris", "--format", "xml"],
            "'xml'",
        ),
    ],
)
def test_a_wrong_command_line_is_told_in_two_lines(words, said, capsys):
    first, second = usage_error(words, capsys).splitlines()
    assert said in first
    assert second.endswith("--help` describes the options.")


def test_the_version_has_a_short_option(capsys):
    for option in ("-V", "--version"):
        with pytest.raises(SystemExit) as ended:
            main([option])
        assert ended.value.code == 0
        assert capsys.readouterr().out == f"dpcore {__version__}\n"


def test_a_run_says_how_it_understood_the_box(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("lon,lat\n-74,40.8\n" * 9, encoding="utf-8")
    words = ["run", "eugkm", "--data", "t.csv", "-k", "2", "--epsilon", "1", "--box"]
    assert main([*words, "-74.1", "40.7", "-73.9", "40.9"]) == 0
    assert "lon from -74.1 to -73.9" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", ["run eugkm --epsilon 1", "release eugkm --epsilon 1 --allowed 1 --output released"]
)
def test_a_box_typed_as_pairs_is_refused_before_any_budget_is_used(
    command, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("lon,lat\n-74,40.8\n" * 9, encoding="utf-8")
    words = [*command.split(), "--data", "t.csv", "-k", "2", "--columns", "lon", "lat"]
    assert main([*words, "--box", "-74.1", "-73.9", "40.7", "40.9"]) == 2
    assert "Write --box -74.1 40.7 -73.9 40.9" in capsys.readouterr().err
    assert not Path("released").exists()


def test_numbers_with_decimal_commas_are_told_by_the_option_of_the_command(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("x;y\n" + "1,5;2,5\n" * 9, encoding="utf-8")
    words = ["run", "eugkm", "--data", "t.csv", "--columns", "x", "y", "--box", "0", "0", "9", "9"]
    assert main([*words, "-k", "2", "--epsilon", "1"]) == 0
    assert "add --read-as csv-comma" in capsys.readouterr().err


def test_the_folder_of_a_release_can_be_verified(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(RELEASE) == 0
    assert main(["verify", "release-1"]) == 0
    assert "checks fail" in capsys.readouterr().out


def test_an_unknown_work_gets_a_suggestion(capsys):
    assert main(["cite", "su2017"]) == 2
    assert "Did you mean 'su2016'?" in capsys.readouterr().err


def test_a_json_file_that_is_no_certificate_is_told_in_words(tmp_path, capsys):
    path = tmp_path / "other.json"
    path.write_text("{}", encoding="utf-8")
    assert main(["verify", str(path)]) == 1
    assert "'kind'" not in re.sub(r"no .{0,40}'kind'", "", capsys.readouterr().out)


def test_exit_codes_stand_in_the_help_and_in_the_documentation_as_they_are(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = " ".join(capsys.readouterr().out.split())
    page = (ROOT / "docs/cli.md").read_text(encoding="utf-8")
    for code, meaning in EXIT_CODES.items():
        assert f"{code} {meaning}" in told
        assert f"| {code} | {meaning} |" in page


# What it costs to start.


def printed_by(code: str, folder: Path) -> str:
    """What a program of its own prints."""
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return ended.stdout


def test_help_starts_in_less_than_four_tenths_of_a_second_and_loads_no_library(tmp_path: Path):
    code = (
        "import sys, resource, contextlib\n"
        "from dpcore.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['--help'])\n"
        "used = resource.getrusage(resource.RUSAGE_SELF)\n"
        "heavy = {'numpy', 'pandas', 'pyarrow', 'PIL', 'sklearn', 'duckdb', 'opendp', 'scipy'}\n"
        "print(used.ru_utime + used.ru_stime, *sorted(heavy & set(sys.modules)))\n"
    )
    seconds, *loaded = printed_by(code, tmp_path).splitlines()[-1].split()
    assert float(seconds) <= 0.4
    assert loaded == []


def test_a_run_loads_no_pandas_pyarrow_pillow_or_scikit_learn(tmp_path: Path):
    code = (
        "import sys, dpcore\n"
        "data = dpcore.datasets.from_array([[0.5, 0.5]] * 100, (0, 1))\n"
        "dpcore.run('eugkm', data, 2, 1.0, seed=0)\n"
        "print(*sorted({'pandas', 'pyarrow', 'PIL', 'sklearn', 'opendp'} & set(sys.modules)))\n"
    )
    assert printed_by(code, tmp_path).split() == []
