"""Sums of epsilon are exact, and no ledger lets them pass what is allowed."""

from __future__ import annotations

import math
import tempfile
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import MIN_EPSILON, Budget, Neighbors
from dpcore.privacy.losses import Pure
from dpcore.privacy.transcript import Transcript
from dpcore.release import (
    Amount,
    BuiltinData,
    FileData,
    Ledger,
    ReleasePlan,
    ReleaseRefused,
    Unit,
    publish,
)
from dpcore.release.charging import booked
from dpcore.release.ledger import Claim
from dpcore.runs.request import Request

TWO_D = FileData("rows.csv", ("x", "y"), Box((0.0, 0.0), (1.0, 1.0), ("x", "y")))
PRICES = st.decimals("0.000001", "0.7", places=6).map(float)


def claim(price: Amount, allowed: Amount, name: str = "data") -> Claim:
    return Claim(name, Neighbors.ADD_REMOVE, Unit(), allowed, price, ())


def test_ten_tenths_are_one():
    assert sum([Amount.of(0.1)] * 10, Amount()) == Amount.of(1.0)
    assert Amount.of(0.1) + Amount.of(0.2) == Amount.of(0.3)
    assert 0.1 + 0.2 != 0.3


@given(PRICES, PRICES)
def test_an_amount_is_what_its_decimals_say(one, other):
    total = Amount.of(one) + Amount.of(other)
    assert total.epsilon == Fraction(str(one)) + Fraction(str(other))
    assert total - Amount.of(other) == Amount.of(one)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(PRICES, st.sampled_from([0.0, 1e-6, 3e-7])), max_size=12),
    st.sampled_from([0.3, 1.0, 1.1]),
    st.sampled_from([0.0, 1e-6]),
)
def test_a_ledger_takes_exactly_what_fits(prices, epsilon, delta):
    allowed, used = Amount.of(epsilon, delta), Amount()
    with tempfile.TemporaryDirectory() as folder:
        for price in (Amount.of(*each) for each in prices):
            fits = (used + price).within(allowed)
            try:
                Ledger(folder).record(claim(price, allowed), "release", "now", {}, {})
            except ReleaseRefused:
                assert not fits
            else:
                assert fits
                used = used + price
        account = Ledger(folder).account("data")
        assert (account.used if account else Amount()) == used
        assert used.within(allowed)


@given(PRICES, st.sampled_from([0.0, 1e-6, 3e-7, 1e-9]), st.sampled_from([1, 3]))
@example(0.1, 1e-6, 1)
def test_a_run_may_never_spend_more_than_its_ledger_is_charged(epsilon, delta, rows):
    """To the last bit: the float 0.1 is more than a tenth by 5.5e-18."""
    unit = Unit("person", "who", rows) if rows > 1 else Unit()
    assume(epsilon > 2 * MIN_EPSILON * rows)
    plan = ReleasePlan(
        "data", TWO_D, Request("lift", 2, epsilon, delta), unit=unit, allowed=Amount.of(1.0, 1e-6)
    )
    row, price = plan.per_row, plan.price
    assert Fraction(row.epsilon) * rows <= price.epsilon == Fraction(repr(epsilon))
    assert Fraction(row.delta) <= price.delta == Fraction(repr(delta))
    if rows == 1:
        assert math.nextafter(row.epsilon, math.inf) > price.epsilon


@settings(deadline=None)
@given(st.lists(PRICES, min_size=1, max_size=9), st.sampled_from([1, 3]))
def test_what_a_run_that_ended_is_charged_is_no_less_than_its_questions_cost(prices, rows):
    transcript = Transcript(Budget(10.0))
    for price in prices:
        transcript.charge("two-sided geometric", "a count", Pure(price), 1.0, 1 / price)
    charged = booked(transcript, Unit("person", "who", rows), Amount.of(100.0)).epsilon
    cost = rows * sum(Fraction(charge.epsilon) for charge in transcript)
    assert cost <= charged <= cost * (1 + Fraction(1, 10**5))


def test_the_charges_of_releases_add_up_to_no_more_than_their_ledger_says(tmp_path):
    ledger = Ledger(tmp_path)
    plan = ReleasePlan(
        "wine", BuiltinData("wine"), Request("dplloyd", 2, 0.1), allowed=Amount.of(0.3)
    )
    releases = [publish(plan, ledger) for _ in range(3)]
    charges = [c for r in releases for c in r.certificate["transcript"]["charges"]]
    assert sum(Fraction(charge["epsilon"]) for charge in charges) <= Fraction("0.3")
    assert ledger.accounts()[0].used == Amount.of(0.3)


def test_the_whole_of_what_is_allowed_can_be_spent_in_tenths(tmp_path):
    ledger = Ledger(tmp_path)
    for _ in range(10):
        ledger.record(claim(Amount.of(0.1), Amount.of(1.0)), "release", "now", {}, {})
    with pytest.raises(ReleaseRefused, match="ε 0 is left"):
        ledger.record(claim(Amount.of(1e-6), Amount.of(1.0)), "release", "now", {}, {})
