"""From a file to a release, as a person goes: what tests and screenshots share."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.driver import LONG, idle


def button(page: Page, name: str) -> Locator:
    return page.get_by_test_id("stMain").get_by_role("button", name=name).last


def press(page: Page, name: str) -> None:
    expect(button(page, name)).to_be_enabled(timeout=LONG)
    button(page, name).click()


def at_protection(page: Page, file: Path) -> Page:
    page.locator("input[type=file]").set_input_files(file)
    press(page, "Continue")
    expect(page.get_by_text("What is one row?")).to_be_visible(timeout=LONG)
    idle(page)
    return page


def at_columns(page: Page, file: Path) -> Page:
    at_protection(page, file)
    page.get_by_text("A single row").click()
    press(page, "Continue")
    expect(page.get_by_text("Which area do the data cover?")).to_be_visible(timeout=LONG)
    idle(page)
    return page


def choose(page: Page, area: str) -> None:
    """Choose the area whose name begins so."""
    page.get_by_label("Which area do the data cover?").first.click()
    page.keyboard.type(area)
    expect(page.get_by_role("option").first).to_contain_text(area, timeout=LONG)
    page.keyboard.press("Enter")
    idle(page)


def counted(page: Page) -> Page:
    choose(page, "New York, Manh")
    press(page, "Count the rows")
    expect(page.get_by_text("Rows in the area", exact=True)).to_be_visible(timeout=LONG)
    idle(page)
    return page


def at_level(page: Page, file: Path) -> Page:
    press(counted(at_columns(page, file)), "Continue")
    expect(page.get_by_text("Name of these data", exact=True)).to_be_visible(timeout=LONG)
    idle(page)
    return page


def at_confirmation(page: Page, file: Path) -> Page:
    press(at_level(page, file), "Continue")
    expect(page.get_by_text("Nothing is used yet")).to_be_visible(timeout=LONG)
    idle(page)
    return page


def typed(page: Page, button_name: str = "Publish, and use") -> None:
    """Type the name of the data, as the page asks, and wait for the button."""
    box = page.get_by_label("To confirm, type the name of these data")
    name = box.locator("xpath=ancestor::*[@data-testid='stTextInput']").inner_text()
    box.fill(name.partition(": ")[2].strip())
    box.press("Enter")
    expect(button(page, button_name)).to_be_enabled(timeout=LONG)


def confirm(page: Page, button_name: str = "Publish, and use") -> None:
    typed(page, button_name)
    press(page, button_name)


def released(page: Page) -> Page:
    expect(page.get_by_text("Download everything")).to_be_visible(timeout=LONG)
    idle(page)
    return page
