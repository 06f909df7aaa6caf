"""A series on Publish: chosen in words, published period by period, united in History."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from dpcore.release import Ledger
from pages.ui.publish import series_choice
from pages.ui.publish.history import as_csv
from tests.pages.publishing import (
    brought,
    confirmed,
    counted,
    csv_text,
    released,
    trips,
    until,
    upload,
)
from tests.pages.visits import checked, press, words


def box(app: AppTest, label: str) -> TextInput:
    (found,) = (each for each in app.text_input if each.label == label)
    return found


def period(app: AppTest, name: str, when: str, disjoint: bool) -> AppTest:
    (often,) = (each for each in app.radio if each.label == "How often?")
    often.set_value("again")
    checked(app)
    box(app, "Name of the series").set_value(name)
    box(app, "The period of this release").set_value(when)
    checked(app)
    (stated,) = (each for each in app.checkbox if "one period only" in each.label)
    stated.set_value(disjoint)
    return checked(app)


def test_two_months_are_published_and_united(ledger_folder: Path) -> None:
    app = period(brought(csv_text(trips(800, seed=1))), "Pickups", "2015-12", disjoint=True)
    assert "Each period has a budget of its own" in words(app)
    press(app, "settled")
    box(app, "Who publishes this?").set_value("Ann")
    box(app, "Why, or for whom?").set_value("the annual report")
    box(app, "Who publishes?").set_value("Transit Office")
    until(confirmed(checked(app)), "was made on")
    assert "Release 1 of “Pickups, 2015-12”" in words(app)
    history(app)
    assert "Series: Pickups" in words(app)
    assert "Ann: the annual report" in words(app).replace("\\", "")
    upload(press(app, "next-1"), "next.csv", csv_text(trips(900, seed=2)))
    press(counted(app), "protected")
    assert box(app, "Name of the series").value == "Pickups"
    assert box(app, "The period of this release").value == "2016-01"
    history(released(app))
    assert "2 releases cost one trip ε 0.2 together, the largest of them" in words(app)
    ledger = Ledger(ledger_folder)
    assert [each.account for each in ledger.entries()] == ["Pickups, 2015-12", "Pickups, 2016-01"]
    first = ledger.files(1)["certificate.html"].decode()
    assert "Transit Office" in first
    assert "annual report" not in first
    lines = list(csv.DictReader(io.StringIO(as_csv(ledger.entries()))))
    assert (lines[0]["who"], lines[0]["why"]) == ("Ann", "the annual report")


def history(app: AppTest) -> AppTest:
    return press(app, "to-history")


def test_months_that_may_share_rows_add_up_and_the_page_says_why() -> None:
    app = period(brought(csv_text(trips(700, seed=3))), "Rides", "May", disjoint=False)
    told = words(app).replace("\\", "")
    assert "you do not state that each row is in one period only" in told
    assert "pays for 5 releases like this one; then the series ends" in told
    box(app, "The period of this release").set_value(" ")
    app = checked(app)
    assert "Say which period this is." in words(app)
    assert app.button(key="settled").disabled


def test_the_month_after_december_is_january() -> None:
    class Made:
        def __init__(self, period: str) -> None:
            self.plan = {"series": {"period": period}}

    after = {"2015-12": "2016-01", "2015-01": "2015-02", "May": "", "2015-13": ""}
    for period_, next_one in after.items():
        assert series_choice.following([Made(period_)]) == next_one  # type: ignore[list-item]
