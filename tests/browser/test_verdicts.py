"""Verdicts as a person meets them: every claim, its argument, and the text one click away."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from dpcore.algorithms import ALGORITHMS
from pages.ui.palette import DARK
from tests.browser.driver import DESK, PHONE, eventually, idle, in_address, shows, width

Visit = Callable[..., Page]


def opened(visit: Visit, path: str = "/verdicts", **options: object) -> Page:
    page = visit(path, ready=False, **options)
    specification(page).first.wait_for()
    idle(page)
    return page


def specification(within: Page | Locator) -> Locator:
    return within.get_by_text("Specification", exact=True)


def card(page: Page, key: str) -> Locator:
    return page.locator(f".st-key-verdict-{key}")


def test_every_method_has_a_card_and_unproven_ones_are_marked(visit: Visit) -> None:
    page = opened(visit)
    expect(page.locator('[class*="st-key-verdict-"]')).to_have_count(len(ALGORITHMS))
    for algorithm in ALGORITHMS.values():
        expect(card(page, algorithm.key).get_by_role("heading")).to_contain_text(
            str(algorithm.verdict)
        )


def test_a_click_opens_the_text_and_leads_to_explore(visit: Visit) -> None:
    page = opened(visit, "/verdicts?paper=000&k=3")
    own = card(page, "dplloyd")
    idea = own.get_by_text(ALGORITHMS["dplloyd"].idea)
    expect(idea).not_to_be_visible()
    specification(own).click()
    expect(idea).to_be_visible()
    own.get_by_role("link", name="See DPLloyd on Explore").click()
    expect(page.get_by_role("heading", name="What privacy costs")).to_be_visible()
    in_address(page, "algorithm=dplloyd", "k=3")


def test_an_address_opens_one_method_of_one_paper(visit: Visit) -> None:
    page = opened(visit, "/verdicts?paper=000&algorithm=eugkm")
    expect(card(page, "eugkm").get_by_text(ALGORITHMS["eugkm"].idea)).to_be_visible()
    expect(card(page, "coreset")).to_have_count(0)


def test_the_dark_theme_reaches_the_cards(visit: Visit) -> None:
    page = opened(visit, color_scheme="dark")
    shows(card(page, "adaptive"), DARK.paper, 10_000)


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_it_is_no_wider_than_the_window(visit: Visit, viewport: dict[str, int]) -> None:
    page = opened(visit, viewport=viewport)
    eventually(lambda: width(page) <= viewport["width"])
