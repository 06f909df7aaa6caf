"""Sums of epsilon are exact, and no ledger lets them pass what is allowed."""

from __future__ import annotations

import tempfile
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.privacy.accounting import Neighbors
from dpcore.release import Amount, Ledger, ReleaseRefused, Unit
from dpcore.release.ledger import Claim

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


def test_the_whole_of_what_is_allowed_can_be_spent_in_tenths(tmp_path):
    ledger = Ledger(tmp_path)
    for _ in range(10):
        ledger.record(claim(Amount.of(0.1), Amount.of(1.0)), "release", "now", {}, {})
    with pytest.raises(ReleaseRefused, match="ε 0 is left"):
        ledger.record(claim(Amount.of(1e-6), Amount.of(1.0)), "release", "now", {}, {})
