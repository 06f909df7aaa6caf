"""The view of one run: published points thinned for the screen, centers, and the true density.

Published points and shares come from what the run released, and are as private as it is. What
looks at the data is wrapped as NonPrivate: for your eyes only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import scipy

from dpcore.datasets.base import Dataset
from dpcore.datasets.city_shapes import place_of
from dpcore.geometry.domain import Box, FloatArray, Grid
from dpcore.kmeans.merging import on_raster
from dpcore.kmeans.noisy_grid import totals
from dpcore.kmeans.points import WeightedPoints
from dpcore.results.non_private import NonPrivate
from dpcore.results.run_result import BaselineResult, RunResult
from dpcore.results.synopsis import Coreset, NoisyGrid, Synopsis
from dpcore.study.metrics import relative_error
from dpcore.study.packed_points import packed
from dpcore.study.shifts import center_shift, matched

if TYPE_CHECKING:
    import pandas as pd

#: More points than this are merged, more cells a side added up: a screen shows no more.
MOST_POINTS = 1000
#: A map draws more of them.
MOST_ON_MAP = 20_000
MOST_CELLS_PER_SIDE = 64
#: Cells a side of a density, and how far it is smoothed, in cells.
DENSITY_CELLS, DENSITY_BLUR = 128, 1.0
#: More points than this are gathered on the density's cells before they are merged.
GATHERED_FROM = 8_000

Levels = npt.NDArray[np.uint8]
Axes = tuple[int, int]


@dataclass(frozen=True)
class Marks:
    """The points that a run published, on two coordinates, thinned for a screen."""

    #: One row for each mark: x and y in data units, weight.
    rows: FloatArray
    #: How many points or cells were published in all.
    published: int
    #: Width and height of a cell in data units; None where marks are points.
    cell: tuple[float, float] | None = None

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows with the names of their columns."""
        import pandas as pd

        return pd.DataFrame(self.rows, columns=["x", "y", "weight"])

    @cached_property
    def packed(self) -> dict[str, Any]:
        """The points as a browser gets them."""
        return packed(self)


def marks(synopsis: Synopsis, axes: Axes = (0, 1), most: int = MOST_POINTS) -> Marks:
    """At most about so many points of a synopsis, or its cells added up to fewer a side.

    Cells that noise left empty or below are not shown.
    """
    box = synopsis.box.take(axes)
    cell = None
    if isinstance(synopsis, NoisyGrid):
        counts = fewer_cells(_marginal(synopsis, axes))
        unit, weights = Grid(box, len(counts)).centers(), counts.ravel().astype(np.float64)
        widths = (np.asarray(box.high) - np.asarray(box.low)) / len(counts)
        cell = (float(widths[0]), float(widths[1]))
    else:
        dots = _merged(synopsis, most) if isinstance(synopsis, Coreset) else synopsis
        unit, weights = dots.unit_points[:, axes], dots.weights
    visible = weights > 0
    rows = np.column_stack([box.from_unit(unit[visible]), weights[visible]])
    return Marks(rows, len(synopsis), cell)


def shares(result: RunResult) -> FloatArray | None:
    """The part of the published weight nearest each center; None where nothing was published."""
    return shares_of(result.synopsis, result.box, np.asarray(result.centers))


def shares_of(synopsis: Synopsis | None, box: Box, centers: FloatArray) -> FloatArray | None:
    """The part of a synopsis' weight nearest each center; None where there is none."""
    if synopsis is None or not len(synopsis):
        return None
    unit = box.to_unit(centers)
    source = (
        totals(synopsis.counts)
        if isinstance(synopsis, NoisyGrid)
        else WeightedPoints(synopsis.unit_points, synopsis.weights)
    )
    weights = np.maximum(source.step(unit)[0], 0)
    whole = float(weights.sum())
    return weights / whole if whole else None


def places(centers: npt.ArrayLike) -> list[str]:
    """The place of each center on a map, or both ends of a trip."""
    centers = np.asarray(centers)
    names = [place_of(centers[:, i : i + 2]) for i in range(0, centers.shape[1], 2)]
    return [" → ".join(each) for each in zip(*names, strict=True)]


def centers_table(result: RunResult, geographic: bool) -> pd.DataFrame:
    """One row a center: coordinates, share and, on a map, place. Largest share first.

    Coordinates are known by their position, so that none can be called like another column.
    """
    import pandas as pd

    frame = pd.DataFrame(np.asarray(result.centers))
    center_shares = shares(result)
    frame["share"] = np.nan if center_shares is None else center_shares
    if geographic:
        frame["place"] = places(result.centers)
    return frame.sort_values("share", ascending=False, kind="stable")


@dataclass(frozen=True)
class Truth:
    """The truth about a run: the non-private centers, and the distances of the private ones."""

    #: One row a private center, in the run's order: its non-private partner, coordinates known by
    #: their position, and the shift between.
    partners: pd.DataFrame
    #: How much more the private centers cost than the non-private ones.
    worse: float
    rows: int


def truth(data: Dataset, result: RunResult, reference: BaselineResult) -> NonPrivate[Truth]:
    """The non-private centers beside a run's own. Shifts are in meters on a map."""
    order = matched(result.centers, reference.centers, data.box)
    import pandas as pd

    partners = pd.DataFrame(np.asarray(reference.centers), index=order)
    partners["shift"] = center_shift(data, result.centers, reference.centers)
    cost = float(data.cost(data.box.to_unit(np.asarray(result.centers))[None])[0])
    worse = relative_error(cost, reference.cost.value)
    return NonPrivate(Truth(partners.sort_index(), worse, data.n))


def published_density(synopsis: Synopsis, axes: Axes = (0, 1)) -> Levels:
    """The density of the published points, as brightness of the pixels of a picture."""
    if isinstance(synopsis, NoisyGrid):
        counts = fewer_cells(_marginal(synopsis, axes), DENSITY_CELLS)
        zoom = max(1, round(DENSITY_CELLS / len(counts)))
        return _brightness(counts.repeat(zoom, axis=0).repeat(zoom, axis=1))
    unit = synopsis.unit_points[:, axes]
    cells = np.clip(((unit + 1) / 2 * DENSITY_CELLS).astype(np.int64), 0, DENSITY_CELLS - 1)
    flat = cells[:, 0] * DENSITY_CELLS + cells[:, 1]
    weights = np.bincount(flat, synopsis.weights, DENSITY_CELLS**2)
    return _brightness(weights.reshape(DENSITY_CELLS, DENSITY_CELLS))


def true_density(data: Dataset, axes: Axes = (0, 1)) -> NonPrivate[Levels]:
    """The density of the data themselves, drawn the same way."""
    grid = Grid(data.box.take(axes), DENSITY_CELLS)
    if data.d == 2 and axes == (0, 1):
        counts = data.histogram(grid)
    else:
        ticks, weights = data.positions()
        counts = np.bincount(grid.labels(ticks[:, axes]), weights, grid.n_cells)
    return NonPrivate(_brightness(counts.reshape(grid.shape)))


def _merged(coreset: Coreset, most: int) -> Coreset:
    """A coreset of no more than `most` points. On a plane, very many are first gathered cell by
    cell, which a screen does not tell apart."""
    points, weights = coreset.unit_points, coreset.weights
    if len(weights) > max(most, GATHERED_FROM) and coreset.box.d == 2:
        coreset = Coreset(*on_raster(points, weights, DENSITY_CELLS), coreset.box)
    return coreset.reduced(most)


def _marginal(synopsis: NoisyGrid, axes: Axes) -> npt.NDArray[np.int64]:
    """The counts on two of the coordinates: those along all others are added up."""
    others = tuple(axis for axis in range(synopsis.box.d) if axis not in axes)
    counts = synopsis.counts.sum(axis=others)
    return counts if axes[0] < axes[1] else counts.T


def fewer_cells(
    counts: npt.NDArray[np.int64], most: int = MOST_CELLS_PER_SIDE
) -> npt.NDArray[np.int64]:
    """Counts on at most `most` cells a side: blocks of cells are added up."""
    side = len(counts)
    if side <= most:
        return counts
    starts = np.arange(most) * side // most
    return np.add.reduceat(np.add.reduceat(counts, starts, axis=0), starts, axis=1)


def _brightness(counts: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> Levels:
    """Smoothed counts from 0 to 255, by their square root, x to the right and y upwards."""
    smooth = np.sqrt(
        scipy.ndimage.gaussian_filter(np.maximum(counts, 0).astype(np.float64), DENSITY_BLUR)
    )
    peak = smooth.max() or 1.0
    return np.ascontiguousarray((255 * smooth / peak).astype(np.uint8).T[::-1])
