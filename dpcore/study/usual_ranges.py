"""The ranges that studies go through unless told otherwise."""

from __future__ import annotations

#: The number of centers, and the seed, with which pages open.
K, SEED = 5, 0
#: Privacy budgets of a curve.
EPSILONS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 4.0)
#: Numbers of centers, and of dimensions, of a map over both.
SIDES = tuple(range(2, 11))
#: Numbers of rows by which run times grow.
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
#: Methods that the others are measured against, the nearest first.
RIVALS = ("eugkm", "dplloyd", "adaptive", "auto")
