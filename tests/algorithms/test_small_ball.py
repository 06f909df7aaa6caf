"""SMALL-BALL as printed: two ways to measure a radius agree, and why nobody can run it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dpcore.algorithms._small_ball import (
    added_term,
    by_brute_force,
    by_summed_area_table,
    candidates,
    fullest_box,
    good_radius,
    hardest_neighbors,
    log_star,
    promise,
    promise_of_a_round,
    quality,
)

SIDE = 9
ROWS = st.integers(1, 25).flatmap(
    lambda n: arrays(np.int64, (n, 2), elements=st.integers(0, SIDE - 1))
)


def sizes_for(rows):
    return st.integers(1, len(rows))


@given(st.data())
def test_by_brute_force_and_by_summed_area_table_a_radius_is_as_full(data):
    rows = data.draw(ROWS)
    t = data.draw(sizes_for(rows))
    slow, fast = by_brute_force(rows, t), by_summed_area_table(rows, SIDE, t)
    assert [slow(r) for r in range(SIDE)] == [fast(r) for r in range(SIDE)]
    assert good_radius(slow, SIDE, t, 0.75) == good_radius(fast, SIDE, t, 0.75)


def test_fullness_is_the_mean_of_the_t_largest_numbers_each_capped():
    # Three rows in one cell, one beside them, one far away: with radius 1, 4, 4, 4, 4 and 1 rows.
    rows = np.array([[0, 0], [0, 0], [0, 0], [1, 1], [8, 8]])
    for way in (by_brute_force(rows, 4), by_summed_area_table(rows, SIDE, 4)):
        assert way(0) == (3 + 3 + 3 + 1) / 4
        assert way(1) == 4
    assert by_brute_force(rows, 5)(1) == Fraction(4 + 4 + 4 + 4 + 1, 5)
    assert by_brute_force(rows, 2)(1) == 2


def neighbors_by_replacement(data):
    rows = data.draw(ROWS)
    other = rows.copy()
    other[data.draw(st.integers(0, len(rows) - 1))] = data.draw(
        st.tuples(*[st.integers(0, SIDE - 1)] * 2)
    )
    return rows, other


@given(st.data())
def test_one_row_replaced_moves_l_by_at_most_2_and_m_by_at_most_1(data):
    rows, other = neighbors_by_replacement(data)
    t = data.draw(sizes_for(rows))
    radius = data.draw(st.integers(0, SIDE - 1))
    average, most = (
        [measure(x, SIDE, t)(radius) for x in (rows, other)]
        for measure in (by_summed_area_table, fullest_box)
    )
    assert abs(average[0] - average[1]) <= 2 - Fraction(2, t)
    assert abs(most[0] - most[1]) <= 1


@pytest.mark.parametrize("t", [2, 5, 40])
def test_l_does_move_by_2_minus_2_over_t_and_m_by_1(t):
    together, parted = hardest_neighbors(t)
    average = [by_brute_force(rows, t)(0) for rows in (together, parted)]
    assert average[0] - average[1] == pytest.approx(2 - 2 / t)
    most = [fullest_box(rows, SIDE, t)(0) for rows in (together, parted)]
    assert most[0] - most[1] == 1


@given(st.data())
def test_one_row_replaced_moves_the_quality_by_less_than_1(data):
    rows, other = neighbors_by_replacement(data)
    t = data.draw(sizes_for(rows))
    radius = data.draw(st.integers(0, SIDE - 1))
    before, after = (quality(by_brute_force(x, t), radius, t, 1.5) for x in (rows, other))
    assert abs(before - after) < 1


def test_the_good_radius_of_a_tight_crowd_is_that_of_the_crowd():
    rng = np.random.default_rng(0)
    crowd = rng.integers(30, 35, (40, 2))
    anywhere = rng.integers(0, 64, (30, 2))
    rows = np.concatenate([crowd, anywhere])
    found = good_radius(by_summed_area_table(rows, 64, 35), 64, 35, delta_term=1)
    assert 2 <= found <= 4


def test_log_star_counts_logarithms():
    assert [log_star(x) for x in (1, 2, 4, 16, 65536, 2.0**1000)] == [0, 1, 2, 3, 4, 5]


def test_the_quality_is_the_printed_one():
    # Ten rows in one cell and ten one cell on: 10 in each box of half-width 0, 20 at 1.
    rows = np.repeat([[0, 0], [1, 1]], 10, axis=0)
    fullness = by_brute_force(rows, 16)
    assert quality(fullness, 0, 16, 8) == min(16 - 0, 10 - 16 + 8) / 2
    assert quality(fullness, 1, 16, 8) == min(16 - 10, 16 - 16 + 8) / 2
    assert good_radius(fullness, 2, 16, 8) == 1
    assert candidates(2) == math.ceil(2 * math.sqrt(2)) + 1


def test_the_added_term_is_the_printed_one_and_the_promise_a_quarter_of_it():
    # log*(1024 sqrt(2)): 10.5, 3.4, 1.8, 0.8.
    printed = 8**4 * 144 * 4 / 2 * math.log(12 * 4 / (0.1 * 1e-8))
    assert added_term(1024, 2, epsilon=2, delta=1e-8, beta=0.1) == pytest.approx(printed)
    assert promise(1024, 2, epsilon=2, delta=1e-8, beta=0.1) == pytest.approx(printed / 4)


def test_recconcave_asks_for_thousands_of_times_as_many_rows_as_there_are():
    asked = promise_of_a_round(side=1024, n=10**6, k=10, epsilon=1, delta=1e-8)
    assert 7.5e9 < asked < 8.5e9


def test_without_rounds_to_pay_for_it_would_still_ask_for_more_than_a_city_has():
    assert promise(side=1024, d=2, epsilon=1, delta=1e-8, beta=0.1) > 10**7
