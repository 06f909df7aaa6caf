"""Parts of a data set: one for each region, in its own box, or random ones."""

from __future__ import annotations

import numpy as np

from dpcore.datasets.base import Dataset
from dpcore.datasets.grid import GridDataset
from dpcore.datasets.region_map import Regions
from dpcore.datasets.rows import RowsDataset
from dpcore.geometry.domain import LATTICE_CELLS, TICKS, IntArray
from dpcore.privacy.secret_coins import SecretCoins


def divided(data: Dataset, regions: Regions) -> list[Dataset]:
    """The rows of each region, in the box of the region's window.

    A row goes where its position says, whatever the other rows are, and no row goes twice. Rows
    stay rows and counts on a grid stay counts on the same, smaller grid.
    """
    ticks, weights = data.positions()
    labels = regions.labels(ticks)
    order = np.argsort(labels, kind="stable")
    ends = np.searchsorted(labels[order], np.arange(regions.n_cells + 1))
    parts: list[Dataset] = []
    for region, window in enumerate(regions.windows):
        rows = order[ends[region] : ends[region + 1]]
        box = regions.box_of(region)
        low = np.array([window.low0, window.low1])
        lattice = (ticks[rows] + TICKS) // 2 - low * (LATTICE_CELLS // regions.side)
        # As many cells a side as before, over a window that is so many times smaller.
        times = regions.side // window.side
        if weights is None:
            places = (lattice * times + times // 2).astype(np.int32)
            parts.append(RowsDataset(places, box, data.about, data.resolution // times))
        else:
            side = data.resolution // times
            cells = lattice // (LATTICE_CELLS // data.resolution)
            parts.append(GridDataset(_counts(cells, weights[rows], side), box, data.about))
    return parts


def rows_in(data: Dataset, regions: Regions, name: str) -> Dataset:
    """The rows of one region, in the box of the whole map."""
    ticks, weights = data.positions()
    inside = regions.labels(ticks) == regions.index(name)
    cells = (ticks[inside] + TICKS) // 2
    if weights is None:
        return RowsDataset(cells.astype(np.int32), data.box, data.about, data.resolution)
    places = cells // (LATTICE_CELLS // data.resolution)
    return GridDataset(_counts(places, weights[inside], data.resolution), data.box, data.about)


def dealt(data: Dataset, parts: int, coins: SecretCoins) -> list[Dataset]:
    """The rows in random parts: each row draws its part independently of all others."""
    ticks, weights = data.positions()
    cells = ((ticks + TICKS) // 2).astype(np.int32)
    if weights is not None:
        cells = np.repeat(cells, weights, axis=0)
    part = coins.parts(cells, parts)
    order = np.argsort(part, kind="stable")
    ends = np.searchsorted(part[order], np.arange(1, parts))
    return [
        RowsDataset(cells[rows], data.box, data.about, data.resolution)
        for rows in np.split(order, ends)
    ]


def _counts(cells: IntArray, weights: IntArray, side: int) -> IntArray:
    flat = np.bincount(cells[:, 0] * side + cells[:, 1], weights, side * side)
    return flat.astype(np.int64).reshape(side, side)
