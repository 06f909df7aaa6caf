"""What the tests of pages with runs in progress share."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from pages.ui.palette import DARK, LIGHT
from tests.browser.driver import LONG, Visit, count, eventually, idle, pixels, place, shows


def opened_chart(visit: Visit, path: str, **options: object) -> Page:
    """A page whose chart shows its first point."""
    page = visit(path, ready=False, **options)
    page.locator(".js-plotly-plot .point").first.wait_for(state="attached", timeout=LONG)
    return page


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
    words = page.get_by_text(re.compile(r"^[\d,]+ of [\d,]+ runs")).first.inner_text()
    return int(words.split(" of ")[0].replace(",", ""))


def grows_until_stopped(page: Page, total: str) -> None:
    """Runs come in until somebody stops them, and again when somebody goes on."""
    before = done(page)
    eventually(lambda: done(page) > before)
    page.get_by_role("button", name="Stop").last.click()
    stopped = page.get_by_text(re.compile(r"^Stopped after"))
    expect(stopped).to_be_visible()
    stands_still(stopped)
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_text(re.compile(rf"^[\d,]+ of {total} runs"))).to_be_visible()


def is_dark(chart: Locator, marks: int, paper: int) -> None:
    """Wait until more pixels than so many show private marks and dark paper, and none light."""
    shows(chart, DARK.private, marks)
    shows(chart, DARK.paper, paper)
    assert count(pixels(chart), LIGHT.paper) < 1_000


def click_chart(page: Page, spot: Locator, x: float = 0.5, y: float = 0.5) -> None:
    """Click at so many parts of the width and height of what is drawn. Plotly takes a click for
    what it has told of as the mouse came there."""
    spot.evaluate("spot => spot.scrollIntoView({ block: 'center' })")  # not behind the bar
    box = place(spot)
    at = box["x"] + box["width"] * x, box["y"] + box["height"] * y

    def told() -> bool:
        page.mouse.move(at[0] - 3, at[1])
        page.mouse.move(*at)
        return page.locator(".hoverlayer > *").count() > 0

    eventually(told)
    page.mouse.click(*at)
