"""Areas through Streamlit's own test runner: lists, sliders, files, words and the address."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpcore.privacy import explain
from dpcore.release import RELEASE, Ledger
from dpcore.study.packed_points import unpacked
from pages.ui.areas import chosen
from pages.ui.areas.chosen import Chosen
from pages.ui.palette import LIGHT
from tests.bad_areas import BAD, collection
from tests.pages.publishing import brought, released
from tests.pages.visits import address, checked, maps, press, visited, words

AREAS = "pages/6_areas.py"
MIDTOWN, YORKVILLE = "Midtown-Times Square", "Upper East Side-Yorkville"
SQUARE = ((-73.99, 40.72), (-73.98, 40.72), (-73.98, 40.73), (-73.99, 40.73))


def page(**query: object) -> AppTest:
    return visited(AREAS, **query)


def with_areas(*areas: Chosen, **query: object) -> AppTest:
    return page(areas=chosen.text(areas), **query)


def metric(app: AppTest, label: str) -> str:
    return next(str(m.value) for m in app.metric if label in m.label)


def published(app: AppTest, west: float, south: float, east: float, north: float) -> int:
    """How many published points lie in a rectangle."""
    points = unpacked(maps(app)[0]["points"])
    return sum(west < x < east and south < y < north for x, y, _ in points)


def test_without_areas_the_map_waits_for_a_click_and_offers_an_example() -> None:
    app = page()
    (drawn,) = maps(app)
    assert drawn["pick"] == "neighborhoods"
    assert drawn["draw"]
    assert not drawn["areas"]
    button = next(b for b in app.button if b.label == "Show me an example")
    button.click().run()
    assert len(maps(app)[0]["areas"]) == 3
    assert "Strictest" in address(app)["areas"]


def test_a_place_of_the_list_gets_a_slider_a_tint_and_a_line_of_the_legend() -> None:
    app = page()
    app.multiselect[0].set_value([MIDTOWN]).run()
    assert address(app) == {"areas": f"{MIDTOWN}*{chosen.FIRST_LEVEL}"}
    slider = next(s for s in app.select_slider if MIDTOWN in s.label)
    slider.set_value("Looser").run()
    assert address(app) == {"areas": f"{MIDTOWN}*Looser"}
    (area,) = maps(app)[0]["areas"]
    assert area["layer"] == "neighborhoods"
    assert area["tip"][0] == f"{MIDTOWN}: Looser"
    assert maps(app)[0]["legend"][0]["color"] == LIGHT.tints[1]
    app.multiselect[0].set_value([]).run()
    assert address(app) == {}
    assert not maps(app)[0]["areas"]


def test_a_borough_is_tinted_as_a_borough() -> None:
    (area,) = maps(with_areas(Chosen("Queens", "Strict")))[0]["areas"]
    assert area["layer"] == "boroughs"


def test_a_looser_area_publishes_more_points_there_and_no_others_elsewhere() -> None:
    strict = with_areas(Chosen("Home", "Strictest", SQUARE))
    loose = with_areas(Chosen("Home", "Looser", SQUARE))
    inside, east = (-73.99, 40.72, -73.98, 40.73), (-73.97, 40.75, -73.95, 40.80)
    assert published(loose, *inside) > 3 * published(strict, *inside)
    assert published(loose, *east) == published(strict, *east) > 0


def test_the_account_pays_the_largest_level_and_a_move_the_sum() -> None:
    app = with_areas(
        Chosen(MIDTOWN, "Looser"),
        Chosen("Home", "Strict", SQUARE),
        privacy="Loose",
        leaves=MIDTOWN,
        enters="Home",
    )
    assert "The account pays the largest level, 1" in words(app)
    assert metric(app, "where the trip was") == explain.odds(1.1)
    table = app.table[-1].value
    assert list(table["ε"]) == ["1", "0.1", "0.5"]
    app.selectbox(key="at-leaves").set_value("elsewhere").run()
    assert metric(app, "where the trip was") == explain.odds(0.6)
    assert address(app)["leaves"] == "elsewhere"


def test_overlapping_areas_are_refused_in_one_sentence_and_can_be_removed() -> None:
    app = with_areas(Chosen("Manhattan", "Strict"), Chosen(MIDTOWN, "Strict"))
    (warning,) = app.warning
    assert "overlap" in warning.value
    assert maps(app)[0]["points"] is None
    press(app, f"remove-{MIDTOWN}")
    assert not app.warning
    assert maps(app)[0]["points"]


def test_a_rectangle_is_typed() -> None:
    app = page()
    app.text_input[0].set_value("My *block*~")
    for side, value in zip(
        ("West", "East", "South", "North"), (-73.99, -73.98, 40.72, 40.73), strict=True
    ):
        app.number_input(key=f"typed-{side}").set_value(value)
    next(b for b in app.button if b.label == "Add the rectangle").click().run()
    (area,) = maps(app)[0]["areas"]
    assert area["name"] == "My  block"
    assert [[x, y] for x, y in SQUARE] == area["rings"][0][:4]


def feature(name: str, corners: Any, **more: object) -> dict[str, Any]:
    ring = [*corners, corners[0]]
    return {
        "type": "Feature",
        "properties": {"name": name, **more},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def loaded(*features: dict[str, Any]) -> AppTest:
    app = page()
    content = json.dumps({"type": "FeatureCollection", "features": features}).encode()
    app.file_uploader[0].set_value(("mine.geojson", content, "application/json")).run()
    assert not app.exception
    return app


def test_a_file_brings_areas_and_their_levels() -> None:
    app = loaded(feature("Home", SQUARE, epsilon=0.02))
    assert address(app)["areas"].startswith("Home*Strictest*-73.9900,40.7200_")
    again = page(areas=address(app)["areas"])
    assert maps(again)[0]["areas"] == maps(app)[0]["areas"]


def test_an_outline_too_long_for_an_address_stays_in_the_visit() -> None:
    many = [(-73.99 + i * 1e-4, 40.72 + (i % 2) * 1e-4) for i in range(80)]
    app = loaded(feature("Zigzag", [*many, (-73.98, 40.74), (-73.99, 40.74)]))
    assert address(app)["areas"] == f"Zigzag*{chosen.FIRST_LEVEL}*file"
    assert maps(app)[0]["areas"]
    elsewhere = page(areas=address(app)["areas"])
    assert "load the file again" in elsewhere.warning[0].value


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"features": [{}]}'])
def test_a_file_that_is_none_says_so(content: bytes) -> None:
    app = page()
    app.file_uploader[0].set_value(("mine.geojson", content, "application/json")).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert address(app) == {}


def test_bad_areas_are_refused_in_one_sentence_and_the_page_stays_as_it_was() -> None:
    app = page()
    for features, complaint in BAD.values():
        content = collection(*features).encode()
        app.file_uploader[0].set_value(("mine.geojson", content, "application/json"))
        (warning,) = checked(app).warning
        assert complaint in warning.value.replace("\\", "")
        assert address(app) == {}


def test_a_level_between_the_stops_of_the_slider_is_moved_to_the_nearest_and_that_is_said() -> None:
    app = loaded(feature("Home", SQUARE, epsilon=0.024))
    assert "Home*Strictest" in address(app)["areas"]
    assert any("nearest one\\: Home" in each.value for each in app.info)


@pytest.mark.parametrize(
    "text",
    [
        "Home",
        "Home*Absolute",
        "Home*Strict*1,2_3,4",
        "<b>*Strict",
        "Home*Strict*" + "_".join(["1,2"] * 99),
    ],
)
def test_nonsense_in_the_address_is_taken_out(text: str) -> None:
    app = page(areas=text)
    assert address(app) == {}


def test_an_unknown_place_in_the_address_is_named() -> None:
    app = page(areas="Atlantis*Strict")
    assert "Atlantis" in app.warning[0].value


def test_three_levels_vary_one_area() -> None:
    app = with_areas(Chosen(MIDTOWN, "Strict"), Chosen("Queens", "Strict"), three="true")
    shown = maps(app)
    assert [each["areas"][0]["tip"][0].split(": ")[1] for each in shown] == [
        "Loosest",
        "Balanced",
        "Strictest",
    ]
    assert {each["areas"][1]["tip"][0] for each in shown} == {"Queens: Strict"}
    assert {each["sync"] for each in shown} == {"run"}
    app.selectbox(key="at-varied").set_value("Queens").run()
    assert {each["areas"][0]["tip"][0] for each in maps(app)} == {f"{MIDTOWN}: Strict"}


@pytest.mark.parametrize("data", ["iris", "nyc-taxi-trips"])
def test_data_without_a_map_offer_data_with_one(data: str) -> None:
    app = page(data=data)
    assert not app.exception
    assert not maps(app)
    press(app, "use-pickups")
    assert maps(app)


def test_what_is_taken_away_names_the_areas() -> None:
    app = with_areas(Chosen(MIDTOWN, "Strict"))
    (command,) = app.code
    assert "--regions areas.geojson" in command.value
    assert f"--level '{MIDTOWN}=0.1'" in command.value
    links = [link.proto for link in app.get("page_link") if "areas" in link.proto.label]
    assert "areas=" in links[0].query_string


def test_areas_come_back_from_an_address() -> None:
    areas = [
        Chosen(MIDTOWN, "Strict"),
        Chosen("Home", "Loose", SQUARE),
        Chosen("A", "Loose", (), True),
    ]
    assert chosen.parse(chosen.text(areas)) == areas
    assert chosen.parse("") == []


def test_areas_reach_the_release_its_ledger_and_its_certificate(ledger_folder: Path) -> None:
    home = Chosen("Home", "Strictest", SQUARE)
    app = brought(areas=chosen.text([home, Chosen(MIDTOWN, "Loose")]))
    assert "The account pays the largest level, 0.5" in words(app)
    released(app)
    (entry,) = [e for e in Ledger(ledger_folder).entries() if e.purpose == RELEASE]
    assert str(entry.charged) == "ε 0.5"
    areas = dict(entry.plan)["areas"]
    levels = {f["properties"]["name"]: f["properties"] for f in areas["map"]["features"]}
    assert {"Home", MIDTOWN} <= set(levels)
    assert any("Home 0.02" in sentence for sentence in areas["statement"])


def test_areas_that_do_not_fit_cannot_be_published_and_are_left_out_with_a_click() -> None:
    app = brought(areas=chosen.text([Chosen("Manhattan", "Strict"), Chosen(MIDTOWN, "Strict")]))
    assert any("overlap" in each.value for each in app.error)
    assert "settled" not in {b.key for b in app.button}
    press(app, "no-areas")
    assert not app.error
    assert "settled" in {b.key for b in app.button}


def test_two_drawings_of_one_name_are_two_releases(ledger_folder: Path) -> None:
    app = brought(areas=chosen.text([Chosen("Home", "Strict", SQUARE)]))
    app.number_input(key=next(n.key for n in app.number_input if "ever cost" in n.label)).set_value(
        4.0
    )
    checked(app)
    released(app)
    moved = tuple((x + 0.005, y) for x, y in SQUARE)
    app.query_params["areas"] = chosen.text([Chosen("Home", "Strict", moved)])
    app.query_params["step"] = "confirm"
    del app.query_params["release"]
    checked(app)
    assert "This is what will happen" in words(app)
