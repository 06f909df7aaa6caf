"""Photograph every state of every page with Chromium, into screenshots/: `make screenshots`."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.browser import publishing  # noqa: E402
from tests.browser.driver import (  # noqa: E402
    DESK,
    FLAGS,
    PHONE,
    PROJECTOR,
    idle,
    open_page,
    serving,
    settled,
)
from tests.pages.publishing import csv_text, trips  # noqa: E402

FOLDER = ROOT / "screenshots"
TALL = {"width": 1400, "height": 1300}


def hover_center(page: Page) -> None:
    """Point at the middle of the map's first blue disc."""
    from tests.browser.driver import picture, pixels

    box, seen = picture(page).bounding_box(), pixels(picture(page))
    assert box
    x, y = next(
        (x, y)
        for y in range(60, seen.height)
        for x in range(seen.width)
        if seen.getpixel((x, y)) == (0, 0x5A, 0xDC)
    )
    for nudge in (4, 5, 6):
        page.mouse.move(box["x"] + x, box["y"] + y + nudge)
    page.wait_for_timeout(800)


def focus_slider(page: Page) -> None:
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    settled(page)


def painted(page: Page) -> None:
    """Wait until maps have drawn themselves, however busy the machine is."""
    for place in page.locator(".city-map").all():
        place.locator("canvas").first.wait_for(timeout=60_000)
    page.wait_for_timeout(4000)


def open_expanders(page: Page) -> None:
    page.get_by_role("button", name="Settings").click()
    for name in ("Exact values", "Layers"):
        page.get_by_test_id("stPopoverBody").get_by_text(name, exact=True).click()
    page.wait_for_timeout(800)


def trips_file() -> Path:
    """Trips of nobody, to be brought along."""
    file = Path(tempfile.mkdtemp()) / "trips.csv"
    file.write_text(csv_text(trips(20_000)))
    return file


def count_rows(page: Page) -> None:
    publishing.counted(publishing.at_columns(page, trips_file()))


def publish(page: Page) -> None:
    publishing.at_confirmation(page, trips_file())
    publishing.confirm(page)
    publishing.released(page)


def publish_then_history(page: Page) -> None:
    publish(page)
    publishing.press(page, "All releases")
    page.locator('[class*="st-key-account-"]').first.wait_for(timeout=publishing.LONG)
    idle(page)


def make_a_twin(page: Page) -> None:
    publishing.at_level(page, trips_file())
    page.get_by_text("Look before you publish, without leaking").click()
    publishing.confirm(page, "Make the twin")
    page.get_by_text("Private twin of").last.wait_for(timeout=publishing.LONG)
    idle(page)


def see_the_twin(page: Page) -> None:
    make_a_twin(page)
    page.get_by_role("link", name="Look at it on Explore").click()
    page.get_by_text("Private twin.").wait_for(timeout=publishing.LONG)
    settled(page)


def hide_own_data(page: Page) -> None:
    publishing.at_level(page, trips_file())
    open_page(page, "Explore")
    page.get_by_text("Your raw data are hidden").wait_for(timeout=publishing.LONG)
    idle(page)


def show_own_data(page: Page) -> None:
    hide_own_data(page)
    page.get_by_role("button", name="Show my raw data").click()
    settled(page)


@dataclass(frozen=True)
class Shot:
    """A state of a page, by its address and what is done there."""

    name: str
    path: str = "/"
    viewport: dict[str, int] = field(default_factory=lambda: DESK)
    dark: bool = False
    act: Callable[[Page], None] | None = None
    whole: bool = False
    #: Words that are there when everything is; without, when a map is settled.
    until: str | re.Pattern[str] = ""


WIDE, LONG = {"width": 1400, "height": 1700}, {"width": 390, "height": 2000}
#: Runs are made while the page is open, or were made before.
RUNS = re.compile("runs finished|and kept")
COMPARE = "/compare?compare="
LEARN, PRESENTER = "/learn?part=", "&presenter=true"
LESSON = "/learn?part=steps&algorithm=eugkm&privacy=Loose&frame=4&lesson=free-restarts&at=2"
SPOTS = "-73.9900,40.7500_-73.9700,40.7800"
SHOTS = (
    Shot("explore"),
    Shot("explore-whole", viewport=TALL),
    Shot("explore-loosest", "/?privacy=Loosest"),
    Shot("explore-strictest", "/?privacy=Strictest"),
    Shot("explore-dark", "/?privacy=Strict", dark=True),
    Shot("explore-three", "/?three=true", TALL),
    Shot("explore-three-dark", "/?three=true", TALL, dark=True),
    Shot("explore-phone", viewport=PHONE),
    Shot("explore-phone-whole", viewport={"width": 390, "height": 1900}),
    Shot("explore-phone-three", "/?three=true", {"width": 390, "height": 3200}),
    Shot("explore-tooltip", "/?privacy=Stricter", act=hover_center),
    Shot("explore-keyboard", act=focus_slider),
    Shot("explore-controls", act=open_expanders, viewport=TALL),
    Shot("explore-density", "/?points=false&true_density=true"),
    Shot("explore-published-density", "/?points=false&published_density=true", dark=True),
    Shot("explore-grid", "/?algorithm=eugkm&privacy=Looser"),
    Shot("explore-month", "/?data=nyc-month", TALL),
    Shot("explore-trips", "/?data=nyc-taxi-trips&algorithm=auto&privacy=Loosest", TALL),
    Shot("explore-plane-dark", "/?data=s1-like&k=15&privacy=Strict", dark=True),
    Shot("explore-plane", "/?data=s1-like&k=15&privacy=Looser", TALL),
    Shot("explore-projection", "/?data=iris&algorithm=auto&privacy=Loosest", TALL, dark=True),
    Shot("explore-impossible", "/?data=nyc-taxi-trips&algorithm=adaptive"),
    Shot("curves-kept", "/curves", until="and kept"),
    Shot("curves", "/curves?runs=3&with=eugkm,dplloyd,eugkm-published", WIDE, until=RUNS),
    Shot("curves-dark", "/curves?runs=3&with=hybrid,gkm&metric=shift", WIDE, dark=True, until=RUNS),
    Shot("curves-phone", "/curves?runs=3&with=eugkm,dplloyd", LONG, until=RUNS),
    Shot(
        "curves-predicted",
        "/curves?data=s1-like&runs=3&algorithm=dplloyd&with=eugkm,hybrid",
        WIDE,
        until=RUNS,
    ),
    Shot("curves-refused", "/curves?data=wine&runs=1&with=coreset,dplloyd", WIDE, until=RUNS),
    Shot("compare-rank", "/compare?runs=3", {"width": 1400, "height": 2700}, until=RUNS),
    Shot("compare-rank-dark", "/compare?runs=3&paper=000", WIDE, dark=True, until=RUNS),
    Shot("compare-rank-phone", "/compare?runs=3&paper=004&privacy=Loosest", LONG, until=RUNS),
    Shot("compare-map", COMPARE + "map&algorithm=eugkm&cell_runs=1", WIDE, until=RUNS),
    Shot(
        "compare-map-two-dark",
        COMPARE + "map&algorithm=eugkm&against=dplloyd&cell_runs=1",
        WIDE,
        dark=True,
        until=RUNS,
    ),
    Shot(
        "compare-map-phone",
        COMPARE + "map&algorithm=hybrid&against=dplloyd&cell_runs=1",
        LONG,
        until=RUNS,
    ),
    Shot("compare-time", COMPARE + "time&timed=eugkm,dplloyd,gkm-published", WIDE, until=RUNS),
    Shot("compare-time-phone", COMPARE + "time&timed=eugkm&rows=100000", LONG, until=RUNS),
    Shot("compare-size", COMPARE + "size&size_runs=2", WIDE, until=RUNS),
    Shot("compare-size-dark", COMPARE + "size&size_runs=2&k=3", WIDE, dark=True, until=RUNS),
    Shot("compare-auto", COMPARE + "auto", WIDE, until="Take it with you"),
    Shot("compare-predict", COMPARE + "predict", WIDE, until="Take it with you"),
    Shot("compare-papers", COMPARE + "papers", WIDE, until="Claim"),
    Shot("compare-papers-phone", COMPARE + "papers&paper=004", LONG, dark=True, until="Claim"),
    Shot(
        "compare-live",
        COMPARE + "papers&paper=004&live=feldman2017-table2",
        WIDE,
        until="Measured just",
    ),
    Shot("publish", "/publish", until="No budget is used"),
    Shot("publish-columns", "/publish", TALL, act=count_rows, until="No budget is used"),
    Shot("publish-twin", "/publish", WIDE, act=make_a_twin, until="No budget is used"),
    Shot("publish-level-phone", "/publish?step=level&data=nyc-taxi", LONG, until="Name of these"),
    Shot("publish-confirm", "/publish?step=confirm&data=nyc-month", TALL, until="Nothing is used"),
    Shot("publish-released", "/publish", TALL, act=publish, until="No budget is used"),
    Shot("publish-history-dark", "/publish", TALL, True, publish_then_history, until="Publish"),
    Shot("explore-twin", "/publish", TALL, act=see_the_twin, until="No budget is used"),
    Shot("explore-hidden", "/publish", act=hide_own_data, until="No budget is used"),
    Shot("explore-raw", "/publish", TALL, act=show_own_data, until="No budget is used"),
    Shot("verdicts", "/verdicts", WIDE, until="How far attacks"),
    Shot("verdicts-dark", "/verdicts?paper=000", WIDE, dark=True, until="How far attacks"),
    Shot("verdicts-phone", "/verdicts?paper=002", LONG, until="How far attacks"),
    Shot("verdicts-method", "/verdicts?method=eugkm", WIDE, until="Cite it"),
    Shot("start", "/start", until="Six words"),
    Shot("start-tour-dark", "/start?tour=1", WIDE, dark=True, until="Six words"),
    Shot("start-phone", "/start", LONG, until="Six words"),
    Shot("learn-start", "/learn", until="Start the game"),
    Shot("learn-start-dark", "/learn", dark=True, until="Start the game"),
    Shot("learn-attack", LEARN + "attack&privacy=Looser", until="rounds so far"),
    Shot("learn-move", LEARN + "moves", until="Three machines"),
    Shot("learn-room", LEARN + "room", until="Open a room"),
    Shot("learn-teachers", LEARN + "write", WIDE, until="Try this step"),
    Shot("learn", LEARN + "steps&frame=2", until="who is nearest"),
    Shot("learn-noise", LEARN + "steps&frame=4&privacy=Strict", until="noise, and out"),
    Shot(
        "learn-adaptive-dark", LEARN + "steps&algorithm=adaptive&frame=7", dark=True, until="stay"
    ),
    Shot("learn-coreset", LEARN + "steps&algorithm=coreset&frame=7", until="emptied"),
    Shot(
        "learn-eugkm", LEARN + "steps&algorithm=eugkm&privacy=Strict&frame=3", until="noisy counts"
    ),
    Shot("learn-starts", LEARN + "steps&algorithm=hybrid&frame=4", until="50 starts"),
    Shot("learn-gkm", LEARN + "steps&algorithm=gkm&frame=3", until="75 blocks"),
    Shot("learn-answer", LEARN + "steps&algorithm=sulq-published&frame=99", until="The answer"),
    Shot("learn-phone", LEARN + "steps&frame=4", LONG, until="noise, and out"),
    Shot("learn-game", LEARN + "game", until="It is in"),
    Shot("learn-game-phone", LEARN + "game&answers=published", LONG, dark=True, until="It is in"),
    Shot("learn-rounds", LEARN + "game&guesser=machine", until="Each point"),
    Shot("learn-luck", LEARN + "luck&privacy=Strictest", until="Draw 9"),
    Shot("learn-levels-dark", LEARN + "luck&vary=level", dark=True, until="ε = 0.01"),
    Shot("learn-guess", LEARN + "guess&spots=" + SPOTS + "&pick=3", until="Place now"),
    Shot("learn-look", LEARN + "guess&spots=" + SPOTS + "&look=true", until="Off by"),
    Shot("learn-lessons", LEARN + "lessons", WIDE, until="What noise buys"),
    Shot("learn-lessons-phone", LEARN + "lessons", LONG, until="What noise buys"),
    Shot("learn-lesson", LESSON, until="Note for the teacher"),
    Shot("learn-presenter", LESSON + PRESENTER, PROJECTOR, until="Leave"),
    Shot("learn-presenter-steps", LEARN + "steps&frame=4" + PRESENTER, PROJECTOR, until="Leave"),
    Shot("learn-presenter-game", LEARN + "game" + PRESENTER, PROJECTOR, until="Leave"),
    Shot("learn-presenter-luck", LEARN + "luck" + PRESENTER, PROJECTOR, dark=True, until="Leave"),
    Shot("learn-presenter-look", LEARN + "guess&look=true" + PRESENTER, PROJECTOR, until="Leave"),
    Shot(
        "learn-presenter-rounds",
        LEARN + "game&guesser=machine" + PRESENTER,
        PROJECTOR,
        until="Leave",
    ),
)


def main(wanted: list[str]) -> None:
    """Take the shots whose names begin with what is wanted, or all."""
    FOLDER.mkdir(exist_ok=True)
    chromium = os.environ.get("DPCORE_CHROMIUM") or shutil.which("chromium")
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for shot in SHOTS:
            if wanted and not shot.name.startswith(tuple(wanted)):
                continue
            options: dict[str, Any] = {"color_scheme": "dark" if shot.dark else "light"}
            page = browser.new_page(viewport=shot.viewport, **options)
            page.goto(server.address + shot.path)
            if shot.until:
                page.get_by_text(shot.until).first.wait_for(timeout=300_000)
                idle(page)
                painted(page)
            else:
                page.get_by_role("figure").or_(page.locator(".js-plotly-plot")).or_(
                    page.get_by_test_id("stAlert")
                ).first.wait_for(timeout=60_000)
                settled_or_idle(page)
            if shot.act:
                shot.act(page)
            page.screenshot(path=FOLDER / f"{shot.name}.png")
            print(FOLDER / f"{shot.name}.png")
            page.close()
        browser.close()


def settled_or_idle(page: Page) -> None:
    (settled if page.get_by_role("figure").count() else idle)(page)


if __name__ == "__main__":
    main(sys.argv[1:])
