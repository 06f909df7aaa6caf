"""Coins: with a seed numpy's, for a release the operating system's, and never known to anybody."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import dpcore
from dpcore.algorithms import ALGORITHMS
from dpcore.audit.cases import cases_of
from dpcore.privacy.release_noise import ReleaseNoise
from dpcore.privacy.secret_coins import SecretCoins
from dpcore.randomness.coins import SystemCoins
from dpcore.runs.run import run_request

#: A true law fails one look of so many.
LEVEL = 1e-9
MANY = 20_000


class Counted:
    """os.urandom, replaced by numpy's generator with a seed: a law is looked at without chance."""

    def __init__(self, seed: int = 0):
        self._rng = np.random.default_rng(seed)

    def __call__(self, size: int) -> bytes:
        return self._rng.bytes(size)


@pytest.fixture
def coins(monkeypatch) -> SystemCoins:
    monkeypatch.setattr("dpcore.randomness.coins.os.urandom", Counted())
    return SystemCoins()


def test_gkm_with_release_noise_refuses_a_seed():
    data = dpcore.datasets.from_array(np.full((200, 1), 0.5), box=(0, 1))
    with pytest.raises(ValueError, match="takes no seed"):
        dpcore.run("gkm", data, 1, 1.0, seed=0, noise=ReleaseNoise())


def test_release_noise_refuses_coins_from_outside():
    class Known(SecretCoins):
        pass

    data = dpcore.datasets.from_array(np.full((200, 1), 0.5), box=(0, 1))
    request = dpcore.Request("gkm", 1, 1.0)
    with pytest.raises(ValueError, match="no coins from outside"):
        run_request(request, data, noise=ReleaseNoise(), make_secret_coins=Known)


def test_an_audit_can_put_secret_coins_in_place_of_those_of_a_run():
    made = []

    class Watched(SecretCoins):
        def blocks(self, positions, weights, count):
            made.append((len(positions), count))
            return super().blocks(positions, weights, count)

        def parts(self, rows, count):
            made.append((len(rows), count))
            return super().parts(rows, count)

    data = dpcore.datasets.from_array(np.random.default_rng(0).uniform(-1, 1, (3000, 3)), (-1, 1))
    for key in ("gkm", "gkm-3k", "sample-aggregate", "coreset-split"):
        made.clear()
        own = dpcore.run(key, data, 2, 4.0, seed=0).centers
        request = dpcore.Request(key, 2, 4.0, seed=0)
        watched = run_request(request, data, make_secret_coins=Watched).centers
        assert made
        np.testing.assert_array_equal(own, watched)


@pytest.mark.parametrize("key", ALGORITHMS)
def test_no_release_tosses_a_coin_of_numpys(key, monkeypatch):
    """Every operation that an algorithm needs is there without numpy's generators."""
    case = next(cases_of(ALGORITHMS[key]))
    fixed = np.random.default_rng

    def refused(seed=None):
        assert seed is not None, "coins from numpy's generator"
        return fixed(seed)

    monkeypatch.setattr(np.random, "default_rng", refused)
    monkeypatch.setattr(np.random, "SeedSequence", None)
    try:
        dpcore.run(key, case.pair.data[0], case.k, 4.0, noise=ReleaseNoise(), **case.parameters)
    except ValueError as refusal:
        if not isinstance(refusal, dpcore.Infeasible) and key != "kvariates-published":
            raise


def test_uniform_numbers_are_uniform(coins):
    for drawn in (coins.random(MANY), (coins.uniform(-3, 5, MANY) + 3) / 8):
        assert drawn.min() >= 0
        assert drawn.max() < 1
        assert stats.kstest(drawn, "uniform").pvalue > LEVEL
    assert coins.random((2, 3)).shape == (2, 3)
    assert isinstance(float(coins.random()), float)
    assert coins.uniform([0.0, 10.0], [1.0, 11.0]).shape == (2,)


def test_other_laws_are_right(coins):
    assert stats.kstest(coins.standard_normal(MANY), "norm").pvalue > LEVEL
    assert stats.kstest(coins.normal(1, 2, MANY), "norm", (1, 2)).pvalue > LEVEL
    assert stats.kstest(coins.laplace(1, 2, MANY), "laplace", (1, 2)).pvalue > LEVEL


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_whole_numbers_are_uniform(coins, count):
    drawn = coins.integers(3, 3 + count, MANY)
    assert drawn.dtype == np.int64
    observed = np.bincount(drawn - 3, minlength=count)
    assert observed.size == count
    assert stats.chisquare(observed).pvalue > LEVEL or count == 1
    assert isinstance(coins.integers(5), int)
    assert coins.integers(5, size=3, dtype=np.int32).dtype == np.int32


def test_whole_numbers_of_a_large_range_are_rejected_and_not_folded(coins):
    """Of 3 * 2^62 the lower third would come twice as often, if words were only divided."""
    most = 3 << 61
    below = (coins.integers(most, size=MANY) < 1 << 61).mean()
    assert stats.binomtest(round(below * MANY), MANY, 1 / 3).pvalue > LEVEL
    with pytest.raises(ValueError, match="there are none"):
        coins.integers(0)


def test_elements_are_chosen_by_their_probability(coins):
    share = np.array([0.5, 0.0, 0.2, 0.3])
    drawn = coins.choice(np.array([10, 11, 12, 13]), MANY, p=share)
    observed = np.bincount(drawn - 10, minlength=4)
    assert observed[1] == 0
    kept = share > 0
    assert stats.chisquare(observed[kept], MANY * share[kept]).pvalue > LEVEL
    assert coins.choice(4, p=[0, 0, 1.0, 0]) == 2
    with pytest.raises(ValueError, match="with replacement only"):
        coins.choice(4, 2, replace=False, p=share)


def test_without_replacement_nothing_is_chosen_twice(coins):
    assert sorted(coins.choice(50, 50, replace=False)) == list(range(50))
    first = [coins.choice(5, 2, replace=False)[0] for _ in range(5000)]
    assert stats.chisquare(np.bincount(first, minlength=5)).pvalue > LEVEL
    assert coins.choice(3, replace=False) in (0, 1, 2)


def test_every_order_is_as_likely(coins):
    seen = {}
    for _ in range(6000):
        row = np.arange(3)
        coins.shuffle(row)
        seen[tuple(row)] = seen.get(tuple(row), 0) + 1
    assert len(seen) == 6
    assert stats.chisquare(list(seen.values())).pvalue > LEVEL


def test_spawned_coins_are_the_systems_too():
    one, other = SystemCoins().spawn(2)
    assert one.integers(1 << 63) != other.integers(1 << 63)
