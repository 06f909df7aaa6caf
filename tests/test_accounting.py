"""Accounting never reports less than was spent, nor allows more than is allowed."""

from __future__ import annotations

import json
import math
import pickle
import sys
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dpcore
from dpcore.datasets import from_array
from dpcore.errors import BudgetExceeded
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import MAX_DELTA, Accounting, Budget
from dpcore.privacy.concentrated import epsilon_of_rho, rho_of_epsilon
from dpcore.privacy.gaussian import epsilon_of_gaussian, implies, rho_of_gaussian
from dpcore.privacy.losses import Approx, Gaussian, Loss, Pure, Selection, Zcdp, noise_scale
from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.transcript import ROUNDING, Transcript
from dpcore.release import Unit
from dpcore.release.recomputed_spending import overspent

TABLE = json.loads(Path(__file__).with_name("accounting_oracle.json").read_text())
EPSILONS, DELTAS = st.floats(1e-3, 100), st.floats(1e-12, MAX_DELTA)
PARTS = st.lists(st.floats(0.01, 1), min_size=1, max_size=25)
CONVERSIONS = {"gaussian": epsilon_of_gaussian, "zcdp": epsilon_of_rho}


def ask(transcript: Transcript, loss: Loss, **more):
    return transcript.charge(Mechanism.GEOMETRIC, "why", loss, sensitivity=1 << 20, **more)


def budgets(epsilon: float, delta: float) -> list[Budget]:
    return [Budget(epsilon, delta, accounting) for accounting in Accounting]


# Sums.


@settings(deadline=None)
@given(EPSILONS, DELTAS, PARTS)
def test_parts_that_add_up_to_the_whole_can_all_be_asked_and_never_cost_more(epsilon, delta, parts):
    for budget in budgets(epsilon, delta):
        transcript = Transcript(budget)
        for part in parts:
            asked = budget.share(part / math.fsum(parts))
            paid = ask(transcript, asked).paid
            name = "rho" if budget.accounting.in_rho else "epsilon"
            assert getattr(asked, name) * (1 - ROUNDING) <= getattr(paid, name)
            assert getattr(paid, name) <= getattr(asked, name)
        if budget.accounting.in_rho:
            assert sum(Fraction(c.rho) for c in transcript) <= Fraction(budget.rho)
        else:
            assert sum(Fraction(c.epsilon) for c in transcript) <= Fraction(epsilon)
        assert transcript.epsilon == epsilon


@given(EPSILONS, PARTS, st.floats(1e-15, 1e-3))
def test_whatever_is_asked_no_more_is_spent_than_allowed_and_no_less_reported(epsilon, parts, over):
    transcript = Transcript(Budget(epsilon))
    for part in parts:
        try:
            ask(transcript, Pure(epsilon * part * (1 + over)))
        except BudgetExceeded:
            continue
    spent = sum(Fraction(c.epsilon) for c in transcript)
    assert spent <= Fraction(transcript.epsilon) <= Fraction(epsilon)
    if transcript.remaining:
        assert Fraction(transcript.remaining.epsilon) <= Fraction(epsilon) - spent


def test_a_billionth_too_much_is_no_longer_allowed():
    transcript = Transcript(Budget(1.0))
    ask(transcript, Pure(0.5))
    with pytest.raises(BudgetExceeded):
        ask(transcript, Pure(0.5 * (1 + 2e-9)))
    paid = ask(transcript, Pure(0.5 * (1 + 1e-12))).paid
    assert paid == Pure(0.5)
    with pytest.raises(BudgetExceeded):
        ask(transcript, Pure(1e-300))


@pytest.mark.parametrize(
    "loss", [Pure(0.2), Selection(0.4), Selection(0.4, 3), Zcdp(0.02), Approx(0.9, 1e-7)]
)
def test_what_is_left_under_rho_pays_for_every_kind_of_question(loss):
    rho = loss.rho * (1 - 1e-12)
    budget = Budget(10.0, 1e-6, Accounting.ZCDP)
    transcript = Transcript(budget)
    ask(transcript, Zcdp(budget.rho - rho))
    paid = ask(transcript, loss).paid
    assert type(paid) is type(loss)
    assert paid.rho == pytest.approx(loss.rho, rel=1e-9)
    assert sum(Fraction(c.rho) for c in transcript) <= Fraction(budget.rho)


def test_an_account_inside_has_no_more_than_was_paid_for_it():
    outer, inner = Transcript(Budget(1.0)), Transcript(Budget(0.7 + 1e-12))
    ask(outer, Pure(0.3))
    ask(outer, Pure(0.7 + 1e-12), inner=(inner,))
    assert Fraction(inner.budget.epsilon) + Fraction(0.3) <= 1


def test_noise_is_scaled_to_what_was_paid():
    transcript = Transcript(Budget(1.0))
    ask(transcript, Pure(0.5))
    charge = ask(transcript, Pure(0.5 + 1e-12), scale=lambda paid: noise_scale(3, paid))
    assert charge.scale == 6.0


@given(st.integers(1, 10**7), EPSILONS, DELTAS)
def test_scales_are_rounded_up(moved, epsilon, delta):
    pure = Fraction(noise_scale(moved, Pure(epsilon)))
    assert Fraction(moved) <= pure * Fraction(epsilon)
    rho = Fraction(rho_of_epsilon(epsilon, delta))
    assert Fraction(moved) ** 2 <= 2 * rho * Fraction(noise_scale(moved, Zcdp(float(rho)))) ** 2


@given(EPSILONS, st.floats(0, MAX_DELTA), st.integers(1, 1000))
@example(43.0, 1e-300, 6)
def test_rows_of_one_id_cost_together_no_more_than_the_unit_may(epsilon, delta, rows):
    try:
        row = Unit("person", "who", rows).per_row(Budget(epsilon, delta))
    except ValueError:  # too little for so many rows
        return
    assert Fraction(row.epsilon) * rows <= Fraction(epsilon)
    growth = math.expm1(epsilon) / math.expm1(row.epsilon)
    assert row.delta * growth <= delta * (1 + 1e-9)


@pytest.mark.parametrize("key", ["eugkm", "dplloyd", "lift", "coreset", "sulq"])
def test_a_transcript_holds_when_added_up_again_and_a_little_more_does_not(key):
    d = 8 if key == "lift" else 2
    data = from_array(np.random.default_rng(0).normal(0, 0.2, (3000, d)), Box.cube(d))
    transcript = dpcore.run(key, data, 3, 0.7, 1e-6 * (key in ("lift", "coreset", "sulq")), seed=0)
    account = _as_account(transcript.transcript)
    assert overspent(account) is None
    account["charges"][0]["epsilon"] *= 1 + 1e-12
    account["epsilon"] = math.fsum(c["epsilon"] for c in account["charges"]) * (1 - 1e-12)
    assert overspent(account) is not None


def _as_account(transcript: Transcript):
    return {
        "epsilon": transcript.budget.epsilon,
        "delta": transcript.budget.delta,
        "accounting": str(transcript.budget.accounting),
        "charges": [
            {**charge.as_dict(), "inner": [_as_account(each) for each in charge.inner]}
            for charge in transcript
        ],
    }


# Conversions, by other accountants.


@pytest.mark.parametrize("row", TABLE, ids=lambda row: "{kind} {rho:g} {delta:g}".format(**row))
def test_conversions_are_no_less_than_googles_and_close_to_them(row):
    ours = CONVERSIONS[row["kind"]](row["rho"], row["delta"])
    # Google's search of a root ends within 1e-13; orders of a fine grid are a little above the
    # best one.
    assert ours >= row["epsilon"] * (1 - (1e-6 if row["kind"] == "zcdp" else 0)) - 1e-13
    # What whole numbers cost more than real ones is a hundred-thousandth of rho.
    assert ours <= row["epsilon"] * (1 + 1e-3) + 1e-5 * row["rho"]


@given(st.floats(1e-6, 50), DELTAS)
@settings(deadline=None, max_examples=40)
def test_the_zcdp_conversion_is_no_less_than_opendps(rho, delta):
    dp.enable_features("contrib")
    space = dp.atom_domain(T="i64"), dp.absolute_distance(T="f64")
    gaussian = dp.m.make_gaussian(*space, scale=noise_scale(1, Zcdp(rho)))
    theirs = dp.c.make_zCDP_to_approxDP(gaussian).map(1.0).epsilon(delta)
    ours = epsilon_of_rho(rho, delta)
    assert theirs * (1 - 1e-12) <= ours <= theirs * (1 + 1e-3) + 1e-12


@settings(deadline=None)
@given(st.floats(1e-3, 100), DELTAS)
def test_rho_is_rounded_down_so_that_it_surely_implies_the_epsilon(epsilon, delta):
    assert epsilon_of_rho(rho_of_epsilon(epsilon, delta), delta) < epsilon
    assert implies(rho_of_gaussian(epsilon, delta), epsilon, delta)
    assert not implies(rho_of_gaussian(epsilon, delta) * (1 + 1e-6), epsilon, delta)
    assert Gaussian(1.0) != Zcdp(1.0)


# Threads.


class Slow(Pure):
    """A loss that lets other threads go first each time it is looked at."""

    def __getattribute__(self, name: str):
        if name == "epsilon":
            time.sleep(0)
        return super().__getattribute__(name)


def race(transcript: Transcript, threads: int = 16, each: int = 20) -> int:
    """How many questions of a hundredth were answered, of more than there is money for."""
    booked: list[object] = []
    start = threading.Barrier(threads)

    def work() -> None:
        start.wait()
        for _ in range(each):
            try:
                booked.append(ask(transcript, Slow(0.01)))
            except BudgetExceeded:
                return

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        workers = [threading.Thread(target=work) for _ in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    finally:
        sys.setswitchinterval(before)
    return len(booked)


def test_threads_that_race_for_the_last_of_a_budget_do_not_overspend_it():
    transcript = Transcript(Budget(1.0))
    booked = race(transcript)
    assert booked == len(transcript) <= 100
    spent = sum(Fraction(c.epsilon) for c in transcript)
    assert spent <= 1
    assert Fraction(1) - spent < Fraction(0.01)
    assert spent <= Fraction(transcript.epsilon) <= 1


def test_without_the_lock_they_would():
    """Or lose charges on the way: with no lock, one of a few races shows it."""

    def goes_wrong() -> bool:
        transcript = Transcript(Budget(1.0))
        transcript._lock = nullcontext()
        race(transcript)
        return sum(Fraction(c.epsilon) for c in transcript) > 1

    assert any(goes_wrong() for _ in range(50))


def test_a_transcript_can_be_kept_and_copied():
    transcript = Transcript(Budget(1.0))
    ask(transcript, Pure(0.25))
    again = pickle.loads(pickle.dumps(transcript))
    assert again == transcript
    ask(again, Pure(0.75))
    assert again.epsilon == 1.0
    assert transcript.epsilon == 0.25
    assert replace(transcript, budget=Budget(0.5)).remaining == Pure(0.25)
