"""Budgets hold: what is charged adds up to the claim, and what would go over is refused."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.errors import BudgetExceeded, Infeasible
from dpcore.privacy.accounting import (
    MAX_DELTA,
    MAX_EPSILON,
    MIN_EPSILON,
    Accounting,
    Budget,
    Neighbors,
    Verdict,
)
from dpcore.privacy.concentrated import epsilon_of_rho, rho_of_epsilon
from dpcore.privacy.losses import Approx, Pure, Selection, Zcdp
from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.rounding import up
from dpcore.privacy.transcript import ROUNDING, Transcript

PURE = Budget(1.0)
ZCDP = Budget(1.0, 1e-6, Accounting.ZCDP)


def ask(transcript: Transcript, loss, **more):
    return transcript.charge(Mechanism.GEOMETRIC, "why", loss, sensitivity=1, **more)


# Budgets.


@pytest.mark.parametrize("epsilon", [0, -1, math.nan, math.inf, 1e7, 1e-7, "1", None])
def test_an_epsilon_outside_its_range_is_refused_with_the_range(epsilon):
    with pytest.raises(ValueError, match="epsilon must be a number from 1e-06 to 1e"):
        Budget(epsilon)


@pytest.mark.parametrize("delta", [-1e-9, math.nan, math.inf, 0.02, 1, "0", None])
def test_a_delta_outside_its_range_is_refused_with_the_range(delta):
    with pytest.raises(ValueError, match=r"delta must be a number from 0 to 0\.01"):
        Budget(1.0, delta)


def test_counting_in_rho_needs_a_delta():
    with pytest.raises(ValueError, match="needs a delta above 0"):
        Budget(1.0, 0.0, Accounting.ZCDP)


@pytest.mark.parametrize("epsilon", [1, np.int64(1), np.float32(1), np.float64(1)])
def test_any_kind_of_number_will_do_and_becomes_a_float(epsilon):
    budget = Budget(epsilon, np.float64(1e-6), "zcdp")
    assert budget == ZCDP
    assert (type(budget.epsilon), type(budget.delta)) == (float, float)
    assert budget.accounting is Accounting.ZCDP


def test_shares_are_in_the_currency_of_the_budget():
    assert PURE.share(0.25) == Pure(0.25)
    assert ZCDP.share(0.25) == Zcdp(ZCDP.rho / 4)


# The conversion between rho and (epsilon, delta).


@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-10, 1e-15])
@pytest.mark.parametrize("rho", [1e-8, 1e-4, 0.005, 0.03, 0.5, 2.0, 50.0])
def test_epsilon_of_rho_is_opendps(rho, delta):
    dp.enable_features("contrib")
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T="f64")
    gaussian = dp.m.make_gaussian(*space, scale=1 / math.sqrt(2 * rho))
    theirs = dp.c.make_zCDP_to_approxDP(gaussian).map(1.0).epsilon(delta)
    assert epsilon_of_rho(rho, delta) == pytest.approx(theirs, rel=1e-12, abs=1e-15)


@given(rho=st.floats(1e-6, 1e3), delta=st.floats(1e-12, 1e-2), log_alpha=st.floats(-8, 12))
def test_no_order_alpha_gives_a_smaller_epsilon(rho, delta, log_alpha):
    """Canonne, Kamath and Steinke 2020, proposition 12, at one alpha."""
    alpha = 1 + math.exp(log_alpha)
    epsilon = alpha * rho + (math.log(1 / delta) - log_alpha + alpha * math.log1p(-1 / alpha)) / (
        alpha - 1
    )
    assert epsilon_of_rho(rho, delta) <= max(epsilon, 0) + 1e-9


@settings(deadline=None)
@given(epsilon=st.floats(MIN_EPSILON, MAX_EPSILON), delta=st.floats(1e-15, MAX_DELTA))
def test_rho_of_epsilon_is_the_largest_rho_that_implies_it(epsilon, delta):
    rho = rho_of_epsilon(epsilon, delta)
    assert epsilon_of_rho(rho, delta) <= epsilon
    assert epsilon_of_rho(rho * (1 + 1e-9), delta) > epsilon


def test_small_fractions_of_small_budgets_still_have_a_rho():
    rho = rho_of_epsilon(1e-3 * MIN_EPSILON, 1e-12)
    assert 0 < epsilon_of_rho(rho, 1e-12) <= 1e-3 * MIN_EPSILON


def test_the_smallest_delta_a_float_can_hold_still_has_a_rho():
    rho = rho_of_epsilon(1.0, 5e-324)
    assert 0 < rho < rho_of_epsilon(1.0, 1e-300)
    assert epsilon_of_rho(rho, 5e-324) <= 1.0


def test_without_a_delta_no_rho_implies_an_epsilon():
    assert epsilon_of_rho(0.1, 0.0) == math.inf
    assert epsilon_of_rho(math.inf, 1e-6) == math.inf
    assert epsilon_of_rho(0.0, 0.0) == 0
    with pytest.raises(ValueError, match="delta"):
        rho_of_epsilon(1.0, 0.0)


@pytest.mark.parametrize("rho", [-1e-9, math.nan])
def test_a_rho_that_is_none_is_refused(rho):
    with pytest.raises(ValueError, match="rho"):
        epsilon_of_rho(rho, 1e-6)


# The price of one question.


def test_a_selection_costs_a_quarter_of_what_any_pure_question_does_in_rho():
    assert Pure(0.8).rho == pytest.approx(0.32)
    assert Selection(0.8).rho == pytest.approx(0.08)
    assert Approx(0.8, 1e-6).rho == rho_of_epsilon(0.8, 1e-6)


@pytest.mark.parametrize("budget", [Budget(1.0, 1e-6), ZCDP])
@pytest.mark.parametrize(
    "loss",
    [
        *(kind(bad) for kind in (Pure, Selection, Zcdp) for bad in (0, -1, math.nan, math.inf)),
        Approx(-1, 1e-7),
        *(Approx(0.1, bad) for bad in (0, -1e-7, math.nan, 0.5)),
    ],
)
def test_a_price_that_is_not_positive_and_finite_is_refused_and_nothing_is_booked(budget, loss):
    transcript = Transcript(budget)
    with pytest.raises(ValueError, match=r"positive, finite|delta"):
        ask(transcript, loss)
    assert len(transcript) == 0
    assert transcript.epsilon == 0


def test_rho_is_no_currency_under_pure_accounting():
    with pytest.raises(ValueError, match="priced in epsilon"):
        ask(Transcript(PURE), Zcdp(1e-3))


# Adding up.


@given(parts=st.lists(st.floats(0.001, 1), min_size=1, max_size=30))
@pytest.mark.parametrize("budget", [PURE, Budget(0.3, 1e-9, "zcdp"), ZCDP])
def test_fractions_of_a_budget_add_up_to_the_claim(budget, parts):
    transcript = Transcript(budget)
    for part in parts:
        ask(transcript, budget.share(part / sum(parts)))
    assert transcript.epsilon == budget.epsilon
    assert sum(c.epsilon for c in transcript) == pytest.approx(budget.epsilon, rel=ROUNDING)
    assert sum(c.delta for c in transcript) == budget.delta
    assert transcript.remaining is None


def test_deltas_add_under_pure_accounting():
    transcript = Transcript(Budget(1.0, 3e-6))
    for _ in range(3):
        assert ask(transcript, Approx(0.2, 1e-6)).delta == pytest.approx(1e-6)
    ask(transcript, Pure(0.4))
    assert transcript.delta == pytest.approx(3e-6, rel=1e-12)
    assert transcript.epsilon == 1.0
    with pytest.raises(BudgetExceeded):
        ask(Transcript(Budget(1.0, 1e-6)), Approx(0.2, 1.1e-6))
    with pytest.raises(BudgetExceeded):
        ask(Transcript(PURE), Approx(0.2, 1e-12))


def test_under_zcdp_delta_is_claimed_once_by_the_first_question():
    transcript = Transcript(ZCDP)
    assert transcript.delta == 0
    charges = [ask(transcript, ZCDP.share(0.5)) for _ in range(2)]
    assert [c.delta for c in charges] == [1e-6, 0]
    assert transcript.delta == 1e-6


def test_under_zcdp_every_kind_of_question_adds_its_rho():
    transcript = Transcript(ZCDP)
    losses = [Pure(0.05), Selection(0.2), Zcdp(1e-3), Approx(0.1, 1e-8)]
    charges = [ask(transcript, loss) for loss in losses]
    assert [c.rho for c in charges] == [loss.rho for loss in losses]
    assert transcript.epsilon == epsilon_of_rho(up(sum(Fraction(c.rho) for c in charges)), 1e-6)
    assert transcript.remaining.rho == pytest.approx(ZCDP.rho - sum(loss.rho for loss in losses))


def test_one_question_twice_costs_less_than_twice_under_zcdp():
    transcript = Transcript(ZCDP)
    first, second = (ask(transcript, ZCDP.share(0.5)).epsilon for _ in range(2))
    assert second < first


@pytest.mark.parametrize("budget", [PURE, ZCDP])
@given(spent=st.floats(0.01, 1), over=st.floats(1e-6, 10))
def test_overspending_raises_before_anything_is_booked(budget, spent, over):
    transcript = Transcript(budget)
    ask(transcript, budget.share(spent))
    before = transcript.epsilon, transcript.delta, transcript.as_dicts(), transcript.remaining
    with pytest.raises(BudgetExceeded, match="why: this question would bring the total to epsilon"):
        ask(transcript, budget.share(1 - spent + over))
    assert before == (
        transcript.epsilon,
        transcript.delta,
        transcript.as_dicts(),
        transcript.remaining,
    )


@pytest.mark.parametrize("budget", [PURE, ZCDP])
def test_what_remains_can_be_spent_whole_and_then_nothing_remains(budget):
    transcript = Transcript(budget)
    ask(transcript, budget.share(0.3))
    ask(transcript, transcript.remaining)
    assert transcript.remaining is None
    assert transcript.epsilon == budget.epsilon
    with pytest.raises(BudgetExceeded):
        ask(transcript, budget.share(1e-6))


def test_a_run_that_asks_nothing_costs_nothing():
    assert (Transcript(PURE).epsilon, Transcript(ZCDP).epsilon, Transcript(ZCDP).delta) == (0, 0, 0)
    assert Transcript(PURE).remaining == Pure(1.0)


# Accounts within accounts, and data handed out.


def test_raw_data_handed_out_make_epsilon_infinite_whatever_was_charged():
    transcript = Transcript(PURE)
    ask(transcript, Pure(0.1))
    transcript.handed_out = True
    assert transcript.unprotected
    assert transcript.epsilon == math.inf


def test_raw_data_handed_out_by_an_inner_account_make_the_outer_epsilon_infinite():
    deepest, inner, outer = Transcript(Budget(0.1)), Transcript(Budget(0.2)), Transcript(PURE)
    ask(outer, Pure(0.2), inner=(inner,))
    ask(inner, Pure(0.1), inner=(deepest,))
    assert outer.epsilon == 0.2
    deepest.handed_out = True
    assert outer.epsilon == math.inf


def test_an_account_in_epsilon_and_delta_has_no_known_rho():
    """A pure question of epsilon .9 fits in it, and costs up to .4 in rho, not .016."""
    inner = Transcript(Budget(0.9, 1e-7))
    with pytest.raises(ValueError, match="counts in rho"):
        ask(Transcript(ZCDP), Approx(0.9, 1e-7), inner=(inner,))
    assert Pure(0.9).rho > 20 * Approx(0.9, 1e-7).rho
    for fine in (Budget(0.1), Budget(0.9, 1e-7, Accounting.ZCDP)):
        loss = Approx(fine.epsilon, fine.delta) if fine.delta else Pure(fine.epsilon)
        ask(Transcript(ZCDP), loss, inner=(Transcript(fine),))


def test_a_transcript_is_a_sequence_that_json_can_hold():
    inner = Transcript(Budget(0.4))
    ask(inner, Pure(0.4), scale=2.5, answers=9)
    transcript = Transcript(PURE)
    ask(transcript, Pure(0.4), inner=(inner,))
    ask(transcript, Selection(0.1))
    assert len(transcript) == len(list(transcript)) == 2
    assert transcript[0].inner == (inner,)
    rows = json.loads(json.dumps(transcript.as_dicts()))
    assert rows[0]["inner"][0][0]["answers"] == 9
    assert rows[1]["epsilon"] == pytest.approx(0.1)


# Words that the rest is built on.


def test_only_under_add_remove_is_the_number_of_rows_private():
    assert Neighbors("add-remove").size_is_private
    assert not Neighbors("replace-one").size_is_private


def test_a_repaired_claim_holds_and_an_unproven_one_does_not():
    assert [v.holds for v in (Verdict.PROVED, Verdict.REPAIRED, Verdict.UNPROVEN)] == [
        True,
        True,
        False,
    ]


def test_what_is_infeasible_may_say_from_where_on_it_is_not():
    assert Infeasible("no", smallest_epsilon=0.3).smallest_epsilon == 0.3
    assert Infeasible("no").smallest_epsilon is None
