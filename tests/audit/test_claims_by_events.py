"""No claim that is said to hold is refuted by events that tell neighbors apart."""

from __future__ import annotations

import pytest

from dpcore.audit import attack
from dpcore.audit.cases import TELLING_PAIRS
from tests.audit.claims import CONFIDENCE, cases_that_hold

#: Enough to see gross errors that only the noise could show.
RUNS = 160
#: For each algorithm and relation the pair with most to tell, at the larger epsilon.
TELLING = {
    (case.algorithm, case.relation): case
    for case in cases_that_hold()
    if case.pair.key in TELLING_PAIRS and not case.delta
}


@pytest.mark.parametrize(
    "case", TELLING.values(), ids=lambda case: f"{case.algorithm}, {case.relation}"
)
def test_no_event_tells_neighbors_apart_better_than_the_claim_allows(case):
    finding = attack(case, RUNS)
    assert finding.failed < 1
    assert not finding.refutes(CONFIDENCE)
