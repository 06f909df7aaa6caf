"""Maps of other cities than New York: what they show, and what they say is missing."""

from __future__ import annotations

import json
from pathlib import Path

from playwright.sync_api import expect

from tests.browser import publishing
from tests.browser.driver import LONG, ROOT, Visit, idle, open_page, settled
from tests.pages.publishing import csv_text, trips

CREDIT = "© OpenStreetMap contributors · GeoNames"
#: From the corners of Manhattan to those of the Loop.
WESTWARD = (-13.67, 1.12)


def test_a_map_names_its_sources_and_what_they_lack(visit: Visit, tmp_path: Path) -> None:
    page = visit("/")
    expect(page.locator(".map-credit")).to_have_text(f"{CREDIT} · New York City")
    file = tmp_path / "trips.csv"
    file.write_text(csv_text(trips() + WESTWARD))
    publishing.at_columns(page := visit("/publish", ready=False), file)
    publishing.choose(page, "Chicago")
    publishing.press(page, "Count the rows")
    publishing.press(page, "Continue")
    expect(page.get_by_text("Name of these data", exact=True)).to_be_visible(timeout=LONG)
    open_page(page, "Explore")
    page.get_by_role("button", name="Show my raw data").click()
    settled(page)
    missing = "small lakes and many rivers are missing"
    expect(page.locator(".map-credit")).to_have_text(f"{CREDIT} · {missing}")
    idle(page)


def test_towns_are_listed_around_every_other_city() -> None:
    towns = json.loads((ROOT / "static/map/places.json").read_text(encoding="utf-8"))
    windows = json.loads((ROOT / "static/map/cities.json").read_text(encoding="utf-8"))
    for west, south, east, north in windows:
        near = [each for each in towns if west < each[1] < east and south < each[2] < north]
        assert near
        assert min(thousands for *_, thousands in near) < 80
    assert "Evanston" in {name for name, *_ in towns}
