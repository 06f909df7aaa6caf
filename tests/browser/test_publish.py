"""Publish as a person meets it: from a file to files that `dpcore verify` accepts."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from dpcore.release import Ledger
from pages.ui.palette import DARK
from tests.browser.driver import (
    DESK,
    PHONE,
    PROJECTOR,
    ROOT,
    Server,
    Visit,
    downloaded,
    eventually,
    idle,
    in_address,
    open_page,
    picture,
    place,
    serving,
    shows,
    width,
)
from tests.browser.publishing import (
    LONG,
    at_columns,
    at_confirmation,
    at_level,
    button,
    choose,
    confirm,
    counted,
    press,
    released,
    typed,
)
from tests.browser.test_accessibility import violations
from tests.browser.test_areas import zoom
from tests.pages.publishing import csv_text, trips

#: Pixels that the bar of the page covers.
BAR = 52
#: A map zoomed in so far shows a city, not a country.
CITY_ZOOM = 9
#: What `dpcore` in a shell runs.
COMMAND = "from dpcore.cli import main; raise SystemExit(main())"


@pytest.fixture(scope="module")
def ledger_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ledger")


@pytest.fixture(scope="module")
def started(ledger_folder: Path) -> Iterator[Server]:
    with serving(str(ledger_folder)) as server:
        yield server


@pytest.fixture(scope="module")
def server(started: Server) -> str:
    return started.address


@pytest.fixture
def attempt(request: pytest.FixtureRequest) -> str:
    """A name that no other test has, nor the first try of this one: so each has its own account."""
    tries = getattr(request.node, "execution_count", 1)
    return f"{request.node.name.partition('[')[0][5:40]}{tries if tries > 1 else ''}"


@pytest.fixture
def file(tmp_path: Path, attempt: str, request: pytest.FixtureRequest) -> Path:
    """Trips that no other test has."""
    path = tmp_path / f"{attempt}.csv"
    path.write_text(csv_text(trips(2_000, seed=crc32(f"{request.node.name} {attempt}".encode()))))
    return path


def opened(visit: Visit, path: str = "/publish", **options: object) -> Page:
    page = visit(path, ready=False, **options)
    expect(page.get_by_role("heading", name="Publish", exact=True)).to_be_visible(timeout=LONG)
    idle(page)
    return page


def charges(folder: Path, file: Path) -> int:
    return len(Ledger(folder).entries(file.stem))


def saved(page: Page, press: Callable[[], None], folder: Path) -> Path:
    """Unpack into a folder the ZIP that a press downloads."""
    archive = downloaded(page, press)
    zipfile.ZipFile(archive).extractall(folder)
    return archive


def save_everything(page: Page, folder: Path) -> Path:
    return saved(page, page.get_by_role("button", name="Download everything").click, folder)


def assert_verified(folder: Path) -> None:
    """`dpcore verify` accepts the unpacked files of a release."""
    process = subprocess.run(
        [sys.executable, "-c", COMMAND, "verify", "certificate.json"],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout + process.stderr


def test_from_a_file_to_files_that_verify(
    visit: Visit, file: Path, tmp_path: Path, ledger_folder: Path
) -> None:
    page = at_confirmation(opened(visit, "/publish?privacy=Loose"), file)
    assert charges(ledger_folder, file) == 0
    confirm(page, "Publish, and use 50 % of the budget for good")
    released(page)
    assert charges(ledger_folder, file) == 1
    folder = tmp_path / "published"
    archive = shutil.copy(save_everything(page, folder), tmp_path / "release.zip")
    assert "centers.csv" in (folder / "README.txt").read_text()
    page.get_by_text("For a spreadsheet").click()
    centers = downloaded(page, page.get_by_role("button", name="Centers, CSV").click)
    assert centers.read_bytes() == (folder / "centers.csv").read_bytes()
    assert_verified(folder)
    elsewhere = opened(visit, "/publish?view=check")
    elsewhere.locator("input[type=file]").set_input_files(archive)
    expect(elsewhere.get_by_text(re.compile(r"All \d+ checks hold"))).to_be_visible(timeout=LONG)
    idle(elsewhere)
    for shown in (page, elsewhere):
        eventually(lambda shown=shown: not violations(shown), lambda: "axe finds something")
    elsewhere.get_by_text("Ask a release", exact=True).click()
    expect(elsewhere.get_by_text("Every answer is")).to_be_visible(timeout=LONG)
    elsewhere.locator(".city-map[data-shown]").wait_for(timeout=LONG)
    assert charges(ledger_folder, file) == 1


def test_clicking_twice_publishes_once(visit: Visit, file: Path, ledger_folder: Path) -> None:
    page = at_confirmation(opened(visit), file)
    typed(page)
    button(page, "Publish, and use").dblclick()
    released(page)
    page.wait_for_timeout(1500)
    assert charges(ledger_folder, file) == 1


def test_going_back_and_forth_and_reloading_spend_nothing(
    visit: Visit, file: Path, ledger_folder: Path
) -> None:
    page = at_confirmation(opened(visit), file)
    confirm(page)
    released(page)
    page.go_back()
    expect(page.get_by_text("with exactly this plan")).to_be_visible(timeout=LONG)
    idle(page)
    page.go_forward()
    released(page)
    page.reload()
    released(page)
    page.go_back()
    expect(page.get_by_text("These data are not here")).to_be_visible(timeout=LONG)
    assert charges(ledger_folder, file) == 1


def test_two_tabs_cannot_spend_more_than_there_is(
    visit: Visit, file: Path, ledger_folder: Path
) -> None:
    tabs = [at_confirmation(opened(visit, "/publish?privacy=Looser"), file) for _ in range(2)]
    for tab in tabs:
        typed(tab)
    for tab in tabs:
        button(tab, "Publish, and use").click()
    ends = [
        tab.get_by_text("Download everything").or_(tab.get_by_text("Nothing was used"))
        for tab in tabs
    ]
    for end in ends:
        expect(end).to_be_visible(timeout=LONG)
    assert sorted("Download" in end.inner_text() for end in ends) == [False, True]
    assert charges(ledger_folder, file) == 1


def test_going_back_goes_back_a_step(visit: Visit, file: Path) -> None:
    page = at_confirmation(opened(visit), file)
    page.go_back()
    expect(page.get_by_text("Name of these data", exact=True)).to_be_visible(timeout=LONG)

    def forward_again() -> bool:
        idle(page)
        if page.get_by_text("Nothing is used yet").is_visible():
            return True
        if page.get_by_text("Name of these data", exact=True).is_visible():
            press(page, "Continue")
        return False

    eventually(forward_again)


def test_an_upload_is_never_written_to_disk(visit: Visit, started: Server, tmp_path: Path) -> None:
    """20 MB, twenty times what Starlette keeps in memory by itself."""
    written = Path(f"/proc/{started.pid}/io")
    if not written.exists():
        pytest.skip("needs /proc, to see what a process writes")

    def to_disk() -> int:
        return int(re.search(r"^write_bytes: (\d+)", written.read_text(), re.M)[1])  # type: ignore[index]

    large = tmp_path / "large.csv"
    large.write_text("longitude,latitude\n" + "-73.985000000,40.735000000\n" * 750_000)
    small = tmp_path / "small.csv"
    small.write_text("longitude,latitude\n-73.985,40.735\n")
    counted(at_columns(opened(visit), small))  # what is imported on the way may be compiled once
    page = opened(visit)
    before = to_disk()
    counted(at_columns(page, large))
    expect(page.get_by_text("750,000", exact=True)).to_be_visible()
    assert to_disk() - before < 2_000_000


def test_own_data_stay_in_their_visit(visit: Visit, file: Path) -> None:
    page = at_level(opened(visit), file)
    open_page(page, "Explore")
    expect(page.get_by_text("Your raw data are hidden")).to_be_visible(timeout=LONG)
    copied = page.url
    assert file.stem not in copied
    page.get_by_role("button", name="Show my raw data").click()
    expect(picture(page)).to_be_visible(timeout=LONG)
    idle(page)
    other = visit(copied[copied.index("/", 8) :], ready=False)
    expect(other.get_by_text("These data are not here")).to_be_visible(timeout=LONG)
    expect(other.get_by_role("figure")).to_have_count(0)


def test_a_twin_is_made_and_looked_at(visit: Visit, file: Path, ledger_folder: Path) -> None:
    page = at_level(opened(visit), file)
    page.get_by_text("Look before you publish, without leaking").click()
    confirm(page, "Make the twin")
    expect(page.get_by_text("Private twin of").last).to_be_visible(timeout=LONG)
    idle(page)
    page.get_by_role("link", name="Look at it on Explore").click()
    expect(page.get_by_text("Private twin.")).to_be_visible(timeout=LONG)
    expect(picture(page)).to_be_visible(timeout=LONG)
    idle(page)
    assert charges(ledger_folder, file) == 1


def test_the_keyboard_alone_goes_from_a_file_to_files_that_verify(
    visit: Visit, file: Path, tmp_path: Path
) -> None:
    page = opened(visit)

    def tab_to(what: str) -> None:
        """Go to what the browser finds, an expression of the element that has the focus."""
        for _ in range(60):
            page.keyboard.press("Tab")
            if page.evaluate(f"(each => Boolean({what}))(document.activeElement)"):
                return
        raise AssertionError(f"Sixty tabs do not reach {what}.")

    def tab_to_button(name: str) -> None:
        expect(button(page, name)).to_be_enabled(timeout=LONG)
        idle(page)
        tab_to(f"each.tagName === 'BUTTON' && each.innerText.includes('{name}')")

    def enter(name: str, then: str) -> None:
        tab_to_button(name)
        page.keyboard.press("Enter")
        expect(page.get_by_text(then, exact=True).first).to_be_visible(timeout=LONG)
        idle(page)

    tab_to_button("Upload")  # what it opens belongs to the system
    page.locator("input[type=file]").set_input_files(file)
    enter("Continue", "What is one row?")
    tab_to("each.type === 'radio'")
    for expected in ("day", "row"):
        page.keyboard.press("ArrowDown")
        eventually(lambda expected=expected: radio(page) == expected)
        idle(page)
    tab_to("each.ariaLabel === 'What is one row?'")
    page.keyboard.type("trip")
    page.keyboard.press("Enter")
    enter("Continue", "Which area do the data cover?")
    tab_to("(each.ariaLabel ?? '').includes('Which area do the data cover?')")
    page.keyboard.type("New York, Manh")
    expect(page.get_by_role("option").first).to_contain_text("New York, Manh", timeout=LONG)
    page.keyboard.press("Enter")
    enter("Count the rows", "Trips in the area")
    enter("Continue", "Name of these data")
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", "Strict")
    in_address(page, "privacy=Strict")
    enter("Continue", "Words for the certificate (public)")
    tab_to("(each.ariaLabel ?? '').startsWith('To confirm')")
    page.keyboard.type(file.stem)
    page.keyboard.press("Enter")
    tab_to_button("Publish, and use 10 % of the budget for good")
    page.keyboard.press("Enter")
    released(page)
    tab_to_button("Download everything")
    saved(page, lambda: page.keyboard.press("Enter"), tmp_path / "published")
    assert_verified(tmp_path / "published")


def radio(page: Page) -> str:
    """Which of the three ways to protect is chosen."""
    return ("person", "day", "row")[
        page.evaluate(
            "[...document.querySelectorAll('[role=radiogroup] input')].findIndex(e => e.checked)"
        )
    ]


def begins_at_top(page: Page, step: str) -> bool:
    """Whether the head of a step is in sight, below the bar of the page."""
    return BAR <= place(page.locator(f".st-key-step-{step}"))["y"] < PROJECTOR["height"] / 2


def test_every_step_for_a_person_keeps_its_button_in_sight(
    visit: Visit, tmp_path: Path, attempt: str
) -> None:
    """In the dark, on a small projector, with an area drawn on the map by the mouse."""
    seed = crc32(attempt.encode())
    rng = np.random.default_rng(seed)
    lines = [f"{x:.5f},{y:.5f},{rng.integers(300)}" for x, y in trips(900, seed).tolist()]
    file = tmp_path / f"{attempt}.csv"
    file.write_text("\n".join(["lon,lat,card", *lines]))
    page = opened(visit, viewport=PROJECTOR, color_scheme="dark")

    def bottom(target: Locator) -> float:
        box = place(target)
        return box["y"] + box["height"]

    def next_step(name: str = "Continue") -> None:
        expect(button(page, name)).to_be_enabled(timeout=LONG)
        eventually(lambda: bottom(button(page, name)) <= PROJECTOR["height"])
        press(page, name)

    page.locator("input[type=file]").set_input_files(file)
    next_step()
    page.get_by_text("A person, with everything they did").click()
    page.get_by_text("Rows of the same person have the same entry").click()
    most = page.get_by_label("Most rows counted of each person").last
    most.fill("3")
    most.press("Enter")
    next_step()
    expect(page.get_by_text("Which area do the data cover?")).to_be_visible(timeout=LONG)
    page.locator(".city-map[data-shown]").wait_for(timeout=LONG)
    eventually(lambda: zoom(page) < CITY_ZOOM - 5)
    choose(page, "New York, Manh")
    eventually(lambda: zoom(page) > CITY_ZOOM)
    page.locator("[data-does=rectangle]").click()
    box = place(page.locator(".map-box"))
    for across, up in ((0.15, 0.1), (0.7, 0.8)):
        page.mouse.click(box["x"] + across * box["width"], box["y"] + up * box["height"])
    expect(page.get_by_label("lon: lowest").last).to_be_visible(timeout=LONG)
    area = page.get_by_label("Which area do the data cover?").first
    expect(area).to_have_value("Draw it on the map", timeout=LONG)
    idle(page)
    next_step("Count the rows")
    expect(page.get_by_text("Rows in the area", exact=True)).to_be_visible(timeout=LONG)
    idle(page)
    page.get_by_test_id("stMain").evaluate("main => main.scrollTo(0, main.scrollHeight)")
    next_step()
    expect(page.get_by_text("each person, with up to 3 rows")).to_be_visible(timeout=LONG)
    expect(page.get_by_text("Name of these data", exact=True)).to_be_visible(timeout=LONG)
    idle(page)
    # While a step is drawn, the page is short for a moment, and any step begins at its top.
    eventually(lambda: begins_at_top(page, "level"))
    next_step()
    expect(page.get_by_text("Left after it: 80 % of the budget")).to_be_visible(timeout=LONG)
    idle(page)
    typed(page)
    next_step("Publish, and use 20 % of the budget for good")
    released(page)
    save_everything(page, tmp_path / "published")
    assert_verified(tmp_path / "published")


@pytest.mark.parametrize("step", ["data", "level", "confirm"])
@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_no_step_is_wider_than_the_window(
    visit: Visit, step: str, viewport: dict[str, int]
) -> None:
    page = opened(visit, f"/publish?data=nyc-taxi&step={step}", viewport=viewport)
    eventually(lambda: width(page) <= viewport["width"])


def test_a_step_opens_by_its_address_on_a_cold_server(browser: Browser) -> None:
    with serving() as cold:
        page = browser.new_page()
        page.set_default_timeout(LONG)
        page.goto(f"{cold.address}/publish?data=nyc-month&privacy=Strict&step=confirm")
        expect(page.get_by_text("Nothing is used yet")).to_be_visible(timeout=LONG)
        expect(page.get_by_text("at most 53 %").first).to_be_visible()
        page.close()


def test_the_dark_theme_reaches_it_and_history(visit: Visit) -> None:
    page = opened(visit, "/publish?data=nyc-taxi&step=level", color_scheme="dark")
    shows(page.locator(".st-key-step-level"), DARK.paper, 10_000)
    page = opened(visit, "/publish?view=history", color_scheme="dark")
    shows(page.get_by_test_id("stMain"), DARK.paper, 10_000)


def test_history_shows_what_was_spent_and_gives_the_files_again(visit: Visit, file: Path) -> None:
    page = at_confirmation(opened(visit), file)
    confirm(page)
    press(released(page), "All releases")
    own = page.locator('[class*="st-key-account-"]').filter(has_text=file.stem)
    expect(own.get_by_text("ε 0.8 left")).to_be_visible(timeout=LONG)
    idle(page)
    own.get_by_text(re.compile(r"^Release \d+ ·")).click()
    own.get_by_text("Show the files").click()
    own.get_by_text("For a reviewer").click()
    certificate = downloaded(page, own.get_by_role("button", name="Certificate, JSON").click)
    assert file.stem in certificate.read_text()


def test_a_series_goes_on_from_history(
    visit: Visit, file: Path, tmp_path: Path, ledger_folder: Path
) -> None:
    """Two months from files to one ZIP of both, on a phone; the note stays inside."""
    page = opened(visit, "/publish?privacy=Loose", viewport=PHONE)

    def fill(label: str, text: str) -> None:
        field = page.get_by_label(label).last
        field.fill(text)
        field.press("Enter")
        idle(page)

    def to_confirmation() -> None:
        press(page, "Continue")
        expect(page.get_by_text("Nothing is used yet")).to_be_visible(timeout=LONG)
        idle(page)

    press(counted(at_columns(page, file)), "Continue")
    expect(page.get_by_text("How often?")).to_be_visible(timeout=LONG)
    page.get_by_text("Publish every month").click()
    expect(page.get_by_text("Say which period this is.")).to_be_visible(timeout=LONG)
    idle(page)
    fill("Name of the series", file.stem)
    fill("The period of this release", "2015-12")
    page.get_by_text("is in the data of one period only").click()
    expect(page.get_by_text("Each period has a budget of its own")).to_be_visible(timeout=LONG)
    idle(page)
    to_confirmation()
    page.get_by_text("A note for yourselves").click()
    fill("Why, or for whom?", "the annual report")
    confirm(page)
    released(page)
    period = tmp_path / "period"
    save_everything(page, period)
    assert_verified(period)
    assert f"{file.stem}, 2015-12" in (period / "certificate.html").read_text()
    assert not [each for each in period.iterdir() if b"the annual report" in each.read_bytes()]
    press(page, "All releases")
    expect(page.get_by_text("Publish the next period").first).to_be_visible(timeout=LONG)
    idle(page)
    eventually(lambda: not violations(page), lambda: "axe finds something")
    page.get_by_role("button", name="Publish the next period").last.click()
    other = file.with_name("next.csv")
    other.write_text(csv_text(trips(2_000, seed=99)))
    expect(page.get_by_text("Where is your data?")).to_be_visible(timeout=LONG)
    idle(page)
    press(counted(at_columns(page, other)), "Continue")
    expect(page.get_by_label("The period of this release")).to_have_value("2016-01", timeout=LONG)
    idle(page)
    to_confirmation()
    confirm(page)
    released(page)
    press(page, "All releases")
    button_of_both = page.get_by_role("button", name="All 2 periods as one").first
    expect(button_of_both).to_be_visible(timeout=LONG)
    idle(page)
    names = zipfile.ZipFile(downloaded(page, button_of_both.click)).namelist()
    assert set(names) == {"README.txt", "points.csv", "points.geojson", "points.parquet"}
    ledger = Ledger(ledger_folder)
    periods = [f"{file.stem}, {period}" for period in ("2015-12", "2016-01")]
    assert [len(ledger.entries(period)) for period in periods] == [1, 1]
    assert ledger.entries(periods[0])[0].note.why == "the annual report"
