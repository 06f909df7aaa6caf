"""RUGNIK worked out by hand: its side, its charges, and what it shares with EUGkM."""

from __future__ import annotations

import numpy as np
import pytest

import dpcore
from dpcore.algorithms.rugnik import best_side, error_bound


def data(n=1000, d=2):
    rng = np.random.default_rng(0)
    return dpcore.datasets.from_array(rng.uniform(-0.9, 0.9, (n, d)), box=(-1, 1))


@pytest.mark.parametrize("d", [1, 2, 3, 8])
@pytest.mark.parametrize("n_epsilon", [(50, 0.02), (400, 0.4), (1e5, 5.0)])
def test_no_other_side_has_a_lower_bound(d, n_epsilon):
    n, epsilon = n_epsilon
    side = best_side(n, epsilon, d, 4)
    bounds = [error_bound(m, n, epsilon, d, 4) for m in range(1, 4097)]
    assert bounds[side - 1] == min(bounds)


def test_the_side_is_that_of_the_published_equation():
    """The bound is least where m^(d/2+2) = eta gamma k^(1/d) m + eta (1 - gamma) k^(2/d)."""
    n, epsilon, d, k = 40_000.0, 0.3, 2, 8
    gamma = 1 / (1 + np.sqrt(n / 3))
    eta = epsilon / d * np.sqrt(8 * n / 3) / gamma

    def at(m):
        linear, constant = gamma * k ** (1 / d), (1 - gamma) * k ** (2 / d)
        return m ** (d / 2 + 2) - eta * (linear * m + constant)

    root = next(m for m in np.arange(1, 4000, 0.01) if at(m) > 0)
    assert abs(best_side(n, epsilon, d, k) - root) <= 1


def test_more_centers_ask_for_a_finer_grid():
    sides = [best_side(10_000, 0.5, 2, k) for k in (1, 4, 16, 64)]
    assert sides == sorted(sides)
    assert sides[0] < sides[-1]


def test_a_twentieth_of_epsilon_sizes_the_grid_where_the_number_of_rows_is_private():
    result = dpcore.run("rugnik", data(), 3, 2.0, seed=0, starts=4)
    assert [c.epsilon for c in result.transcript] == pytest.approx([0.1, 1.9])
    public = dpcore.run("rugnik", data(), 3, 2.0, neighbors="replace-one", seed=0, starts=4)
    (counts,) = public.transcript
    assert counts.scale == pytest.approx(1.0)
    assert public.facts["cells per side"] == best_side(1000, 1.0, 2, 3)


def test_too_many_cells_are_refused_in_words_that_name_no_setting_it_lacks():
    with pytest.raises(dpcore.Infeasible, match="cells") as refused:
        dpcore.run("rugnik", data(100, 20), 3, 1e5, seed=0)
    assert "theta" not in str(refused.value)
