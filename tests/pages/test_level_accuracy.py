"""Accuracy beside privacy on Publish: public figures, live, and a need that sets the level."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.privacy.explain import MIDDLE
from dpcore.release import FileData, Ledger
from dpcore.release.unit import Unit
from dpcore.study.needs import CentersWithin
from dpcore.study.recommendation import recommend
from pages.ui.own_data import HELD, SessionData
from tests.pages.publishing import PUBLISH, confirmed, until
from tests.pages.test_choose import CHICAGO, RAW, PrivateRows, done
from tests.pages.visits import APP, address, checked, press, visited, words


def figure(app: AppTest) -> str:
    """The figure beside what an attacker can gain."""
    (found,) = (each for each in app.metric if "attacker" not in each.label)
    return str(found.value)


def measured(app: AppTest) -> str:
    return figure(done(app))


def test_a_need_sets_the_level_and_the_figure_follows_the_slider() -> None:
    app = visited(PUBLISH, data="s1-like", k=3, step="level", privacy="Loosest", part_of_box=3.0)
    at_loosest = measured(app)
    found = recommend(CentersWithin(3), dpcore.datasets.load("s1-like"), 3, every_level=True)
    assert found.level is not None
    assert f"**{found.level.name}** is the strictest level" in words(app)
    assert "Measured on these data, which are public" in words(app)
    app = press(app, "needed-level")
    assert address(app).get("privacy", MIDDLE.name) == found.level.name
    assert "and the slider stands there" in words(app)
    assert app.select_slider[0].value == found.level.name
    assert measured(app) != at_loosest


def of_own_rows(unit: Unit, **query: object) -> AppTest:
    """The level step of data whose rows nobody may look at."""
    rows = np.random.default_rng(0).integers(0, 2**21, (3000, 2), dtype=np.int32)
    source = FileData("nowhere.csv", ("longitude", "latitude"), CHICAGO)
    own = SessionData(RAW, PrivateRows(rows, CHICAGO, RAW), source, unit)
    app = AppTest.from_file(APP, default_timeout=600)
    app.session_state[HELD.name] = {own.key: own}
    app.switch_page(PUBLISH)
    for name, value in ({"data": own.key, "step": "level", "need": "worse"} | query).items():
        app.query_params[name] = str(value)
    return checked(app)


def test_own_rows_show_no_accuracy_before_somebody_types_a_public_number() -> None:
    app = of_own_rows(Unit("visit"))
    assert figure(app) == "?"
    assert "Your rows are not looked at" in words(app)
    app.number_input(key="at-public_rows").set_value(40_000)
    app = checked(app)
    assert measured(app) != "?"
    assert "Measured on public data of the same size: 40,000 simulated visits" in words(
        app
    ).replace("\\", "")
    assert address(app)["public_rows"] == "40000"


def test_a_person_with_many_rows_has_the_accuracy_of_a_part_of_the_level() -> None:
    of_a_person = of_own_rows(Unit("person", "card", 8), privacy="Loosest", public_rows=40_000)
    of_a_visit = of_own_rows(Unit("visit"), privacy="Loose", public_rows=40_000)
    assert measured(of_a_person) == measured(of_a_visit)


def test_the_certificate_says_how_accurate_this_very_run_is(ledger_folder: Path) -> None:
    app = visited(PUBLISH, data="s1-like", k=3, step="level", privacy="Loose", part_of_box=3.0)
    shown = measured(app)
    app = until(confirmed(press(app, "settled")), "was made on")
    page = Ledger(ledger_folder).files(1)["certificate.html"].decode()
    told = page.replace("\N{NO-BREAK SPACE}", " ").replace("&nbsp;", " ")
    assert f"9 in 10 centers lie within {shown}".replace("\N{NO-BREAK SPACE}", " ") in told
    assert "Measured on these data, which are public." in told
    assert "the count of an area with a tenth of the published points is right to about" in told
    app = visited(PUBLISH, data="s1-like", k=4, step="confirm", privacy="Loose")
    assert "how accurate the result is" not in words(app)
