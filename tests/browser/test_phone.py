"""What a phone changes: names above charts instead of beside them, tables that fit, a menu that
goes away."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from pages.ui.frame import PAGES, ROOT
from pages.ui.top_bar import HOME
from tests.browser.driver import (
    DESK,
    PHONE,
    Visit,
    eventually,
    idle,
    in_address,
    open_page,
    place,
    settled,
    width,
)
from tests.browser.sweeping import finished

CURVES = "/curves?data=s1-like&algorithm=dplloyd&with=eugkm&runs=1&from=0.5&to=2.0&run_live=true"
#: Every method: also those that are not recommended, and those that cannot run.
RANKING = "/compare?data=s1-like&runs=1&all_methods=true"


def plot_width(page: Page) -> float:
    box = page.locator(".js-plotly-plot .gridlayer").first.bounding_box()
    return box["width"] if box else 0.0


def names(page: Page) -> list[str]:
    """What is written beside the lines, on the chart itself."""
    return page.locator(".js-plotly-plot .annotation").all_text_contents()


def test_lines_are_named_above_a_narrow_chart_which_has_the_width_to_itself(visit: Visit) -> None:
    page = finished(visit(CURVES, ready=False, viewport=PHONE))
    for name in ("DPLloyd", "EUGkM", r"No privacy: 0\s%\s↓"):
        expect(page.get_by_text(re.compile(f"^━ {name}$"))).to_be_visible()
    eventually(lambda: plot_width(page) > 0.65 * PHONE["width"])
    eventually(lambda: not names(page))


def test_a_window_that_becomes_wide_has_the_names_at_the_ends_of_lines(visit: Visit) -> None:
    page = finished(visit(CURVES, ready=False, viewport=PHONE))
    expect(page.get_by_text("━ DPLloyd", exact=True)).to_be_visible()
    page.set_viewport_size(DESK)
    eventually(lambda: "DPLloyd" in names(page))
    expect(page.get_by_text("━ DPLloyd", exact=True)).to_have_count(0)


def test_the_ranking_fits_a_phone_and_says_below_it_who_is_not_in_it(visit: Visit) -> None:
    page = finished(visit(RANKING, ready=False, viewport=PHONE))
    table = page.get_by_role("table")
    for name in ("Method", "Verdict", "Seconds per run"):
        expect(table.get_by_text(name, exact=True)).to_be_visible()
    eventually(lambda: table.evaluate("it => it.offsetWidth <= it.parentElement.clientWidth"))
    for name in ("Private coreset, split", "Sparse mean"):
        expect(table.get_by_text(name, exact=True)).to_have_count(0)
        expect(page.get_by_text(f"{name} cannot run here")).to_be_visible()


def test_the_slider_stands_with_a_plane_and_figures_are_told_to_their_end(visit: Visit) -> None:
    page = visit("/?data=iris&algorithm=auto&k=3", ready=False, viewport=PHONE)
    value = page.locator(".figures .value").get_by_text("of the box")
    label = page.locator(".figures dt").get_by_text("Attacker, about one flower")
    for told in (value, label):
        expect(told).to_be_visible()
        eventually(lambda told=told: told.evaluate("it => it.scrollWidth <= it.clientWidth"))
    plane, slider = page.locator(".js-plotly-plot"), page.get_by_test_id("stSlider")

    def on_one_screen() -> bool:
        top, end = place(plane), place(slider)
        return top["y"] > 0 and end["y"] + end["height"] < PHONE["height"]

    eventually(on_one_screen)


def test_the_menu_of_a_phone_opens_by_thumb_and_by_keyboard_and_closes_after_use(
    visit: Visit,
) -> None:
    page = visit("/?k=4", viewport=PHONE)
    menu = page.get_by_role("button", name="Menu", exact=True)
    link = page.locator(".st-key-menu").get_by_role("link", name="Compare")
    expect(link).not_to_be_visible()
    menu.focus()
    page.keyboard.press("Enter")
    expect(menu).to_have_attribute("aria-expanded", "true")
    expect(link).to_be_visible()
    page.keyboard.press("Escape")
    expect(link).not_to_be_visible()
    expect(menu).to_be_focused()
    open_page(page, "Compare")
    expect(page.get_by_role("heading", name="Methods side by side")).to_be_visible()
    expect(link).not_to_be_visible()
    eventually(lambda: width(page) <= PHONE["width"])
    idle(page)
    page.get_by_role("link", name="Verdicts", exact=True).click()
    expect(page.get_by_role("heading", name="Which claims hold")).to_be_visible()
    in_address(page, "k=4")


def test_the_bar_of_a_wide_window_names_every_page_and_marks_the_open_one(visit: Visit) -> None:
    page = visit("/verdicts?k=4", ready=False)
    menu = page.locator(".st-key-menu")
    expect(page.get_by_role("heading", name="Which claims hold")).to_be_visible()
    idle(page)
    expect(menu.locator('[aria-current="page"]')).to_have_text(re.compile("Compare"))
    for label in (name for file, name, _ in PAGES if (ROOT / file).exists() and name != HOME):
        found = page.get_by_role("link", name=label, exact=True)
        expect(found).to_be_visible()
        box, under = place(found), "([x, y]) => document.elementFromPoint(x, y).closest('a')?.href"
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
        assert page.evaluate(under, middle) == found.evaluate("link => link.href"), label
    open_page(page, "Explore")
    settled(page)
    expect(menu.locator('[aria-current="page"]')).to_have_text(re.compile("Explore"))
    expect(page.get_by_role("button", name="Menu", exact=True)).not_to_be_visible()
