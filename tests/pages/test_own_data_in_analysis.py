"""Data of one's own on every page of analysis: hidden, shown raw, as a twin, or declared public."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from dpcore.datasets import DataInfo
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import Box
from pages.ui import visibility
from pages.ui.own_data import HELD, SessionData
from pages.ui.visibility import SHOWN
from tests.pages.visits import APP, press, words

KEY = "own-0123456789ab"
PAGES = {
    "curves": ("pages/1_curves.py", {"from": 2.0, "to": 2.0, "runs": 1, "with": ""}),
    "rank": ("pages/2_compare.py", {"runs": 1, "paper": "ni2021"}),
    "sizes": ("pages/2_compare.py", {"compare": "size", "size_runs": 1, "coresets": ""}),
    "mine": ("pages/2_compare.py", {"compare": "mine"}),
}
#: Pages that run nothing.
OTHERS: dict[str, tuple[str, dict[str, Any]]] = {
    "predict": ("pages/2_compare.py", {"compare": "predict", "public_rows": 7000}),
    "with a theorem": ("pages/3_verdicts.py", {"method": "dplloyd"}),
    "without": ("pages/3_verdicts.py", {"method": "eugkm"}),
}


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that pages offer."""
    offered: list[str] = []
    real = st.download_button

    def button(label: str, data: Any, name: str = "", *rest: Any, **named: Any) -> bool:
        offered.append(name)
        return bool(real(label, data, name, *rest, **named))

    monkeypatch.setattr(st, "download_button", button)
    return offered


def opened(name: str, *, twin: bool = False, shown: bool = False) -> AppTest:
    rows = np.random.default_rng(0).normal(0, 0.2, (3000, 2)).clip(-0.99, 0.99)
    about = DataInfo(KEY, "Mine", "Rows of mine.")
    own = SessionData(about, from_array(rows, (-1, 1)), twin_of="own-x" if twin else None)
    file, query = (OTHERS | PAGES)[name]
    app = AppTest.from_file(APP, default_timeout=600).switch_page(file)
    app.session_state[HELD.name] = {KEY: own}
    if shown:
        app.session_state[SHOWN.name] = {KEY}
    for key, value in {"data": KEY, "algorithm": "dplloyd", "k": 3, **query}.items():
        app.query_params[key] = str(value)
    app.run()
    assert not app.exception, app.exception
    return app


@pytest.mark.parametrize("name", PAGES)
def test_raw_data_are_hidden_until_somebody_says_what_they_are(name: str, files: list[str]) -> None:
    app = opened(name)
    assert "Your raw data are hidden" in words(app)
    assert not app.get("plotly_chart")
    app = press(app, "declare-public")
    assert "You said that these data are public." in words(app)
    assert app.get("plotly_chart")
    assert files
    # Nobody else has the data, so no notebook and no command could repeat what is shown.
    assert not any(file.endswith(".ipynb") for file in files)
    assert not [code for code in app.code if "dpcore sweep" in code.value]
    app = press(app, "not-public")
    assert "Your raw data are hidden" in words(app)


@pytest.mark.parametrize("name", PAGES)
def test_raw_data_on_screen_are_in_no_file_and_a_twin_is_marked_as_one(
    name: str, files: list[str]
) -> None:
    app = opened(name, shown=True)
    assert "Your raw data" in words(app)
    assert visibility.NOT_PRIVATE in words(app)
    assert app.get("plotly_chart")
    assert files == []
    app = opened(name, twin=True)
    assert "Private twin." in words(app)
    assert files
    assert all("private-twin" in file for file in files)


def test_names_of_own_columns_stay_out_of_the_address() -> None:
    rows = np.random.default_rng(0).normal(0, 0.2, (3000, 3)).clip(-0.99, 0.99)
    data = from_array(rows, Box((-1, -1, -1), (1, 1, 1), ("dose", "salary", "2")))
    app = AppTest.from_file(APP, default_timeout=600)
    app.session_state[HELD.name] = {KEY: SessionData(DataInfo(KEY, "Mine", "Mine."), data)}
    app.session_state[SHOWN.name] = {KEY}
    app.query_params["data"] = KEY
    app.query_params["algorithm"] = "auto"
    app.run()
    assert app.selectbox(key="at-x").options == ["dose", "salary", "2"]
    app.selectbox(key="at-x").set_value("2").run()
    app.selectbox(key="at-y").set_value("1").run()
    assert not app.exception
    assert (app.query_params["x"], app.query_params["y"]) == ("2", "1")
    assert "**salary** and **dose**" in words(app)


def test_predictions_say_which_data_they_are_for_and_who_counted_the_rows() -> None:
    raw, twin = words(opened("predict")), words(opened("predict", twin=True))
    assert "**Mine**: 7,000 rows, 3 centers, 2 dimensions. You typed the number of rows" in raw
    assert "**Mine**: 3,000 rows, 3 centers, 2 dimensions. The rows are those of the" in twin


def test_run_times_told_before_runs_are_said_to_be_of_other_data() -> None:
    said = "Run times are those on New York's 50,000 trips."
    app = opened("rank", shown=True)
    assert said in app.toggle(key="at-fewer_runs").help
    app.query_params["data"] = "iris"
    assert said not in app.run().toggle(key="at-fewer_runs").help


def test_a_method_page_asks_for_a_number_of_rows_only_where_a_theorem_needs_one() -> None:
    app = opened("with a theorem")
    (asked,) = app.number_input
    assert "need a public number of rows of “Mine”" in words(app)
    asked.set_value(7000).run()
    assert "evaluated for 7,000 rows of 2 coordinates (Mine)" in words(app)
    without = opened("without")
    assert not without.number_input
    assert "No theorem promises" in words(without)
