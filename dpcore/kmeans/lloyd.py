"""Lloyd's iteration on any data that can sum up its Voronoi cells."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

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
        weights, sums, current = totals.step(centers)
        better = current < inertia[active]
        inertia[active[better]] = current[better]
        best[active[better]] = centers[better]
        in_vain[active] = np.where(better, 0, in_vain[active] + 1)
        if not remaining:
            break
        heavy = (weights >= minimum_weight) & (weights > 0)
        means = sums / np.where(heavy, weights, 1)[..., None]
        moved = np.where(heavy[..., None], np.minimum(np.maximum(means, -1), 1), centers)
        moving = np.abs(moved - centers).max(axis=(1, 2)) > tolerance
        moving &= in_vain[active] < PATIENCE
        active, centers = active[moving], moved[moving]
        if not len(active):
            break
    return best, inertia


def distinct(
    center_sets: FloatArray, inertia: FloatArray, keep: int, apart: float = 0.02
) -> FloatArray:
    """The few best sets that differ: two that are nearly the same would converge to one."""
    left = center_sets[np.argsort(inertia, kind="stable")]
    order = np.lexsort(np.moveaxis(left, -1, 0)[::-1], axis=-1)
    in_order = np.take_along_axis(left, order[..., None], axis=1)
    kept: list[FloatArray] = []
    while len(left) and len(kept) < keep:
        kept.append(left[0])
        others = np.abs(in_order - in_order[0]).max(axis=(1, 2)) > apart
        left, in_order = left[others], in_order[others]
    return np.stack(kept)
