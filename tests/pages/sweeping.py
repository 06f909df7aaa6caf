"""What the tests of pages with runs in progress share."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.visits import checked, words
from tests.waiting import eventually


def until(app: AppTest, said: str) -> AppTest:
    """Draw the page again until it says something: runs are made in another thread."""
    eventually(lambda: said in words(app) or said in words(checked(app)))
    return app


def finished(app: AppTest) -> AppTest:
    return until(app, "finished")
