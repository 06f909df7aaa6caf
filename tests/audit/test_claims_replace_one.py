"""No claim that is said to hold is refuted, under replace-one."""

from __future__ import annotations

import pytest

from dpcore.privacy.accounting import Neighbors
from tests.audit.claims import check_few_runs, check_some_runs, held, telling

RELATION = Neighbors.REPLACE_ONE


@pytest.mark.parametrize("case", held(RELATION), ids=lambda case: case.words)
def test_nothing_but_noisy_answers_gets_out_and_they_cost_no_more_than_the_claim(case):
    check_few_runs(case)


@pytest.mark.parametrize("case", telling(RELATION), ids=lambda case: case.algorithm)
def test_no_event_tells_neighbors_apart_better_than_the_claim_allows(case):
    check_some_runs(case)
