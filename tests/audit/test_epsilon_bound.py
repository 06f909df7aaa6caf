"""Lower bounds on epsilon from counts are right as often as they say, and say something."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from dpcore.audit.epsilon_bound import Evidence, bounds


@pytest.mark.parametrize(("hits", "neighbor_hits"), [(700, 200), (1000, 0), (0, 1000), (1, 999)])
def test_both_probabilities_are_bounded_by_exact_intervals(hits, neighbor_hits):
    likely, rare = (binomtest(h, 1000).proportion_ci(0.95, "exact") for h in (hits, neighbor_hits))
    expected = math.log(likely.low / rare.high) if likely.low else 0.0
    found = Evidence("", hits, 1000, neighbor_hits, 1000).bound(0.95)
    assert found == pytest.approx(max(0.0, expected))


def test_what_happens_on_one_side_only_is_bounded_by_the_number_of_runs():
    assert Evidence("", 1000, 1000, 0, 1000).bound() == pytest.approx(
        math.log(1000 / 3.7), abs=0.02
    )


def test_delta_is_taken_off_what_is_likely():
    certain = Evidence("", 1000, 1000, 0, 1000)
    assert certain.bound(delta=0.5) < certain.bound() - math.log(1.9)
    assert Evidence("", 20, 1000, 0, 1000).bound(delta=0.1) == 0


def test_more_doubt_is_a_higher_bound():
    some = Evidence("", 700, 1000, 200, 1000)
    assert some.bound(0.99) < some.bound(0.95) < some.bound(0.5) < math.log(3.5)


def test_a_bound_is_too_high_in_no_more_than_one_audit_in_twenty():
    rng = np.random.default_rng(0)
    epsilon, audits, runs = 1.0, 20_000, 400
    rare = 0.25
    hits = rng.binomial(runs, rare * math.exp(epsilon), audits)
    neighbor_hits = rng.binomial(runs, rare, audits)
    too_high = np.mean(bounds(hits, neighbor_hits, runs, runs) > epsilon)
    assert 0 < too_high < 0.05
