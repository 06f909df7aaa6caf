"""Areas in Chromium, from a server that was just started: pick, draw, slide, copy the address."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest
from playwright.sync_api import Locator, Page, expect

from dpcore.datasets.wishes import Wish, as_text
from pages.ui.palette import DARK, LIGHT
from tests.browser.driver import (
    DESK,
    PHONE,
    Visit,
    downloaded,
    eventually,
    idle,
    place,
    settled,
    shows,
    width,
)

MIDTOWN = [-73.9815, 40.7535]
YORKVILLE = "Upper East Side-Yorkville"


def ready(page: Page) -> Page:
    page.locator(".city-map[data-shown]").first.wait_for()
    return settled(page)


def ready_alone(page: Page) -> Page:
    """A map without a run is drawn, and nothing is to come."""
    page.locator(".city-map[data-shown]").first.wait_for()
    idle(page)
    return page


def upload(page: Page, label: str) -> Locator:
    return page.get_by_label(label, exact=True).get_by_test_id("stFileUploaderDropzoneInput")


def address(page: Page) -> str:
    return unquote_plus(page.evaluate("location.search"))


def on_map(page: Page, lon: float, lat: float) -> tuple[float, float]:
    """Where a place is drawn, in pixels of the window."""
    spot = page.evaluate(
        "([lon, lat]) => { const found = document.querySelector('.city-map').cityMap"
        ".map.latLngToContainerPoint([lat, lon]); return [found.x, found.y]; }",
        [lon, lat],
    )
    box = place(page.locator(".map-box").first)
    return box["x"] + spot[0], box["y"] + spot[1]


def shown(page: Page) -> dict[str, Any]:
    return page.evaluate("() => document.querySelector('.city-map').cityMap.shown.data")


def zoom(page: Page) -> float:
    return page.evaluate("() => document.querySelector('.city-map').cityMap.map.getZoom()")


def center(page: Page) -> list[float]:
    return page.evaluate(
        "() => { const { lng, lat } = document.querySelector('.city-map').cityMap.map.getCenter();"
        " return [lng, lat]; }"
    )


def move_by_key(page: Page, key: str) -> None:
    """Press an arrow key and wait until the map has come to rest: while it moves, it heeds none."""
    centers = [center(page)]
    page.keyboard.press(key)

    def has_moved() -> bool:
        centers.append(center(page))
        return centers[0] != centers[-1] == centers[-2]

    eventually(has_moved)


def test_a_click_picks_a_neighborhood_its_slider_moves_it_and_another_click_removes_it(
    visit: Visit,
) -> None:
    page = ready(visit("/areas", ready=False))
    page.mouse.move(*on_map(page, *MIDTOWN))
    expect(page.locator(".map-tip")).to_contain_text("Midtown")
    page.mouse.click(*on_map(page, *MIDTOWN))
    eventually(lambda: "Midtown-Times Square*Stricter" in address(page))
    slider = page.get_by_role("slider").first
    expect(slider).to_have_attribute("aria-valuetext", "Stricter")
    ready(page)
    slider.focus()
    page.keyboard.press("End")
    eventually(lambda: "Midtown-Times Square*Strictest" in address(page))
    told = ["Midtown-Times Square: Strictest"]
    eventually(lambda: [area["tip"][0] for area in shown(page)["areas"]] == told)
    ready(page)
    page.mouse.click(*on_map(page, *MIDTOWN))
    eventually(lambda: "Midtown" not in address(page))
    eventually(lambda: not shown(page)["areas"])


def test_a_rectangle_and_a_polygon_are_drawn_by_their_corners(visit: Visit) -> None:
    page = ready(visit("/areas", ready=False))
    page.get_by_role("button", name="Draw a rectangle").click()
    expect(page.locator(".map-note")).to_contain_text("Click one corner")
    page.mouse.click(*on_map(page, -74.0, 40.72))
    page.mouse.click(*on_map(page, -73.985, 40.73))
    eventually(lambda: "Area 1*Stricter*-74.00" in address(page))
    ready(page)
    page.get_by_role("button", name="Draw an area").click()
    for corner in ((-73.97, 40.75), (-73.955, 40.75), (-73.96, 40.765), (-73.97, 40.75)):
        page.mouse.click(*on_map(page, *corner))
    eventually(lambda: "Area 2*Stricter*" in address(page))
    eventually(lambda: len(shown(page)["areas"]) == 2)
    assert len(shown(page)["areas"][1]["rings"][0]) == 4


def test_an_area_is_drawn_by_keyboard_and_escape_cancels(visit: Visit) -> None:
    page = ready(visit("/areas", ready=False))
    button = page.get_by_role("button", name="Draw a rectangle")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    expect(page.locator(".map-note")).to_contain_text("opposite corner")
    for key in ("ArrowRight", "ArrowDown"):
        move_by_key(page, key)
    page.keyboard.press("Enter")
    eventually(lambda: "Area 1*Stricter*" in address(page))


def test_a_copied_address_opens_the_same_areas_and_going_back_goes_back(visit: Visit) -> None:
    page = ready(visit("/areas", ready=False))
    page.get_by_role("button", name="Show me an example").click()
    eventually(lambda: "Midtown-Times Square*Looser" in address(page))
    ready(page)
    fresh = ready(visit("/areas" + page.evaluate("location.search"), ready=False))
    eventually(lambda: shown(fresh)["areas"] == shown(page)["areas"])
    assert shown(fresh)["points"]["packed"] == shown(page)["points"]["packed"]
    page.go_back()
    eventually(lambda: not shown(page)["areas"])


def test_the_tint_is_seen_in_light_and_dark(visit: Visit) -> None:
    query = "/areas?areas=Central+Park*Strictest"
    for scheme, colors in (("light", LIGHT), ("dark", DARK)):
        page = ready(visit(query, ready=False, color_scheme=scheme))
        tint, park = (
            [int(color[i : i + 2], 16) for i in (1, 3, 5)]
            for color in (colors.tints[-1], colors.park)
        )
        mixed = "".join(
            f"{round(0.62 * a + 0.38 * b):02X}" for a, b in zip(tint, park, strict=True)
        )
        shows(page.get_by_role("figure").first, f"#{mixed}", 500)


def test_a_track_is_marked_and_its_wish_is_exported_and_loaded_as_areas(
    visit: Visit, tmp_path: Path
) -> None:
    page = ready_alone(visit("/areas?areas_view=mine", ready=False))
    track = tmp_path / "day.gpx"
    points = "".join(
        f'<trkpt lat="{40.7770 - i * 4e-4}" lon="{-73.9490 - i * 6e-4}"/>' for i in range(60)
    )
    track.write_text(f"<gpx><trk><trkseg>{points}</trkseg></trk></gpx>")
    upload(page, "Your track").set_input_files(track)
    expect(page.get_by_text("60 positions, from day.gpx")).to_be_visible()
    expect(page.get_by_role("heading", name="What would leave your phone")).to_be_visible()
    eventually(lambda: shown(page)["points"] is not None)
    ready_alone(page)
    page.mouse.click(*on_map(page, -73.9490, 40.7770))
    eventually(lambda: [each["name"] for each in shown(page)["areas"]] == [YORKVILLE])
    assert "Yorkville" not in address(page)
    expect(page.get_by_text("the plan is less strict than you wish")).to_be_visible()
    wish = tmp_path / "wish.geojson"
    shutil.copy(downloaded(page, page.get_by_role("button", name="My wish as GeoJSON").click), wish)
    assert wish.read_text() == as_text(Wish({YORKVILLE: 0.05}))  # and nothing of the track
    page.get_by_role("button", name="Forget my track").click()
    eventually(lambda: not shown(page)["points"])
    idle(page)
    page.get_by_role("radio", name="Levels by area").click()
    ready(page)
    page.get_by_text("Draw, type or load an area").click()
    upload(page, "GeoJSON file").set_input_files(wish)
    eventually(lambda: address(page).endswith(f"{YORKVILLE}*Stricter"))


def tab_to(page: Page, name: str, most: int = 40) -> None:
    """Press Tab until the control of this name has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        reached = page.evaluate(
            "() => { const it = document.activeElement; return"
            " it.getAttribute('aria-label') ?? it.innerText.split('\\n').at(-1); }"
        )
        if reached == name:
            return
    raise AssertionError(f"Tab never reaches {name!r}.")


def test_a_track_is_marked_and_its_wish_exported_by_keyboard_alone(visit: Visit) -> None:
    page = ready_alone(visit("/areas?areas_view=mine", ready=False))
    tab_to(page, "Try an example track")
    page.keyboard.press("Enter")
    expect(page.get_by_text("96 positions")).to_be_visible()
    ready_alone(page)
    tab_to(page, "Where you live and work")
    page.keyboard.type("Yorkville")
    expect(page.get_by_role("option", name=YORKVILLE)).to_be_visible()
    page.keyboard.press("Enter")
    eventually(lambda: [each["name"] for each in shown(page)["areas"]] == [YORKVILLE])
    ready_alone(page)
    page.keyboard.press("Escape")
    tab_to(page, "How strictly to protect you there")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text(f"{YORKVILLE}, Strictest")).to_be_visible()
    ready_alone(page)
    tab_to(page, "My wish as GeoJSON")
    assert YORKVILLE in downloaded(page, lambda: page.keyboard.press("Enter")).read_text()


def test_on_a_phone_the_page_is_no_wider_and_the_map_leaves_scrolling_to_it(visit: Visit) -> None:
    page = visit("/areas", ready=False, viewport=PHONE, has_touch=True, is_mobile=True)
    ready(page)
    eventually(lambda: width(page) <= PHONE["width"])
    assert page.locator(".map-box").evaluate("box => getComputedStyle(box).touchAction") in (
        "pan-x pan-y",
        "pan-y pan-x",
    )
    expect(page.locator(".map-key")).not_to_have_attribute("open", re.compile(""))


def test_the_wheel_scrolls_the_page_and_zooms_with_control(visit: Visit) -> None:
    page = ready(visit("/", ready=False))
    start = zoom(page)
    page.mouse.move(*on_map(page, *MIDTOWN))
    page.mouse.wheel(0, 200)
    eventually(
        lambda: (
            page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTop") >= 150
        )
    )
    assert zoom(page) == start
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    eventually(lambda: zoom(page) > start)


def test_zoom_fit_and_full_screen_work_by_mouse_and_keyboard(visit: Visit) -> None:
    page = ready(visit("/", ready=False))
    start = zoom(page)
    page.get_by_role("button", name="Zoom in").click()
    eventually(lambda: abs(zoom(page) - start - 1) < 0.01)
    page.get_by_role("button", name="Show everything").click()
    eventually(lambda: abs(zoom(page) - start) < 0.01)
    page.locator(".map-box").focus()
    page.keyboard.press("-")
    eventually(lambda: abs(zoom(page) - start + 1) < 0.01)
    page.evaluate(
        """() => {
          const box = document.querySelector('.map-box');
          const down = key => new KeyboardEvent('keydown', { key, bubbles: true });
          document.querySelector('[data-does=fit]').click();
          for (const key of '--+') box.dispatchEvent(down(key));
        }"""
    )
    eventually(lambda: abs(zoom(page) - start + 1) < 0.01)
    full = page.get_by_role("button", name="Full screen")
    full.click()
    eventually(lambda: page.evaluate("() => document.fullscreenElement !== null"))
    leave = page.get_by_role("button", name="Leave full screen")
    expect(leave).to_be_visible()
    leave.focus()
    page.keyboard.press("Enter")
    eventually(lambda: page.evaluate("() => document.fullscreenElement === null"))


def test_the_view_stays_when_the_slider_moves_and_maps_side_by_side_share_it(visit: Visit) -> None:
    page = ready(visit("/", ready=False))
    start = zoom(page)
    page.get_by_role("button", name="Zoom in").click()
    eventually(lambda: abs(zoom(page) - start - 1) < 0.01)
    idle(page)
    before = zoom(page)
    page.get_by_role("slider").first.focus()
    page.keyboard.press("End")
    eventually(lambda: "Strictest" in address(page))
    ready(page)
    assert zoom(page) == pytest.approx(before)
    three = ready(visit("/?three=true", ready=False))
    start = zoom(three)
    three.get_by_role("button", name="Zoom in").nth(1).click()
    zooms = "() => [...document.querySelectorAll('.city-map')].map(e => e.cityMap.map.getZoom())"
    eventually(lambda: three.evaluate(zooms) == pytest.approx([start + 1] * 3, abs=1e-6))


@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_names_overlap_neither_each_other_nor_what_lies_on_the_map(
    visit: Visit, viewport: dict[str, int]
) -> None:
    page = ready(visit("/?privacy=Strictest", ready=False, viewport=viewport))
    overlaps = """() => {
      const { names, root, canvas } = document.querySelector('.city-map').cityMap;
      const { left, top } = canvas.getBoundingClientRect();
      const upon = ['.map-bar', '.map-key', '.map-credit', '.leaflet-control-scale'].map(name => {
        const box = root.querySelector(name).getBoundingClientRect();
        return [box.left - left, box.top - top, box.right - left, box.bottom - top];
      });
      const meet = (a, b) => a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1];
      let found = 0;
      names.forEach((one, i) => {
        names.slice(i + 1).forEach(other => {
          found += one.boxes.some(a => other.boxes.some(b => meet(a, b)));
        });
        found += one.boxes.some(a => upon.some(b => meet(a, b)));
      });
      return [names.length, found];
    }"""
    for _ in range(4):
        number, found = page.evaluate(overlaps)
        assert number > 1
        assert found == 0
        before = zoom(page)
        page.get_by_role("button", name="Zoom in").click()
        eventually(lambda before=before: zoom(page) > before + 0.99)
        idle(page)
