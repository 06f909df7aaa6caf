"""The points of runs side by side, joined on one map, and k-means of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.geometry.domain import Box, FloatArray, Grid, IntArray, to_ticks
from dpcore.kmeans.noisy_grid import solve_grid
from dpcore.results.steps import CentersNote, CoresetNote
from dpcore.results.synopsis import Coreset, Synopsis

if TYPE_CHECKING:
    from dpcore.queries.curator import Curator

#: Starts of k-means on joined noisy counts.
STARTS = 30
#: The grid on which that is done: so many cells a side at least, and so many for each noisy one.
COARSEST, FINER = 256, 2


@dataclass(frozen=True, eq=False)
class AreaPoints:
    """The points that the run on one area publishes, in unit coordinates of the whole map."""

    unit_points: FloatArray
    weights: FloatArray
    variances: FloatArray | None
    is_coreset: bool
    #: Of counts on a grid: how many of their cells would lie side by side on the whole map.
    cells_per_side: int = 0


def united(box: Box, pieces: Sequence[AreaPoints]) -> Synopsis:
    """All points of runs side by side: a coreset, if each of them is."""
    points = np.concatenate([np.empty((0, box.d)), *(each.unit_points for each in pieces)])
    weights = np.concatenate([np.empty(0), *(each.weights for each in pieces)])
    variances = [each.variances for each in pieces if each.variances is not None]
    together = np.concatenate([np.empty(0), *variances]) if len(variances) == len(pieces) else None
    kind = Coreset if all(each.is_coreset for each in pieces) else Synopsis
    return kind(points, weights, box, together)


def centers_of(
    union: Synopsis, pieces: Sequence[AreaPoints], most: int, curator: Curator, k: int
) -> FloatArray:
    """k-means of joined points; counts are searched on a grid with `most` cells a side or fewer."""
    if isinstance(union, Coreset):
        centers = union.unit_centers(k, curator.rng)
    else:
        finest = max(1, *(each.cells_per_side for each in pieces))
        side = min(most, max(COARSEST, 1 << (FINER * finest - 1).bit_length()))
        centers = solve_grid(_on_grid(union, side), k, STARTS, curator.rng)
    curator.note(CoresetNote(union.unit_points, union.weights))
    curator.note(CentersNote(centers))
    return centers


def _on_grid(synopsis: Synopsis, side: int) -> IntArray:
    """Whole weights added up on a square grid."""
    grid = Grid(synopsis.box, side)
    cells = grid.labels(to_ticks(synopsis.unit_points))
    return np.bincount(cells, synopsis.weights, grid.n_cells).astype(np.int64).reshape(grid.shape)
