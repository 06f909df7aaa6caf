"""A real server that counts what it holds: nothing of a visit outlives it, or its wish."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.driver import LONG, ROOT, serving
from tests.browser.publishing import at_columns, at_level, press
from tests.pages.publishing import csv_text, trips
from tests.server.visitor import fetch

KEPT = ("IsolatedEngine", "ReadingProcess", "SessionData", "Opened", "uploads", "bytes")


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    main = "tests/server/counted.py"
    with serving(main=main, DPCORE_UPLOADS_MB="1", PYTHONPATH=str(ROOT)) as started:
        yield started.address


@pytest.fixture
def opened(browser: Browser, server: str) -> Iterator[Callable[[], Page]]:
    contexts = []

    def open_page() -> Page:
        context = browser.new_context()
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{server}/publish")
        expect(page.get_by_role("heading", name="Publish")).to_be_visible(timeout=LONG)
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(csv_text(trips(8_000)))
    return path


def held(server: str) -> dict[str, int]:
    found: dict[str, int] = json.loads(fetch(f"{server}/held").text)
    return found


def until(server: str, claim: Callable[[dict[str, int]], bool]) -> None:
    deadline = time.monotonic() + LONG / 1000
    while not claim(found := held(server)):
        assert time.monotonic() < deadline, f"{found}\n{fetch(f'{server}/held?why=1').text}"
        time.sleep(0.2)


def nothing(found: dict[str, int]) -> bool:
    return not any(found[kind] for kind in KEPT)


def test_nothing_is_left_of_visits_that_ended(
    opened: Callable[[], Page], server: str, file: Path
) -> None:
    pages = [opened() for _ in range(2)]
    for page in pages:
        at_level(page, file)
    before = held(server)
    assert before["IsolatedEngine"] >= 2
    assert before["SessionData"] >= 2
    for page in pages:
        page.context.close()
    until(server, nothing)


def test_nothing_is_left_of_a_visit_that_ended_while_it_counted(
    opened: Callable[[], Page], server: str, file: Path
) -> None:
    page = at_level(opened(), file)
    page.goto(f"{server}/publish")  # another visit; the first is over
    at_columns(page, file)
    page.context.close()
    until(server, nothing)


def test_a_visit_that_forgets_its_data_goes_on_without_them(
    opened: Callable[[], Page], server: str, file: Path
) -> None:
    page = at_level(opened(), file)
    page.get_by_role("link", name="Explore").click()
    show = page.get_by_role("button", name="Show my raw data")
    show.click(timeout=LONG)
    expect(page.get_by_role("button", name="Hide them again")).to_be_visible(timeout=LONG)
    page.get_by_role("button", name="Forget my data").click()
    until(server, nothing)
    expect(page.get_by_role("button", name="Forget my data")).to_have_count(0)
    assert held(server)["AppSession"] == 1


def test_uploads_of_all_visits_together_are_limited(
    opened: Callable[[], Page], server: str, tmp_path: Path
) -> None:
    large = tmp_path / "large.csv"
    large.write_text("lon,lat\n" + "1,2\n" * 200_000)
    first, second = opened(), opened()
    at_columns(first, large)
    second.locator("input[type=file]").set_input_files(large)
    expect(second.get_by_text("413")).to_be_visible(timeout=LONG)
    assert held(server)["IsolatedEngine"] == 1
    press(first, "Change")
