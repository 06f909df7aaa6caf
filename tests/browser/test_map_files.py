"""The map as a picture for slides, saved in Chromium."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from PIL import Image
from playwright.sync_api import Page

from pages.ui.palette import DARK, LIGHT
from tests.browser.driver import Visit, count, picture, place

SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, kind: str, folder: Path) -> Path:
    """The file that the map's own button saves."""
    page.locator(".map-save summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=kind).click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def texts(file: Path) -> str:
    drawn = ElementTree.parse(file).getroot()
    return " ".join("".join(each.itertext()) for each in drawn.iter(f"{SVG}text"))


def paths(file: Path, style: str) -> int:
    """How many shapes are drawn with a style."""
    groups = ElementTree.parse(file).getroot().iter(f"{SVG}g")
    found = [g for g in groups if style in " ".join(f"{k}={v}" for k, v in g.attrib.items())]
    return sum(len(group.findall(f"{SVG}path")) for group in found)


def test_a_saved_picture_is_the_map_and_says_what_is_not_private(
    visit: Visit, tmp_path: Path
) -> None:
    page = visit("/")
    file = saved(page, "PNG", tmp_path)
    assert file.name == "adaptive-k5-epsilon0.2-not-private.png"
    image, box = Image.open(file).convert("RGB"), place(picture(page).locator(".map-canvas"))
    assert image.width == 2 * round(box["width"])
    assert image.height > 2 * box["height"] + 100
    for color, least in (
        (LIGHT.water, 100_000),
        (LIGHT.land, 100_000),
        (LIGHT.private, 3_000),
        (LIGHT.non_private, 2_000),
    ):
        assert count(image, color) > least, color
    drawing = saved(page, "SVG", tmp_path)
    said = texts(drawing)
    for words in ("Chelsea", "Hudson River", "Red marks are not private", "level Balanced", "km"):
        assert words in said, words
    # Each center is one disc and one ring, and the legend has one of both.
    assert paths(drawing, f"fill={LIGHT.private}") == 5 + 1
    assert paths(drawing, f"stroke={LIGHT.non_private}") == 5 + 1


def test_a_picture_without_red_marks_holds_only_what_is_private(
    visit: Visit, tmp_path: Path
) -> None:
    page = visit("/?non_private=false&shifts=false", color_scheme="dark")
    drawing = saved(page, "SVG", tmp_path)
    assert drawing.name == "adaptive-k5-epsilon0.2-simulated.svg"
    assert DARK.non_private not in drawing.read_text()
    assert "Red marks" not in texts(drawing)
    assert paths(drawing, f"fill={DARK.private}") == 5 + 1
