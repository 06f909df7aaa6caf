"""Runs side by side, one on each region of a map, joined into one result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dpcore.algorithms.base import SynopsisAlgorithm
from dpcore.datasets.region_map import Regions, Window
from dpcore.geometry.domain import FloatArray, Grid, IntArray, coarsen
from dpcore.privacy.accounting import Budget
from dpcore.privacy.transcript import Transcript
from dpcore.results.run_result import Outcome
from dpcore.results.steps import RegionNote
from dpcore.results.synopsis import Coreset, NoisyGrid, Synopsis
from dpcore.runs.area_runs import AreaRun, KeptRuns
from dpcore.runs.joined_points import AreaPoints, centers_of, united

if TYPE_CHECKING:
    from dpcore.queries.curator import Curator


def run_by_region(
    system: SynopsisAlgorithm,
    curator: Curator,
    k: int,
    regions: Regions,
    settings: Mapping[str, Any],
    kept_runs: KeptRuns | None = None,
) -> Outcome:
    """One synopsis a region, each from its own noisy answers, and k-means of their union.

    A row changes the data of one region, so all runs together cost it what its region's run does
    (`dpcore.datasets.area_levels` has the proof). How many rows a region has is for its own run to
    ask, noisily; nothing else looks at it. What a region's run draws depends on the seed and the
    region's name alone, so runs that are kept with their seed and budget need not be made again.
    """
    epsilon = curator.budget.epsilon
    visible = regions.at_resolution(curator.resolution)
    delta = curator.budget.delta if system.uses_delta else 0.0
    levels = [Budget(own, delta) for own in visible.epsilons(epsilon)]
    runs = _runs(system, curator, k, visible, levels, settings, kept_runs)
    union = united(regions.box, [each.points for each in runs])
    for name, each in zip(visible.names, runs, strict=True):
        curator.enter(RegionNote(name), each.steps)
    centers = centers_of(union, [each.points for each in runs], visible.side, curator, k)
    facts = {
        "regions": dict(zip(visible.names, visible.epsilons(epsilon), strict=True)),
        "protection": " ".join(visible.sentences(epsilon, neighbors=curator.neighbors)),
        "points": len(union),
        "resolution": curator.resolution,
    }
    return Outcome(centers, union, facts)


def _runs(
    system: SynopsisAlgorithm,
    curator: Curator,
    k: int,
    regions: Regions,
    levels: Sequence[Budget],
    settings: Mapping[str, Any],
    kept_runs: KeptRuns | None,
) -> list[AreaRun]:
    """The run of each region: made now, or made before with the same seed and level."""
    key_end = system.key, k, tuple(settings.items()), curator.neighbors
    keys = [(name, level, *key_end) for name, level in zip(regions.names, levels, strict=True)]
    runs: dict[int, AreaRun] = {}
    if kept_runs is not None:
        runs = {region: run for region, key in enumerate(keys) if (run := kept_runs.find(key))}
    transcripts: dict[int, Transcript] = {i: run.transcript for i, run in runs.items()}
    divide = None if kept_runs is None else kept_runs.divided
    parts = curator.side_by_side(regions, levels, transcripts, divide)
    fresh = [region for region in range(regions.n_cells) if region not in runs]
    synopses = system.summaries([parts[region] for region in fresh], k, **settings)
    for region, synopsis in zip(fresh, synopses, strict=True):
        part, points = parts[region], points_of(regions, region, synopsis)
        runs[region] = AreaRun(points, part.transcript, part.steps)
        if kept_runs is not None:
            kept_runs.keep(keys[region], runs[region])
    return [runs[region] for region in range(regions.n_cells)]


def joined(regions: Regions, synopses: Sequence[Synopsis]) -> Synopsis:
    """The synopses of all regions on one map: a coreset, if all of them are."""
    pieces = [points_of(regions, region, synopsis) for region, synopsis in enumerate(synopses)]
    return united(regions.box, pieces)


def points_of(regions: Regions, region: int, synopsis: Synopsis) -> AreaPoints:
    """The points that a region's own run published, on the whole map."""
    window = regions.windows[region]
    if isinstance(synopsis, NoisyGrid):
        cells, inside = _cells_inside(synopsis.grid, window.of(regions.image) == region)
        variances = None if synopsis.variances is None else synopsis.variances[cells]
        points = _on_map(inside, window, regions.side)
        finest = -(-synopsis.grid.cells_per_side * regions.side // window.side)
        return AreaPoints(points, synopsis.weights[cells], variances, False, finest)
    on_map = _on_map(synopsis.unit_points, window, regions.side)
    return AreaPoints(
        regions.drawn_inside(region, on_map),
        synopsis.weights,
        synopsis.variances,
        isinstance(synopsis, Coreset),
    )


def _on_map(unit_points: FloatArray, window: Window, side: int) -> FloatArray:
    """Unit coordinates of a region's window as those of the whole box."""
    low = np.array([window.low0, window.low1])
    return (2 * low + (unit_points + 1) * window.side) / side - 1


def _cells_inside(grid: Grid, mask: npt.NDArray[np.bool_]) -> tuple[IntArray, FloatArray]:
    """The cells of a window's grid that reach into its region, and the middle of what lies inside.

    No row can be in the other cells, which is public. The mask says which squares of the window
    are the region's; it is refined until every cell has a square.
    """
    times = -(-grid.cells_per_side // len(mask))
    squares = np.nonzero(mask.repeat(times, axis=0).repeat(times, axis=1))
    side = len(mask) * times
    cell = coarsen(squares[0], side, grid.cells_per_side) * grid.cells_per_side
    cell += coarsen(squares[1], side, grid.cells_per_side)
    counts = np.bincount(cell, minlength=grid.n_cells)
    cells = np.flatnonzero(counts)
    middles = [np.bincount(cell, index, grid.n_cells)[cells] / counts[cells] for index in squares]
    return cells, (2 * np.stack(middles, axis=1) + 1) / side - 1
