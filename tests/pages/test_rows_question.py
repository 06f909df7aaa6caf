"""A publisher who does not know how many rows each person has asks the data, and pays for it."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from dpcore.release import Amount, Ledger
from dpcore.release.contribution_bound import PURPOSE
from pages.ui.publish import series_choice
from tests.pages.publishing import counted, page, settled, trips, typed, upload
from tests.pages.visits import checked, press, words


def protecting_people() -> AppTest:
    """The step on protection, where people are told apart by their card."""
    lines = [f"{x:.5f},{y:.5f},{i // 3}" for i, (x, y) in enumerate(trips(9000).tolist())]
    app = upload(page(), "people.csv", "\n".join(["lon,lat,card", *lines]))
    app.radio(key="remembered-who").set_value("person")
    app = checked(app)
    (meaning,) = (each for each in app.radio if "hold?" in each.label)
    meaning.set_value("same")
    return checked(app)


def name_at_level(app: AppTest) -> TextInput:
    (found,) = (each for each in app.text_input if each.label == "Name of these data")
    return found


def test_a_question_that_was_not_asked_gives_the_data_no_name(ledger_folder: Path) -> None:
    app = protecting_people()
    assert name_at_level(app).value == "people"  # that of the question
    app.number_input(key="remembered-rows").set_value(3)
    app = press(counted(press(checked(app), "who")), "protected")
    name_at_level(app).set_value("city")
    app = press(checked(app), "change-place")
    app = press(app, "protected")
    assert name_at_level(app).value == "city"
    assert Ledger(ledger_folder).entries() == []


def test_the_number_is_asked_from_the_budget_and_the_release_follows(ledger_folder: Path) -> None:
    app = protecting_people()
    app.number_input(key="remembered-asked price").set_value(0.5)
    app.text_input(key="remembered-asked name").set_value("riders")
    assert app.button(key="ask-rows").label == "Ask, and use ε 0.05 for good"
    app = checked(app)
    assert app.button(key="ask-rows").disabled
    assert Ledger(ledger_folder).entries() == []
    app = settled(press(typed(app), "ask-rows"))
    (asked,) = Ledger(ledger_folder).entries()
    assert (asked.purpose, asked.account, asked.charged) == (PURPOSE, "riders", Amount.of(0.5))
    assert "with up to 3 rows" in words(app)
    app = press(app, "who")
    app = press(counted(app), "protected")
    assert any("ε 0.5 left" in each.proto.text for each in app.get("progress"))
    (often,) = (each for each in app.radio if each.label == "How often?")
    often.set_value(series_choice.AGAIN)
    app = checked(app)
    (series,) = (each for each in app.text_input if each.label == "Name of the series")
    assert series.value == "riders"  # one account pays for all
    app = page(view="history")
    assert "How many rows each person has" in words(app)
