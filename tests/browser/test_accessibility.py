"""Every page meets WCAG 2.2 at levels A and AA, as far as axe-core can tell, light and dark."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

from tests.browser.driver import Visit, at_rest, change_theme, eventually

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa"]
PAGES = {
    "Explore": "/",
    "Explore, three levels": "/?three=true",
    "Explore, four dimensions": "/?data=iris&algorithm=auto",
    "Areas": "/areas",
    "Areas, my own map": "/areas?areas_view=mine",
    "Areas, wishes": "/areas?areas_view=wishes",
    "Choose a level": "/choose?data=s1-like&k=3",
    "Curves": "/curves?runs=1",
    "Compare": "/compare?runs=1",
    "Compare, papers": "/compare?compare=papers",
    "Verdicts": "/verdicts",
    "Publish": "/publish",
    "Publish, level": "/publish?data=nyc-taxi&step=level",
    "Publish, history": "/publish?view=history",
    "Start": "/start?tour=1",
    "Learn": "/learn",
    "Learn, lessons": "/learn?part=lessons",
    "Learn, attack": "/learn?part=attack",
    "Learn, room": "/learn?part=room",
    "Learn, teachers": "/learn?part=write",
    "Learn, game": "/learn?part=game",
    "Learn, guess": "/learn?part=guess",
    "Learn, for a projector": "/learn?presenter=true",
}


#: How many maps a page has.
MAPS = {"Explore": 1, "Explore, three levels": 3, "Areas": 1, "Areas, my own map": 1}
#: No color changes anymore.
STILL = "() => !document.getAnimations().some(each => each instanceof CSSTransition)"
#: The letters are those that stay, which are not as wide as those that stand for them.
LETTERS = "() => document.fonts.status === 'loaded' && document.fonts.check('16px \"Source Sans\"')"
STYLED = "button => getComputedStyle(button).cursor === 'pointer'"


def violations(page: Page) -> list[str]:
    """What axe finds: each rule with the places that break it."""
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": LEVELS}})
    return [
        f"{rule['id']}: {rule['help']}\n"
        + "\n".join(
            f"  {node['target']} {node['html'][:200]} {node['failureSummary'][:300]}"
            for node in rule["nodes"]
        )
        for rule in found.response["violations"]
    ]


def drawn(page: Page, maps: int = 0) -> None:
    """Wait until a script has drawn the page and its maps, none runs anymore, the letters are there
    and no color changes."""
    page.get_by_test_id("stMain").get_by_role("heading").first.wait_for()
    at_rest(page)
    eventually(lambda: page.locator(".city-map[data-shown]").count() >= maps)
    for bar in page.locator(".map-bar").all():
        eventually(lambda bar=bar: bar.locator("button").first.evaluate(STYLED))
    eventually(lambda: page.evaluate(LETTERS))
    eventually(lambda: page.evaluate(STILL))


@pytest.mark.parametrize("name", PAGES)
def test_no_page_keeps_a_person_out_in_light_or_in_dark(visit: Visit, name: str) -> None:
    page = visit(PAGES[name], ready=False, color_scheme="light")
    drawn(page, MAPS.get(name, 0))
    # A button is drawn in the colors of the page's first theme before it takes its own.
    found: list[str] = []

    def none_found() -> bool:
        found[:] = violations(page)
        return not found

    eventually(none_found, lambda: "\n".join(found))
    change_theme(page, "dark")
    drawn(page, MAPS.get(name, 0))
    eventually(none_found, lambda: "In dark:\n" + "\n".join(found))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_main_button_can_be_read_below_the_mouse_too(visit: Visit, theme: str) -> None:
    """In and out of a form."""
    for path, name in (
        ("/publish?data=nyc-taxi&step=level", "Continue"),
        (PAGES["Learn, room"], "Join"),
    ):
        page = visit(path, ready=False, color_scheme=theme)
        drawn(page)
        button = page.get_by_role("button", name=name, exact=True)

        def readable(page: Page = page, button: Locator = button) -> bool:
            button.hover()  # again, where the page has moved it away
            hovered = "button => button.matches(':hover')"
            return (
                page.evaluate(STILL)
                and button.evaluate(hovered)
                and not violations(page)
                and button.evaluate(hovered)
            )

        eventually(readable)


def test_axe_finds_what_keeps_a_person_out(visit: Visit) -> None:
    page = visit("/verdicts", ready=False)
    drawn(page)
    page.evaluate("document.querySelector('h1').insertAdjacentHTML('afterend', '<img src=x>')")
    eventually(lambda: [found.partition(":")[0] for found in violations(page)] == ["image-alt"])
