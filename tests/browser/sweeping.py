"""What the tests of pages with runs in progress share."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.driver import idle


def finished(page: Page) -> Page:
    expect(page.get_by_text(re.compile(r"runs finished"))).to_be_visible(timeout=120_000)
    idle(page)
    return page


def done(page: Page) -> int:
    words = page.get_by_text(re.compile(r"^[\d,]+ of [\d,]+ runs")).inner_text()
    return int(words.split(" of ")[0].replace(",", ""))
