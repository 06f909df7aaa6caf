"""SuLQ spends the delta it needs; as Balcan et al. (2017) ran it, it does not say so."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.sulq import start_in_bounds
from dpcore.datasets.rows import from_array
from dpcore.geometry.domain import TICKS
from dpcore.privacy.accounting import Accounting, Budget, Neighbors
from dpcore.privacy.concentrated import rho_of_epsilon
from dpcore.privacy.noise import SimulatedNoise
from dpcore.queries.curator import Curator

DATA = dpcore.datasets.load("s1-like")


@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_rounds_share_the_rho_that_implies_epsilon_and_delta(neighbors):
    result = dpcore.run("sulq", DATA, 5, 0.8, 1e-6, neighbors, seed=0)
    (outer,) = result.transcript
    (inner,) = outer.inner
    assert (result.epsilon, result.delta) == (0.8, 1e-6)
    assert inner.budget.accounting is Accounting.ZCDP
    assert len(inner) == 6
    rho = rho_of_epsilon(0.8, 1e-6)
    moved = 1 if neighbors is Neighbors.ADD_REMOVE else 2
    for counts, sums in zip(inner[::2], inner[1::2], strict=True):
        assert counts.rho == pytest.approx(rho / 6)
        assert sums.rho == pytest.approx(rho / 6)
        assert sums.scale == pytest.approx(moved * math.sqrt(2) * TICKS / math.sqrt(rho / 3))


def test_without_a_delta_the_noise_is_geometric_and_purely_private():
    result = dpcore.run("sulq", DATA, 5, 0.8, seed=0)
    assert {c.mechanism for c in result.transcript} == {"two-sided geometric"}
    assert sum(c.epsilon for c in result.transcript) == pytest.approx(0.8)
    assert result.delta == 0


@pytest.mark.parametrize("key", ["sulq", "sulq-published"])
def test_the_smallest_delta_that_a_budget_takes_buys_an_answer(key):
    assert np.isfinite(dpcore.run(key, DATA, 4, 1.0, 5e-324, seed=0).centers).all()


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_as_epsilon_grows_sulq_becomes_plain_lloyd(delta):
    result = dpcore.run("sulq", DATA, 4, 1e6, delta, seed=3, rounds=4)
    centers = next(s for s in result.steps if s.kind == "start").released["centers"]
    ticks, _ = DATA.positions()
    rows = ticks / TICKS
    for _ in range(4):
        nearest = ((rows[:, None] - centers) ** 2).sum(-1).argmin(1)
        means = [
            rows[nearest == j].mean(0) if (nearest == j).any() else centers[j] for j in range(4)
        ]
        centers = np.stack(means)
    np.testing.assert_allclose(result.centers, centers, atol=1e-3)


def test_the_published_start_lies_within_the_bounds_of_the_data():
    data = from_array([[0.1, -0.2], [0.3, 0.4]], (-1, 1))
    curator = Curator(data, Budget(1.0), SimulatedNoise(0), rng=np.random.default_rng(0))
    start = start_in_bounds(curator, 50)
    assert start.min(axis=0) == pytest.approx([0.1, -0.2], abs=0.02)
    assert start.max(axis=0) == pytest.approx([0.3, 0.4], abs=0.02)
    assert curator.transcript.epsilon == math.inf


def test_the_published_form_books_pure_epsilon_for_gaussian_noise():
    result = dpcore.run("sulq-published", DATA, 5, 1.0, seed=0)
    assert result.epsilon == math.inf
    assert len(result.transcript) == 40
    assert sum(c.epsilon for c in result.transcript) == pytest.approx(1.0)
    gaussian = result.transcript[1]
    share, delta = 1 / 40, DATA.n**-1.5 / 20
    sigma = math.sqrt(2) * math.sqrt(2 * math.log(1.25 / delta)) / share
    assert gaussian.mechanism == "Gaussian"
    assert gaussian.scale == pytest.approx(sigma * TICKS)


@pytest.mark.parametrize("epsilon", [1e-6, 1e6])
@pytest.mark.parametrize("rows", [[], [[0.2, -0.3]], [[0.5, 0.5]] * 30])
def test_degenerate_data_give_centers_in_the_box(rows, epsilon):
    data = from_array(np.reshape(rows, (-1, 2)), (-1, 1))
    result = dpcore.run("sulq", data, 2, epsilon, 1e-6, seed=0)
    assert (np.abs(np.asarray(result.centers)) <= 1).all()
    assert result.epsilon <= epsilon * (1 + 1e-9)
