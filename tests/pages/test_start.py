"""Start through Streamlit's own test runner: doors, the tour, and words that explain themselves."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

import dpcore
from pages.ui import frame, glossary, tour
from tests.pages import visits
from tests.pages.visits import address, maps, press, visited


def page(**query: object) -> AppTest:
    return visited("pages/0_start.py", **query)


def test_it_asks_a_question_tells_what_happened_and_names_its_source() -> None:
    app = page()
    assert app.title[0].value == "Could a neighbor find your taxi trip?"
    written = visits.html(app)
    assert "173 million" in written
    assert "On Taxis and Rainbows" in written
    (shown,) = maps(app)
    assert not shown["partners"]
    assert shown["points"]


def test_three_doors_lead_on_and_keep_the_address() -> None:
    app = page(privacy="Strict", tour="2")
    links = [each.proto for each in app.get("page_link")]
    for door in ("publish", "learn", "compare", ""):
        queries = [link.query_string for link in links if link.page == door]
        assert "privacy=Strict" in queries
    assert visits.html(app).count("<img") == 3


def test_the_tour_has_four_steps_can_be_left_and_is_found_again() -> None:
    app = press(page(), "tour-begin")
    titles = []
    for number in range(1, 5):
        assert address(app) == {"tour": str(number)}
        assert f"Tour, step {number} of 4" in visits.words(app)
        titles.append(app.subheader[0].value)
        assert len(maps(app)) == 2
        if number < 4:
            press(app, "tour-next")
    assert len(set(titles)) == len(tour.steps()) == 4
    press(app, "tour-back")
    press(app, "tour-leave")
    assert address(app) == {}
    assert app.button(key="tour-begin").label == "Continue the tour at step 3"
    press(app, "tour-begin")
    assert address(app) == {"tour": "3"}


def test_raw_trips_are_shown_on_the_first_step_of_the_tour_only() -> None:
    red = [
        any(layer["kind"] == "dots" and len(layer["at"]) > 1 for layer in maps(app)[1]["drawing"])
        for app in (page(tour=number) for number in range(1, 5))
    ]
    assert red == [True, False, False, False]


def test_each_word_explains_itself_to_mouse_and_keyboard() -> None:
    written = visits.html(page())
    for word in glossary.FIRST_WORDS:
        assert glossary.term(word) in written
        assert glossary.meanings()[word].endswith(".")
    assert written.count('tabindex="0"') == len(glossary.FIRST_WORDS)


def test_every_meaning_of_the_glossary_is_read() -> None:
    rows = [line for line in glossary.FILE.read_text("utf-8").splitlines() if line[:3] == "| *"]
    assert len(glossary.meanings()) == len(rows) > len(glossary.FIRST_WORDS)


def test_help_about_and_version_are_there() -> None:
    app = page()
    assert [each.label for each in app.expander] == ["Help", "About"]
    assert f"Version {dpcore.__version__}" in visits.words(app)


def test_explore_stays_the_root_and_start_is_in_the_menu() -> None:
    files = [file for file, _, _ in frame.PAGES]
    assert files.index("pages/0_start.py") == 0
    assert "app.py" in files
    assert visited().title[0].value == visited("app.py").title[0].value
