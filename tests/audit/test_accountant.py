"""The audit's own sum of losses agrees with OpenDP's maps, and with the accountant it audits."""

from __future__ import annotations

import math

import opendp.prelude as dp
import pytest

from dpcore.audit.accountant import by_account, gaussian_epsilon, zcdp_epsilon
from dpcore.audit.replay import CHOICE, GAUSSIAN, GEOMETRIC, Loss, together
from dpcore.privacy.accounting import Accounting, Budget
from dpcore.privacy.concentrated import epsilon_of_rho
from dpcore.privacy.gaussian import epsilon_of_gaussian
from dpcore.privacy.losses import Pure, Zcdp
from dpcore.privacy.transcript import Transcript

dp.enable_features("contrib")

RHOS = (1e-4, 0.003, 0.02, 0.3, 2.0, 30.0)
DELTAS = (1e-10, 1e-6, 1e-3)


def opendps_epsilon(rho: float, delta: float) -> float:
    """What OpenDP's Gaussian mechanism of that rho comes to at delta."""
    space = dp.atom_domain(T="f64", nan=False), dp.absolute_distance(T="f64")
    mechanism = dp.m.make_gaussian(*space, scale=1 / math.sqrt(2 * rho))
    return dp.c.make_zCDP_to_approxDP(mechanism).map(1.0).epsilon(delta)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS)
def test_rho_comes_to_what_opendp_says(rho, delta):
    own = zcdp_epsilon(rho, delta)
    theirs = opendps_epsilon(rho, delta)
    assert own <= theirs * (1 + 1e-9)
    assert own == pytest.approx(theirs, rel=0.02)
    assert own == pytest.approx(epsilon_of_rho(rho, delta), rel=1e-6)


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("rho", RHOS)
def test_gaussian_noise_alone_comes_to_less_and_to_what_is_claimed_for_it(rho, delta):
    own = gaussian_epsilon(rho, delta)
    assert own <= zcdp_epsilon(rho, delta)
    assert own == pytest.approx(epsilon_of_gaussian(rho, delta), rel=2e-4, abs=1e-12)


def test_a_sum_of_pure_losses_is_opendps_composition():
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    scales = (2.0, 0.5, 30.0)
    parts = [dp.m.make_laplace(*space, scale=scale) for scale in scales]
    losses = [Loss(GEOMETRIC, 0.0, 1 / scale, 0.5 / scale**2) for scale in scales]
    theirs = dp.c.make_composition(parts).map(1)
    assert together(losses, 0.0) == pytest.approx(theirs)


def test_losses_are_counted_by_the_account_that_paid_for_them():
    whole = Transcript(Budget(2.0, 1e-6))
    rho = 0.01
    inner = Transcript(Budget(1.0, 1e-6, Accounting.ZCDP))
    whole.charge("two-sided geometric", "", Pure(0.5), 1)
    whole.charge("set aside", "", Pure(1.0), 0, inner=(inner,))
    inner.charge("discrete Gaussian", "", Zcdp(rho), 1)
    losses = {
        id(whole): [Loss(GEOMETRIC, 0.0, 0.5, 0.125)],
        id(inner): [Loss(GAUSSIAN, 0.0, math.inf, rho), Loss(CHOICE, 0.0, 0.1, 0.1**2 / 8)],
    }
    expected = 0.5 + zcdp_epsilon(rho + 0.1**2 / 8, 1e-6)
    assert by_account(whole, losses) == pytest.approx(expected)
    stranger = Transcript(Budget(1.0))
    losses[id(stranger)] = [Loss(GEOMETRIC, 0.0, 0.25, 0.03)]
    assert by_account(whole, losses) == pytest.approx(expected + 0.25)
