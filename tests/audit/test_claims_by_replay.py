"""No claim that is said to hold is refuted by replaying runs on the neighbor."""

from __future__ import annotations

import pytest

from dpcore.audit import attack
from dpcore.audit.attack import ROUNDING
from tests.audit.claims import CONFIDENCE, cases_that_hold

#: Enough to make every run again on the neighbor, and see that nothing else got out.
RUNS = 4


@pytest.mark.parametrize(
    "case", cases_that_hold(), ids=lambda case: f"{case.words}, {case.relation}"
)
def test_nothing_but_noisy_answers_gets_out_and_they_cost_no_more_than_the_claim(case):
    finding = attack(case, RUNS)
    assert finding.fault == ""
    assert finding.cost is not None
    assert finding.cost <= case.epsilon * (1 + ROUNDING)
    assert finding.evidence.bound(CONFIDENCE, case.delta) <= case.epsilon
