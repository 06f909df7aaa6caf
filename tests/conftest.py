"""What a test may need from the machine: a browser, Java, real data that do not ship.

On a person's laptop a test without its need is skipped, and the summary says why. On the test
machine (CI is set) it is an error, so that nothing goes untested in silence.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Generator, Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Files and folders that `pytest --fast` (`make test-fast`) leaves out whatever they take: they
#: drive browsers, servers and Spark, run notebooks, kill processes, or repeat runs very often.
SLOW = (
    "algorithms/test_all.py",
    "audit",
    "browser",
    "datasets/engines",
    "pages",
    "papers",
    "release/test_composition.py",
    "release/test_killed.py",
    "release/test_torture.py",
    "server",
    "test_docs.py",
    "test_extending.py",
    "test_packaging.py",
    "torture",
)
#: CPU seconds that all other files may take together: two minutes on two cores, less what it takes
#: to import and collect. The files that take least are run; `pytest --save-durations` measures.
FAST_SECONDS = 190.0
TESTS = Path(__file__).parent
BEGUN = pytest.StashKey[float]()
REPOSITORY = Path(__file__).parents[1]
#: CPU seconds of each file when it was last measured.
DURATIONS = TESTS / "durations.json"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

# How long an example takes tells more of what else the machine does than of what is tested.
# The test machine tries the same examples each time; a person's machine tries new ones.
settings.register_profile(
    "patient",
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="run what takes two minutes in all")
    parser.addoption(
        "--save-durations", action="store_true", help="keep what each file took, for --fast"
    )


@cache
def slow_files() -> frozenset[Path]:
    """The files that are left out because all others take the time that there is."""
    measured: dict[str, float] = json.loads(DURATIONS.read_text(encoding="utf-8"))
    names = sorted(measured, key=lambda name: measured[name])
    totals = accumulate(measured[name] for name in names)
    over = (name for name, total in zip(names, totals, strict=True) if total > FAST_SECONDS)
    return frozenset(TESTS / name for name in over)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if config.getoption("--fast") and collection_path.is_relative_to(TESTS):
        listed = any(collection_path == TESTS / slow for slow in SLOW)
        return listed or collection_path in slow_files() or None
    return None


def cpu_seconds() -> float:
    """CPU time of this process and of the children that it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.stash[BEGUN] = cpu_seconds()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        report.user_properties.append(("cpu seconds", cpu_seconds() - item.stash[BEGUN]))
    return report


class Stopwatch:
    """What the tests of each file took, written when all have run."""

    def __init__(self) -> None:
        self.taken: dict[str, float] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0].removeprefix("tests/")
        for name, value in report.user_properties:
            if name == "cpu seconds" and report.when == "teardown":
                self.taken[file] = self.taken.get(file, 0.0) + float(value)

    def pytest_sessionfinish(self) -> None:
        kept = json.loads(DURATIONS.read_text(encoding="utf-8")) if DURATIONS.exists() else {}
        known = kept | {file: round(taken, 1) for file, taken in self.taken.items()}
        there = {file: known[file] for file in sorted(known) if (TESTS / file).exists()}
        DURATIONS.write_text(json.dumps(there, indent=1) + "\n", encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    # With xdist, workers report to one process, which keeps the time of all.
    if config.getoption("--save-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Stopwatch())


def missing(need: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"The test machine lacks {need}.", pytrace=False)
    pytest.skip(f"needs {need}")


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser that Playwright drives: pass it as executable_path."""
    found = os.environ.get("DPCORE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), "")
    return found or missing("Chromium (or DPCORE_CHROMIUM, its path)")


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """Chromium, for the tests of one module."""
    from playwright.sync_api import sync_playwright

    from tests.browser.driver import FLAGS

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def java() -> str:
    """The java that Spark starts."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin" if home else None)
    # macOS has a java that only asks for Java to be installed.
    if found and subprocess.run([found, "-version"], capture_output=True).returncode == 0:
        return found
    return missing("Java, for Spark")


@pytest.fixture(scope="session")
def extra_data() -> Path:
    """Real files that do not ship: taxi records of every vintage, the papers' own sets."""
    folder = Path(os.environ.get("DPCORE_EXTRA_DATA") or REPOSITORY.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"needs more data than ship: no folder {folder} (set DPCORE_EXTRA_DATA)")
    return folder
