"""Choose a level through Streamlit's own test runner: the need in words, the level, the links."""

from __future__ import annotations

import json
import urllib.parse
from dataclasses import replace

import numpy as np
from streamlit.testing.v1 import AppTest

import dpcore
from dpcore.datasets.base import DataInfo
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import Box
from dpcore.study.needs import CentersWithin
from dpcore.study.recommendation import recommend
from pages.ui.own_data import HELD, SessionData
from tests.pages.visits import APP, address, checked, html, visited, words
from tests.waiting import eventually

CHOOSE = "pages/7_choose.py"
CHICAGO = Box((-88.0, 41.6), (-87.5, 42.1), ("longitude", "latitude"))


def done(app: AppTest) -> AppTest:
    """The page once all levels are tried."""
    eventually(lambda: "20 runs per level;" in ready(checked(app)))
    return app


def ready(app: AppTest) -> str:
    text = words(app)
    return text.replace("20 runs per level.", "20 runs per level;") if "so far" not in text else ""


def links(app: AppTest) -> dict[str, dict[str, str]]:
    """Where each link leads: its label with the query."""
    found = {}
    for each in app.get("page_link"):
        query = dict(urllib.parse.parse_qsl(each.proto.query_string))
        found[each.proto.label] = query
    return found


def test_the_level_is_that_of_the_library_and_its_links_carry_it() -> None:
    app = done(visited(CHOOSE, data="s1-like", k=3, privacy="Loosest", part_of_box=3.0))
    found = recommend(CentersWithin(3), dpcore.datasets.load("s1-like"), 3, every_level=True)
    assert found.level is not None
    assert found.level.name in html(app)
    assert "is the strictest level that meets your need" in html(app)
    chart = json.loads(app.get("plotly_chart")[0].proto.spec)
    assert len(chart["data"]) == 3
    for label in ("Publish with this level", "Explore this level"):
        assert links(app)[label]["privacy"] == found.level.name
        assert links(app)[label]["k"] == "3"


def test_a_need_picked_in_words_stands_in_the_address() -> None:
    app = visited(CHOOSE, data="s1-like", k=3)
    app.selectbox[0].set_value("worse")
    app = checked(app)
    assert address(app)["need"] == "worse"
    assert "than without privacy," in words(app)
    app.selectbox[1].set_value(5.0)
    assert address(checked(app))["worse_by"] == "5.0"


def test_no_level_says_what_would_do() -> None:
    app = done(visited(CHOOSE, data="s1-like", k=3, need="counts", counts_within=5, often=0.99))
    assert "No level meets your need" in html(app)
    assert "More rows would not help" in html(app)
    assert "Publish with this level" not in links(app)


class PrivateRows(RowsDataset):
    """Rows that nobody may look at."""

    def _refuse(self, *_args: object, **_named: object) -> None:
        raise AssertionError("private rows were looked at")

    positions = histogram = cost = cluster_totals = squared_ticks = whole_cost = _refuse  # type: ignore[assignment]


def holding(about: DataInfo, kind: type[RowsDataset] = RowsDataset, **query: object) -> AppTest:
    coins = np.random.default_rng(0)
    rows = coins.integers(0, 2**21, (3000, 2), dtype=np.int32)
    own = SessionData(about, kind(rows, CHICAGO, about), twin_of="own-rows" if about.twin else None)
    app = AppTest.from_file(APP, default_timeout=600)
    app.session_state[HELD.name] = {own.key: own}
    app.switch_page(CHOOSE)
    for name, value in ({"data": own.key} | query).items():
        app.query_params[name] = str(value)
    return checked(app)


RAW = DataInfo("own-mine", "Mine", "Rows of mine.", "visit", geographic=True)


def test_raw_data_choose_no_level_and_a_public_number_of_rows_does() -> None:
    app = holding(RAW, PrivateRows)
    assert "they may not choose the level" in words(app)
    assert not app.get("plotly_chart")
    app = done(holding(RAW, PrivateRows, public_rows=40000, need="worse"))
    assert "Measured on public New York trips laid over your area" in words(app)
    assert app.get("plotly_chart")


def test_a_twin_is_measured_itself() -> None:
    twin = replace(RAW, public=True, twin=True)
    app = holding(twin, need="worse", k=2)
    assert "Measured on the private twin" in words(app)
