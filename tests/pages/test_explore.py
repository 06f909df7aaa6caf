"""Explore through Streamlit's own test runner: every control, every path, no browser."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from types import ModuleType
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dpcore
import dpcore.study.repeats
from dpcore.algorithms import ALGORITHMS
from dpcore.datasets.builtin import BUILTIN
from dpcore.privacy.explain import LEVELS
from dpcore.study.packed_points import unpacked
from pages.ui.frame import PAGES, ROOT, START, WITHIN
from pages.ui.top_bar import HOME, NAME
from tests.pages.visits import address, centers, figure, maps, visited
from tests.pages.visits import all_words as words

MARK = "not private: for your eyes"
ATTACKER = "Attacker, about one trip"
#: Seconds that anything may take where others share the machine.
LONG = 600


def page(**query: object) -> AppTest:
    return visited(**query)


def finished(app: AppTest) -> AppTest:
    """The page once its draws are in."""
    deadline = time.monotonic() + LONG
    while "so far" in words(app):
        assert time.monotonic() < deadline, "the draws never finished"
        time.sleep(0.1)
        app.run()
    return app


def layers(app: AppTest, which: int = 0) -> dict[str, Any]:
    """What a map shows, without the layers that it leaves out."""
    drawn = maps(app)[which]
    tinted = {each["color"]: each for each in drawn["pictures"]}
    every = {
        "points": drawn["points"] and unpacked(drawn["points"]),
        "cells": drawn["cells"],
        "private-centers": drawn["centers"],
        "non-private-centers": drawn["partners"],
        "shifts": drawn["shifts"],
        "arcs": drawn["arcs"],
        "density": tinted.get("private"),
        "true-density": tinted.get("non_private"),
    }
    return {name: rows for name, rows in every.items() if rows}


def places(app: AppTest, layer: str) -> list[list[float]]:
    return sorted(row["at"] for row in layers(app)[layer])


def test_it_opens_with_a_finished_picture_of_real_trips() -> None:
    app = page()
    shown = layers(app)
    assert len(shown["private-centers"]) == len(shown["non-private-centers"]) == 5
    assert 0 < len(shown["points"]) <= 20_000
    assert address(app) == {}
    assert app.selectbox(key="at-data").value == "nyc-taxi"
    assert app.selectbox(key="at-algorithm").value == "adaptive"


def test_the_slider_has_seven_names_and_shows_no_epsilon() -> None:
    app = page()
    slider = app.select_slider(key="at-privacy")
    assert slider.options == [level.name for level in LEVELS]
    assert slider.value == LEVELS[3].name
    assert "ε" not in words(app)


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.name)
def test_every_stop_draws_and_stands_in_the_address(level: Any) -> None:
    app = page()
    app.select_slider(key="at-privacy").set_value(level.name).run()
    assert len(layers(app)["private-centers"]) == 5
    assert address(app) == ({} if level is LEVELS[3] else {"privacy": level.name})
    frightening = "all but certain" in words(app)
    assert frightening == (level.epsilon >= 4)


def test_moving_right_publishes_fewer_points() -> None:
    published = [figure(page(privacy=level.name), "Published points") for level in LEVELS]
    numbers = [int(text.replace(",", "")) for text in published]
    assert numbers == sorted(numbers, reverse=True)


def test_every_published_point_is_drawn_at_the_loosest_level() -> None:
    app = page(privacy="Loosest")
    points = layers(app)["points"]
    assert len(points) == int(figure(app, "Published points").replace(",", "")) > 10_000
    assert "by merging near ones" not in words(app)


def test_a_move_of_the_slider_sends_few_bytes() -> None:
    for level in LEVELS:
        sent = [each.proto for each in page(privacy=level.name).get("bidi_component")]
        assert sum(each.ByteSize() for each in sent) < 120_000


def test_the_words_beside_the_slider_are_per_trip() -> None:
    app = page(privacy="Looser")
    assert figure(app, ATTACKER) == "50 → 74 %"
    assert "can become at most 74 % sure" in words(app)
    assert "one trip, not one passenger" in words(app)


def typical(app: AppTest) -> list[str]:
    """What is said of many draws."""
    return [
        line for line in words(app).splitlines() if re.search(r"Typically .*\(20 draws\)", line)
    ]


def test_the_figures_are_those_of_the_picture_beside_what_is_typical() -> None:
    app = finished(page())
    moved = [row["label"] for row in layers(app)["shifts"]]
    meters = sorted(int(text.removesuffix("\u00a0m")) for text in moved)
    assert figure(app, "Centers moved") == f"{meters[2]}\u00a0m"
    assert f"At most {meters[-1]}\u00a0m here" in words(app)
    assert list(centers(app)["Moved"]) == moved
    assert len(typical(app)) == 2


def test_what_is_typical_of_the_views_that_pages_open_with_is_there_at_once() -> None:
    st.cache_resource.clear()  # nobody has run anything
    assert len(typical(page())) == 2
    assert len(typical(page(data="iris", algorithm="auto", privacy="Strict"))) == 2


def test_one_sentence_tells_the_story() -> None:
    said = words(finished(page()))
    assert "At this level 9 of 10 centers move less than" in said
    assert "Someone who is 50 % sure that one trip is in the data" in said


def test_new_noise_changes_the_picture_and_keeps_what_is_typical() -> None:
    before = finished(page())
    figures = [line.partition("Typically")[2] for line in typical(before)]
    after = page(seed=1)
    before.button(key="noise").click().run()
    assert address(before) == {"seed": "1"}
    assert layers(before) == layers(after)
    assert places(before, "private-centers") != places(page(), "private-centers")
    assert places(before, "non-private-centers") == places(page(), "non-private-centers")
    assert [line.partition("Typically")[2] for line in typical(before)] == figures
    assert figure(before, "Centers moved") != figure(finished(page()), "Centers moved")


def test_exact_values_override_the_slider_until_it_is_moved() -> None:
    app = page()
    app.number_input(key="at-epsilon").set_value(0.3).run()
    assert address(app)["epsilon"] == "0.3"
    assert figure(app, ATTACKER) == "50 → 58 %"
    assert "You typed ε = 0.3" in words(app)
    app.select_slider(key="at-privacy").set_value("Strict").run()
    assert address(app) == {"privacy": "Strict"}
    assert next(each for each in app.number_input if "epsilon" in each.label).value is None


def test_a_delta_is_said_and_the_relation_changes_the_sentence() -> None:
    app = page(delta=1e-6, neighbors="replace-one")
    assert "δ = 1e-06" in words(app)
    assert "which of two trips is in the data" in words(app)
    assert "δ" not in words(page())


@pytest.mark.parametrize("key", BUILTIN)
def test_every_built_in_set_opens_when_chosen(key: str) -> None:
    app = page()
    app.selectbox(key="at-data").set_value(key).run()
    assert not app.exception
    assert not app.warning
    drawn = [*maps(app), *app.get("plotly_chart")]
    assert len(drawn) == 1
    assert len(maps(app)) == BUILTIN[key].about.geographic
    if BUILTIN[key].box.d != 2 and not BUILTIN[key].about.geographic:
        assert "the picture shows two of them" in words(app)


@pytest.mark.parametrize("data", ["s1-like", "iris"])
def test_centers_on_a_plane_have_the_numbers_of_the_table(data: str) -> None:
    app = page(data=data, algorithm="auto", privacy="Looser")
    (chart,) = app.get("plotly_chart")
    (numbered,) = [each for each in json.loads(chart.proto.spec)["data"] if "text" in each["mode"]]
    assert numbered["text"] == [f"<b>{number}</b>" for number in range(1, 6)]
    assert "numbered as in the table" in words(app)


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_algorithm_draws_or_says_why_not(key: str) -> None:
    app = page(algorithm=key, privacy="Looser")
    assert not app.exception
    if maps(app):
        holds = ALGORITHMS[key].verdict.holds
        assert ("No protection is proved" in words(app)) != holds
    else:
        assert "cannot run" in words(app) or "has no answer" in words(app)


@pytest.mark.parametrize("key", ALGORITHMS)
def test_every_parameter_is_a_control_with_its_default(key: str) -> None:
    app = page(algorithm=key)
    for parameter in ALGORITHMS[key].parameters:
        name = f"at-{key}.{parameter.name}"
        controls = [*app.number_input, *app.selectbox, *app.toggle]
        control = next(each for each in controls if each.key == name)
        assert control.value == parameter.default
        assert control.help == parameter.meaning


def test_a_setting_reaches_the_run_and_the_address() -> None:
    app = page(algorithm="eugkm")
    cells = figure(app, "Noisy counts")
    app.number_input(key="at-eugkm.theta").set_value(100.0).run()
    assert address(app) == {"algorithm": "eugkm", "eugkm.theta": "100.0"}
    assert figure(app, "Noisy counts") != cells


def test_an_impossible_choice_is_explained_and_the_page_goes_on() -> None:
    app = page(data="nyc-taxi-trips", algorithm="adaptive")
    assert "cannot run on these data" in words(app)
    assert not maps(app)
    app.button(key="instead").click().run()
    assert address(app) == {"data": "nyc-taxi-trips", "algorithm": "auto"}
    assert maps(app)


def test_nonsense_in_the_address_is_taken_out_of_it() -> None:
    app = page(k="many", privacy="Absolute", data="atlantis", epsilon="nan", seed="-1", three="?")
    assert address(app) == {}
    assert len(layers(app)["private-centers"]) == 5


def test_an_address_opens_the_same_picture() -> None:
    app = page(k=3)
    app.select_slider(key="at-privacy").set_value("Strictest").run()
    app.button(key="noise").click().run()
    again = page(**address(app))
    assert layers(again) == layers(app)


def test_trips_are_arcs_from_pickup_to_dropoff() -> None:
    shown = layers(page(data="nyc-taxi-trips", algorithm="auto", privacy="Looser"))
    assert len(shown["arcs"]) == 10
    assert {each["color"] for each in shown["arcs"]} == {"private", "non_private"}
    assert len(shown["private-centers"]) == 10


def test_a_method_that_nobody_chose_says_why_it_runs() -> None:
    said = words(page(data="iris", algorithm="auto", privacy="Looser"))
    assert "In 4 dimensions a coarse grid shows roughly where rows are" in said


def test_the_simulated_month_says_so_and_why_noise_drowns() -> None:
    said = words(page(data="nyc-month"))
    assert "Simulated" in said
    assert "11.8 million" in said
    assert "vanishes" in said


def test_a_noisy_grid_is_shown_where_there_is_no_coreset() -> None:
    app = page(algorithm="eugkm")
    assert "points" not in layers(app)
    assert layers(app)["cells"]
    assert any("noisy count" in row["words"] for row in maps(app)[0]["legend"])


@pytest.mark.parametrize(
    ("switch", "layer"),
    [
        ("points", "points"),
        ("private", "private-centers"),
        ("non_private", "non-private-centers"),
        ("shifts", "shifts"),
        ("published_density", "density"),
        ("true_density", "true-density"),
    ],
)
def test_every_layer_can_be_switched(switch: str, layer: str) -> None:
    app = page()
    before = layer in layers(app)
    app.toggle(key=f"at-{switch}").set_value(not before).run()
    assert (layer in layers(app)) != before
    assert address(app) == {switch: str(not before).lower()}


def test_three_levels_share_everything_but_the_level() -> None:
    app = page(three="true", seed=7, k=4)
    shown = [layers(app, i) for i in range(3)]
    assert all(len(each["private-centers"]) == 4 for each in shown)
    assert len({json.dumps(each["non-private-centers"][0]["at"]) for each in shown}) == 1
    assert len({json.dumps(each["private-centers"]) for each in shown}) == 3
    app.select_slider(key="at-right").set_value("Loose").run()
    assert address(app)["right"] == "Loose"


def test_the_table_names_neighborhoods_and_shares() -> None:
    table = centers(page())
    assert len(table) == 5
    assert table["Where"].str.len().min() > 3
    shares = table["Share of trips"].str.removesuffix(" %").astype(int)
    assert 97 <= shares.sum() <= 103
    assert shares.is_monotonic_decreasing


@pytest.mark.parametrize("three", ["false", "true"])
def test_one_badge_stands_for_all_that_is_not_private_on_public_data(three: str) -> None:
    app = finished(page(true_density="true", three=three))
    (badge,) = [each for each in app.markdown if MARK in each.value]
    assert "Public data" in badge.value
    assert "come from the data themselves" in badge.help
    assert not any(MARK in row["words"] for row in maps(app)[0]["legend"])


def test_no_protection_is_told_of_a_method_whose_claim_fails() -> None:
    said = words(page(algorithm="eugkm-published"))
    assert "**Orange:** from a method that claims to hide each trip, without a valid proof" in said
    assert "**No protection is proved.**" in said
    side_by_side = words(page(algorithm="eugkm-published", three="true"))
    assert side_by_side.count("no protection is proved") == 3
    assert figure(page(algorithm="eugkm-published"), ATTACKER) == "no limit"
    assert "50 % →" not in said + side_by_side
    assert "can become at most" not in said + side_by_side
    assert "**Blue:**" in words(page())


def test_only_centers_are_published_where_nothing_else_is() -> None:
    app = page(algorithm="dplloyd")
    assert "Only the centers would be published" in words(app)
    assert set(centers(app)["Share of trips"]) == {"not published"}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the work behind the page was done, from nothing."""
    st.cache_resource.clear()
    dpcore.datasets.load.cache_clear()
    counted: Counter[str] = Counter()

    def count(module: ModuleType, name: str, label: str) -> None:
        original = getattr(module, name)

        def counting(*args: Any, **options: Any) -> Any:
            # Draws that earlier tests asked for may still be going on.
            counted[label] += label != "draws" or args[0].k == 6
            return original(*args, **options)

        monkeypatch.setattr(module, name, counting)

    count(dpcore, "run", "runs")
    count(dpcore.study.repeats, "run", "draws")
    count(dpcore, "baseline", "references")
    count(dpcore.datasets, "builtin_set", "loads")
    return counted


def test_nothing_is_computed_twice(calls: Counter[str]) -> None:
    app = finished(page(data="nyc-month", algorithm="eugkm", k=6))
    once = {"runs": 1, "draws": 20, "references": 1, "loads": 1}
    assert calls == once
    app.toggle(key="at-true_density").set_value(True).run()
    finished(page(data="nyc-month", algorithm="eugkm", k=6))
    assert calls == once
    app.select_slider(key="at-privacy").set_value("Strict").run()
    finished(app)
    assert calls == once | {"runs": 2, "draws": 40}
    app.button(key="noise").click().run()
    finished(app)
    assert calls == once | {"runs": 3, "draws": 40}


def test_the_menu_lists_the_pages_that_exist_and_carries_the_state() -> None:
    app = page(k=4, privacy="Strict")
    links = [link.proto for link in app.get("page_link")]
    hidden = {*WITHIN, HOME}
    names = [label for file, label, _ in PAGES if (ROOT / file).exists() and label not in hidden]
    assert [link.label for link in links] == [NAME, *names, "Publish at this level"]
    assert {link.query_string for link in links[:-1]} == {"k=4&privacy=Strict"}
    assert links[-1].query_string == "k=4&privacy=Strict&step=data"


def test_fewer_points_at_a_looser_level_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpcore.algorithms._grown_tree.MAX_CELLS", 1_000)
    assert "cells are larger here than at a somewhat stricter level" in words(
        page(privacy="Loosest", seed=4711)
    )


def test_the_name_leads_to_the_start_page_once_there_is_one() -> None:
    link = page(k=4).get("page_link")[0].proto
    start = next(file for file in START if (ROOT / file).exists())
    assert (link.label, link.page) == (NAME, "" if start == "app.py" else "start")


@pytest.mark.parametrize("file", ["pages/2_compare.py", "pages/3_verdicts.py"])
def test_verdicts_are_a_part_of_compare(file: str) -> None:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    app.switch_page(file).query_params["compare"] = "auto"
    links = [link.proto.label for link in app.run().get("page_link")]
    assert [label for label in links if label in ("Compare", "Measurements", "Verdicts")] == [
        "Compare",
        "Measurements",
        "Verdicts",
    ]
