"""What a claim that is said to hold has to stand: used under either relation."""

from __future__ import annotations

from dpcore.algorithms import ALGORITHMS
from dpcore.audit import Case, attack, table
from dpcore.audit.attack import ROUNDING
from dpcore.audit.cases import TELLING_PAIRS
from dpcore.privacy.accounting import Neighbors

#: Enough to make every run again on the neighbor, and see that nothing else got out.
FEW_RUNS = 4
#: Enough to see gross errors that only the noise could show.
SOME_RUNS = 160
#: A bound may be above the truth by chance; in these many tests, practically never.
CONFIDENCE = 1 - 1e-5


def held(neighbors: Neighbors) -> list[Case]:
    """The cases of all claims that hold, under a relation."""
    return [
        case
        for case in table()
        if case.relation is neighbors and ALGORITHMS[case.algorithm].verdict.holds
    ]


def telling(neighbors: Neighbors) -> list[Case]:
    """For each algorithm the pair with most to tell, at the larger epsilon."""
    of_algorithm: dict[str, Case] = {}
    for case in held(neighbors):
        if case.pair.key in TELLING_PAIRS and not case.delta:
            of_algorithm[case.algorithm] = case
    return list(of_algorithm.values())


def check_few_runs(case: Case) -> None:
    """A run made again on the neighbor, with the same noisy answers, says the same, and its
    answers cost no more than the claim."""
    found = attack(case, FEW_RUNS)
    assert found.fault == ""
    assert found.cost is not None
    assert found.cost <= case.epsilon * (1 + ROUNDING)
    assert found.evidence.bound(CONFIDENCE, case.delta) <= case.epsilon


def check_some_runs(case: Case) -> None:
    """No event tells the two data sets apart better than the claim allows."""
    found = attack(case, SOME_RUNS)
    assert found.failed < 1
    assert not found.refutes(CONFIDENCE)
