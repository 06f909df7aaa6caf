"""What a test may need from the machine: a browser, Java, real data that do not ship.

On a person's laptop a test without its need is skipped, and the summary says why. On the test
machine (CI is set) it is an error, so that nothing goes untested in silence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: Files and folders that `pytest --fast` (`make test-fast`) leaves out: they drive browsers,
#: servers and Spark, kill processes, or repeat runs very often. The rest takes two minutes.
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
    "test_extending.py",
    "test_packaging.py",
    "torture",
)
TESTS = Path(__file__).parent
REPOSITORY = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

# How long an example takes tells more of what else the machine does than of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--fast", action="store_true", help="leave out the slow files")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if config.getoption("--fast") and collection_path.is_relative_to(TESTS):
        return any(collection_path == TESTS / slow for slow in SLOW) or None
    return None


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
