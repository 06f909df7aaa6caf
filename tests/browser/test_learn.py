"""Learn as a class meets it: keys, a projector, links, a game, and pictures that keep up."""

from __future__ import annotations

import math
import re
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Locator, Page, expect

from dpcore.classroom import guessing_game, lesson_plans
from dpcore.classroom.guessing_game import CONTESTANTS
from dpcore.privacy.explain import attacker_certainty
from pages.ui.palette import DARK, LIGHT
from tests.browser.driver import (
    DESK,
    LONG,
    PHONE,
    PROJECTOR,
    Visit,
    alike,
    eventually,
    idle,
    in_address,
    pixels,
    place,
    shows,
    width,
)

PARTS = ("start", "lessons", "game", "attack", "moves", "guess", "steps", "luck", "room", "write")
#: Parts that are longer than a screen.
LONG_PARTS = ("lessons", "write")


def opened(visit: Visit, path: str = "/learn?part=steps", **options: object) -> Page:
    page = visit(path, ready=False, **options)
    page.get_by_role("button", name=re.compile("Presenter|Leave")).wait_for()
    idle(page)
    return page


def height(page: Page) -> int:
    return page.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")


def title(page: Page) -> Locator:
    return page.get_by_test_id("stHeading").locator("h3").first


def stage(page: Page) -> Locator:
    return page.get_by_role("figure").first


def told(page: Page, words: str) -> None:
    expect(title(page)).to_have_text(words)


def test_the_arrow_keys_step_through_a_run(visit: Visit) -> None:
    page = opened(visit)
    told(page, "The data")
    for words in ("The start looks at nothing", "Round 1: who is nearest?"):
        page.keyboard.press("ArrowRight")
        told(page, words)
    in_address(page, "frame=2")
    page.keyboard.press("ArrowLeft")
    told(page, "The start looks at nothing")
    in_address(page, "frame=1")


def test_every_control_of_a_run_can_be_reached_with_the_tab_key(visit: Visit) -> None:
    page = opened(visit, "/learn?part=steps&frame=4")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "document.activeElement.innerText || document.activeElement.ariaLabel || ''"
            )
        )
    account = "rows in each cluster"
    for wanted in ("Steps", "Back", "Play", "Next", "Draw again", "Presenter", account):
        assert any(wanted in words for words in reached), (wanted, reached)


def test_the_camera_stays_and_so_do_the_buttons(visit: Visit) -> None:
    """Land and water, far from all marks, are the same pixels on every step."""
    page = opened(visit, "/learn?part=steps&frame=1&privacy=Strict")
    for color in (LIGHT.water, LIGHT.land):
        shows(stage(page), color, 10_000)
    button = page.get_by_role("button", name="Next")
    before, here = pixels(stage(page)), place(button)
    corner = (before.width * 2 // 3, 5, before.width - 5, before.height // 3)
    for words in ("Round 1: who is nearest?", "Round 1: the true means", "Round 1: noise, and out"):
        page.keyboard.press("ArrowRight")
        told(page, words)
        idle(page)
        eventually(lambda: alike(pixels(stage(page)).crop(corner), before.crop(corner)))
        assert place(button) == here


#: Every title that is shown from now on, however slowly the test looks.
TITLES = """() => {
  window.titles = [];
  const look = () => {
    const title = document.querySelector('[data-testid=stHeading] h3')?.innerText;
    if (title && title !== window.titles.at(-1)) window.titles.push(title);
  };
  look();
  const all = { subtree: true, childList: true, characterData: true };
  new MutationObserver(look).observe(document.body, all);
}"""


def test_a_run_plays_by_itself_and_pauses(visit: Visit) -> None:
    page = opened(visit)
    page.evaluate(TITLES)
    page.keyboard.press("s")
    first = ["The data", "The start looks at nothing", "Round 1: who is nearest?"]
    eventually(lambda: page.evaluate("window.titles.slice(0, 3)") == first)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").wait_for()
    idle(page)
    words = title(page).inner_text()
    page.wait_for_timeout(4500)
    told(page, words)


def test_marks_have_their_colors_and_what_is_not_private_its_mark(visit: Visit) -> None:
    page = opened(visit, "/learn?part=steps&frame=4&privacy=Strict")
    for color in (LIGHT.private, LIGHT.non_private, LIGHT.text):
        shows(stage(page), color, 30)
    expect(page.get_by_text("not private: for your eyes")).to_be_visible()


@pytest.mark.parametrize("part", PARTS)
def test_a_projector_shows_one_idea_without_scrolling(visit: Visit, part: str) -> None:
    page = opened(visit, f"/learn?part={part}&presenter=true", viewport=PROJECTOR)
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    eventually(lambda: width(page) <= PROJECTOR["width"])
    if part not in LONG_PARTS:
        eventually(lambda: height(page) <= PROJECTOR["height"])
    smallest = (
        "() => Math.min(...[...document.querySelectorAll('p, h3, button, .learn-say')]"
        ".filter(each => each.offsetParent && each.innerText.trim()"
        " && !each.closest('.st-key-switch'))"
        ".map(each => parseFloat(getComputedStyle(each).fontSize)))"
    )
    eventually(lambda: page.evaluate(smallest) >= 20)


def longest_asks() -> list[str]:
    """For each part, the address of the lesson step with the most to ask."""
    found: dict[str, tuple[int, str]] = {}
    for lesson in lesson_plans.shipped().values():
        for number, step in enumerate(lesson.steps, 1):
            address = (len(step.ask), urlencode(lesson.address(number)))
            found[step.opens["part"]] = max(found.get(step.opens["part"], (0, "")), address)
    return [address for _, address in found.values()]


@pytest.mark.parametrize("query", longest_asks())
def test_what_a_lesson_asks_fits_on_the_projector_too(visit: Visit, query: str) -> None:
    page = opened(visit, f"/learn?{query}&presenter=true", viewport=PROJECTOR)
    beside_the_bar = (
        "() => { const range = document.createRange();"
        " range.selectNodeContents(document.querySelector('.lesson-ask'));"
        " const bar = document.querySelector('.st-key-switch').getBoundingClientRect();"
        " return range.getBoundingClientRect().right <= bar.left; }"
    )
    eventually(lambda: page.evaluate(beside_the_bar))
    eventually(lambda: height(page) <= PROJECTOR["height"])


def test_p_presents_and_p_leaves(visit: Visit) -> None:
    page = opened(visit, viewport=PROJECTOR)
    page.keyboard.press("p")
    expect(page.get_by_test_id("stSidebar")).not_to_be_visible()
    in_address(page, "presenter=true")
    told(page, "The data")
    idle(page)  # the button that the key presses is drawn last
    page.keyboard.press("p")
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    page.wait_for_function("() => !location.search.includes('presenter')")


def test_start_opens_a_lesson_and_its_list_any_step(visit: Visit) -> None:
    page = opened(visit, "/learn?part=lessons")
    lesson = lesson_plans.shipped()["free-restarts"]
    card = page.locator(".st-key-lesson-card-free-restarts")
    card.get_by_role("button", name="Start").click()
    expect(page.get_by_text(lesson.steps[0].ask)).to_be_visible()
    in_address(page, "lesson=free-restarts", "at=1", "part=steps", "frame=3")
    page.go_back()
    expect(card).to_be_visible()
    idle(page)
    card.get_by_role("button", name="Steps").click()
    page.get_by_role("button", name=f"3. {lesson.steps[2].title}").click()
    expect(page.get_by_text(lesson.steps[2].ask)).to_be_visible()
    in_address(page, "at=3")


def test_a_copied_link_opens_the_same_step_and_a_clicker_goes_on(visit: Visit) -> None:
    path = "/learn?part=steps&algorithm=eugkm&privacy=Loose&frame=3&lesson=free-restarts&at=1"
    page = opened(visit, f"{path}&presenter=true", viewport=PROJECTOR)
    expect(page.get_by_text("What does the world know now?")).to_be_visible()
    page.keyboard.press("PageDown")
    told(page, "50 starts")
    idle(page)
    page.keyboard.press("PageUp")
    expect(page.get_by_text("What does the world know now?")).to_be_visible()


def test_notes_can_be_taken_along(visit: Visit) -> None:
    page = opened(visit, "/learn?part=lessons")
    notes = page.get_by_role("button", name="Teacher’s notes of all lessons")
    with page.expect_download() as download:
        notes.click()
    assert download.value.suggested_filename == "lessons.html"
    text = download.value.path().read_text(encoding="utf-8")
    assert text.count("<article>") == len(lesson_plans.shipped())


def test_a_scripted_guesser_scores_as_often_as_it_should(visit: Visit) -> None:
    """It reads the count of the trip's own cell, as the class would; its score is within its
    binomial error of what the same guesser gets over many rounds."""
    epsilon, rounds = 1.0, 24
    expected = sum(
        (each.own_count >= 1) == each.there
        for each in (
            guessing_game.play(CONTESTANTS["sound"], epsilon, 1000 + i) for i in range(2000)
        )
    )
    share = expected / 2000
    assert share < attacker_certainty(epsilon) + 0.03
    page = opened(visit, "/learn?part=game&privacy=Looser")
    for number in range(1, rounds + 1):
        drawn = page.locator(".game img")
        words = drawn.get_attribute("alt") or ""
        own = int(words.partition(": ")[2].split(", ")[-1])
        page.keyboard.press("i" if own >= 1 else "o")
        page.get_by_role("button", name="Next round").wait_for()
        page.get_by_text(re.compile(rf"\d+ of {number} right\.")).wait_for()
        if number < rounds:
            page.keyboard.press("n")
            page.get_by_role("button", name="It is in").wait_for()
            idle(page)
    text = page.get_by_text(re.compile(rf"\d+ of {rounds} right\.")).inner_text()
    right = int(text.split(" of ")[0])
    error = math.sqrt(rounds * share * (1 - share))
    assert abs(right - rounds * share) <= 4 * error


def test_a_thousand_rounds_come_in_and_the_bound_is_seen_broken(visit: Visit) -> None:
    page = opened(visit, "/learn?part=game&guesser=machine")
    chart = page.get_by_test_id("stPlotlyChart")
    chart.wait_for()
    expect(page.get_by_text(re.compile("Each point: 1,000 rounds"))).to_be_visible(
        timeout=10 * LONG
    )
    idle(page)
    page.get_by_text("The figures").click()
    rows = page.get_by_role("row")
    expect(rows).to_have_count(1 + len(CONTESTANTS) * len(guessing_game.EPSILONS))
    texts = rows.all_inner_texts()
    published = [text for text in texts if text.startswith("As published")]
    assert all("100 %" in text and "yes" in text for text in published)
    assert sum("yes" in text for text in texts if text.startswith("Sound")) <= 1


def test_nine_maps_are_drawn_without_webgl(visit: Visit) -> None:
    page = opened(visit, "/learn?part=luck&privacy=Strictest")
    maps = page.locator(".nine img")
    expect(maps).to_have_count(9)
    for which in range(9):
        shows(maps.nth(which), LIGHT.private, 20)
        shows(maps.nth(which), LIGHT.non_private, 20)
    assert page.locator("canvas").count() == 0


def test_centers_are_placed_by_a_click_and_by_the_arrow_keys(visit: Visit) -> None:
    page = opened(visit, "/learn?part=guess")
    the_map = page.get_by_role("figure", name=re.compile("The centers that you expect"))
    shows(the_map, LIGHT.land, 10_000)
    box = place(the_map)
    the_map.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    in_address(page, "pick=2")
    idle(page)
    spot = re.search(r"spots=(-[\d.]+)(?:%2C|,)([\d.]+)_", page.url)
    assert spot
    assert float(spot[1]) == pytest.approx(-73.9725, abs=2e-3)
    assert float(spot[2]) == pytest.approx(40.755, abs=2e-3)
    page.keyboard.press("ArrowUp")
    in_address(page, "_-74.0180,40.7789_")
    page.keyboard.press("l")
    told(page, "How far off were you?")
    expect(page.get_by_role("row")).to_have_count(6)


def test_a_map_of_a_thousand_points_follows_the_mouse(visit: Visit) -> None:
    """How fast, `make bench` tells."""
    page = opened(visit, "/learn?part=steps&frame=2")
    for color in (LIGHT.water, LIGHT.land):
        shows(stage(page), color, 10_000)
    before, box = pixels(stage(page)), place(stage(page))
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y - 20, steps=10)
    eventually(lambda: not alike(pixels(stage(page)), before))
    page.mouse.up()


@pytest.mark.parametrize("part", PARTS)
def test_it_is_no_wider_than_the_window(visit: Visit, part: str) -> None:
    page = opened(visit, f"/learn?part={part}", viewport=PHONE)
    eventually(lambda: width(page) <= PHONE["width"])
    page.set_viewport_size(DESK)
    idle(page)
    eventually(lambda: width(page) <= DESK["width"])


def test_the_dark_theme_reaches_maps_and_drawings(visit: Visit) -> None:
    page = opened(visit, "/learn?part=steps&frame=1", color_scheme="dark")
    shows(stage(page), DARK.water, 10_000)
    page = opened(visit, "/learn?part=luck", color_scheme="dark")
    shows(page.locator(".nine img").first, DARK.water, 1_000)


def test_two_phones_and_a_projector_share_a_room(visit: Visit) -> None:
    host = opened(visit, "/learn?part=room", viewport=DESK)
    host.get_by_role("button", name="Open a room").last.click()
    in_address(host, "lead=", "room=")
    code = host.locator(".room-code").inner_text()
    host.reload()  # the tab keeps what leads the room
    expect(host.get_by_role("button", name="Show the answer")).to_be_visible()
    phones = [visit(f"/learn?part=room&room={code}", ready=False, viewport=PHONE) for _ in range(2)]
    for phone, answer in zip(phones, ("It is in", "It is not"), strict=True):
        phone.get_by_role("button", name=answer).click()
        expect(phone.get_by_text("You said")).to_be_visible()
        eventually(lambda phone=phone: width(phone) <= PHONE["width"])
    expect(host.get_by_text("2 of 2 phones have answered.")).to_be_visible()
    host.get_by_role("button", name="Show the answer").click()
    expect(host.get_by_text("1 of 2 right")).to_be_visible()
    for phone in phones:
        expect(phone.get_by_text(re.compile("Right!|Wrong\\."))).to_be_visible()
    host.get_by_role("button", name="End the room").click()
    for phone in phones:
        expect(phone.get_by_text("Ask for a new code")).to_be_visible()


def test_question_mark_shows_the_keys_and_f_fills_the_screen(visit: Visit) -> None:
    page = opened(visit, "/learn?part=luck")
    keys = page.get_by_role("dialog", name="Keys of this page")
    page.get_by_role("button", name="Full screen").wait_for()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    expect(keys.get_by_text("next round")).to_be_visible()
    page.keyboard.press("Escape")
    expect(keys).not_to_be_visible()
    page.keyboard.press("f")
    eventually(lambda: page.evaluate("document.fullscreenElement === document.documentElement"))
    page.keyboard.press("f")
    eventually(lambda: page.evaluate("document.fullscreenElement === null"))


def test_a_broken_promise_is_seen_while_machines_attack(visit: Visit) -> None:
    page = opened(visit, "/learn?part=attack&algorithm=eugkm-published&sees=release")
    everything = page.get_by_role("img", name="Right 100 % of the time: the promise is broken")
    expect(everything).to_be_visible(timeout=10 * LONG)
    shows(stage(page), LIGHT.unproven, 200)


def test_start_opens_with_doors_and_the_tour_moves_by_keys(visit: Visit) -> None:
    page = visit("/start", ready=False)
    for name in ("I have data to publish", "I teach", "I compare methods"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    idle(page)
    page.get_by_role("button", name="Take the tour").click()
    expect(page.get_by_text("Tour, step 1 of 4")).to_be_visible()
    shows(page.get_by_role("figure").nth(1), LIGHT.non_private, 300)
    idle(page)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("Tour, step 2 of 4")).to_be_visible()
    idle(page)
    page.get_by_role("button", name="Leave the tour").click()
    expect(page.get_by_role("button", name="Continue the tour at step 2")).to_be_visible()
    term = page.locator(".term", has_text="coreset")
    explained = term.get_by_role("tooltip", include_hidden=True)
    expect(explained).not_to_be_visible()
    term.focus()
    expect(explained).to_be_visible()
    page.get_by_role("link", name="Explore the map").click()
    page.wait_for_url(re.compile(r"/(\?.*)?$"))
