"""Verdicts as a person meets them: a table to search and sort, and a page for each method."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from dpcore.algorithms import ALGORITHMS
from pages.ui.palette import DARK
from tests.browser.driver import DESK, PHONE, Visit, eventually, idle, in_address, shows, width


def opened(visit: Visit, path: str = "/verdicts", **options: object) -> Page:
    page = visit(path, ready=False, **options)
    rows(page).first.wait_for()
    idle(page)
    return page


def rows(page: Page) -> Locator:
    return page.locator(".verdicts tbody tr")


def test_a_search_and_a_heading_arrange_the_table_and_a_click_opens_a_method(visit: Visit) -> None:
    page = opened(visit, "/verdicts?k=3")
    expect(rows(page)).to_have_count(len(ALGORITHMS))
    search = page.get_by_role("textbox", name="Search")
    search.fill("gkm")
    search.press("Enter")
    in_address(page, "search=gkm")
    own = [each for each in ALGORITHMS if "gkm" in each]
    eventually(lambda: len(own) <= rows(page).count() < len(ALGORITHMS))
    page.get_by_role("button", name="Method").click()
    in_address(page, "sort=method")
    expect(page.locator("th[aria-sort]")).to_contain_text("Method")
    page.get_by_role("link", name="GkM-3K").click()
    expect(page.get_by_role("heading", name="GkM-3K")).to_be_visible()
    in_address(page, "method=gkm-3k", "k=3", "search=gkm")
    page.go_back()
    expect(rows(page).first).to_be_visible()


def test_the_argument_of_a_method_is_typeset_and_leads_to_explore(visit: Visit) -> None:
    page = visit("/verdicts?method=subclustering&k=3", ready=False)
    page.get_by_text("For reviewers: the whole argument").click()
    expect(page.locator(".katex").last).to_be_visible()
    assert page.locator(".katex-error").count() == 0
    page.get_by_test_id("stMain").get_by_role("link", name="See it on Explore").click()
    expect(page.get_by_role("heading", name="What privacy costs")).to_be_visible()
    in_address(page, "algorithm=subclustering", "k=3")


def test_the_dark_theme_reaches_the_table(visit: Visit) -> None:
    page = opened(visit, color_scheme="dark")
    shows(page.locator(".verdicts"), DARK.paper, 10_000)


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("path", ["/verdicts", "/verdicts?method=eugkm"], ids=["table", "method"])
def test_it_is_no_wider_than_the_window(visit: Visit, viewport: dict[str, int], path: str) -> None:
    page = visit(path, ready=False, viewport=viewport)
    page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
    idle(page)
    eventually(lambda: width(page) <= viewport["width"])
