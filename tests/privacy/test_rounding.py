"""What is told as a bound is one: rounded up where it says at most, down where it says at least."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.classroom.lesson_plans import shipped
from dpcore.privacy.accounting import MAX_EPSILON, MIN_EPSILON
from dpcore.privacy.explain import (
    LEVELS,
    attack,
    attacker_certainty,
    certainty,
    less_than,
    odds,
    slip,
)
from dpcore.privacy.rounding import (
    at_least,
    at_most,
    decimals_at_most,
    down,
    in_full,
    percent_at_most,
    root_down,
    root_up,
    up,
)
from dpcore.release import Amount

AMOUNTS = st.floats(MIN_EPSILON, MAX_EPSILON)
PERCENT = re.compile(r"(\d[\d.]*)\s%")


@given(AMOUNTS, st.integers(2, 9))
def test_text_read_back_is_on_its_side_of_the_bound_and_close_to_it(bound, digits):
    close = 1.0001 * 10 ** (1 - digits)
    assert bound <= float(at_most(bound, digits)) <= bound * (1 + close)
    assert bound * (1 - close) <= float(at_least(bound, digits)) <= bound


@given(st.floats(0, 1e4).map(lambda x: round(x, 3)))
def test_what_people_write_with_few_digits_is_told_as_they_wrote_it(amount):
    assert at_most(amount, 9) == at_least(amount, 9) == f"{amount:.9g}"


@given(AMOUNTS)
def test_certainty_read_back_is_no_less_than_what_bayes_allows(epsilon):
    (told,) = (float(each) for each in PERCENT.findall(certainty(epsilon)))
    share = attacker_certainty(epsilon)
    assert 100 * share <= told * (1 + 1e-15)
    assert told <= 100 * share + 1
    for sentence in (odds(epsilon), attack(epsilon, "trip")):
        assert certainty(epsilon) in sentence


def test_the_named_levels_are_told_by_true_bounds():
    told = {level.epsilon: certainty(level.epsilon) for level in LEVELS}
    assert told == {
        4: "98.3 %",
        1: "74 %",
        0.5: "63 %",
        0.2: "55 %",
        0.1: "53 %",
        0.05: "51.3 %",
        0.02: "50.5 %",
    }


def test_the_lessons_name_no_other_certainty_than_that_of_a_level_or_of_an_epsilon_beside_it():
    of_levels = {certainty(level.epsilon) for level in LEVELS}
    notes = [step.note for lesson in shipped().values() for step in lesson.steps]
    named = 0
    for note in notes:
        said = note.replace("100 % of the budget", "")
        epsilons = {float(each) for each in re.findall(r"\d+(?:\.\d+)?", said)}
        true = of_levels | {certainty(each) for each in epsilons if 0 < each < 10}
        told = {f"{each} %" for each in PERCENT.findall(said) if float(each) > 50}
        assert told <= true, note
        named += len(told)
    assert named


@given(st.floats(5e-5, 10))
def test_a_change_stays_below_what_it_is_said_to_be_less_than(relative):
    (told,) = (float(each) for each in PERCENT.findall(less_than(relative)))
    assert 100 * relative <= told * (1 + 1e-15)


@given(st.floats(1e-18, 0.01))
def test_the_chance_of_a_slip_is_rounded_up(delta):
    assert all(float(each.rstrip(".")) >= delta for each in re.findall(r"\d[\d.e-]*", slip(delta)))


@given(st.fractions(min_value=Fraction(1, 10**9), max_value=10**9))
def test_floats_are_the_nearest_ones_on_their_side(exact):
    assert Fraction(math.nextafter(up(exact), 0)) < exact <= Fraction(up(exact))
    assert Fraction(down(exact)) <= exact < Fraction(math.nextafter(down(exact), math.inf))
    assert Fraction(root_down(exact)) ** 2 <= exact <= Fraction(root_up(exact)) ** 2
    assert root_up(exact) - root_down(exact) <= 2 * math.ulp(root_up(exact))


@given(st.lists(st.floats(1e-12, 1e3), min_size=1, max_size=5))
def test_amounts_of_a_ledger_are_told_in_full(amounts):
    total = sum((Amount.of(each) for each in amounts), Amount())
    assert Fraction(str(total).removeprefix("ε ")) == total.epsilon


@pytest.mark.parametrize(
    ("amount", "told"), [("0.3", "0.3"), ("1e-06", "1e-06"), ("0.12345678", "0.12345678")]
)
def test_usual_amounts_are_told_as_they_are_written(amount, told):
    assert in_full(Fraction(amount)) == told


def test_shares_near_one_half_and_near_all_have_more_digits():
    shares = 0.5001, 0.52, 0.899, 0.9001, 0.9901, 0.99999, 1.0
    told = [percent_at_most(share) for share in shares]
    assert told == ["50.1 %", "52 %", "90 %", "90.1 %", "99.01 %", "100 %", "100 %"]
    assert decimals_at_most(1.231, 1) == "1.3"
    assert at_most(math.inf) == "inf"
