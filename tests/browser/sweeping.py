"""What the tests of pages with runs in progress share."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import LONG, eventually, idle


def finished(page: Page) -> Page:
    expect(page.get_by_text(re.compile(r"runs finished"))).to_be_visible(timeout=5 * LONG)
    idle(page)
    return page


def stands_still(text: Locator) -> None:
    """Wait until it stays as it is: a run that was being made when it stopped still comes in."""

    def stays() -> bool:
        before = text.inner_text()
        text.page.wait_for_timeout(2000)
        return text.inner_text() == before

    eventually(stays)


def done(page: Page) -> int:
    words = page.get_by_text(re.compile(r"^[\d,]+ of [\d,]+ runs")).inner_text()
    return int(words.split(" of ")[0].replace(",", ""))


def stops_and_goes_on(page: Page, total: str) -> None:
    """Runs come in until somebody stops them, and again when somebody lets them go on."""
    before = done(page)
    eventually(lambda: done(page) > before)
    page.get_by_role("button", name="Stop").last.click()
    stopped = page.get_by_text(re.compile(r"^Stopped after"))
    expect(stopped).to_be_visible()
    stands_still(stopped)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text(re.compile(rf"^[\d,]+ of {total} runs"))).to_be_visible()
