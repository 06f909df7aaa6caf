"""Rows in clusters, for tests of methods that publish points."""

from __future__ import annotations

import numpy as np


def clusters(n: int, d: int = 2, seed: int = 0) -> np.ndarray:
    """Rows in eight clusters of different width and size."""
    rng = np.random.default_rng(seed)
    centers, widths = rng.uniform(-0.8, 0.8, (8, d)), rng.uniform(0.01, 0.1, 8)
    which = rng.choice(8, n, p=rng.dirichlet(np.full(8, 2.0)))
    rows = centers[which] + rng.normal(size=(n, d)) * widths[which, None]
    return np.clip(rows, -0.999, 0.999)
