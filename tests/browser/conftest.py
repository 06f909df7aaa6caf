"""A cold server for each module. A page that asks another host, or whose console shows an error,
fails its test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import DESK, LONG, WITHOUT_MOTION, chromium, serving, settled, watch

#: A machine that tests two pages at once, on software rendering, may keep anybody waiting.
expect.set_options(timeout=LONG)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving() as started:
        yield started.address


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    with chromium(chromium_path) as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Callable[..., Page]]:
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
