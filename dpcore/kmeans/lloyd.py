"""Lloyd's iteration on any data that can sum up its Voronoi cells."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.spatial.distance import cdist

from dpcore.geometry.domain import FloatArray
from dpcore.kmeans.stages import tell

#: Sweeps without a better result after which a start is given up: where noise makes weights
#: negative, it may go around forever. Without, every sweep is better until nothing moves.
PATIENCE = 10


class LloydTotals(Protocol):
    """The interface that `RowSums` and `WeightedPoints` share."""

    def step(self, centers: npt.ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Weights, position sums and inertia of the Voronoi cells of a batch of center sets."""
        ...

    def cost(self, centers: npt.ArrayLike) -> Any:
        """The inertia alone, of a batch of center sets."""
        ...


def lloyd(
    totals: LloydTotals,
    starts: FloatArray,
    iterations: int,
    tolerance: float = 0.0,
    minimum_weight: float = 1.0,
) -> tuple[FloatArray, FloatArray]:
    """The best centers met from each start (s, k, d), and their inertia (s,).

    Unit coordinates. A start leaves the batch when no center moved by more than the tolerance in
    any coordinate, or when it goes around in vain. With negative weights Lloyd need not descend,
    so the least inertia met is kept, not the last. A cluster lighter than the minimum weight keeps
    its center, and centers stay in the box.
    """
    best = np.clip(np.asarray(starts, dtype=np.float64), -1, 1)
    inertia = np.full(len(best), np.inf)
    active = np.arange(len(best))
    in_vain = np.zeros(len(best), dtype=np.int64)
    centers = best.copy()
    for remaining in range(iterations, -1, -1):
        tell("moving centers", 1 - remaining / max(iterations, 1))
        if remaining:
            weights, sums, current = totals.step(centers)
        else:
            current = totals.cost(centers)
        better = current < inertia[active]
        gained = active[better]
        inertia[gained] = current[better]
        best[gained] = centers[better]
        if not remaining:
            break
        in_vain += 1
        in_vain[better] = 0
        heavy = weights >= minimum_weight
        heavy &= weights > 0
        if heavy.all():
            moved = sums / weights[..., None]
        else:
            means = sums / np.where(heavy, weights, 1)[..., None]
            moved = np.where(heavy[..., None], means, centers)
        np.maximum(moved, -1, out=moved)
        np.minimum(moved, 1, out=moved)
        centers -= moved
        moving = np.abs(centers, out=centers).max(axis=(1, 2)) > tolerance
        moving &= in_vain < PATIENCE
        active, centers, in_vain = active[moving], moved[moving], in_vain[moving]
        if not len(active):
            break
    return best, inertia


def distinct(
    center_sets: FloatArray, inertia: FloatArray, keep: int, apart: float = 0.02
) -> FloatArray:
    """The few best sets that differ: two that are nearly the same would converge to one."""
    sets = center_sets[np.argsort(inertia, kind="stable")]
    order = np.lexsort(np.moveaxis(sets, -1, 0)[::-1], axis=-1)
    in_order = np.take_along_axis(sets, order[..., None], axis=1).reshape(len(sets), -1)
    differs = cdist(in_order, in_order, "chebyshev") > apart
    candidates = np.ones(len(sets), dtype=bool)
    picks: list[int] = []
    while len(picks) < keep and candidates.any():
        picks.append(int(candidates.argmax()))
        candidates &= differs[picks[-1]]
    return sets[picks]
