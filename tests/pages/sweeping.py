"""What the tests of pages with runs in progress share."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest

from tests.pages.visits import checked, words

#: Seconds that runs may take where others share the machine.
LONG = 600


def eventually(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG
    while not claim():
        assert time.monotonic() < deadline, "It never came true."
        time.sleep(0.1)


def until(app: AppTest, said: str) -> AppTest:
    """Draw the page again until it says something: runs are made in another thread."""
    eventually(lambda: said in words(app) or said in words(checked(app)))
    return app


def finished(app: AppTest) -> AppTest:
    return until(app, "finished")
