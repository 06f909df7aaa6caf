"""Epsilon in words: what is said is true, and no more frightening than it should be."""

from __future__ import annotations

import math

import pytest

from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.explain import (
    LEVELS,
    MIDDLE,
    attack,
    attacker_certainty,
    bill,
    caution,
    change,
    distance,
    less_than,
    level_of,
    nearest_level,
    odds,
    people_count,
    percent,
    plural,
    price,
    protected,
    scope,
    slip,
)


def test_seven_levels_go_from_leaking_most_to_leaking_least() -> None:
    epsilons = [level.epsilon for level in LEVELS]
    assert epsilons == [4, 1, 0.5, 0.2, 0.1, 0.05, 0.02]
    assert len({level.name for level in LEVELS}) == 7
    assert MIDDLE is LEVELS[3]


def test_levels_are_found_by_epsilon_and_strangers_get_the_nearest() -> None:
    assert level_of(0.2) is MIDDLE
    assert level_of(0.3) is None
    assert nearest_level(0.3) is MIDDLE
    assert nearest_level(1000) is LEVELS[0]
    assert nearest_level(1e-6) is LEVELS[-1]


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 3])
@pytest.mark.parametrize("before", [0.01, 0.5, 0.9])
def test_certainty_is_what_bayes_allows(epsilon: float, before: float) -> None:
    after = attacker_certainty(epsilon, before)
    gain = (after / (1 - after)) / (before / (1 - before))
    assert gain == pytest.approx(math.exp(epsilon))


@pytest.mark.parametrize(
    ("epsilon", "said"),
    [
        (0.02, "50 % → at most 50.5 %"),
        (0.2, "50 % → at most 55 %"),
        (1.0, "50 % → at most 74 %"),
        (4.0, "50 % → at most 98.3 %"),
        (6.0, "50 % → at most 99.76 %"),
        (20.0, "50 % → at most 100 %"),
    ],
)
def test_odds_are_told_in_percent_and_rounded_up(epsilon: float, said: str) -> None:
    assert odds(epsilon) == said


def test_percent_is_not_rounded_to_a_whole_or_to_nothing() -> None:
    assert percent(0.42) == "42 %"
    assert [percent(share) for share in (0, 1e-9, 0.005, 0.006)] == ["0 %", "< 1 %", "< 1 %", "1 %"]
    assert percent(0.99999) == "99.99 %"
    assert percent(1) == "100 %"


def test_an_attack_names_the_unit_and_the_relation() -> None:
    there = attack(1, "trip")
    assert there == (
        "Someone who is 50 % sure that one trip is in the data can become at most 74 % sure."
    )
    assert "which of two patients is in the data" in attack(1, "patient", Neighbors.REPLACE_ONE)
    assert "Nothing limits" in attack(math.inf, "trip")


def test_one_trip_is_not_one_passenger() -> None:
    assert scope("trip") == "one trip, not one passenger"
    assert scope("flower") == "one flower"


def test_only_high_epsilon_gets_words_that_worry() -> None:
    assert "all but certain" in (caution(4) or "")
    assert "much better than guess" in (caution(1) or "")
    assert all(caution(level.epsilon) is None for level in LEVELS[2:])


def test_delta_is_mentioned_where_there_is_one() -> None:
    assert slip(0) is None
    assert "1e-06" in (slip(1e-6) or "")


def test_the_price_names_the_number_that_drowns_the_noise() -> None:
    assert "11.8 million" in price(11_840_734, "trip")


@pytest.mark.parametrize(
    ("number", "said"),
    [(0, "0"), (50_000, "50,000"), (999_999, "999,999"), (11.84e6, "11.8 million")],
)
def test_counts_are_told_as_people_read_them(number: float, said: str) -> None:
    assert people_count(number) == said


@pytest.mark.parametrize(
    ("meters", "said"),
    [
        (0.4, "0 m"),
        (42.3, "42 m"),
        (994, "994 m"),
        (996, "1.0 km"),
        (9_949, "9.9 km"),
        (12_345, "12 km"),
    ],
)
def test_distances_are_in_meters_then_in_kilometers(meters: float, said: str) -> None:
    assert distance(meters, in_meters=True).replace("\u00a0", " ") == said


def test_away_from_a_map_distances_are_parts_of_the_box() -> None:
    assert distance(0.5, in_meters=False).replace("\u00a0", " ") == "25 % of the box"


@pytest.mark.parametrize(
    ("relative", "said"),
    [
        (0, "0 %"),
        (0.00001, "< 0.01 %"),
        (0.0013, "0.13 %"),
        (0.054, "5.4 %"),
        (1.2, "120 %"),
        (-0.002, "−0.20 %"),
    ],
)
def test_changes_keep_two_digits(relative: float, said: str) -> None:
    assert change(relative).replace("\u00a0", " ") == said


def test_a_change_that_is_told_as_less_is_not_less_than_less() -> None:
    assert less_than(0.0023).replace("\u00a0", " ") == "less than 0.23 %"
    assert less_than(1e-6).replace("\u00a0", " ") == "less than 0.01 %"


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("trip", "trips"),
        ("person", "people"),
        ("person's day", "person's days"),
        ("young person", "young people"),
        ("entry", "entries"),
        ("journey", "journeys"),
        ("bus", "buses"),
    ],
)
def test_several_are_told_as_people_write_them(one: str, several: str) -> None:
    assert plural(one) == several


def test_who_is_protected_is_said_for_rows_and_for_ids():
    assert protected("trip", Neighbors.ADD_REMOVE) == (
        "This protects one trip, not one passenger, including whether it is in the data at all."
    )
    assert "The number of trips in the box is published" in protected("trip", Neighbors.REPLACE_ONE)
    for rows, words in (
        (1, "at most one row of each driver is kept"),
        (4, "at most 4 rows of each"),
    ):
        said = protected("driver", Neighbors.ADD_REMOVE, "card", rows)
        assert words in said
        assert "'card'" in said


def test_the_bill_says_how_much_of_the_budget_a_release_uses_for_good():
    said = bill("ε 0.5", "ε 2")
    assert "uses ε 0.5 of a lifetime budget of ε 2" in said
    assert "cannot be undone" in said
