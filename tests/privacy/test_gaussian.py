"""Gaussian noise alone is counted exactly, and never for less than it costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dpcore.datasets import RowsDataset
from dpcore.errors import BudgetExceeded
from dpcore.geometry.domain import Box
from dpcore.privacy.accounting import Accounting, Budget
from dpcore.privacy.concentrated import epsilon_of_rho, rho_of_epsilon
from dpcore.privacy.gaussian import (
    MIN_SENSITIVITY,
    delta_of_shift,
    epsilon_of_gaussian,
    rho_of_gaussian,
)
from dpcore.privacy.losses import Approx, Gaussian, Pure, Zcdp
from dpcore.privacy.mechanisms import Mechanism
from dpcore.privacy.noise import SimulatedNoise
from dpcore.privacy.transcript import Transcript
from dpcore.queries.curator import Curator
from dpcore.queries.questions import Sensitivity

BUDGETS = [(0.05, 1e-6), (1.0, 1e-6), (1.0, 1e-12), (8.0, 1e-3), (1e4, 1e-6)]
ONE = Budget(1.0, 1e-6, Accounting.GAUSSIAN)


@pytest.mark.parametrize(("epsilon", "mu"), [(0.1, 0.3), (1.0, 0.3), (1.0, 2.0), (5.0, 1.0)])
def test_delta_is_what_lies_above_the_ratio_of_the_two_densities(epsilon, mu):
    crossing = epsilon / mu + mu / 2
    excess = quad(lambda x: norm.pdf(x, mu) - math.exp(epsilon) * norm.pdf(x), crossing, math.inf)
    assert delta_of_shift(epsilon, mu) == pytest.approx(excess[0], rel=1e-6)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_what_a_budget_buys_costs_the_budget(epsilon, delta):
    rho = rho_of_gaussian(epsilon, delta)
    assert epsilon_of_gaussian(rho, delta) <= epsilon
    assert epsilon_of_gaussian(rho, delta) == pytest.approx(epsilon, rel=1e-6)
    assert delta_of_shift(epsilon, math.sqrt(2 * rho)) <= delta


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_it_buys_more_than_by_way_of_concentrated_privacy(epsilon, delta):
    assert rho_of_gaussian(epsilon, delta) > rho_of_epsilon(epsilon, delta)
    assert epsilon_of_gaussian(0.02, delta) < epsilon_of_rho(0.02, delta)


def test_discrete_noise_on_coarse_units_costs_what_the_proof_adds():
    """On units so coarse that it shows, the exact epsilon stays below the bound of the proof."""
    scale, moved, delta = 2.0, 1, 1e-3
    z = np.arange(-60, 61)
    weights = np.exp(-(z**2) / (2 * scale**2))
    weights /= weights.sum()
    rho = moved**2 / (2 * scale**2)
    shifted = np.roll(weights, moved)
    exact = next(
        e
        for e in np.linspace(0, 5, 50_001)
        if np.maximum(shifted - math.exp(e) * weights, 0).sum() <= delta
    )
    continuous = next(
        e for e in np.linspace(0, 5, 50_001) if delta_of_shift(e, moved / scale) <= delta
    )
    assert exact <= continuous + (1 + 160 + rho) * rho / moved**2


def test_charges_in_gaussian_rho_add_up_to_the_budget():
    transcript = Transcript(ONE)
    for share in (0.1, 0.2, 0.7):
        transcript.charge("discrete Gaussian", "why", ONE.share(share), MIN_SENSITIVITY)
    assert transcript.epsilon == 1.0
    assert transcript.delta == 1e-6
    assert math.fsum(charge.epsilon for charge in transcript) == pytest.approx(1.0, rel=1e-9)
    with pytest.raises(BudgetExceeded):
        transcript.charge("discrete Gaussian", "more", ONE.share(0.01), MIN_SENSITIVITY)


def test_what_is_left_is_gaussian_rho():
    transcript = Transcript(ONE)
    transcript.charge("discrete Gaussian", "why", ONE.share(0.25), MIN_SENSITIVITY)
    assert transcript.remaining == Gaussian(pytest.approx(0.75 * ONE.rho))


@pytest.mark.parametrize("loss", [Pure(0.1), Zcdp(1e-3), Approx(0.1, 1e-7)])
def test_nothing_but_gaussian_noise_is_counted_so(loss):
    with pytest.raises(ValueError, match="Gaussian rho"):
        Transcript(ONE).charge(Mechanism.GEOMETRIC, "why", loss, MIN_SENSITIVITY)


def test_coarse_units_are_refused():
    with pytest.raises(ValueError, match="whole units"):
        Transcript(ONE).charge("discrete Gaussian", "why", ONE.share(0.1), MIN_SENSITIVITY - 1)


def test_gaussian_rho_costs_as_much_under_concentrated_accounting_and_nothing_under_pure():
    zcdp = Budget(1.0, 1e-6, Accounting.ZCDP)
    spent = Transcript(zcdp).charge("discrete Gaussian", "why", Gaussian(zcdp.rho / 2), 1.0)
    assert spent.rho == zcdp.rho / 2
    with pytest.raises(ValueError, match="priced in epsilon"):
        Transcript(Budget(1.0)).charge("discrete Gaussian", "why", Gaussian(0.1), 1.0)


def test_an_account_of_gaussian_rho_buys_too_much_to_be_counted_in_concentrated_rho():
    outer = Transcript(Budget(1.0, 1e-5, Accounting.ZCDP))
    inner = Transcript(Budget(0.5, 1e-6, Accounting.GAUSSIAN))
    with pytest.raises(ValueError, match="counts in rho"):
        outer.charge("set aside", "why", Approx(0.5, 1e-6), 0.0, inner=(inner,))


@pytest.mark.parametrize("delta", [0.0, 1e-19])
def test_it_needs_a_delta_above_the_tails(delta):
    with pytest.raises(ValueError, match="needs a delta"):
        Budget(1.0, delta, Accounting.GAUSSIAN)


def test_the_curator_draws_the_noise_that_is_charged():
    class Fine:
        added = replaced = Sensitivity(1 << 21, float(1 << 21))

        def of(self, dataset):
            return np.zeros(4000, dtype=np.int64)

    data = RowsDataset.from_values([[0.5, 0.5]], Box.cube(2))
    curator = Curator(data, ONE, SimulatedNoise(0))
    values = curator.answer(Fine(), ONE.share(0.5), "fine")
    charged = curator.transcript[0].scale
    assert charged == pytest.approx((1 << 21) / math.sqrt(ONE.rho))
    assert np.std(values) == pytest.approx(charged, rel=0.05)
