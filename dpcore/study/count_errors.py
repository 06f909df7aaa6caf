"""Errors of the counts of areas in repeated runs: exact counts beside those of a synopsis.

Every figure looks at the data without protection: for your eyes only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpcore.datasets import regions
from dpcore.datasets.base import Dataset
from dpcore.datasets.city_shapes import ELSEWHERE
from dpcore.datasets.region_map import Regions
from dpcore.errors import BadInput, Infeasible
from dpcore.geometry.domain import Box, FloatArray, to_ticks
from dpcore.geometry.positions import longitude_first
from dpcore.results.synopsis import NoisyGrid, Synopsis
from dpcore.runs.request import Request
from dpcore.runs.run import run
from dpcore.study.trial_seeds import DRAWS, trial_seed

#: Where no neighborhoods are known, the box is cut into so many areas a side.
SIDE = 8


@dataclass(frozen=True)
class CountDraw:
    """The errors of the counts in one run, in rows, of the areas that have rows at all."""

    errors: tuple[float, ...]


def areas_of(box: Box, geographic: bool) -> Regions:
    """The areas that are counted: New York's neighborhoods where they lie in the box, else equal
    rectangles."""
    if box.d != 2:
        raise Infeasible(f"Areas lie on a map of 2 coordinates; these data have {box.d}.")
    if geographic and longitude_first(box) == (0, 1):
        try:
            areas = regions.neighborhoods(box)
        except BadInput:
            areas = None
        if areas is not None and len(areas.names) > SIDE:
            return areas
    steps = [np.linspace(low, high, SIDE + 1) for low, high in zip(box.low, box.high, strict=True)]
    corners = {
        f"{i + 1}/{j + 1}": ((steps[0][i], steps[1][j]), (steps[0][i + 1], steps[1][j + 1]))
        for i in range(SIDE)
        for j in range(SIDE)
    }
    return regions.boxes(corners, box)


def count_draws(request: Request, data: Dataset, count: int = DRAWS) -> Iterator[CountDraw]:
    """Runs with seeds of their own, yielding each as it finishes. To cancel, stop iterating."""
    areas = areas_of(data.box, data.about.geographic)
    named = np.array([name != ELSEWHERE for name in areas.names])
    truth = data.histogram(areas)
    counted_areas = named & (truth > 0)
    if not counted_areas.any():
        raise Infeasible("No area has a row.")
    for i in range(count):
        result = run(request.with_seed(trial_seed(request.seed or 0, i)), data)
        if result.synopsis is None:
            raise Infeasible(
                f"{request.system.title} publishes centers and no counts. Choose a method that "
                "publishes points, such as adaptive."
            )
        counted = _counted(result.synopsis, areas)
        yield CountDraw(tuple(np.abs(counted - truth)[counted_areas].tolist()))


def _counted(synopsis: Synopsis, areas: Regions) -> FloatArray:
    """The rows in each area by the account of a synopsis; those of a cell lie evenly in it."""
    if isinstance(synopsis, NoisyGrid) and synopsis.grid.cells_per_side <= areas.side:
        own = np.arange(areas.side) * synopsis.grid.cells_per_side // areas.side
        pixels = np.bincount(own, minlength=synopsis.grid.cells_per_side)
        shares = synopsis.counts / np.maximum(np.outer(pixels, pixels), 1)
        counts = np.bincount(areas.image.ravel(), shares[np.ix_(own, own)].ravel(), areas.n_cells)
    else:
        labels = areas.labels(to_ticks(synopsis.unit_points))
        counts = np.bincount(labels, synopsis.weights, areas.n_cells)
    return np.asarray(counts, dtype=np.float64)
