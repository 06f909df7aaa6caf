"""The list of methods: three groups, a verdict and a line each."""

from __future__ import annotations

from dpcore.algorithms import ALGORITHMS
from pages.ui import methods
from tests.pages.visits import address, maps, press, visited, words


def test_every_method_stands_in_one_group_and_broken_ones_come_last() -> None:
    groups = methods.groups()
    assert sorted(methods.in_order()) == sorted(ALGORITHMS)
    assert [each.key for each in groups[methods.RECOMMENDED]][:2] == ["adaptive", "auto"]
    assert all(not each.verdict.holds for each in groups[methods.BROKEN])
    assert all(each.verdict.holds for each in groups[methods.PUBLISHED])
    assert list(groups)[-1] == methods.BROKEN


def test_a_choice_of_methods_shows_each_verdict() -> None:
    options = visited().selectbox(key="at-algorithm").options
    assert options[0] == "✓ Adaptive coreset"
    assert "↻ EUGkM" in options
    assert "✗ EUGkM, as published" in options


def test_a_method_is_chosen_from_the_list() -> None:
    app = press(visited(k=4), "all-methods")
    assert all(app.button(key=f"method-{key}") for key in ALGORITHMS)
    said = words(app)
    for algorithm in ALGORITHMS.values():
        assert methods.plain(methods.line(algorithm)) in said
    assert said.count("✗ broken") == len(methods.groups()[methods.BROKEN])
    press(app, "method-eugkm")
    assert address(app) == {"k": "4", "algorithm": "eugkm"}
    assert maps(app)[0]["cells"]


def test_a_method_that_cannot_run_on_the_data_says_why_and_cannot_be_pressed() -> None:
    app = press(visited(data="iris", algorithm="auto"), "all-methods")
    assert app.button(key="method-adaptive").disabled
    assert not app.button(key="method-lift").disabled
    assert "Not on these data: it draws maps, in 2 dimensions" in words(app)
