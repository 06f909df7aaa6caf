"""The picture of a finding shows its figures, each in the panel and on the line of its setting."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from dpcore.papers import Row, kept_outcomes
from pages.ui.compare import finding_chart
from pages.ui.compare.finding_chart import MOST_PANELS, panels_of
from pages.ui.palette import LIGHT
from tests.pages.visits import visited, words

KEPT = kept_outcomes()
#: Their figures lie along no axis.
WITHOUT = {"su2016-table1", "su2016-fig7", "joshi2022-lemma1-2", "balcan2017-fig4"}


def drawn(name: str, narrow: bool = False) -> dict[str, Any]:
    shown = panels_of(KEPT[name].rows)
    assert shown
    spec: dict[str, Any] = json.loads(finding_chart.figure(shown, LIGHT, narrow).to_json())
    return spec


@pytest.mark.parametrize("name", sorted(set(KEPT) - WITHOUT))
def test_no_line_has_two_figures_at_one_place(name: str) -> None:
    shown = panels_of(KEPT[name].rows)
    assert shown
    assert len(shown.panels) <= MOST_PANELS
    assert len(set(shown.titles)) == len(shown.panels)
    for rows in shown.panels.values():
        places = [(row.setting.get("algorithm"), row.setting[shown.along]) for row in rows]
        assert len(set(places)) == len(places)
    inside = sum(map(len, shown.panels.values()))
    known = [row for row in KEPT[name].rows if not math.isnan(row.figure)]
    assert inside == sum(shown.along in row.setting for row in known)
    assert inside > 0.7 * len(known)


def test_what_lies_along_no_axis_has_no_picture_and_the_page_says_so() -> None:
    assert {name for name, outcome in KEPT.items() if not panels_of(outcome.rows)} == WITHOUT
    app = visited("pages/2_compare.py", compare="papers", paper="su2016", finding="su2016-table1")
    assert "there is no picture of them" in words(app)
    assert not app.get("plotly_chart")


def test_a_finding_has_a_picture_with_a_camera_beside_its_table() -> None:
    app = visited("pages/2_compare.py", compare="papers", paper="su2016", finding="su2016-fig1")
    (chart,) = app.get("plotly_chart")
    assert json.loads(chart.proto.config)["modeBarButtons"] == [["toImage"]]
    assert "figure 1, measured again" in chart.proto.alt
    assert app.dataframe
    assert app.segmented_control(key="at-picture").value == "PNG"
    titles = {note["text"] for note in json.loads(chart.proto.spec)["layout"]["annotations"]}
    assert titles == {"s1", "gowalla", "tiger", "image", "adult", "lifesci"}


def test_figures_stand_with_their_errors_and_the_papers_numbers_are_hollow() -> None:
    rows = [
        Row({"k": k, "algorithm": "eugkm"}, 0.1 * k, paper=0.2 if k == 3 else None, error=0.01)
        for k in (4, 3, 2)
    ]
    shown = panels_of(rows)
    assert shown
    ours, theirs = json.loads(finding_chart.figure(shown, LIGHT, False).to_json())["data"]
    assert ours["x"] == [2, 3, 4]
    assert ours["y"] == pytest.approx([0.2, 0.3, 0.4])
    assert ours["error_y"]["array"] == [0.01] * 3
    assert (theirs["x"], theirs["y"]) == ([3], [0.2])
    assert theirs["marker"]["symbol"] == "square-open"


def test_each_method_has_one_name_in_the_key_and_panels_stack_in_a_narrow_window() -> None:
    wide, narrow = drawn("su2016-fig1"), drawn("su2016-fig1", narrow=True)
    for spec in (wide, narrow):
        named = [trace["name"] for trace in spec["data"] if trace["showlegend"]]
        assert len(named) == len(set(named)) == 7
    assert narrow["layout"]["height"] > 2 * wide["layout"]["height"]
