"""My own map and wishes: a track stays in its visit, a wish is counted privately or changes
nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.datasets.tracks import EXAMPLE_STOPS
from dpcore.datasets.wishes import Wish, as_text
from dpcore.privacy import explain
from dpcore.release.ledger import Ledger
from pages.ui import city_map
from pages.ui.areas import chosen, own_track, wishes_view
from pages.ui.areas.chosen import Chosen
from tests.pages.visits import address, checked, maps, press, visited, words
from tests.seeded_noise import seeded_noise

AREAS = "pages/6_areas.py"
YORKVILLE, MIDTOWN = "Upper East Side-Yorkville", "Midtown-Times Square"
PLAN = chosen.text([Chosen(YORKVILLE, "Strictest"), Chosen(MIDTOWN, "Loosest")])
LOOSEST = explain.LEVELS[0].epsilon
CSV = b"lon,lat\n" + b"-73.9490,40.7770\n" * 30 + b"-73.9850,40.7545\n" * 5 + b"2.35,48.85\n"


def my_map(**query: object) -> AppTest:
    return visited(AREAS, areas_view="mine", **query)


def with_track(content: bytes = CSV, name: str = "day.csv", **query: object) -> AppTest:
    app = my_map(**query)
    app.file_uploader[0].set_value((name, content, "text/csv"))
    return checked(app)


def strict_places(app: AppTest):
    return next(m for m in app.multiselect if "live and work" in m.label)


def test_a_track_shows_what_the_plan_would_count_of_it_area_by_area() -> None:
    app = with_track(areas=PLAN, counted=20)
    table = app.table[0].value
    assert list(table["Area"]) == [YORKVILLE, MIDTOWN]
    assert list(table["Level"]) == ["Strictest", "Loosest"]
    assert list(table["Your positions there"]) == ["30", "5"]
    assert list(table["Counted, at most"]) == ["20", "5"]
    assert list(table.iloc[:, -1]) == [explain.odds(0.02), explain.odds(LOOSEST * 5 / 20)]
    assert "1 of your positions lie outside the map" in words(app)
    app.number_input(key="at-counted").set_value(0)
    assert checked(app).table[0].value.iloc[1, -1] == explain.odds(5 * LOOSEST)


def test_a_track_is_drawn_for_its_owner_and_stands_in_no_address_and_no_control() -> None:
    app = with_track()
    assert maps(app)[0]["points"]["count"] == 36
    assert "file" not in str(address(app))
    assert set(address(app)) == {"areas_view"}
    assert not app.file_uploader
    strict_places(app).set_value([YORKVILLE])
    checked(app)
    assert set(address(app)) == {"areas_view"}
    press(app, next(b.key for b in app.button if b.label == "Forget my track"))
    assert own_track.HELD.name not in app.session_state
    assert maps(app)[0]["points"] is None
    assert app.file_uploader[0].value is None


def test_home_is_marked_as_a_whole_neighborhood_and_compared_with_the_plan() -> None:
    app = with_track(areas=PLAN)
    assert strict_places(app).options[:2] == [MIDTOWN, YORKVILLE]
    strict_places(app).set_value([YORKVILLE, MIDTOWN])
    checked(app)
    marked = [a for a in maps(app)[0]["areas"] if "marked by you" in a["tip"][0]]
    assert {a["name"] for a in marked} == {YORKVILLE, MIDTOWN}
    assert "A wish is itself a secret" in words(app)
    said = words(app).replace("\\", "")
    assert f"{YORKVILLE}, Stricter: the plan is as strict" in said
    assert f"{MIDTOWN}, Stricter: the plan is **less strict**" in said
    assert [b.label for b in app.get("download_button")] == ["My wish as GeoJSON"]


def test_a_file_that_is_no_track_says_so_in_one_sentence() -> None:
    app = my_map()
    for name, content, complaint in (
        ("day.csv", b"a,b\n1,2\n", "names no columns longitude and latitude"),
        ("day.gpx", b"<gpx", "is not GPX"),
        ("day.json", b'{"type": "Polygon"}', "is not GeoJSON of points and lines"),
    ):
        app.file_uploader[0].set_value((name, content, "text/plain"))
        (warning,) = checked(app).warning
        assert complaint in warning.value
        assert own_track.HELD.name not in app.session_state


def test_an_example_track_needs_no_file() -> None:
    app = my_map()
    next(b for b in app.button if b.label == "Try an example track").click()
    checked(app)
    assert app.table
    west, south, east, north = maps(app)[0]["points"]["box"]
    assert west <= EXAMPLE_STOPS[0][0] <= east
    assert south <= EXAMPLE_STOPS[0][1] <= north


def test_far_from_new_york_a_track_is_shown_and_no_wish_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(city_map, "in_new_york", lambda box: False)
    app = with_track()
    assert app.table
    assert not app.multiselect
    assert "neighborhoods of New York" in words(app)


def wishes_page(people: int, wish: Wish, **query: object) -> AppTest:
    app = visited(AREAS, areas_view="wishes", **query)
    text = as_text(wish).encode()
    files = [(f"{i}.geojson", text, "application/json") for i in range(people)]
    app.file_uploader[0].set_value(files)
    return checked(app)


def test_wishes_are_compared_without_changing_the_plan() -> None:
    app = wishes_page(2, Wish({YORKVILLE: 0.02, MIDTOWN: 0.1}), areas=PLAN)
    table = app.table[0].value
    assert list(table["Neighborhood"]) == [MIDTOWN, YORKVILLE]
    assert list(table["Strictest wish"]) == ["Strict", "Strictest"]
    assert list(table["The plan is as strict"]) == ["no", "yes"]
    assert "Do not redraw the plan by this table" in words(app)
    assert address(app)["areas"] == PLAN
    assert "wishes of 2 people" in words(app)


def test_enough_wishes_become_areas_once_and_the_account_pays(ledger_folder: Path) -> None:
    app = wishes_page(150, Wish({YORKVILLE: 0.02}))
    assert "reaches **72**" in words(app)
    (button,) = (b for b in app.button if b.key == "count-wishes")
    assert button.disabled, "no single click uses a budget"
    app.text_input(key="confirm count-wishes").set_value("wishes")
    with seeded_noise():
        press(checked(app), "count-wishes")
    assert address(app)["areas"] == f"{YORKVILLE}*Strictest"
    (entry,) = Ledger(ledger_folder).entries()
    assert str(entry.charged) == "ε 1"
    assert "Counted and charged as entry 1" in words(app)
    assert wishes_view.HELD.name not in app.session_state
    assert "count-wishes" not in {b.key for b in app.button}
    press(app, "see-plan")
    assert maps(app)[0]["areas"][0]["name"] == YORKVILLE


def test_few_wishes_are_not_granted_and_an_account_that_cannot_pay_spends_nothing(
    ledger_folder: Path,
) -> None:
    app = wishes_page(2, Wish({YORKVILLE: 0.02}))
    assert "fewer wishes than that (2)" in words(app)
    app.text_input(key="confirm count-wishes").set_value("wishes")
    with seeded_noise():
        press(checked(app), "count-wishes")
    assert "areas" not in address(app)
    app.file_uploader[0].set_value(
        [("a.geojson", as_text(Wish({YORKVILLE: 0.02})).encode(), "application/json")]
    )
    checked(app)
    app.text_input(key="confirm count-wishes").set_value("wishes")
    press(checked(app), "count-wishes")
    assert any("Nothing was counted" in w.value for w in app.warning)
    assert len(Ledger(ledger_folder).entries()) == 1
    assert len(app.session_state[wishes_view.HELD.name]) == 1


def test_a_file_that_is_no_wish_is_named_and_the_others_count() -> None:
    app = visited(AREAS, areas_view="wishes")
    good = as_text(Wish({YORKVILLE: 0.02})).encode()
    square = json.dumps({"type": "FeatureCollection", "features": []}).encode()
    app.file_uploader[0].set_value(
        [("bad.geojson", square, "application/json"), ("good.geojson", good, "application/json")]
    )
    checked(app)
    (warning,) = (w for w in app.warning if "it has no areas" in w.value)
    assert "wishes of one person" in words(app)
    assert warning


def test_a_wish_that_is_loaded_as_areas_is_public_places() -> None:
    app = visited(AREAS)
    text = as_text(Wish({YORKVILLE: 0.02, MIDTOWN: 0.1})).encode()
    app.file_uploader[0].set_value(("wish.geojson", text, "application/json"))
    checked(app)
    assert address(app)["areas"] == f"{MIDTOWN}*Strict~{YORKVILLE}*Strictest"
    assert {a["layer"] for a in maps(app)[0]["areas"]} == {"neighborhoods"}
