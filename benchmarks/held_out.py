"""Families of generated data that are kept back: no constant of an algorithm was chosen by them.

Look at them once a change is settled, never while it is being made.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.families import Family
from dpcore.geometry.domain import FloatArray


def streets(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Rows along lines that cross, crowded near one end."""
    ends = rng.uniform(-0.9, 0.9, (2, 3 * k, d))
    which = rng.choice(3 * k, n, p=rng.dirichlet(np.full(3 * k, 0.5)))
    along = rng.beta(0.7, 2.0, (n, 1))
    rows = ends[0][which] * (1 - along) + ends[1][which] * along
    return rows + 0.01 * rng.standard_normal((n, d))


def nested(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Clusters of clusters, of very different width and size."""
    towns = rng.uniform(-0.8, 0.8, (k, d))
    town = rng.choice(k, n, p=rng.dirichlet(np.full(k, 0.6)))
    reach = np.exp(rng.uniform(np.log(0.01), np.log(0.2), (k, 1)))
    quarters = rng.standard_normal((k, 5, d)) * reach[:, None]
    return (
        towns[town]
        + quarters[town, rng.integers(0, 5, n)]
        + 0.2 * reach[town] * rng.laplace(size=(n, d))
    )


def shells(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Thin shells around some places, over a thin haze."""
    middles = rng.uniform(-0.6, 0.6, (k, d))
    radius = rng.uniform(0.02, 0.3, k)
    away = rng.standard_normal((n, d))
    away /= np.sqrt((away**2).sum(axis=1, keepdims=True))
    which = rng.integers(0, k, n)
    rows = middles[which] + radius[which, None] * away
    haze = rng.uniform(size=n) < 0.05
    rows[haze] = rng.uniform(-1, 1, (int(haze.sum()), d))
    return rows


def steps(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Whole numbers that grow together, as answers to a questionnaire do: few distinct values."""
    traits = rng.standard_normal((k, 2))[rng.choice(k, n, p=rng.dirichlet(np.full(k, 2.0)))]
    traits = traits + 0.4 * rng.standard_normal((n, 2))
    answers = traits @ rng.standard_normal((2, d)) + 0.5 * rng.standard_normal((n, d))
    return np.clip(np.rint(2 * answers), -5, 5) / 6


FAMILIES: Mapping[str, Family] = {each.__name__: each for each in (streets, nested, shells, steps)}
