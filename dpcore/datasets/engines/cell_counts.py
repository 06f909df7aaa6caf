"""Counts of the cells of a grid, from the cells of rows as they come in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from dpcore.datasets.engines.source import Source
from dpcore.errors import DataFileError
from dpcore.geometry.domain import LATTICE_BITS, LATTICE_CELLS, Grid, IntArray

#: Cells that are counted at a time, at least: one pass over all counts is then worth it.
FEWEST = 1 << 17

Cells = npt.NDArray[np.int32]


def counted(
    batches: Iterable[npt.NDArray[np.signedinteger]], grid: Grid, source: Source
) -> IntArray:
    """The number of rows in each cell of the grid, from flat cells in pieces of any size."""
    counts = np.zeros(grid.n_cells, dtype=np.int64)
    buffer = np.empty(max(grid.n_cells, FEWEST), dtype=np.int64)
    size = 0
    for cells in batches:
        for start in range(0, len(cells), len(buffer)):
            some = cells[start : start + len(buffer)]
            if size + len(some) > len(buffer):
                _add(buffer[:size], counts, source)
                size = 0
            buffer[size : size + len(some)] = some
            size += len(some)
    _add(buffer[:size], counts, source)
    return counts.reshape(grid.shape)


def _add(cells: IntArray, counts: IntArray, source: Source) -> None:
    """Only a damaged file names cells beyond the last or before the first."""
    try:
        counts += np.bincount(cells, minlength=len(counts))
    except ValueError as error:
        raise DataFileError(source.path, "it is damaged, cut short or of another type.") from error


def grid_cells(rows: Cells, grid: Grid) -> IntArray:
    """The flat cell, in C order, that each row of lattice cells (m, d) falls in."""
    side = grid.cells_per_side
    flat = np.zeros(len(rows), dtype=np.int64)
    for axis in range(grid.d):
        cell = rows[:, axis].astype(np.int64)
        if LATTICE_CELLS % side:
            cell = ((2 * cell + 1) * side) >> (LATTICE_BITS + 1)
        else:
            cell >>= (LATTICE_CELLS // side).bit_length() - 1
        flat *= side
        flat += cell
    return flat
