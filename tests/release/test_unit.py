"""What so many rows of one id may cost, and whom that protects."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.privacy.accounting import Accounting, Budget, Neighbors
from dpcore.privacy.concentrated import epsilon_of_rho
from dpcore.release import Unit

ROWS = st.integers(1, 200)
EPSILONS = st.floats(0.01, 20)


@given(ROWS, EPSILONS, st.floats(1e-9, 0.01))
def test_as_many_steps_as_rows_lead_back_to_the_whole_budget(rows, epsilon, delta):
    """One step: P <= e^a Q + b. Taken `rows` times, epsilon and delta are reached, not passed."""
    row = Unit("person", "who", rows).per_row(Budget(epsilon, delta))
    multiplied, added = 1.0, 0.0
    for _ in range(rows):
        multiplied, added = multiplied * math.exp(row.epsilon), added * math.exp(row.epsilon)
        added += row.delta
    assert multiplied == pytest.approx(math.exp(epsilon), rel=1e-9)
    assert added == pytest.approx(delta, rel=1e-6)


@given(ROWS, EPSILONS)
def test_pure_epsilon_is_divided(rows, epsilon):
    row = Unit("person", "who", rows).per_row(Budget(epsilon))
    assert row.epsilon * rows == pytest.approx(epsilon)
    assert row.delta == 0


def test_one_row_is_protected_at_the_whole_budget():
    budget = Budget(0.5, 1e-6)
    assert Unit("trip").per_row(budget) is budget


@pytest.mark.parametrize("rows", [2, 5, 50])
def test_what_counts_in_rho_is_within_what_groups_cost_in_rho(rows):
    """rho of a row costs a group rho * rows^2 (Bun and Steinke 2016, proposition 1.9), which must
    stay within the claim too."""
    claim = Budget(2.0, 1e-6)
    row = Unit("person", "who", rows).per_row(Budget(claim.epsilon, claim.delta, Accounting.ZCDP))
    assert row.accounting is Accounting.ZCDP
    assert epsilon_of_rho(row.rho * rows**2, claim.delta) <= claim.epsilon * (1 + 1e-9)


def test_an_id_that_is_replaced_may_bring_more_rows_so_that_is_refused():
    with pytest.raises(ValueError, match="more rows or fewer"):
        Unit("person", "who", 1).refuse(Neighbors.REPLACE_ONE)
    Unit("trip").refuse(Neighbors.REPLACE_ONE)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True, 10**6])
def test_rows_of_an_id_are_a_sensible_whole_number(rows):
    with pytest.raises(ValueError, match="rows"):
        Unit("person", "who", rows)


def test_rows_are_counted_by_id_or_not_at_all():
    with pytest.raises(ValueError, match="name the column"):
        Unit("person", None, 3)
