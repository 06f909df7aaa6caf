"""Families of generated data in the box [-1, 1]^d, by name, shape and seed.

Constants of the algorithms may be settled on these. `benchmarks.held_out` has others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from zlib import crc32

import numpy as np

from dpcore.geometry.domain import FloatArray

Family = Callable[[np.random.Generator, int, int, int], FloatArray]


def blobs(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Round clusters of about equal size."""
    middles = rng.uniform(-0.8, 0.8, (k, d))
    return middles[rng.integers(0, k, n)] + 0.05 * rng.standard_normal((n, d))


def corner(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """All rows in a small part of the box."""
    where = rng.uniform(-0.85, 0.85, d)
    return where + 0.1 * blobs(rng, n, d, k)


def diagonal(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Clusters along the diagonal of the box."""
    along = np.linspace(-0.8, 0.8, k)[rng.integers(0, k, n)]
    return along[:, None] + 0.03 * rng.standard_normal((n, d))


def heavy(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Clusters with heavy tails: Student's law with 1.8 degrees of freedom."""
    middles = rng.uniform(-0.6, 0.6, (k, d))
    tails = rng.standard_normal((n, d)) / np.sqrt(rng.chisquare(1.8, (n, 1)) / 1.8)
    return middles[rng.integers(0, k, n)] + 0.04 * tails


def unbalanced(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Each cluster has half as many rows as the one before, down to a thousandth of all."""
    shares = np.maximum(0.5 ** np.arange(k), 1e-3)
    which = rng.choice(k, n, p=shares / shares.sum())
    return rng.uniform(-0.8, 0.8, (k, d))[which] + 0.03 * rng.standard_normal((n, d))


def anisotropic(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """Clusters stretched in different directions."""
    middles, which = rng.uniform(-0.7, 0.7, (k, d)), rng.integers(0, k, n)
    widths = 0.15 * np.exp(-1.5 * rng.uniform(0, 2, (k, d)))
    turns = np.stack([np.linalg.qr(rng.standard_normal((d, d)))[0] for _ in range(k)])
    around = rng.standard_normal((n, d)) * widths[which]
    rows = np.empty((n, d))
    for j in range(k):
        rows[which == j] = middles[j] + around[which == j] @ turns[j]
    return rows


def uniform(rng: np.random.Generator, n: int, d: int, k: int) -> FloatArray:
    """No clusters at all."""
    return rng.uniform(-1, 1, (n, d))


FAMILIES: Mapping[str, Family] = {
    each.__name__: each
    for each in (blobs, corner, diagonal, heavy, unbalanced, anisotropic, uniform)
}


def generated(
    name: str, n: int, d: int, k: int, seed: int = 0, families: Mapping[str, Family] = FAMILIES
) -> FloatArray:
    """Rows of a family, always the same ones; what falls outside the box is moved to its edge."""
    rng = np.random.default_rng([crc32(name.encode()), n, d, k, seed])
    return np.clip(families[name](rng, n, d, k), -0.999999, 0.999999)
