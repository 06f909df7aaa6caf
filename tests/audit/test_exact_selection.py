"""Selections on tiny data, every outcome computed: within the claim, and liars are caught."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.algorithms.gkm import GuptQuantile
from dpcore.audit.exact_selection import CENTER_SETS, LINE, WALKS, Walk, law, worst_loss
from dpcore.privacy.accounting import Neighbors
from dpcore.privacy.losses import Pure, Selection
from dpcore.queries.scores import LowCost, Quantile

ADD_REMOVE, REPLACE_ONE = Neighbors


@pytest.mark.parametrize("neighbors", Neighbors)
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.mechanism)
def test_no_selection_costs_more_than_it_claims(walk, neighbors):
    assert 0.3 * walk.epsilon < walk.worst(neighbors) <= walk.epsilon


def choosing(score):
    return lambda curator: curator.select(score, Selection(curator.budget.epsilon), "choice")


def test_a_selection_by_one_row_is_computed_by_hand():
    places = np.array([[-0.999], [0.999]])
    score = LowCost(np.array([[[-1.0]], [[1.0]]]))
    found = law(choosing(score), places[:1], 1.0, ADD_REMOVE)
    cost = score.of(_dataset(places[:1])) / score.sensitivity
    odds = math.exp(cost[0] - cost[1])
    assert math.exp(found[(0,)]) == pytest.approx(odds / (1 + odds))
    assert math.fsum(map(math.exp, found.values())) == pytest.approx(1)


def _dataset(rows):
    from dpcore.datasets.rows import from_array

    return from_array(rows, (-1, 1))


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.mechanism)
def test_the_probabilities_of_all_ways_add_up_to_one(walk):
    found = law(walk.procedure, walk.places[[0, 2, 2]], walk.epsilon, ADD_REMOVE)
    assert math.fsum(map(math.exp, found.values())) == pytest.approx(1)


@dataclass(frozen=True)
class CalledMonotone(Quantile):
    """Says that a row moves all scores one way, which it does not."""

    monotone = True


def test_a_score_that_is_wrongly_called_monotone_is_caught():
    assert (
        worst_loss(choosing(CalledMonotone(0, Fraction(1, 4), 8)), LINE, 4, 1.0, ADD_REMOVE) > 1.2
    )


@dataclass(frozen=True)
class HalfSensitive(LowCost):
    @property
    def sensitivity(self):
        return super().sensitivity // 2


def test_a_sensitivity_that_is_half_of_the_true_one_is_caught():
    score = HalfSensitive(CENTER_SETS)
    assert worst_loss(choosing(score), LINE, 4, 1.0, ADD_REMOVE) > 1.2


def test_the_published_percentile_of_gupt_costs_more_than_it_claims():
    published = choosing(GuptQuantile(0, Fraction(1, 4), 8))
    assert 1.2 < worst_loss(published, LINE, 4, 1.0, ADD_REMOVE) <= 2


def test_a_round_that_is_not_counted_is_caught():
    def twice(curator):
        other = curator.working_copy()
        other.transcript = replace(curator.transcript, _charges=[], _spent=[])
        for asked in (curator, other):
            choosing(LowCost(CENTER_SETS))(asked)

    assert worst_loss(twice, LINE, 4, 1.0, ADD_REMOVE) > 1.2


def test_an_outcome_that_a_neighbor_cannot_give_is_infinitely_bad():
    def rows_as_candidates(curator):
        candidates = np.unique(curator.unprotected().positions()[0], axis=0) / 2**21
        if len(candidates):
            curator.select(LowCost(candidates[:, None]), Selection(1.0), "one of the rows")

    assert worst_loss(rows_as_candidates, LINE, 2, 1.0, ADD_REMOVE) == math.inf


def test_noisy_numbers_cannot_be_walked_through():
    walk = Walk("size", lambda curator: curator.size(1.0), LINE, 1)
    with pytest.raises(TypeError, match="no end"):
        walk.worst(ADD_REMOVE)
    assert Pure(1.0).epsilon == walk.epsilon
