"""The pages that leave: offline, on a phone, by night, and the certificate on one sheet."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("playwright")
from playwright.sync_api import Page, sync_playwright

KINDS = ["adaptive", "coreset", "eugkm", "city", "trips", "wine", "auto"]
MAPS = ["adaptive", "eugkm", "city", "trips"]
CENTER = {"light": (0x00, 0x5A, 0xDC), "dark": (0x56, 0x9C, 0xFF)}


@pytest.fixture(scope="module")
def page(chromium_path: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.set_default_timeout(90_000)  # others may share the machine
        yield page
        browser.close()


def opened(page: Page, content: bytes, folder) -> list[str]:
    """Open a file, and list what it asked for beside itself and what it complained of."""
    (folder / "page.html").write_bytes(content)
    address = (folder / "page.html").as_uri()
    strange: list[str] = []
    page.on("request", lambda request: request.url == address or strange.append(request.url))
    page.on("console", lambda message: strange.append(message.text))
    page.goto(address)
    return strange


@pytest.mark.parametrize("kind", KINDS)
def test_a_certificate_prints_on_one_sheet_and_an_annex(kind, published, page, tmp_path):
    assert opened(page, published[kind].files["certificate.html"], tmp_path) == []
    sheet = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", MAPS)
def test_a_map_opens_alone_on_a_phone_by_day_and_by_night(kind, scheme, published, page, tmp_path):
    page.emulate_media(color_scheme=scheme)
    assert opened(page, published[kind].files["map.html"], tmp_path) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    picture = Image.open(io.BytesIO(page.locator("svg.map").screenshot())).convert("RGB")
    near = np.abs(np.asarray(picture, dtype=int) - CENTER[scheme]).max(axis=2) < 12
    assert near.sum() > 20
    assert page.locator(".center").count() == published[kind].certificate["k"]
    assert page.get_by_role("img").get_attribute("aria-label").startswith("Map of")


#: Pixels across of a circle of a picture or of the legend, for each unit of its radius.
SCALES = """circles => circles.map(
  circle => circle.getBoundingClientRect().width / circle.getAttribute("r"))"""


@pytest.mark.parametrize("zoom", ["once", "twice", "four"])
def test_the_legend_of_a_map_is_to_the_scale_of_its_points(zoom, published, page, tmp_path):
    opened(page, published["city"].files["map.html"], tmp_path)
    page.check(f"#{zoom}")
    drawn = page.locator(".point").evaluate_all(SCALES)
    explained = page.locator(".dot").evaluate_all(SCALES)
    assert len(explained) == 2
    assert explained == pytest.approx([drawn[0]] * 2, rel=0.02)


def test_a_map_names_places_on_a_phone_and_more_where_there_is_room(published, page, tmp_path):
    opened(page, published["adaptive"].files["map.html"], tmp_path)
    names = page.locator(".picture .name:not(.bar)")

    def shown() -> list[tuple[float, float, float, float]]:
        boxes = [each.bounding_box() for each in names.filter(visible=True).all()]
        return [
            (each["x"], each["y"], each["x"] + each["width"], each["y"] + each["height"])
            for each in boxes
            if each
        ]

    on_a_phone = shown()
    assert len(on_a_phone) >= 5
    for number, one in enumerate(on_a_phone):
        for other in on_a_phone[:number]:
            apart = one[0] >= other[2] or other[0] >= one[2]
            assert apart or one[1] >= other[3] or other[1] >= one[3]
    page.check("#four")
    assert len(shown()) > 2 * len(on_a_phone)


@pytest.mark.parametrize("kind", ["certificate.html", "map.html"])
def test_pages_hold_no_program_and_fetch_nothing(kind, published):
    for release in published.values():
        text = release.files.get(kind, b"").decode()
        assert not re.search(r"<script|<link|<img|@import|url\(|href=|src=|onload", text)
        assert "default-src 'none'" in text or not text


def test_names_are_shown_and_never_run(published, page, tmp_path):
    opened(page, published["auto"].files["certificate.html"], tmp_path)
    assert page.locator("header b").first.inner_text() == "iris <b>&"


def test_where_there_is_no_place_there_is_no_map(published):
    for kind in ("wine", "auto"):
        assert not {"map.html", "centers.geojson", "points.geojson"} & set(published[kind].files)


@pytest.mark.parametrize("name", ["map.html", "certificate.html"])
def test_what_no_shape_covers_is_not_drawn_as_water(name, published, page, tmp_path):
    """Only the city's own shapes ship: across the Hudson, land would be blue."""
    page.emulate_media(color_scheme="light")
    opened(page, published["adaptive"].files[name], tmp_path)
    assert page.locator(".land").count() >= 1
    color = page.evaluate("getComputedStyle(document.querySelector('svg.map')).backgroundColor")
    red, green, blue = map(int, re.findall(r"\d+", color)[:3])
    assert red >= green >= blue > 200
