"""What reaches a certificate depends on noisy answers and public values alone.

Every run is made again on the neighboring data with the same noisy answers, at every number of
coordinates at which an algorithm may take another way, with few rows and with many: facts, centers,
charges, steps and the text of errors must be the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from dpcore.algorithms import ALGORITHMS
from dpcore.algorithms.auto import Auto
from dpcore.algorithms.base import Algorithm
from dpcore.algorithms.lift import Lift
from dpcore.audit import Case, attack
from dpcore.audit.cases import DELTA, cases_of
from dpcore.audit.pairs import one_among
from dpcore.privacy.accounting import Verdict
from dpcore.privacy.transcript import ROUNDING

DIMENSIONS = (1, 2, 3, 4, 5, 6, 7, 8, 20)
FEW, MANY = 12, 600
HELD = [key for key, system in ALGORITHMS.items() if system.verdict.holds]


def cases(system: Algorithm, dimensions: tuple[int, ...] = DIMENSIONS) -> Iterator[Case]:
    """An algorithm as the audit runs it, on pairs of every shape."""
    known = next(iter(cases_of(system)))
    for relation in system.relations:
        for d in dimensions:
            for rows in (FEW, MANY):
                pair = one_among(rows, d, relation)
                if not system.supports(d, rows, known.k):
                    continue
                yield replace(known, pair=pair, delta=0.0)
                if system.uses_delta and rows == MANY:
                    yield replace(known, pair=pair, delta=DELTA)


def tells_nothing_else(case: Case) -> bool:
    """Whether the neighbor, given the same answers, lets out the same, and answers cost no more
    than the claim. Where noise is drawn for some of very many cells, only the second run can be
    made again."""
    cost = attack(case, 1).cost
    if cost is None:
        cost = attack(case, 2).cost
    assert cost is not None, f"{case.words} cannot be made again"
    return cost <= case.epsilon * (1 + ROUNDING)


@pytest.mark.parametrize("key", HELD)
def test_facts_and_all_else_are_the_same_given_the_same_answers(key):
    telling = [case.words for case in cases(ALGORITHMS[key]) if not tells_nothing_else(case)]
    assert not telling


def leaking(monkeypatch: pytest.MonkeyPatch, system: type[Algorithm], where) -> None:
    """The exact number of rows among the facts, in one branch only."""
    honest = system.run

    def run(self, curator, k, **parameters):
        outcome = honest(self, curator, k, **parameters)
        if not where(curator, outcome):
            return outcome
        return replace(outcome, facts={**outcome.facts, "rows": curator._data.n})

    monkeypatch.setattr(system, "run", run)


@pytest.mark.parametrize(
    ("system", "where"),
    [
        (Lift, lambda curator, outcome: curator.d > 6 and "rounds" not in outcome.facts),
        (Lift, lambda curator, outcome: outcome.facts.get("rounds") == 1),
        (Auto, lambda curator, _: curator.d == 1),
    ],
    ids=["lift, blind", "lift, one round", "auto on a line"],
)
def test_an_exact_number_in_the_facts_of_one_branch_is_found(system, where, monkeypatch):
    leaking(monkeypatch, system, where)
    assert not all(map(tells_nothing_else, cases(ALGORITHMS[system.key])))
    assert system.verdict is Verdict.PROVED


def test_auto_gives_the_reason_for_what_it_did():
    """Blind among few rows, rounds among many: the sentence says which."""
    import dpcore

    for d in (7, 8, 20):
        for rows, epsilon in ((FEW, 0.1), (20_000, 5.0)):
            data = one_among(rows, d, ALGORITHMS["auto"].relations[0]).data[0]
            facts = dpcore.run("auto", data, 2, epsilon, seed=0).facts
            assert ("rounds" in facts) == (rows > FEW)
            assert ("lost in the noise" in facts["because"]) == ("rounds" not in facts)
            assert ("clipped offsets" in facts["because"]) == ("rounds" in facts)
