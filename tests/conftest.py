"""What a test may need from the machine: a browser, Java, real data that do not ship.

On a person's laptop a test without its need is skipped, and the summary says why. On the test
machine (CI is set) it is an error, so that nothing goes untested in silence.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")

# How long an example takes tells more of what else the machine does than of what is tested.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def missing(need: str) -> NoReturn:
    if os.environ.get("CI"):
        pytest.fail(f"The test machine lacks {need}.", pytrace=False)
    pytest.skip(f"needs {need}")


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """The browser that Playwright drives: pass it as executable_path."""
    found = os.environ.get("DPCORE_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), "")
    return found or missing("Chromium (or DPCORE_CHROMIUM, its path)")


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
