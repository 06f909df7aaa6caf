"""Explore as a person meets it, in Chromium, from a server that was just started."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dpcore.privacy.explain import LEVELS
from pages.ui.frame import ROOT
from pages.ui.palette import DARK, LIGHT
from tests.browser.driver import (
    DESK,
    FLAGS,
    LONG,
    PHONE,
    Visit,
    alike,
    count,
    eventually,
    idle,
    open_page,
    picture,
    pixels,
    place,
    serving,
    settled,
    shows,
    width,
)

#: The published points on land: black, a little transparent.
BLACK = "#6A6C6D"


def slider(page: Page, which: int = 0) -> Locator:
    return page.get_by_role("slider").nth(which)


def level(page: Page) -> str | None:
    return slider(page).get_attribute("aria-valuetext")


def address(page: Page) -> str:
    return page.evaluate("location.search").removeprefix("?")


def centers_table(page: Page) -> str:
    return page.get_by_role("table").inner_text()


def open_settings(page: Page, name: str) -> Locator:
    """A part of the settings, unfolded."""
    page.get_by_role("button", name="Settings").click()
    settings = page.get_by_test_id("stPopoverBody")
    settings.get_by_text(name, exact=True).click()
    return settings


def is_on_screen(target: Locator) -> bool:
    """Whether all of it lies within the window, below the bar."""
    page, box = target.page, place(target)
    bar = place(page.locator(".st-key-bar"))
    size = page.viewport_size
    assert size is not None
    return (
        box["y"] >= bar["y"] + bar["height"] - 1
        and box["x"] >= 0
        and box["x"] + box["width"] <= size["width"]
        and box["y"] + box["height"] <= size["height"]
    )


LAPTOP = {"width": 1280, "height": 720}


@pytest.mark.parametrize(
    ("path", "viewport"),
    [("/", DESK), ("/?data=nyc-month", LAPTOP)],
    ids=["1400x900", "1280x720"],
)
def test_slider_odds_map_and_figures_stand_on_one_screen(
    visit: Visit, path: str, viewport: dict[str, int]
) -> None:
    page = visit(path, viewport=viewport)
    parts = [picture(page), slider(page), page.locator(".story")]
    parts += [page.locator(".stops").get_by_text(each.name, exact=True) for each in LEVELS]
    parts += page.locator(".figures > div").all()  # with their sentences
    assert len(parts) == 3 + 7 + 4
    for part in parts:
        eventually(lambda part=part: is_on_screen(part), lambda part=part: str(part))
    map_box, panel = place(picture(page)), place(page.locator(".st-key-panel"))
    assert map_box["x"] + map_box["width"] <= panel["x"]
    assert map_box["height"] > 0.8 * viewport["height"]


def test_on_a_phone_the_slider_stays_with_the_map(visit: Visit) -> None:
    page = visit("/", viewport=PHONE)
    parts = [picture(page), slider(page), page.locator(".story")]
    parts += [page.locator(".stops").get_by_text(each.name, exact=True) for each in LEVELS]
    parts += page.locator(".figures > div").all()[:2]
    for part in parts:
        eventually(lambda part=part: is_on_screen(part), lambda part=part: str(part))
    stops = [place(each) for each in parts[3:10]]
    ends = [(box["x"], box["x"] + box["width"]) for box in stops]
    assert all(one[1] < other[0] for one, other in itertools.pairwise(ends))


def test_a_name_of_a_level_stands_below_its_stop(visit: Visit) -> None:
    page = visit("/?privacy=Stricter")
    thumb = place(slider(page).locator("xpath=../.."))
    name = place(page.locator(".stops").get_by_text("Stricter", exact=True))
    apart = thumb["x"] + thumb["width"] / 2 - name["x"] - name["width"] / 2
    assert abs(apart) < 4


def test_the_first_picture_needs_no_click(visit: Visit) -> None:
    page = visit("/")
    for color, more_than in (
        (LIGHT.water, 10_000),
        (LIGHT.land, 10_000),
        (LIGHT.private, 300),
        (LIGHT.non_private, 200),
        (BLACK, 3_000),
    ):
        shows(picture(page), color, more_than)
    expect(page.get_by_role("heading", name="What privacy costs")).to_be_in_viewport()
    assert address(page) == ""


def test_nothing_lies_over_the_slider(visit: Visit) -> None:
    page = visit("/")
    for text in ("What privacy costs", "How strictly is each trip protected?"):
        box = place(page.get_by_text(text).first)
        top = page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y).innerText",
            [box["x"] + 5, box["y"] + box["height"] / 2],
        )
        assert text in top


def test_arrow_keys_move_the_slider_and_its_focus_is_seen(visit: Visit) -> None:
    page = visit("/")
    plain = pixels(page.get_by_test_id("stSlider").first)
    slider(page).focus()
    page.keyboard.press("ArrowRight")
    expect(slider(page)).to_have_attribute("aria-valuetext", LEVELS[4].name)
    eventually(lambda: address(page) == f"privacy={LEVELS[4].name}")
    settled(page)
    expect(slider(page)).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(slider(page)).to_have_attribute("aria-valuetext", LEVELS[3].name)
    eventually(lambda: address(page) == "")
    settled(page)
    focused = pixels(page.get_by_test_id("stSlider").first)
    assert focused.tobytes() != plain.tobytes()


def test_the_keyboard_reaches_the_slider_from_the_top(visit: Visit) -> None:
    page = visit("/")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('type')") == "range":
            return
    raise AssertionError("Forty tabs do not reach the slider.")


def test_the_mouse_moves_the_slider_and_the_picture_follows(visit: Visit) -> None:
    page = visit("/")
    before = centers_table(page)
    shows(picture(page), BLACK, 3_000)
    black = count(pixels(picture(page)), BLACK)
    track = place(page.get_by_test_id("stSlider").first.get_by_role("group"))
    thumb = place(slider(page).locator("xpath=../.."))
    y = thumb["y"] + thumb["height"] / 2
    page.mouse.move(thumb["x"] + thumb["width"] / 2, y)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] - 2, y, steps=8)
    page.mouse.up()
    expect(slider(page)).to_have_attribute("aria-valuetext", LEVELS[-1].name)
    eventually(lambda: centers_table(page) != before)
    settled(page)
    eventually(lambda: address(page) == f"privacy={LEVELS[-1].name}")
    eventually(lambda: count(pixels(picture(page)), BLACK) != black)


def test_layers_are_switched_off_and_on(visit: Visit) -> None:
    page = visit("/")
    settings = open_settings(page, "Layers")
    for name, color in (("Private centers", LIGHT.private), ("Non-private", LIGHT.non_private)):
        switch = settings.get_by_text(re.compile(f"^{name}"))
        switch.click()
        eventually(lambda color=color: count(pixels(picture(page)), color) < 20)
    eventually(lambda: address(page) == "private=false&non_private=false")
    settings.get_by_text("Density of what is published").click()
    eventually(lambda: "published_density=true" in address(page))

    def blue() -> int:
        seen = pixels(picture(page))
        colors = seen.getcolors(seen.width * seen.height)
        return sum(number for number, (red, _, blue) in colors if blue > red + 60)

    eventually(lambda: blue() > 2_000)


def test_hovering_tells_trips_and_meters(visit: Visit) -> None:
    page = visit("/?points=false&non_private=false&shifts=false")
    shows(picture(page), LIGHT.private, 300)
    box, seen = place(picture(page)), pixels(picture(page))
    spot = next(
        (x, y)
        for y in range(seen.height)
        for x in range(seen.width)
        if seen.getpixel((x, y)) == (0, 0x5A, 0xDC) and y > 40
    )
    page.mouse.move(box["x"] + spot[0], box["y"] + spot[1] + 5)
    page.mouse.move(box["x"] + spot[0] + 1, box["y"] + spot[1] + 6)
    tooltip = page.locator(".map-tip")
    expect(tooltip).to_contain_text(re.compile(r"Private center \d.*% of trips", re.DOTALL))
    expect(tooltip).to_contain_text(re.compile(r"\d+\s(m|km) from its non-private partner"))
    expect(tooltip).not_to_contain_text("<")


def test_three_levels_stand_side_by_side_and_on_a_phone_below_each_other(visit: Visit) -> None:
    desk, phone = visit("/?three=true"), visit("/?three=true", viewport=PHONE)
    for page, axis in ((desk, "x"), (phone, "y")):
        expect(page.get_by_role("figure")).to_have_count(3)
        boxes = [place(picture(page, i)) for i in range(3)]
        starts = [box[axis] for box in boxes]
        assert starts == sorted(set(starts))
        other = {round(box["y" if axis == "x" else "x"]) for box in boxes}
        assert len(other) == 1
        assert [slider(page, i).get_attribute("aria-valuetext") for i in range(3)] == [
            LEVELS[0].name,
            LEVELS[3].name,
            LEVELS[-1].name,
        ]
    for viewport in (DESK, LAPTOP):
        desk.set_viewport_size(viewport)  # type: ignore[arg-type]
        eventually(lambda: all(is_on_screen(picture(desk, i)) for i in range(3)))


def test_a_copied_address_opens_the_same_picture_on_a_cold_server(
    visit: Visit, browser: Browser
) -> None:
    page = visit("/")
    slider(page).focus()
    page.keyboard.press("End")
    eventually(lambda: "Strictest" in address(page))
    page.get_by_role("button", name="New noise").click()
    eventually(lambda: "seed=1" in address(page))
    settled(page)
    with serving() as elsewhere:
        fresh = browser.new_context(viewport=page.viewport_size).new_page()
        fresh.set_default_timeout(LONG)
        fresh.goto(f"{elsewhere.address}/?{address(page)}")
        settled(fresh)
        assert centers_table(fresh) == centers_table(page)
        eventually(lambda: alike(pixels(picture(fresh)), pixels(picture(page))))
        assert address(fresh) == address(page)
        fresh.context.close()


@pytest.mark.parametrize("path", sorted((ROOT / "pages").glob("*.py")), ids=lambda path: path.stem)
def test_every_page_opens_by_its_address_and_keeps_the_state(visit: Visit, path: Path) -> None:
    page = visit(f"/{path.stem.split('_', 1)[1]}?k=4&privacy=Strict", ready=False)
    expect(page.get_by_role("heading").first).to_be_visible()
    idle(page)
    open_page(page, "Explore")
    settled(page)
    expect(slider(page)).to_have_attribute("aria-valuetext", "Strict")
    expect(page.get_by_role("row")).to_have_count(5)


def test_the_slider_stands_where_the_address_says(visit: Visit) -> None:
    for _ in range(3):  # from the second time on, all is known and the page is drawn twice at once
        page = visit("/?privacy=Stricter&k=6", ready=False)
        expect(slider(page)).to_have_attribute("aria-valuetext", "Stricter")
        settled(page)
        assert level(page) == "Stricter"
        expect(page.get_by_label("Centers", exact=True)).to_have_value("6")


#: Every place at which the first center is seen from now on.
WATCH = """() => {
  const map = document.querySelector('.city-map').cityMap;
  window.seen = [];
  const look = () => {
    const [longitude, latitude] = map.shown.data.centers[0].at, last = window.seen.at(-1);
    if (!last || last[0] !== longitude || last[1] !== latitude)
      window.seen.push([longitude, latitude]);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_centers_glide_to_their_new_places_unless_a_person_prefers_less_motion(
    visit: Visit, motion: str
) -> None:
    page = visit("/", reduced_motion=motion)
    page.locator(".city-map[data-shown]").wait_for()
    page.evaluate(WATCH)
    slider(page).focus()
    page.keyboard.press("End")
    eventually(lambda: "Strictest" in address(page))
    settled(page)
    seen = page.evaluate("window.seen")
    if motion == "reduce":
        assert len(seen) == 2
        return
    (first, _), (last, _) = seen[0], seen[-1]
    between = [longitude for longitude, _ in seen[1:-1]]
    assert between
    assert all(min(first, last) <= longitude <= max(first, last) for longitude in between)


def elements(content: str | bytes) -> list[str]:
    """The kind of element that a message of the server brings, if any."""
    assert isinstance(content, bytes)
    return [ForwardMsg.FromString(content).delta.new_element.WhichOneof("type") or ""]


def test_a_move_to_a_known_level_leaves_the_controls_and_links_lead_to_that_level(
    blank_page: Page, server: str
) -> None:
    page = blank_page
    drawn: list[str] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framereceived", lambda said: drawn.extend(elements(said))),
    )
    page.goto(server)
    settled(page)
    slider(page).focus()
    for key, name in (
        ("ArrowRight", "Strict"),
        ("ArrowLeft", "Balanced"),
        ("ArrowRight", "Strict"),
    ):
        drawn.clear()
        page.keyboard.press(key)
        eventually(lambda name=name: name in address(page) or name == level(page) == "Balanced")
        settled(page)
    assert "html" in drawn  # figures and table; of the map it may say: as before
    assert not {"selectbox", "number_input", "checkbox"} & set(drawn)
    link = page.locator(".st-key-menu").get_by_role("link", name="Choose a level")
    link.hover()
    eventually(lambda: "privacy=Strict" in str(link.get_attribute("href")))
    link.click()
    page.get_by_role("heading", name="What do you need?").wait_for()
    idle(page)
    assert address(page) == "privacy=Strict"


def test_going_back_goes_back(visit: Visit) -> None:
    page = visit("/")
    slider(page).focus()
    page.keyboard.press("End")
    eventually(lambda: "Strictest" in address(page))
    settled(page)
    page.go_back()
    eventually(lambda: level(page) == LEVELS[3].name)


def test_the_dark_theme_follows_the_browser(visit: Visit) -> None:
    page = visit("/", color_scheme="dark")
    for color, more_than in ((DARK.water, 10_000), (DARK.land, 10_000), (DARK.private, 300)):
        shows(picture(page), color, more_than)
    assert count(pixels(picture(page)), LIGHT.water) == 0


def test_a_theme_picked_from_the_menu_reaches_the_map(visit: Visit) -> None:
    page = visit("/")
    page.get_by_test_id("stMainMenu").click()
    page.get_by_role("menuitemradio", name="Dark").click()
    shows(picture(page), DARK.water, 10_000)


@pytest.mark.parametrize("path", ["/", "/?three=true", "/?data=iris&algorithm=auto"])
@pytest.mark.parametrize("viewport", [PHONE, {"width": 1400, "height": 900}], ids=["phone", "desk"])
def test_no_page_is_wider_than_the_window(
    visit: Visit, path: str, viewport: dict[str, int]
) -> None:
    page = visit(path, viewport=viewport, ready="iris" not in path)
    if "iris" in path:
        page.locator(".js-plotly-plot").wait_for()
        idle(page)
    eventually(lambda: width(page) <= viewport["width"])


def test_the_table_is_there_without_webgl(
    browser: Browser, chromium_path: str, server: str
) -> None:
    flags = [*FLAGS, "--disable-3d-apis"]
    blind = browser.browser_type.launch(executable_path=chromium_path, args=flags)
    page = blind.new_page()
    page.set_default_timeout(LONG)
    page.goto(server)
    expect(page.get_by_role("row")).to_have_count(6)
    assert not page.evaluate("document.createElement('canvas').getContext('webgl2')")
    assert "Midtown" in centers_table(page)
    blind.close()


def test_a_connection_that_breaks_for_a_moment_does_not_cost_the_map(
    blank_page: Page, server: str
) -> None:
    page = blank_page
    broken: list[str] = []

    def lose_two(route: Route) -> None:
        if len(broken) == 2:
            route.continue_()
        else:
            broken.append(route.request.url)
            route.abort()

    page.route("**/map/land.json", lose_two)
    page.goto(server)
    settled(page)
    shows(picture(page), LIGHT.land, 10_000)
    assert len(broken) == 2


def test_two_people_do_not_see_each_other(visit: Visit) -> None:
    one, other = visit("/"), visit("/?k=3")
    slider(one).focus()
    one.keyboard.press("Home")
    eventually(lambda: "Loosest" in address(one))
    settled(one)
    assert level(other) == LEVELS[3].name
    expect(other.get_by_role("row")).to_have_count(4)
    assert address(other) == "k=3"
