"""Rooms, slides and lessons of one's own through Streamlit's test runner."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

import pytest
import streamlit as st
from PIL import Image
from streamlit.testing.v1 import AppTest

from dpcore.classroom import lesson_plans
from pages.ui.learn import lesson_check, lesson_writing, room_key, slides, step_picture
from pages.ui.palette import LIGHT
from tests.pages import visits
from tests.pages.visits import address, checked, html, press, visited


def page(**query: object) -> AppTest:
    return visited("pages/5_learn.py", **query)


@pytest.fixture(autouse=True)
def no_rooms() -> Iterator[None]:
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


def joined(code: str) -> AppTest:
    return page(part="room", room=code)


def test_a_host_opens_a_room_and_a_phone_joins_with_its_code() -> None:
    host = press(page(part="room"), "room-open")
    code = address(host)["room"]
    assert code in html(host)
    assert "0 of 0 phones have answered" in html(host)
    phone = page(part="room")
    phone.text_input(key="room-code").set_value(code.lower())
    next(button for button in phone.button if button.label == "Join").click()
    checked(phone)
    assert address(phone)["room"] == code
    assert int(address(phone)["seat"]) > 0
    assert "0 of 1 phones have answered" in html(checked(host))


def test_two_phones_answer_the_host_shows_and_everybody_sees_the_score() -> None:
    host = press(page(part="room"), "room-open")
    code = address(host)["room"]
    phones = [joined(code), joined(code)]
    press(phones[0], "room-say-in")
    press(phones[1], "room-say-out")
    assert "You said: it is in" in html(phones[0])
    assert "2 of 2 phones have answered" in html(checked(host))
    press(host, "room-show")
    assert "1 of 2 right" in visits.words(host)
    results = [html(checked(phone)) for phone in phones]
    assert sum("Right!" in each for each in results) == 1
    assert sum("Wrong." in each for each in results) == 1
    press(host, "room-next")
    assert "Round 2" in visits.words(host)
    assert "What do you think?" in html(checked(phones[0]))


def test_a_phone_sees_no_menu_of_parts_and_nothing_of_the_host() -> None:
    host = press(page(part="room"), "room-open")
    phone = joined(address(host)["room"])
    assert not phone.segmented_control
    assert not [button for button in phone.button if button.key in ("room-show", "room-end")]
    key = host.session_state[room_key.LED.name][1]
    assert key not in html(phone) + visits.words(phone)


def test_the_address_of_the_projector_does_not_lead_the_room_elsewhere() -> None:
    host = press(page(part="room"), "room-open")
    code, key = host.session_state[room_key.LED.name]
    assert key not in address(host).values()
    copied = page(**address(host))
    assert not [button for button in copied.button if button.key in ("room-show", "room-end")]
    copied.session_state[room_key.LED.name] = (code, "")  # as a tab without the key answers
    press(checked(copied), "room-join")
    assert "0 of 1 phones have answered" in html(checked(host))


def test_a_visit_leads_one_room_at_a_time() -> None:
    host = press(page(part="room"), "room-open")
    first = address(host)["room"]
    for key in ("room", "lead"):
        del host.query_params[key]
    press(checked(host), "room-open")
    assert address(host)["room"] != first
    assert f"There is no room {first} anymore" in visits.words(joined(first))


def test_a_room_that_ended_says_so_on_the_phone() -> None:
    host = press(page(part="room"), "room-open")
    code = address(host)["room"]
    phone = joined(code)
    press(host, "room-end")
    assert set(address(host)) == {"part"}
    assert f"There is no room {code} anymore" in visits.words(checked(phone))


def test_a_wrong_code_is_refused_in_words() -> None:
    for typed, words in (("AB", "5 letters"), ("BCDFG", "There is no room BCDFG")):
        app = page(part="room")
        app.text_input(key="room-code").set_value(typed)
        next(button for button in app.button if button.label == "Join").click()
        assert words in visits.words(checked(app))


def test_another_game_can_be_played_in_the_same_room() -> None:
    host = press(page(part="room"), "room-open")
    host.radio(key="at-answers").set_value("published")
    press(checked(host), "room-change")
    phone = joined(address(host)["room"])
    press(phone, "room-say-in")
    press(host, "room-show")
    there = "It was in the data." in html(host)
    assert f"{int(there)} of 1 right" in visits.words(host)


# Slides.


@pytest.mark.parametrize("key", ["a-level-for-each-area", "when-a-proof-fails"])
def test_every_step_of_a_lesson_becomes_a_slide(key: str) -> None:
    lesson = lesson_plans.shipped()[key]
    with zipfile.ZipFile(io.BytesIO(slides.as_zip(lesson, step_picture.pictures))) as archive:
        names = archive.namelist()
        assert names == [f"{key}-{n}.png" for n in range(1, len(lesson.steps) + 1)]
        for name in names:
            picture = Image.open(io.BytesIO(archive.read(name))).convert("RGB")
            assert picture.size == (1280, 720)
            right = picture.crop((slides.PICTURE, 0, 1280, 720))
            assert len(right.getcolors(1 << 20) or []) > 50
            left = picture.crop((0, 130, slides.WORDS, 600))
            colors = {color: number for number, color in left.getcolors(1 << 20) or []}
            assert colors[(255, 255, 255)] < left.width * left.height - 2_000


# A lesson of one's own.


def test_the_example_is_a_lesson_and_its_steps_can_be_tried() -> None:
    app = page(part="write")
    assert not app.error
    assert "#### My lesson" in visits.words(app)
    press(app, "try-2")
    assert address(app) == {"part": "luck", "privacy": "Strictest"}


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ('title = "My lesson"', "title = ", "no TOML file"),
        (
            'part = "luck", privacy = "Loosest"',
            'part = "nowhere"',
            "part = 'nowhere' does not work",
        ),
        ('privacy = "Loosest"', 'privcy = "Loosest"', "Did you mean 'privacy'?"),
        ('privacy = "Strictest"', "frame = -1", "frame = '-1' does not work"),
        ("[[steps]]", "[[step]]", "has no steps"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_offered(before: str, after: str, told: str) -> None:
    app = page(part="write")
    text = lesson_writing.EXAMPLE.replace(before, after)
    assert text != lesson_writing.EXAMPLE
    app.text_area(key=lesson_writing.TYPED).set_value(text)
    shown = "".join(error.value.replace("\\", "") for error in checked(app).error)
    assert told in shown
    assert not [button for button in app.button if (button.key or "").startswith("try-")]


def test_what_was_written_is_still_there_after_a_step_was_tried() -> None:
    app = page(part="write")
    text = lesson_writing.EXAMPLE.replace("My lesson", "Our town")
    app.text_area(key=lesson_writing.TYPED).set_value(text)
    press(checked(app), "try-1")
    app.query_params["part"] = "write"
    assert "#### Our town" in visits.words(checked(app))


def test_every_lesson_that_ships_passes_the_check() -> None:
    for lesson in lesson_plans.shipped().values():
        assert not list(lesson_check.problems(lesson))


@pytest.mark.parametrize("lesson", lesson_plans.shipped().values(), ids=lambda each: each.key)
def test_every_first_step_has_a_picture_for_its_card(lesson: lesson_plans.Lesson) -> None:
    assert step_picture.card(lesson.steps[0].opens, LIGHT).startswith('<img class="small-map"')
