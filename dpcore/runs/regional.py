"""Runs side by side, one on each region of a map, joined into one result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from dpcore.algorithms.base import ALGORITHMS, Algorithm, SynopsisAlgorithm
from dpcore.datasets.base import Dataset
from dpcore.datasets.region_map import Regions, Window
from dpcore.errors import BadInput
from dpcore.geometry.domain import FloatArray, Grid, IntArray, coarsen, to_ticks
from dpcore.kmeans.noisy_grid import solve_grid
from dpcore.privacy.accounting import Budget, Neighbors
from dpcore.queries.curator import Curator
from dpcore.results.run_result import Outcome
from dpcore.results.steps import CentersNote, CoresetNote
from dpcore.results.synopsis import Coreset, NoisyGrid, Synopsis

#: Starts of k-means on joined noisy counts.
STARTS = 30


def check_regions(
    system: Algorithm, regions: Regions, epsilon: float, neighbors: Neighbors
) -> None:
    """Raise ValueError where the algorithm cannot run on each region, whatever the data."""
    if not isinstance(system, SynopsisAlgorithm):
        able = (key for key, other in ALGORITHMS.items() if isinstance(other, SynopsisAlgorithm))
        raise BadInput(
            f"{system.key} publishes nothing that can be joined across regions. "
            f"With regions use {', '.join(able)}."
        )
    if neighbors is not Neighbors.ADD_REMOVE:
        raise BadInput(
            "Regions protect under add-remove only: a row that is replaced may leave one region "
            "for another, and costs both levels."
        )
    regions.epsilons(epsilon)


def check_map(regions: Regions, data: Dataset) -> None:
    """Raise ValueError where the regions do not fit the data. Looks at public facts only."""
    if regions.box != data.box:
        raise BadInput("The regions were drawn for another box than that of the data.")
    lost = regions.levels.keys() - set(regions.at_resolution(data.resolution).names)
    if lost:
        raise BadInput(
            f"The level of {', '.join(sorted(lost))} cannot be kept: these data are known on a "
            f"grid of {data.resolution} cells a side, and none has its center there."
        )


def run_by_region(
    system: SynopsisAlgorithm,
    curator: Curator,
    k: int,
    regions: Regions,
    settings: Mapping[str, Any],
) -> Outcome:
    """One synopsis a region, each from its own noisy answers, and k-means of their union.

    A row changes the data of one region, so all runs together cost it what its region's run does.
    How many rows a region has is for its own run to ask, noisily; nothing else looks at it.
    """
    epsilon = curator.budget.epsilon
    visible = regions.at_resolution(curator.resolution)
    delta = curator.budget.delta if system.uses_delta else 0.0
    budgets = [Budget(own, delta) for own in visible.epsilons(epsilon)]
    union = joined(
        visible,
        [system.summary(part, k, **settings) for part in curator.side_by_side(visible, budgets)],
    )
    if isinstance(union, Coreset):
        centers = union.unit_centers(k, curator.rng)
    else:
        centers = solve_grid(_on_grid(union, visible.side), k, STARTS, curator.rng)
    curator.note(CoresetNote(union.unit_points, union.weights))
    curator.note(CentersNote(centers))
    facts = {
        "regions": dict(zip(visible.names, visible.epsilons(epsilon), strict=True)),
        "protection": visible.statement(epsilon),
        "points": len(union),
    }
    return Outcome(centers, union, facts)


def joined(regions: Regions, synopses: list[Synopsis]) -> Synopsis:
    """The synopses of all regions on one map: a coreset, if all of them are."""
    points, weights = [np.empty((0, 2))], [np.empty(0)]
    variances: list[FloatArray | None] = [np.empty(0)]
    for region, synopsis in enumerate(synopses):
        window = regions.windows[region]
        if isinstance(synopsis, NoisyGrid):
            cells, inside = _cells_inside(synopsis.grid, window.of(regions.image) == region)
            points.append(_on_map(inside, window, regions.side))
            weights.append(synopsis.weights[cells])
            variances.append(_if_known(synopsis.variances, cells))
        else:
            on_map = _on_map(synopsis.unit_points, window, regions.side)
            points.append(regions.drawn_inside(region, on_map))
            weights.append(synopsis.weights)
            variances.append(synopsis.variances)
    kind = Coreset if all(isinstance(s, Coreset) for s in synopses) else Synopsis
    known = [each for each in variances if each is not None]
    together = np.concatenate(known) if len(known) == len(variances) else None
    return kind(np.concatenate(points), np.concatenate(weights), regions.box, together)


def _if_known(values: FloatArray | None, which: IntArray) -> FloatArray | None:
    return None if values is None else values[which]


def _on_map(unit_points: FloatArray, window: Window, side: int) -> FloatArray:
    """Unit coordinates of a region's window as those of the whole box."""
    low = np.array([window.low0, window.low1])
    return (2 * low + (unit_points + 1) * window.side) / side - 1


def _cells_inside(grid: Grid, mask: npt.NDArray[np.bool_]) -> tuple[IntArray, FloatArray]:
    """Which cells of a window's grid reach into its region, and the middle of what lies inside.

    No row can be in the other cells, which is public. The mask says which squares of the window
    are the region's; it is refined until every cell has a square.
    """
    times = -(-grid.cells_per_side // len(mask))
    squares = np.nonzero(mask.repeat(times, axis=0).repeat(times, axis=1))
    side = len(mask) * times
    cell = coarsen(squares[0], side, grid.cells_per_side) * grid.cells_per_side
    cell += coarsen(squares[1], side, grid.cells_per_side)
    found = np.bincount(cell, minlength=grid.n_cells)
    cells = np.flatnonzero(found)
    middles = [np.bincount(cell, index, grid.n_cells)[cells] / found[cells] for index in squares]
    return cells, (2 * np.stack(middles, axis=1) + 1) / side - 1


def _on_grid(synopsis: Synopsis, side: int) -> IntArray:
    """Whole weights added up on a square grid."""
    grid = Grid(synopsis.box, side)
    cells = grid.labels(to_ticks(synopsis.unit_points))
    return np.bincount(cells, synopsis.weights, grid.n_cells).astype(np.int64).reshape(grid.shape)
