"""A cold server for each module. A page that asks another host, or whose console shows an error,
fails its test.

A browser, a server and a test run side by side on whatever cores the machine has left, so a test
that fails here runs once more. The summary lists it as RERUN: such a test, or the page that it
tries, has a race that somebody should look for.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import DESK, LONG, WITHOUT_MOTION, Visit, serving, settled, watch

#: A machine that tests two pages at once, on software rendering, may keep anybody waiting.
expect.set_options(timeout=LONG)
FOLDER = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give each test of a browser a second try, unless `--reruns 0` says otherwise."""
    if config.getoption("reruns", None) is not None:
        return
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving() as started:
        yield started.address


@pytest.fixture
def blank_page(browser: Browser) -> Iterator[Page]:
    """A page that has opened nothing yet, for what has to be watched from the first byte."""
    page = browser.new_page(viewport=DESK)
    page.set_default_timeout(LONG)
    yield page
    page.close()


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Visit]:
    """Open a path as somebody new would, and wait until the picture is there."""
    problems: list[str] = []
    contexts = []

    def open_path(path: str = "/", *, ready: bool = True, **options: Any) -> Page:
        context = browser.new_context(**{"viewport": DESK, **options})
        contexts.append(context)
        context.set_default_timeout(LONG)
        context.add_init_script(WITHOUT_MOTION)
        page = context.new_page()
        watch(page, server, problems)
        page.goto(server + path)
        if ready:
            settled(page)
        return page

    yield open_path
    for context in contexts:
        context.close()
    assert not problems, "\n".join(problems)
